"""Bots: whoever plays the empty seats of a demonstration, one move at a time and slowly enough to follow.

A bot knows what its seat may know and picks among what it is offered; its moves go into the journal like
anybody's. It says yes to every question, unless it is too late for what is asked.
"""

import asyncio
import logging
import secrets
from functools import partial

from referee.dice import Dice
from referee.match import Match
from referee.moves import Choices, Move, Seat, Text
from referee.questions import answer
from referee.record import Entry
from web import mending, room
from web.house import House, entry_of
from web.refusals import Refusal
from web.reopening import closed, entering
from web.table import LiveTable

log = logging.getLogger("referee")

WRITES = "R2"  # where free text is asked for
AGAIN = 1.0  # seconds at least until it tries again what could not be kept on disk


class Bots:
    """All bots of this house: a timer in the event loop for each table where one is due."""

    def __init__(self, house: House, pause: float) -> None:
        self._house, self._pause = house, pause
        self._due: dict[str, asyncio.TimerHandle] = {}  # by table
        self._playing: set[asyncio.Task[None]] = set()  # the loop itself would not keep them
        house.at_change.append(lambda table, _told: self._look(table))
        house.at_reading.append(self._look)

    def _look(self, table: LiveTable) -> None:
        """Note that a bot is to play at a table, if one is. Called in the loop, or where a table is read."""
        if self._house.loop and next_bot(table.match, table.bots()):
            self._house.loop.call_soon_threadsafe(self._wake, table.code, self._pause)

    def _wake(self, code: str, pause: float) -> None:
        if code not in self._due:
            self._due[code] = asyncio.get_running_loop().call_later(pause, self._begin, code)

    def _begin(self, code: str) -> None:
        del self._due[code]
        playing = asyncio.ensure_future(self._try(code))
        self._playing.add(playing)
        playing.add_done_callback(self._playing.discard)

    async def _try(self, code: str) -> None:
        try:
            await self._play(code)
        except Refusal as refusal:
            log.warning("a bot at table %s will try again: %s", code, refusal.code)
            self._wake(code, max(self._pause, AGAIN))
        except Exception:  # that table stands still, the others go on
            log.exception("a bot at table %s gave up", code)

    async def _play(self, code: str) -> None:
        table = await self._house.fetch_readable(code)
        if table is None:
            return
        async with entering(self._house, table):
            match, seat = table.match, next_bot(table.match, table.bots())
            if seat is None or not (match.question or room.left(match, self._house.settings.limits)):
                return
            language = table.match.options["language"]
            if table.match.question:
                write = partial(mending.write_entry, self._house)
                await self._house.enter(table, seat, self._answer, language, write=write)
            else:
                await self._house.enter(table, seat, _move, language)

    def _answer(self, table: LiveTable, seat: Seat) -> Entry:
        return answer(table.match, seat, accept=closed(self._house, table) is None)


def _move(table: LiveTable, seat: Seat) -> Entry:
    return entry_of(table.match, seat, decide(table.seen(seat).choices, _new_dice()))


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
