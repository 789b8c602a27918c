"""The house in one process: what happens at the same instant, and what is not at hand any more."""

import gc
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from referee.settings import Settings
from tests.web.client import PATIENCE
from tests.web.loops import in_a_loop
from tests.web.test_store import Gate, waiting
from web import at_hand, mending
from web.bodies import Wish
from web.caller import Caller
from web.desks import Desks
from web.house import House
from web.opening import Opened
from web.refusals import Refusal
from web.store import Store, changes

HERE = Caller("127.0.0.1")
HIDE = {"type": "hide", "houses": [1, 2, 3]}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(Store(tmp_path / "referee.db"), Settings())
    Desks(house, tmp_path, lambda: "http://referee")
    yield house
    house.store.close()


def opened(house: House, desk: str | None = None) -> Opened:
    return house.open(Wish("agent_hunter", {"first": "target"}, desk), HERE)


def joined(house: House, table: Opened) -> dict[str, Caller]:
    tokens = {
        seat: house.join(table.code, seat, {"key": key, "name": seat}, HERE)
        for seat, key in table.keys.items()
    }
    return {seat: Caller(HERE.address, token) for seat, token in tokens.items()}


def version(house: House, table: Opened) -> int:
    return house.find(table.code, HERE).match.version


def kinds(house: House, table: Opened) -> list[str]:
    return [told.news.kind for told in house.find(table.code, HERE).match.news]


