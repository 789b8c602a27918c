"""The store: changes that wait together share a transaction; one that fails does not affect the others."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.waiting import TIMEOUT
from tests.support.web.event_loops import let_others_run, run_in_loop
from tests.support.web.held_store import transactions, writer_held
from web.service.erasure import joins_of_person
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


def together(store: Store, groups: list[list[statements.Change]]) -> list[int | BaseException]:
    """What becomes of these changes, all made in one turn of a loop."""

    async def commit() -> list[int | BaseException]:
        return await asyncio.gather(*map(store.commit_async, groups), return_exceptions=True)

    return run_in_loop(commit())


def test_changes_of_one_turn_of_the_loop_share_one_transaction(store: Store) -> None:
    store.commit([line(1)])
    before = transactions(store.path)
    assert together(store, [[line(n)] for n in range(2, 41)]) == list(range(2, 41))
    assert transactions(store.path) == before + 1
    assert len(store.journal("KX7QF")) == 40


def test_changes_of_threads_that_wait_together_share_transactions(store: Store) -> None:
    store.commit([line(1)])
    before, all_here = transactions(store.path), threading.Barrier(40)

    def commit(n: int) -> int:
        all_here.wait(TIMEOUT)
        return store.commit([line(n)])

    with ThreadPoolExecutor(39) as pool:
        with writer_held(store.path):
            done = [pool.submit(commit, n) for n in range(2, 41)]
            all_here.wait(TIMEOUT)
        assert all(future.exception(TIMEOUT) is None for future in done)
    assert transactions(store.path) - before < len(done)
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
def test_a_change_that_fails_does_not_affect_the_others(store: Store, bad: statements.Change) -> None:
    done = together(store, [[line(1)], [line(2)], [line(50), bad], [line(3)]])
    assert [type(how) for how in done] == [int, int, NotSaved, int]
    assert lines_in(store) == ["line 1", "line 2", "line 3"], "nor is half of the bad one there"
    store.commit([line(4)])
    assert len(store.journal("KX7QF")) == 4


def test_the_loop_is_told_when_the_store_is_closed(tmp_path: Path) -> None:
    store = Store(tmp_path / "closed.db")
    store.close()
    assert [type(how) for how in together(store, [[line(1)], [line(2)]])] == [NotSaved, NotSaved]


def test_the_writer_survives_a_loop_that_closes_meanwhile(store: Store) -> None:
    def leave_behind() -> asyncio.Task[int]:
        """Commit in a loop that is closed before the change is on disk."""
        loop = asyncio.new_event_loop()
        committing = loop.create_task(store.commit_async([line(1)]))
        loop.run_until_complete(let_others_run())
        loop.close()
        return committing

    with ThreadPoolExecutor(1) as apart, writer_held(store.path):
        left = apart.submit(leave_behind).result(TIMEOUT)
    store.commit([line(2)])
    assert lines_in(store) == ["line 1", "line 2"]
    assert not left.done()


def test_each_gets_the_number_of_its_own_row(store: Store) -> None:
    numbers = together(store, [[statements.job_added("main", code, "join", "now")] for code in "ABCDE"])
    stored = {job.job: job.code for job in store.waiting_jobs("main")}
    assert dict(zip(numbers, "ABCDE", strict=True)) == stored


def test_closing_writes_what_waits_and_refuses_what_comes_later(tmp_path: Path) -> None:
    store = Store(tmp_path / "referee.db")

    async def story() -> list[int]:
        with writer_held(store.path):
            waiting = [asyncio.create_task(store.commit_async([line(n)])) for n in (1, 2)]
            await let_others_run()
            closing = asyncio.create_task(asyncio.to_thread(store.close))
            await let_others_run()
        await asyncio.wait_for(closing, TIMEOUT)
        return await asyncio.gather(*waiting)

    assert run_in_loop(story()) == [1, 2]
    with pytest.raises(NotSaved):
        store.commit([line(3)])
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
    found: Any = joins_of_person(house, " zoe", is_over=False)  # type: ignore[arg-type]
    assert {(code, n) for (code, n, *_), _ in found} == {(f"T{n}", 1) for n in range(30)}
    assert joins_of_person(house, "nobody", is_over=False) == []  # type: ignore[arg-type]
    assert len(really(store, *read[0])) == 2  # each way to sit down once, however often it happened
    for asked in read:
        plan = really(store, f"EXPLAIN QUERY PLAN {asked[0]}", *asked[1:])
        assert "journal_joins" in plan[0][-1], plan
        assert not any("SCAN" in step[-1] for step in plan[1:]), plan


def test_entries_are_read_in_the_order_of_their_numbers(store: Store) -> None:
    for n in (3, 1, 2):
        store.commit([line(n)])
    assert lines_in(store) == ["line 1", "line 2", "line 3"]
