"""Bots: play the free seats of a demonstration with random legal moves, with a pause before each.

A bot sees only what its seat may see. Its moves are written to the journal like those of people. It agrees to
every question, unless the time for a correction is over.
"""

import asyncio
import logging
import secrets
from functools import partial

from referee.core.dice import Dice
from referee.core.entries import Entry
from referee.core.match import Match
from referee.core.moves import Choices, Move, Seat, Text
from referee.core.questions import answer
from web.service import journal_cap, questions
from web.service.after_the_end import question_locks, why_closed
from web.service.live_table import LiveTable
from web.service.move_entries import entry_of
from web.service.tables import TableService
from web.wire.errors import ApiError

log = logging.getLogger("referee")

WRITES = "R2"  # the value of free-text fields
RETRY_PAUSE = 1.0  # minimum seconds before a retry after a refusal, such as a full disk


class Bots:
    """All bots: one timer in the event loop for each table where a bot is to act."""

    def __init__(self, service: TableService, pause: float) -> None:
        self._service, self._pause = service, pause
        self._timers: dict[str, asyncio.TimerHandle] = {}  # by table
        self._playing: set[asyncio.Task[None]] = set()  # strong references: the loop holds only weak ones
        service.on_change.append(lambda table, _told: self._schedule_if_due(table))
        service.on_load.append(self._schedule_if_due)

    def _schedule_if_due(self, table: LiveTable) -> None:
        """Schedule a move if a bot is to act at this table. Called in the loop or in a background thread."""
        if self._service.loop and next_bot(table.match, table.bots()):
            self._service.loop.call_soon_threadsafe(self._schedule, table.code, self._pause)

    def _schedule(self, code: str, pause: float) -> None:
        if code not in self._timers:
            self._timers[code] = asyncio.get_running_loop().call_later(pause, self._start, code)

    def _start(self, code: str) -> None:
        del self._timers[code]
        playing = asyncio.ensure_future(self._try(code))
        self._playing.add(playing)
        playing.add_done_callback(self._playing.discard)

    async def _try(self, code: str) -> None:
        try:
            await self._play(code)
        except ApiError as refusal:
            log.warning("a bot at table %s will try again: %s", code, refusal.code)
            self._schedule(code, max(self._pause, RETRY_PAUSE))
        except Exception:  # only this table stops
            log.exception("a bot at table %s gave up", code)

    async def _play(self, code: str) -> None:
        table = await self._service.fetch_readable(code)
        if table is None:
            return
        async with question_locks(self._service, table):
            match, seat = table.match, next_bot(table.match, table.bots())
            if seat is None or not (
                match.question or journal_cap.entries_left(match, self._service.settings.limits)
            ):
                return
            language = table.match.options["language"]
            if table.match.question:
                write = partial(questions.write_entry, self._service)
                await self._service.enter(table, seat, self._answer, language, write=write)
            else:
                await self._service.enter(table, seat, _move, language)

    def _answer(self, table: LiveTable, seat: Seat) -> Entry:
        return answer(table.match, seat, accept=why_closed(self._service, table) is None)


def _move(table: LiveTable, seat: Seat) -> Entry:
    return entry_of(table.match, seat, decide(table.seen(seat).choices, _new_dice()))


def next_bot(match: Match, bots: tuple[Seat, ...]) -> Seat | None:
    """The bot that must answer or move now."""
    if asked := match.question:
        return next((bot for bot in bots if bot in asked.of and bot not in asked.accepted), None)
    able = (bot for bot in bots if match.choices.get(bot))
    return next((bot for bot in able if not _is_left_to_people(match, bot, bots)), None)


def _is_left_to_people(match: Match, bot: Seat, bots: tuple[Seat, ...]) -> bool:
    """Whether a person of the bot's own team can act now. Then the bot waits."""
    teams = match.game.sides(match.seats).values()
    mates = next(team for team in teams if bot in team)
    return any(match.choices.get(mate) for mate in mates if mate not in bots)


def decide(choices: Choices, dice: Dice) -> Move:
    """A random legal move."""
    choice = dice.pick(choices)
    picked = {f.name: WRITES[: f.max] if isinstance(f, Text) else f.pick(dice) for f in choice.fields}
    return Move(choice.type, picked)


def _new_dice() -> Dice:
    return Dice(secrets.token_hex(16))
