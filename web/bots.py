"""Bots: whoever plays the empty seats of a demonstration, one move at a time and slowly enough to follow.

A bot knows what its seat may know and picks among what it is offered; its moves go into the journal like
anybody's. It says yes to every question, unless it is too late for what is asked.
"""

import logging
import secrets
import threading
import time
from collections.abc import Callable

from referee.dice import Dice
from referee.match import Match
from referee.moves import Choices, Move, Seat, Text
from referee.questions import answer
from web import mending, room
from web.house import House, entry_of
from web.refusals import Refusal
from web.reopening import closed, entering
from web.table import LiveTable

log = logging.getLogger("referee")

WRITES = "R2"  # where free text is asked for
AGAIN = 1.0  # seconds at least until it tries again what could not be kept on disk


class Bots:
    """All bots of this house: one thread that sleeps until one of them is due."""

    def __init__(self, house: House, pause: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._house, self._pause, self._clock = house, pause, clock
        self._due: dict[str, float] = {}  # table → when a bot there plays
        self._bell = threading.Condition()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="bots")
        house.at_change.append(lambda table, _told: self._look(table))
        house.at_reading.append(self._look)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        with self._bell:
            self._stopped = True
            self._bell.notify()
        self._thread.join()

    def _look(self, table: LiveTable) -> None:
        """Note that a bot is to play at a table, if one is."""
        if next_bot(table.match, table.bots()):
            self._wake(table.code, self._pause)

    def _wake(self, code: str, pause: float) -> None:
        with self._bell:
            self._due.setdefault(code, self._clock() + pause)
            self._bell.notify()

    def _run(self) -> None:
        while (code := self._next()) is not None:
            try:
                self._play(code)
            except Refusal as refusal:
                log.warning("a bot at table %s will try again: %s", code, refusal.code)
                self._wake(code, max(self._pause, AGAIN))
            except Exception:  # that table stands still, the others go on
                log.exception("a bot at table %s gave up", code)

    def _next(self) -> str | None:
        """The next table where a bot is due, once it is; none when we stop."""
        with self._bell:
            while not self._stopped:
                code = min(self._due, key=self._due.__getitem__, default=None)
                if code is None:
                    self._bell.wait()
                elif (wait := self._due[code] - self._clock()) > 0:
                    self._bell.wait(wait)
                else:
                    del self._due[code]
                    return code
        return None

    def _play(self, code: str) -> None:
        table = self._house.readable(code)
        if table is None:
            return
        with entering(self._house, table):
            match, seat = table.match, next_bot(table.match, table.bots())
            if seat is None or not (match.question or room.left(match, self._house.settings.limits)):
                return
            if match.question:
                said = answer(match, seat, accept=closed(self._house, table) is None)
                mending.written(self._house, table, said, match.after(said))
            else:
                entry = entry_of(match, seat, decide(match.seen_by(seat).choices, _new_dice()))
                self._house.append(table, entry, match.after(entry))


def next_bot(match: Match, bots: tuple[Seat, ...]) -> Seat | None:
    """The bot that is to answer or to move now."""
    if asked := match.question:
        return next((bot for bot in bots if bot in asked.of and bot not in asked.accepted), None)
    able = (bot for bot in bots if match.choices.get(bot))
    return next((bot for bot in able if not _is_left_to_people(match, bot, bots)), None)


def _is_left_to_people(match: Match, bot: Seat, bots: tuple[Seat, ...]) -> bool:
    """Whether somebody of the bot's own team may act now: then people decide."""
    teams = match.game.sides(match.seats).values()
    mates = next(team for team in teams if bot in team)
    return any(match.choices.get(mate) for mate in mates if mate not in bots)


def decide(choices: Choices, dice: Dice) -> Move:
    """Any legal move."""
    choice = dice.pick(choices)
    picked = {f.name: WRITES[: f.max] if isinstance(f, Text) else f.pick(dice) for f in choice.fields}
    return Move(choice.type, picked)


def _new_dice() -> Dice:
    return Dice(secrets.token_hex(16))
