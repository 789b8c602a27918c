"""Presence: who counts as connected, for how long, and what the host may do at a deserted table."""

import asyncio
import gc
import json
import threading
import weakref
from pathlib import Path
from typing import Any

import pytest

from referee.core.questions import HOST
from referee.fairness.verify import verify
from referee.program.settings import Settings
from tests.support.waiting import TIMEOUT
from tests.support.web.seated_table import SeatedTable
from tests.support.web.table_service import HERE, table_service
from web.security.caller import Caller
from web.server.flask_app import create_app
from web.service import presence
from web.service.desks import Desks
from web.service.live_table import LiveTable
from web.service.presence import IDLE, RECENT
from web.service.tables import TableService
from web.streams.subscribers import Subscriber


class Seconds:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def later(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> Seconds:
    return Seconds()


@pytest.fixture
def at(service: TableService) -> SeatedTable:
    """A table where two have sat down and hidden."""
    at = SeatedTable(service, options={"first": "target"})
    at.hide()
    return at


def asks_for(at: SeatedTable, who: Caller, seat: str) -> dict[str, Any]:
    """Somebody asks for a new key to a seat."""
    return at.asks(who, "reissue", seat=seat)


def test_a_phone_counts_as_connected_for_a_while_after_a_call(at: SeatedTable, clock: Seconds) -> None:
    assert at.table.connected() == {"target", "mask"}
    clock.later(RECENT - 1)
    at.service.seat(at.table, at.people["mask"])
    clock.later(1)
    assert at.table.connected() == {"mask"}
    clock.later(RECENT)
    assert at.table.connected() == set()


def test_a_seat_whose_token_is_no_longer_valid_is_not_connected(at: SeatedTable) -> None:
    asks_for(at, at.people["target"], "mask")
    at.answers(at.people["mask"], accept=True)
    assert at.table.connected() == {"target"}


def test_a_phone_that_called_recently_is_asked_and_later_is_not(at: SeatedTable, clock: Seconds) -> None:
    assert [news["kind"] for news in asks_for(at, at.people["target"], "mask")["news"]] == ["asked"]
    at.answers(at.people["target"], accept=False)
    clock.later(RECENT)
    assert asks_for(at, at.people["target"], "mask")["news"][-1]["how"] == "away"


@pytest.mark.parametrize(("language", "words"), [("fr", "personne à qui demander"), ("en", "nobody to ask")])
def test_the_host_may_reissue_keys_at_a_deserted_table(
    at: SeatedTable, clock: Seconds, tmp_path: Path, language: str, words: str
) -> None:
    browser = create_app(at.service, Desks(at.service, tmp_path, lambda: "http://x")).test_client()
    browser.set_cookie(f"host_{at.code}", at.opened.host)
    browser.set_cookie("language", language)
    path = f"/t/{at.code}"
    clock.later(IDLE - 1)
    assert words not in browser.get(f"{path}?lost=mask").text
    assert [news["kind"] for news in asks_for(at, at.host, "mask")["news"]] == ["asked"]
    at.answers(at.host, accept=False)
    clock.later(1)
    assert words in browser.get(f"{path}?lost=mask").text
    for seat in ("mask", "target"):
        assert asks_for(at, at.host, seat)["news"][-1]["how"] == "nobody_there"
    assert words in browser.get(path).text
    assert set(at.table.free_keys(HOST)) == {"target", "mask"}


def test_only_the_host_may_and_only_at_a_deserted_table(at: SeatedTable, clock: Seconds) -> None:
    clock.later(IDLE)
    at.service.seat(at.table, at.people["mask"])
    assert [news["kind"] for news in asks_for(at, at.host, "target")["news"]] == ["asked"]
    assert at.table.match.question
    assert at.table.match.question.of == ("mask",)


def test_what_happened_before_the_server_started_is_not_known(at: SeatedTable, clock: Seconds) -> None:
    clock.later(10 * IDLE)
    service = TableService(at.service.store, Settings(), clock=clock)
    assert not service.find(at.code, HERE).is_deserted()
    clock.later(IDLE)
    assert service.find(at.code, HERE).is_deserted()


def test_a_record_with_a_key_reissued_by_the_host_verifies(at: SeatedTable, clock: Seconds) -> None:
    clock.later(IDLE)
    asks_for(at, at.host, "mask")
    table = at.table
    at.asks(at.people["target"], "abandon", show=True)
    at.answers(at.joins("mask", table.free_keys(HOST)["mask"]), accept=True)
    assert verify(json.loads(at.service.records.get(table).record)) == []


def test_presence_is_sent_in_the_order_of_its_changes(at: SeatedTable, clock: Seconds) -> None:
    """A call in a thread and one in the loop: nobody who came is told to be gone again."""

    async def told() -> list[int]:
        screen = Subscriber(None, "en", asyncio.get_running_loop(), wants_seats=True)
        at.table.watch(screen)
        in_thread = asyncio.create_task(asyncio.to_thread(at.table.note_call, "mask"))
        at.table.note_call("target")
        await in_thread
        heard = []
        while 2 not in heard:
            what = await asyncio.wait_for(screen.next(), TIMEOUT) or b""
            heard += [what.count(b"true")] if what.startswith(b"event: seats") else []
        return heard

    clock.later(RECENT)
    heard = at.service.wait(told())
    assert heard[0] == 0 and heard == sorted(heard)


def test_a_later_screen_gets_presence_now_and_every_change(at: SeatedTable, clock: Seconds) -> None:
    heard: list[int] = []

    async def looks(*calls: str) -> None:
        screen = Subscriber(None, "en", asyncio.get_running_loop(), wants_seats=True)
        at.table.watch(screen)
        assert (await screen.next() or b"").startswith(b"event: view")
        heard.append((await screen.next() or b"").count(b"true"))
        for seat in calls:
            at.table.note_call(seat)
            at.table.note_call(seat)  # once more changes nothing, and is not told
            heard.append((await screen.next() or b"").count(b"true"))
        at.table.leave(screen)

    clock.later(RECENT)
    at.service.wait(looks("mask", "target"))
    clock.later(RECENT)
    at.table.note_call("mask")  # while nobody looks
    at.service.wait(looks("target"))
    assert heard == [0, 1, 2, 1, 2]


def test_open_streams_and_pages_are_told_when_a_recent_call_no_longer_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody calls any more and no stream ends: only the time passes."""
    monkeypatch.setattr(presence, "RECENT", 0.3)
    redrawn: list[set[str]] = []

    async def told(table: LiveTable) -> None:
        screen = Subscriber(None, "en", asyncio.get_running_loop(), wants_seats=True)
        table.watch(screen)
        table.note_call("mask")
        heard: list[bool] = []  # whether anybody is there
        while heard[-2:] != [True, False]:
            what = await asyncio.wait_for(screen.next(), TIMEOUT) or b""
            heard += [b"true" in what] if what.startswith(b"event: seats") else []
        table.leave(screen)

    with table_service(tmp_path) as service:
        service.on_presence.append(lambda table: redrawn.append(table.connected()))
        service.wait(told(SeatedTable(service).table))
    assert redrawn[-1] == set()


def test_a_table_that_nobody_watches_leaves_no_timer_behind(at: SeatedTable) -> None:
    """MASK called just now; yet once the last stream has ended, nothing keeps the table in memory."""

    async def looks(table: LiveTable) -> None:
        screen = Subscriber(None, "en", asyncio.get_running_loop(), wants_seats=True)
        table.watch(screen)
        table.note_call("mask")
        table.leave(screen)

    at.service.wait(looks(at.table))
    table = weakref.ref(at.table)
    at.service.drop(at.code)
    at.service.wait(asyncio.sleep(0))  # the loop lets go of what it did last
    gc.collect()
    assert table() is None


def test_a_call_during_a_presence_update_is_not_missed(
    at: SeatedTable, clock: Seconds, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MASK, away for a while, calls in a thread just after the loop has found nobody there."""
    table = at.table
    counted = table.connected

    def counted_too_early() -> set[str]:
        there = counted()
        if not there:
            thread = threading.Thread(target=table.note_call, args=("mask",))
            thread.start()
            thread.join()
        return there

    async def told() -> list[int]:
        screen = Subscriber(None, "en", asyncio.get_running_loop(), wants_seats=True)
        table.watch(screen)
        clock.later(RECENT)
        monkeypatch.setattr(table, "connected", counted_too_early)
        table.notify_presence()
        heard: list[bytes | None] = [await asyncio.wait_for(screen.next(), TIMEOUT) for _ in range(4)]
        return [what.count(b"true") for what in heard if what and what.startswith(b"event: seats")]

    assert at.service.wait(told()) == [2, 0, 1]
