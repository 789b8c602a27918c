"""Forgetting: a name goes out of all finished games, or a game goes whole; every record that stays still
verifies."""

import asyncio
from contextlib import nullcontext

from referee.game import Say
from referee.record import Joined
from web.house import House
from web.people import known_as
from web.refusals import Refusal
from web.store import memory


def sat_down(house: House, name: str, is_over: bool) -> list[tuple[str, int, Joined]]:
    """Every time that this person took a seat, in games that are over or in those that are not."""
    own = memory.joins_of(known_as(name), house.store.joins())
    return [(code, n, sat) for line, sat in own.items() for code, n in house.store.joined(line, is_over)]


def check_known(house: House, name: str) -> None:
    """Refuse a name that nobody has given here."""
    if not any(sat_down(house, name, is_over) for is_over in (True, False)):
        raise Refusal("unknown-person")


async def forget_person(house: House, name: str) -> int:
    """Make a person anonymous in every game that is over; how many those were. Who plays needs their name."""
    async with house.opening:  # a rematch that opens meanwhile would carry the name on
        await asyncio.to_thread(check_known, house, name)
        joins = await asyncio.to_thread(sat_down, house, name, True)
        if not joins:
            raise Refusal("not-over", why=Say("page.forget.person.playing"))
        await house.commit(memory.person_forgotten(known_as(name), joins))
    await asyncio.to_thread(house.store.scrub)
    codes = {code for code, _, _ in joins}
    for code in codes:
        await house.reread(code)
    return len(codes)


async def forget_game(house: House, code: str) -> None:
    """Delete a finished game with all that belongs to it."""
    row = house.store.table(code)
    if row is None:
        raise Refusal("unknown-table")
    if not row.finished:
        raise Refusal("not-over")
    table = await house.fetch_readable(code)  # none whose game is no longer known: it goes all the same
    async with house.opening:
        before = house.store.before(code)
        async with table.lock if table else nullcontext():
            if table and not table.match.outcome:  # a correction has just reopened it
                raise Refusal("not-over")
            await house.commit(memory.game_forgotten(code))
        house.drop(code)
    await asyncio.to_thread(house.store.scrub)
    for other in filter(None, (before, row.next)):  # they name this one no more
        await house.reread(other)
