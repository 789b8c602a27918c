"""The store: changes that wait together share a transaction, and one that fails takes nobody down."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.waiting import PATIENCE, eventually
from tests.support.web.event_loops import in_a_loop
from tests.support.web.held_store import Gate, waiting
from web.service.erasure import sat_down
from web.store import NotSaved, Store, statements


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "referee.db")
    yield store
    store.close()


def line(n: int) -> statements.Change:
    return statements.entry_written("KX7QF", n, "now", f"line {n}", "head")


def lines_in(store: Store) -> list[str]:
    return [row.line for row in store.journal("KX7QF")]


def piled_up(store: Store, gate: Gate, changes: list[list[statements.Change]]) -> list[Future[int]]:
    """Commit the first change alone and all others while it is on its way."""
    with ThreadPoolExecutor(len(changes)) as pool:
        first = pool.submit(store.commit, changes[0])
        gate.reached()
        others = [pool.submit(store.commit, change) for change in changes[1:]]
        waiting(store, len(others))
        gate.open()
    return [first, *others]


def test_changes_that_wait_together_share_one_transaction(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(monkeypatch)
    done = piled_up(store, gate, [[line(n)] for n in range(1, 41)])
    assert all(future.exception() is None for future in done)
    assert gate.transactions == [1, 39]
    assert len(store.journal("KX7QF")) == 40


@pytest.mark.parametrize(
    "bad",
    [
        line(1),  # this number is taken
        ("INSERT INTO nowhere VALUES (1)", ()),
        statements.entry_written("KX7QF", 2**70, "now", "a number beyond SQLite's", "head"),
        statements.entry_written("KX7QF", 99, "now", "half a character: \ud800", "head"),
        ("INSERT INTO journal VALUES (?, ?)", (1,)),
    ],
    ids=["taken", "no table", "too large", "half a character", "too few values"],
)
def test_one_that_fails_takes_nobody_down(
    store: Store, monkeypatch: pytest.MonkeyPatch, bad: statements.Change
) -> None:
    gate = Gate(monkeypatch)
    changes = [[line(1)], [line(2)], [line(50), bad], [line(3)]]
    done = piled_up(store, gate, changes)
    assert isinstance(done[2].exception(), NotSaved)
    assert all(done[i].exception() is None for i in (0, 1, 3))
    assert lines_in(store) == ["line 1", "line 2", "line 3"]  # nor any half of the bad one
    store.commit([line(4)])
    assert len(store.journal("KX7QF")) == 4


def together(store: Store, changes: list[statements.Change]) -> list[int | BaseException]:
    """What becomes of these changes, asked for in one turn of a loop."""

    async def asked() -> list[int | BaseException]:
        return await asyncio.gather(*(store.commit_async([c]) for c in changes), return_exceptions=True)

    return in_a_loop(asked())


def test_those_of_one_turn_of_the_loop_share_one_transaction(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(monkeypatch)
    gate.open()
    told = together(store, [line(n) for n in range(1, 41)])
    assert told == list(range(1, 41))
    assert gate.transactions == [40]
    assert len(store.journal("KX7QF")) == 40


def test_one_of_the_loop_that_fails_takes_nobody_down(store: Store) -> None:
    told = together(store, [line(1), line(2), line(2), line(3)])
    assert [type(how) for how in told] == [int, int, NotSaved, int]
    assert lines_in(store) == ["line 1", "line 2", "line 3"]


def test_the_loop_is_told_when_the_store_is_closed(tmp_path: Path) -> None:
    store = Store(tmp_path / "closed.db")
    store.close()
    assert [type(how) for how in together(store, [line(1), line(2)])] == [NotSaved, NotSaved]


def test_a_loop_that_closes_meanwhile_does_not_take_the_writer_along(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, later = asyncio.new_event_loop(), Future[int]()
    gone = loop.create_future()
    loop.close()
    monkeypatch.setattr(loop, "is_closed", lambda: False)  # it was not, the last time somebody asked
    store._queue([([line(1)], gone)])
    eventually(lambda: lines_in(store) == ["line 1"])
    store._queue([([line(2)], later)])
    later.result(PATIENCE)


def test_each_gets_the_number_of_its_own_row(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(monkeypatch)
    jobs = [[statements.job_added("main", code, "join", "now")] for code in "ABCDE"]
    done = piled_up(store, gate, jobs)
    told = {number.result(): code for number, code in zip(done, "ABCDE", strict=True)}
    assert told == {job.job: job.code for job in store.waiting_jobs("main")}


def test_nothing_is_read_before_it_is_kept(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(monkeypatch)
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(store.commit, [line(1)])
        gate.reached()
        assert lines_in(store) == []
        gate.open()
        done.result(PATIENCE)
    assert lines_in(store) == ["line 1"]


def test_closing_writes_what_waits_and_refuses_what_comes_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "referee.db")
    gate = Gate(monkeypatch)
    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(store.commit, [line(1)])
        gate.reached()
        second = pool.submit(store.commit, [line(2)])
        waiting(store, 1)
        closing = pool.submit(store.close)
        waiting(store, 2)
        gate.open()
        closing.result(PATIENCE)
        assert (first.exception(PATIENCE), second.exception(PATIENCE)) == (None, None)
        late = pool.submit(store.commit, [line(3)])
        assert isinstance(late.exception(PATIENCE), NotSaved)
    assert lines_in(store) == ["line 1", "line 2"]


def test_its_files_are_for_their_owner_alone(store: Store, tmp_path: Path) -> None:
    store.commit([line(1)])
    files = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
    assert files == dict.fromkeys(("referee.db", "referee.db-wal", "referee.db-shm"), 0o600)


def test_who_sat_where_is_found_without_reading_the_games(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(30):
        lines = ['target joins "Zoé"', 'mask joins "Bo"', "target attack_from_hand card=3 house=2"]
        store.commit(
            statements.entry_written(f"T{n}", at, "", line, "head") for at, line in enumerate(lines, 1)
        )
    read, house = list[tuple[Any, ...]](), SimpleNamespace(store=store)
    really = Store.read

    def noted(here: Store, *asked: Any) -> list[tuple[Any, ...]]:
        read.append(asked)
        return really(here, *asked)

    monkeypatch.setattr(Store, "read", noted)
    found: Any = sat_down(house, " zoe", is_over=False)  # type: ignore[arg-type]
    assert {(code, n) for (code, n, *_), _ in found} == {(f"T{n}", 1) for n in range(30)}
    assert sat_down(house, "nobody", is_over=False) == []  # type: ignore[arg-type]
    assert len(really(store, *read[0])) == 2  # each way to sit down once, however often it happened
    for asked in read:
        plan = really(store, f"EXPLAIN QUERY PLAN {asked[0]}", *asked[1:])
        assert "journal_joins" in plan[0][-1], plan
        assert not any("SCAN" in step[-1] for step in plan[1:]), plan


def test_entries_are_read_in_the_order_of_their_numbers(store: Store) -> None:
    for n in (3, 1, 2):
        store.commit([line(n)])
    assert lines_in(store) == ["line 1", "line 2", "line 3"]
