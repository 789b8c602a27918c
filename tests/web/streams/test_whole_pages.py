"""Events with a whole page, which are cached: nothing old in them, and no seat that a curtain hides."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from tests.support.web.seated_table import SeatedTable
from tests.support.web.sse_reader import events_in
from web.pages.live_pages import Audience, LivePages
from web.server.flask_app import create_app
from web.service.desks import Desks
from web.service.erasure import forget_game, forget_person
from web.service.host_actions import note
from web.service.live_table import LiveTable
from web.service.tables import TableService
from web.store.statements import TableNotes
from web.streams.subscribers import PAGE_QUEUE, Subscriber

SCREEN = Audience("screen", None, "en")
BOTH = Audience("seat", "target", "en", ("target", "mask"))  # a phone that holds both seats


@pytest.fixture
def live(service: TableService, tmp_path: Path) -> LivePages:
    desks = Desks(service, tmp_path, lambda: "http://localhost")
    return LivePages(service, desks, create_app(service, desks))


async def watching(
    live: LivePages, table: LiveTable, audience: Audience, seat: str | None = None, opened: str = ""
) -> Subscriber:
    subscriber = Subscriber(seat, "en", asyncio.get_running_loop())
    live.watch(table, subscriber, audience, opened)
    return subscriber


async def next_of(subscriber: Subscriber) -> tuple[str, dict[str, Any]]:
    [event] = events_in((await subscriber.next() or b"").decode())
    return event.kind, event.json


async def whole(live: LivePages, table: LiveTable, audience: Audience) -> dict[str, Any]:
    """What a page is sent that is opened, and closed again."""
    page = await watching(live, table, audience)
    _, sent = await next_of(page)
    live.leave(table, page)
    return sent


def test_a_deleted_name_is_on_no_page_that_is_opened_later(service: TableService, live: LivePages) -> None:
    at = SeatedTable(service)
    at.agrees("abandon")

    async def story() -> tuple[str, str]:
        before = await whole(live, at.table, SCREEN)
        await forget_person(service, "Target")
        return str(before["regions"]), str((await whole(live, at.table, SCREEN))["regions"])

    before, after = service.wait(story())
    assert "Target" in before and "Target" not in after and "Mask" in after


def test_a_clock_is_on_every_page_that_is_opened_after_it_was_switched_on(
    service: TableService, live: LivePages
) -> None:
    at = SeatedTable(service)
    at.hide()

    async def story() -> list[bool]:
        shown = []
        for notes in (TableNotes(), TableNotes(has_clock=True), TableNotes()):
            await note(service, at.table, notes)
            shown.append("turn-clock" in str((await whole(live, at.table, SCREEN))["regions"].get("clock")))
        return shown

    assert service.wait(story()) == [False, True, False]


def test_a_screen_of_a_desk_is_told_of_the_newest_table_there(service: TableService, live: LivePages) -> None:
    desk = service.settings.desk.name
    at = SeatedTable(service, desk=desk)
    at.agrees("abandon")
    follows = SCREEN._replace(desk=desk)
    places = [service.wait(whole(live, at.table, follows))["page"]["place"]]
    later = SeatedTable(service, desk=desk)
    places.append(service.wait(whole(live, at.table, follows))["page"]["place"])
    later.agrees("abandon")
    service.wait(forget_game(service, later.code))
    places.append(service.wait(whole(live, at.table, follows))["page"]["place"])
    assert places == [at.code, later.code, at.code]


async def another_page_is_opened(live: LivePages, table: LiveTable, page: Subscriber) -> None:
    """Of the same phone, where the curtain was opened again."""
    await page.next()  # its first event
    await watching(live, table, BOTH, "target", f"{table.match.version}.target")


async def it_was_slow(live: LivePages, table: LiveTable, page: Subscriber) -> None:
    for _ in range(PAGE_QUEUE):
        page.push(b"")


@pytest.mark.parametrize("happens", [another_page_is_opened, it_was_slow])
def test_a_curtain_that_falls_is_told_before_its_pages_are_rendered(
    service: TableService,
    live: LivePages,
    happens: Callable[[LivePages, LiveTable, Subscriber], Coroutine[Any, Any, None]],
) -> None:
    """Another phone is rendered first: at that moment the page is sent all regions for another reason."""
    at = SeatedTable(service, options={"first": "target"})
    at.hide()

    async def story() -> list[Any]:
        table = at.table
        page = await watching(live, table, BOTH, "target", f"{table.match.version}.target")
        await watching(live, table, Audience("seat", "mask", "en", ("mask",)), "mask")
        move = {"version": table.match.version, "type": "attack_from_hand", "card": 0, "house": 1}
        await service.move(table.code, move, at.people["target"], "en")
        assert list(table.due) == [BOTH]
        await happens(live, table, page)
        return [await next_of(page), await page.next()]

    assert service.wait(story()) == [("elsewhere", {"curtain": True}), None]