def test_moves_of_many_tables_share_one_transaction(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = [opened(house) for _ in range(20)]
    people = [joined(house, table) for table in tables]
    gate = Gate(monkeypatch)

    def hides(i: int) -> dict[str, Any]:
        return house.move(tables[i].code, {"version": 2, **HIDE}, people[i]["mask"], "en")

    with ThreadPoolExecutor(20) as pool:
        first = pool.submit(hides, 0)
        gate.reached()
        others = [pool.submit(hides, i) for i in range(1, 20)]
        waiting(house.store, 19)
        assert version(house, tables[1]) == 2, "nobody sees a move before it is kept"
        gate.open()
        assert {move.result(PATIENCE)["version"] for move in [first, *others]} == {3}
    assert gate.transactions == [1, 19]


def test_a_table_has_one_move_in_flight(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    table = opened(house)
    people = joined(house, table)
    gate = Gate(monkeypatch)
    with ThreadPoolExecutor(2) as pool:
        moves = [
            pool.submit(house.move, table.code, {"version": 2, **HIDE}, who, "en") for who in people.values()
        ]
        gate.reached()
        gate.open()
        assert sorted(move.result(PATIENCE)["version"] for move in moves) == [3, 4]
    assert gate.transactions == [1, 1]


def test_tables_opened_at_once_leave_the_desk_to_the_newest(house: House) -> None:
    together = threading.Barrier(8)

    def opens(_: int) -> Opened:
        together.wait(PATIENCE)
        return opened(house, "main")

    with ThreadPoolExecutor(8) as pool:
        tables = list(pool.map(opens, range(8)))
    newest = house.store.table_at("main")
    for table in tables:
        assert kinds(house, table) == ([] if table.code == newest else ["desk_taken"])


def test_a_table_that_cannot_be_kept_takes_no_desk(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    before = opened(house, "main")
    monkeypatch.setattr(changes, "seat_added", lambda *_: ("INSERT INTO nowhere VALUES (1)", ()))
    with pytest.raises(Refusal, match="not-saved"):
        opened(house, "main")
    assert house.store.table_at("main") == before.code
    assert (version(house, before), kinds(house, before)) == (0, [])


def test_a_move_that_is_kept_is_answered_even_if_the_desk_cannot_be_told(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("the desk fell over")

    table = opened(house)
    people = joined(house, table)
    house.at_change.insert(0, broken)
    assert house.move(table.code, {"version": 2, **HIDE}, people["mask"], "en")["version"] == 3
    assert version(house, table) == 3
    assert "not everyone was told" in caplog.text


def test_a_table_that_is_not_at_hand_any_more_comes_back_from_its_journal(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(at_hand, "GOING_ON", 2)
    tables = [opened(house) for _ in range(6)]
    people = [joined(house, table) for table in tables]
    gc.collect()
    for table, who in zip(tables, people, strict=True):
        for seat, caller in who.items():
            seen = house.find(table.code, caller)
            answer = house.move(table.code, {"version": seen.match.version, **HIDE}, caller, "en")
            assert answer["news"][0]["by"] == seat
    assert [version(house, table) for table in tables] == [4] * 6


def played_out(house: House, at_once: bool) -> Opened:
    """A table where mask's houses, as high as their numbers, were found one after the other."""
    table = opened(house)
    people = joined(house, table)
    attacks = [("target", 1), ("mask", 0), ("target", 2), ("mask", 0), ("target", 3)]
    moves: list[tuple[str, dict[str, Any]]] = [("mask", HIDE), ("target", {**HIDE, "houses": [4, 5, 6]})]
    moves += [(seat, {"type": "attack_from_hand", "card": n, "house": n or 1}) for seat, n in attacks]
    for now, (seat, move) in enumerate(moves, 2):
        body, who = {"version": now, **move}, people[seat]
        if at_once:
            in_a_loop(house.move_now(table.code, body, who, "en"))
        else:
            house.move(table.code, body, who, "en")
    return table


@pytest.mark.parametrize("at_once", [False, True])
def test_tables_that_are_over_are_let_go_before_those_that_go_on(
    house: House, monkeypatch: pytest.MonkeyPatch, at_once: bool
) -> None:
    monkeypatch.setattr(at_hand, "OVER", 1)
    going_on = opened(house)
    over = [played_out(house, at_once) for _ in range(3)]
    gc.collect()
    read: list[str] = []
    house.at_reading.append(lambda table: read.append(table.code))
    found = [house.find(table.code, HERE) for table in (going_on, *reversed(over))]
    assert [bool(table.match.outcome) for table in found] == [False, True, True, True]
    assert read == [over[1].code, over[0].code]


def test_a_table_in_use_is_never_loaded_twice(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(at_hand, "GOING_ON", 1)
    table = opened(house)
    in_use = house.find(table.code, HERE)
    for _ in range(3):
        opened(house)
    assert house.find(table.code, HERE) is in_use


def test_a_table_is_loaded_once_by_many_who_come_at_once(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(at_hand, "GOING_ON", 1)
    table = opened(house)
    joined(house, table)
    opened(house)
    gc.collect()
    together = threading.Barrier(8)

    def looks(_: int) -> Any:
        together.wait(PATIENCE)
        return house.find(table.code, HERE)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(looks, range(8)))
    assert len({id(one) for one in found}) == 1
    assert found[0].match.version == 2


class Slow:
    """Holds back whoever reads one journal from the store, until it is told to go on."""

    def __init__(self, house: House, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self._journal, self._code = house.store.journal, code
        self.begun, self.go_on = threading.Event(), threading.Event()
        monkeypatch.setattr(house.store, "journal", self._wait)

    def _wait(self, code: str) -> list[str]:
        lines = self._journal(code)
        if code == self._code:
            self.begun.set()
            assert self.go_on.wait(PATIENCE)
        return lines


def not_at_hand(house: House, monkeypatch: pytest.MonkeyPatch) -> Opened:
    """A table that has to be read again by whoever asks for it next."""
    monkeypatch.setattr(at_hand, "GOING_ON", 1)
    table = opened(house)
    joined(house, table)
    opened(house)
    gc.collect()
    return table


def test_a_table_that_takes_long_to_read_holds_up_no_other(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, others = not_at_hand(house, monkeypatch), [opened(house) for _ in range(2)]
    slow = Slow(house, table.code, monkeypatch)
    with ThreadPoolExecutor(2) as pool:
        reads = pool.submit(version, house, table)
        assert slow.begun.wait(PATIENCE)
        played = pool.submit(lambda: [joined(house, other) for other in others])
        assert len(played.result(PATIENCE)) == 2
        assert not reads.done()
        slow.go_on.set()
        assert reads.result(PATIENCE) == 2


@pytest.mark.parametrize("meanwhile", ["drop", "reread"])
def test_what_was_read_while_it_changed_does_not_stay(
    house: House, monkeypatch: pytest.MonkeyPatch, meanwhile: str
) -> None:
    table = not_at_hand(house, monkeypatch)
    slow = Slow(house, table.code, monkeypatch)
    with ThreadPoolExecutor(2) as pool:
        reads = pool.submit(house.table, table.code)
        assert slow.begun.wait(PATIENCE)
        if meanwhile == "drop":
            house.commit([("DELETE FROM tables WHERE code = ?", (table.code,))])
        else:
            house.commit([("DELETE FROM journal WHERE code = ? AND n = 2", (table.code,))])
        changes_it = pool.submit(getattr(house, meanwhile), table.code)
        slow.go_on.set()
        reads.result(PATIENCE), changes_it.result(PATIENCE)
    found = house.table(table.code)
    assert (found and found.match.version) == {"drop": None, "reread": 1}[meanwhile]


@pytest.mark.parametrize("way", ["open", "reread", "rematch"])
def test_whoever_tells_how_a_table_stands_lets_nobody_move_meanwhile(house: House, way: str) -> None:
    over = played_out(house, at_once=False)
    held: list[bool] = []
    house.at_change.append(lambda table, _: held.append(table.lock.locked()))
    if way == "open":
        opened(house)
    elif way == "reread":
        house.reread(over.code)
    else:
        mending.rematch(house, over.code, {}, Caller(HERE.address, over.host))
    assert held
    assert all(held)


def test_nothing_shows_a_secret_when_it_is_written_to_a_log(house: House) -> None:
    table, other = opened(house), opened(house)
    people = joined(house, table)
    hides = {"version": 2, "type": "hide", "houses": [9, 4, 7]}
    salt = house.move(table.code, hides, people["mask"], "en")["salt"]
    live = house.find(table.code, HERE)
    free = house.find(other.code, HERE)
    shown = repr((table, people, live.match, live.seen("mask"), live.row, live.seats, free.row, free.seats))
    secrets = [salt, table.host, live.match.seed, *table.keys.values(), *other.keys.values()]
    secrets += [str(who.token) for who in people.values()]
    assert not any(secret in shown for secret in secrets)
    assert "9, 4, 7" not in shown


def test_a_listener_that_fails_leaves_the_others_their_news(house: House) -> None:
    heard: list[str] = []

    def fails(*_: Any) -> None:
        raise ValueError("a lamp that burst")

    house.at_change[:] = [fails, lambda table, _: heard.append(table.code)]
    table = opened(house)
    assert heard == [table.code]
