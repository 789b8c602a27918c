"""The table service in one process: concurrent calls, and tables that left memory."""

import asyncio
import gc
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.support.waiting import TIMEOUT, eventually
from tests.support.web.event_loops import let_others_run
from tests.support.web.held_store import transactions, writer_held
from tests.support.web.table_service import HERE, HIDE, joined, opened
from web.security.caller import Caller
from web.service import table_cache
from web.service.desks import Desks
from web.service.opening import Opened
from web.service.rematch import open_rematch
from web.service.tables import TableService
from web.store import statements
from web.store.journal_rows import JournalRow
from web.streams.subscribers import Subscriber
from web.wire.errors import ApiError


@pytest.fixture(autouse=True)
def _desk(service: TableService, tmp_path: Path) -> None:
    """The service has a desk."""
    Desks(service, tmp_path, lambda: "http://referee")


def moves(service: TableService, table: Opened, who: Caller, move: dict[str, Any]) -> dict[str, Any]:
    return service.wait(service.move(table.code, move, who, "en"))


def version(service: TableService, table: Opened) -> int:
    return service.find(table.code, HERE).match.version


def kinds(service: TableService, table: Opened) -> list[str]:
    return [told.news.kind for told in service.find(table.code, HERE).match.news]


def test_moves_of_many_tables_share_transactions(service: TableService) -> None:
    tables = [opened(service) for _ in range(20)]
    people = [joined(service, table) for table in tables]
    before = transactions(service.store.path)

    async def story() -> None:
        with writer_held(service.store.path):
            both = zip(tables, people, strict=True)
            made = [start_hiding(service, table, who["mask"]) for table, who in both]
            await let_others_run()
            assert version(service, tables[1]) == 2, "nobody sees a move before it is on disk"
        assert {move["version"] for move in await asyncio.gather(*made)} == {3}

    service.wait(story())
    assert transactions(service.store.path) - before <= 2


def start_hiding(service: TableService, table: Opened, who: Caller) -> asyncio.Task[dict[str, Any]]:
    return asyncio.create_task(service.move(table.code, {"version": 2, **HIDE}, who, "en"))


def test_a_move_waits_until_the_move_before_is_on_disk(service: TableService) -> None:
    """Else both would be checked against the same state, and both would be entry 3."""
    table = opened(service)
    people = joined(service, table)

    async def story() -> list[dict[str, Any]]:
        with writer_held(service.store.path):
            both = [start_hiding(service, table, who) for who in people.values()]
            await let_others_run()
        return await asyncio.gather(*both)

    assert [move["version"] for move in service.wait(story())] == [3, 4]


def test_tables_opened_at_once_leave_the_desk_to_the_newest(service: TableService) -> None:
    together = threading.Barrier(8)

    def opens(_: int) -> Opened:
        together.wait(TIMEOUT)
        return opened(service, "main")

    with ThreadPoolExecutor(8) as pool:
        tables = list(pool.map(opens, range(8)))
    newest = service.store.table_at("main")
    for table in tables:
        assert kinds(service, table) == ([] if table.code == newest else ["desk_taken"])


