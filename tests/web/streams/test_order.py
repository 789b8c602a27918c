"""The order in which people are told of a move, as web/README.md states it."""

import asyncio
from pathlib import Path

import pytest

from tests.support.web.event_loops import let_others_run
from tests.support.web.table_service import HERE, HIDE, joined, opened
from web.pages.live_pages import Audience, LivePages
from web.server.flask_app import create_app
from web.service.desks import Desks
from web.service.tables import TableService
from web.streams.subscribers import Subscriber

DESK = "main"
FIRST = ["a client of the API", "the desk"]
PAGES = ["who waits", "who moved", "the screen"]


@pytest.mark.parametrize("at_once", [1, 3])
def test_who_is_told_of_a_move_before_whom(
    service: TableService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    """Also of several entries that come before all pages were told of the first."""
    desks = Desks(service, tmp_path, lambda: "http://localhost")
    live = LivePages(service, desks, create_app(service, desks))
    game = opened(service, DESK)
    people = joined(service, game)
    names, told = dict[Subscriber, str](), list[str]()

    async def story() -> None:
        table, loop = await service.find_async(game.code, HERE), asyncio.get_running_loop()
        await service.move(table.code, {**HIDE, "version": table.match.version}, people["target"], "en")
        audiences = {
            "the screen": Audience("screen", None, "en"),
            "who moved": Audience("seat", "mask", "en", ("mask",)),
            "who waits": Audience("seat", "target", "en", ("target",)),
        }
        for name, audience in audiences.items():
            names[page := Subscriber(audience.seat, "en", loop)] = name
            live.watch(table, page, audience, "")
        names[desk := Subscriber(None, "en", loop)] = "the desk"
        await desks.watch(DESK, desk)
        names[client := Subscriber("target", "en", loop)] = "a client of the API"
        table.watch(client)
        await let_others_run()
        push = Subscriber.push

        def noted(who: Subscriber, what: bytes) -> None:
            told.append(names[who])
            push(who, what)

        monkeypatch.setattr(Subscriber, "push", noted)
        await service.move(table.code, {**HIDE, "version": table.match.version}, people["mask"], "en")
        for _ in range(at_once - 1):
            service.changed(table, ())
        await let_others_run()

    service.wait(story())
    assert told[:3] == [*FIRST, PAGES[0]], "the first page at once"
    assert [name for name in told if name in FIRST] == FIRST * at_once
    assert list(dict.fromkeys(name for name in told if name in PAGES)) == PAGES
