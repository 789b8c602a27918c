"""Deletes a person's name from all finished games, or a whole game. Remaining records still verify."""

import asyncio
from contextlib import nullcontext

from referee.core.game import Say
from web.service.tables import TableService
from web.store import results
from web.wire.errors import ApiError
from web.wire.names import person_key


def joins_of_person(service: TableService, name: str, is_over: bool) -> list[results.Join]:
    """The journal entries in which this person took a seat, in finished or in unfinished games."""
    store = service.store
    own = results.joins_of(person_key(name), store.join_lines())
    return [(row, sat) for line, sat in own.items() for row in store.where_joined(line, is_over)]


def check_known(service: TableService, name: str) -> None:
    """Refuse a name that occurs in no game."""
    if not any(joins_of_person(service, name, is_over) for is_over in (True, False)):
        raise ApiError("unknown-person")


async def forget_person(service: TableService, name: str) -> int:
    """Remove a name from every finished game; returns how many. Unfinished games still need the name."""
    async with service.opening:  # a rematch opened meanwhile would copy the name
        await asyncio.to_thread(check_known, service, name)
        joins = await asyncio.to_thread(joins_of_person, service, name, True)
        if not joins:
            raise ApiError("not-over", why=Say("page.forget.person.playing"))
        await service.commit(results.person_deleted(person_key(name), joins))
    await asyncio.to_thread(service.store.empty_wal)
    codes = {code for (code, *_), _ in joins}
    for code in codes:
        await service.reload(code)
    return len(codes)


async def forget_game(service: TableService, code: str) -> None:
    """Delete a finished game and everything that belongs to it."""
    ending = service.store.ending(code)
    if ending is None:
        raise ApiError("unknown-table")
    is_over, rematch = ending
    if not is_over:
        raise ApiError("not-over")
    table = await service.fetch_readable(code)  # None if it cannot be read; it is deleted all the same
    async with service.opening:
        before = service.store.previous_table(code)
        async with table.lock if table else nullcontext():
            if table and not table.match.outcome:  # a correction has just reopened it
                raise ApiError("not-over")
            await service.commit(results.game_deleted(code))
        service.drop(code)
    await asyncio.to_thread(service.store.empty_wal)
    for other in filter(None, (before, rematch)):  # they no longer refer to this one
        await service.reload(other)