def test_a_table_that_cannot_be_saved_takes_no_desk(
    service: TableService, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = opened(service, "main")
    monkeypatch.setattr(statements, "seat_added", lambda *_: ("INSERT INTO nowhere VALUES (1)", ()))
    with pytest.raises(ApiError, match="not-saved"):
        opened(service, "main")
    assert service.store.table_at("main") == before.code
    assert (version(service, before), kinds(service, before)) == (0, [])


def test_a_saved_move_is_answered_even_if_the_desk_cannot_be_notified(
    service: TableService, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("the desk fell over")

    table = opened(service)
    people = joined(service, table)
    service.on_change.insert(0, broken)
    assert moves(service, table, people["mask"], {"version": 2, **HIDE})["version"] == 3
    assert version(service, table) == 3
    assert "not all subscribers were notified" in caplog.text


def test_an_evicted_table_comes_back_from_its_journal(
    service: TableService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_cache, "RUNNING", 2)
    tables = [opened(service) for _ in range(6)]
    people = [joined(service, table) for table in tables]
    gc.collect()
    for table, who in zip(tables, people, strict=True):
        for seat, caller in who.items():
            seen = service.find(table.code, caller)
            answer = moves(service, table, caller, {"version": seen.match.version, **HIDE})
            assert answer["news"][0]["by"] == seat
    assert [version(service, table) for table in tables] == [4] * 6


def played_out(service: TableService) -> Opened:
    """A table where mask's houses, as high as their numbers, were found one after the other."""
    table = opened(service)
    people = joined(service, table)
    attacks = [("target", 1), ("mask", 0), ("target", 2), ("mask", 0), ("target", 3)]
    plan: list[tuple[str, dict[str, Any]]] = [("mask", HIDE), ("target", {**HIDE, "houses": [4, 5, 6]})]
    plan += [(seat, {"type": "attack_from_hand", "card": n, "house": n or 1}) for seat, n in attacks]
    for now, (seat, move) in enumerate(plan, 2):
        moves(service, table, people[seat], {"version": now, **move})
    return table


def test_finished_tables_are_evicted_before_running_ones(
    service: TableService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_cache, "FINISHED", 1)
    going_on = opened(service)
    over = [played_out(service) for _ in range(3)]
    gc.collect()
    read: list[str] = []
    service.on_load.append(lambda table: read.append(table.code))
    found = [service.find(table.code, HERE) for table in (going_on, *reversed(over))]
    assert [bool(table.match.outcome) for table in found] == [False, True, True, True]
    assert read == [over[1].code, over[0].code]


def test_a_table_in_use_is_never_loaded_twice(service: TableService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_cache, "RUNNING", 1)
    table = opened(service)
    in_use = service.find(table.code, HERE)
    for _ in range(3):
        opened(service)
    assert service.find(table.code, HERE) is in_use


def test_a_table_is_loaded_once_by_many_who_come_at_once(
    service: TableService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_cache, "RUNNING", 1)
    table = opened(service)
    joined(service, table)
    opened(service)
    gc.collect()
    together = threading.Barrier(8)

    def looks(_: int) -> Any:
        together.wait(TIMEOUT)
        return service.find(table.code, HERE)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(looks, range(8)))
    assert len({id(one) for one in found}) == 1
    assert found[0].match.version == 2


class Slow:
    """Holds back whoever reads one journal from the store, until it is told to go on."""

    def __init__(self, service: TableService, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self._journal, self._code = service.store.journal, code
        self.begun, self.go_on = threading.Event(), threading.Event()
        monkeypatch.setattr(service.store, "journal", self._wait)

    def _wait(self, code: str) -> list[JournalRow]:
        lines = self._journal(code)
        if code == self._code:
            self.begun.set()
            assert self.go_on.wait(TIMEOUT)
        return lines


def evicted_table(service: TableService, monkeypatch: pytest.MonkeyPatch) -> Opened:
    """A table that has to be read again by whoever asks for it next."""
    monkeypatch.setattr(table_cache, "RUNNING", 1)
    table = opened(service)
    joined(service, table)
    opened(service)
    gc.collect()
    return table


def test_a_table_that_takes_long_to_read_delays_no_other(
    service: TableService, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, others = evicted_table(service, monkeypatch), [opened(service) for _ in range(2)]
    slow = Slow(service, table.code, monkeypatch)
    with ThreadPoolExecutor(2) as pool:
        reads = pool.submit(version, service, table)
        assert slow.begun.wait(TIMEOUT)
        played = pool.submit(lambda: [joined(service, other) for other in others])
        assert len(played.result(TIMEOUT)) == 2
        assert not reads.done()
        slow.go_on.set()
        assert reads.result(TIMEOUT) == 2


@pytest.mark.parametrize("meanwhile", ["drop", "reread"])
def test_a_table_that_changed_while_it_was_read_is_not_cached(
    service: TableService, monkeypatch: pytest.MonkeyPatch, meanwhile: str
) -> None:
    table = evicted_table(service, monkeypatch)
    slow = Slow(service, table.code, monkeypatch)
    with ThreadPoolExecutor(2) as pool:
        reads = pool.submit(service.table, table.code)
        assert slow.begun.wait(TIMEOUT)
        if meanwhile == "drop":
            service.store.commit([("DELETE FROM tables WHERE code = ?", (table.code,))])
            changes_it = pool.submit(service.drop, table.code)
        else:
            taken_back = ("UPDATE seats SET token = NULL WHERE code = ? AND seat = 'mask'", (table.code,))
            service.store.commit(
                [("DELETE FROM journal WHERE code = ? AND n = 2", (table.code,)), taken_back]
            )
            changes_it = pool.submit(service.wait, service.reload(table.code))
        slow.go_on.set()
        reads.result(TIMEOUT), changes_it.result(TIMEOUT)
    found = service.table(table.code)
    assert (found and found.match.version) == {"drop": None, "reread": 1}[meanwhile]


@pytest.mark.parametrize("way", ["open", "reread", "rematch"])
def test_nobody_moves_while_subscribers_are_notified(service: TableService, way: str) -> None:
    over = played_out(service)
    held: list[bool] = []
    service.on_change.append(lambda table, _: held.append(table.lock.locked()))
    if way == "open":
        opened(service)
    elif way == "reread":
        service.wait(service.reload(over.code))
    else:
        service.wait(open_rematch(service, over.code, {}, Caller(HERE.address, over.host)))
    assert held
    assert all(held)


def test_nothing_shows_a_secret_when_it_is_written_to_a_log(service: TableService) -> None:
    table, other = opened(service), opened(service)
    people = joined(service, table)
    hides = {"version": 2, "type": "hide", "houses": [9, 4, 7]}
    salt = moves(service, table, people["mask"], hides)["salt"]
    live = service.find(table.code, HERE)
    free = service.find(other.code, HERE)
    shown = repr((table, people, live.match, live.seen("mask"), live.row, live.seats, free.row, free.seats))
    secrets = [salt, table.host, live.match.seed, *table.keys.values(), *other.keys.values()]
    secrets += [str(who.token) for who in people.values()]
    assert not any(secret in shown for secret in secrets)
    assert "9, 4, 7" not in shown


def test_a_callback_that_fails_does_not_affect_the_others(service: TableService) -> None:
    heard: list[str] = []

    def fails(*_: Any) -> None:
        raise ValueError("a lamp that burst")

    service.on_change[:] = [fails, lambda table, _: heard.append(table.code)]
    table = opened(service)
    assert heard == [table.code]


# ---- in the order of the entries


class Follows:
    """Somebody who watches a table, and the versions that were heard there."""

    def __init__(self, seat: str | None, language: str) -> None:
        self.versions: list[int] = []
        self.subscriber = Subscriber(seat, language, asyncio.get_running_loop())
        self._task = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        while what := await self.subscriber.next():
            self.versions += map(int, re.findall(rb"^id: (\d+)", what, re.MULTILINE))


def test_subscribers_get_entries_in_order_whoever_enters_them(service: TableService) -> None:
    """A thread plays for one, the loop for the other, and two threads have all told anew meanwhile."""
    table = opened(service)
    people = joined(service, table)
    for now, who in enumerate(people.values(), 2):
        moves(service, table, who, {"version": now, **HIDE})
    live, last = service.find(table.code, HERE), 24
    attack = {"type": "attack_from_hand", "card": 0, "house": 1}

    async def watch() -> list[Follows]:
        followers = [Follows(seat, lang) for seat in (None, "target", "mask") for lang in ("en", "fr")]
        for follower in followers:
            live.watch(follower.subscriber)
        return followers

    async def replies() -> None:
        mask = Subscriber("mask", "en", asyncio.get_running_loop())
        live.watch(mask)
        while live.match.version < last:
            await asyncio.wait_for(mask.next(), TIMEOUT)
            if live.match.choices["mask"]:
                await service.move(
                    table.code, {"version": live.match.version, **attack}, people["mask"], "en"
                )
        live.leave(mask)

    def begins() -> None:
        for now in range(4, last, 2):
            eventually(lambda now=now: live.match.version == now)  # type: ignore[misc]
            moves(service, table, people["target"], {"version": now, **attack})

    def tells() -> None:
        while live.match.version < last:
            service.wait(service.notify(live))

    followers = service.wait(watch())
    with ThreadPoolExecutor(4) as pool:
        run_to_end = [pool.submit(service.wait, replies()), *map(pool.submit, (begins, tells, tells))]
        for done in run_to_end:
            done.result(TIMEOUT)
    eventually(lambda: all(follower.versions[-1] == last for follower in followers))
    for follower in followers:
        assert follower.versions == sorted(follower.versions)
        assert set(follower.versions) == set(range(4, last + 1))
