"""Presence: who counts as there, for how long, and what the host may do at a table that everybody left."""

import asyncio
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from referee.settings import Settings
from referee.verify import verify
from tests.web.client import PATIENCE
from tests.web.loops import a_house
from web import mending
from web.app import create_app
from web.bodies import Wish
from web.caller import Caller
from web.desks import Desks
from web.house import House
from web.opening import Opened
from web.presence import A_MOMENT, LONG
from web.table import LiveTable
from web.watchers import Watcher

HERE = "127.0.0.1"


@dataclass
class Evening:
    """A house whose clock is ours, and a table where two have sat down and hidden."""

    house: House
    seconds: list[float]
    opened: Opened
    people: dict[str, Caller]

    @property
    def table(self) -> LiveTable:
        return self.house.find(self.opened.code, Caller(HERE))

    def later(self, seconds: float) -> None:
        self.seconds[0] += seconds

    def joins(self, seat: str, key: str) -> Caller:
        body = {"key": key, "name": seat}
        return Caller(HERE, self.house.wait(self.house.join(self.opened.code, seat, body, Caller(HERE))))

    def asks(self, by: str, seat: str) -> dict[str, Any]:
        who = Caller(HERE, self.opened.host) if by == "host" else self.people[by]
        body = {"version": self.table.match.version, "kind": "reissue", "seat": seat}
        return self.house.wait(mending.ask(self.house, self.opened.code, body, who, "en"))

    def answers(self, who: Caller, accept: bool) -> None:
        self.house.wait(mending.answer(self.house, self.opened.code, {"accept": accept}, who, "en"))


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    seconds = [1000.0]
    with a_house(tmp_path, clock=lambda: seconds[0]) as house:
        opened = house.wait(house.open(Wish("agent_hunter", {"first": "target"}, None), Caller(HERE)))
        evening = Evening(house, seconds, opened, {})
        for seat, key in opened.keys.items():
            evening.people[seat] = evening.joins(seat, key)
        for version, who in enumerate(evening.people.values(), 2):
            hide = {"version": version, "type": "hide", "houses": [1, 2, 3]}
            house.wait(house.move(opened.code, hide, who, "en"))
        yield evening


def test_a_call_tells_for_a_moment_that_the_phone_is_there(evening: Evening) -> None:
    assert evening.table.connected() == {"target", "mask"}
    evening.later(A_MOMENT - 1)
    evening.house.seat(evening.table, evening.people["mask"])
    evening.later(1)
    assert evening.table.connected() == {"mask"}
    evening.later(A_MOMENT)
    assert evening.table.connected() == set()


def test_a_seat_whose_token_died_is_not_there(evening: Evening) -> None:
    evening.asks("target", "mask")
    evening.answers(evening.people["mask"], accept=True)
    assert evening.table.connected() == {"target"}


def test_a_phone_that_called_a_moment_ago_is_asked_and_later_is_not(evening: Evening) -> None:
    assert [news["kind"] for news in evening.asks("target", "mask")["news"]] == ["asked"]
    evening.answers(evening.people["target"], accept=False)
    evening.later(A_MOMENT)
    assert evening.asks("target", "mask")["news"][-1]["how"] == "away"


@pytest.mark.parametrize(("language", "words"), [("fr", "personne à qui demander"), ("en", "nobody to ask")])
def test_a_table_that_everybody_left_is_helped_by_its_host(
    evening: Evening, tmp_path: Path, language: str, words: str
) -> None:
    browser = create_app(evening.house, Desks(evening.house, tmp_path, lambda: "http://x")).test_client()
    browser.set_cookie(f"host_{evening.opened.code}", evening.opened.host)
    browser.set_cookie("language", language)
    path = f"/t/{evening.opened.code}"
    evening.later(LONG - 1)
    assert words not in browser.get(f"{path}?lost=mask").text
    assert [news["kind"] for news in evening.asks("host", "mask")["news"]] == ["asked"]
    evening.answers(Caller(HERE, evening.opened.host), accept=False)
    evening.later(1)
    assert words in browser.get(f"{path}?lost=mask").text
    for seat in ("mask", "target"):
        assert evening.asks("host", seat)["news"][-1]["how"] == "nobody_there"
    assert words in browser.get(path).text
    assert set(evening.table.free_keys()) == {"target", "mask"}


def test_nobody_but_the_host_and_only_when_nobody_is_there(evening: Evening) -> None:
    evening.later(LONG)
    evening.house.seat(evening.table, evening.people["mask"])
    assert [news["kind"] for news in evening.asks("host", "target")["news"]] == ["asked"]
    assert evening.table.match.question
    assert evening.table.match.question.of == ("mask",)


def test_what_happened_before_the_server_started_is_not_known(evening: Evening) -> None:
    evening.later(10 * LONG)
    house = House(evening.house.store, Settings(), clock=lambda: evening.seconds[0])
    assert not house.find(evening.opened.code, Caller(HERE)).is_deserted()
    evening.later(LONG)
    assert house.find(evening.opened.code, Caller(HERE)).is_deserted()


def test_a_record_with_such_a_new_key_verifies(evening: Evening) -> None:
    evening.later(LONG)
    evening.asks("host", "mask")
    table = evening.table
    body = {"version": table.match.version, "kind": "abandon", "show": True}
    evening.house.wait(mending.ask(evening.house, table.code, body, evening.people["target"], "en"))
    evening.answers(evening.joins("mask", table.free_keys()["mask"]), accept=True)
    assert verify(json.loads(evening.house.records.past(table).record)) == []


def test_who_is_there_is_told_in_the_order_in_which_it_came_to_be_so(evening: Evening) -> None:
    """A call in a thread and one in the loop: nobody who came is told to be gone again."""

    async def told() -> list[int]:
        screen = Watcher(None, "en", asyncio.get_running_loop(), wants_seats=True)
        evening.table.watch(screen)
        in_thread = asyncio.create_task(asyncio.to_thread(evening.table.called, "mask"))
        evening.table.called("target")
        await in_thread
        heard = []
        while 2 not in heard:
            what = await asyncio.wait_for(screen.next(), PATIENCE) or b""
            heard += [what.count(b"true")] if what.startswith(b"event: seats") else []
        return heard

    evening.later(A_MOMENT)
    heard = evening.house.wait(told())
    assert heard[0] == 0 and heard == sorted(heard)


def test_a_screen_that_comes_after_another_hears_who_is_there_now_and_every_change(evening: Evening) -> None:
    heard: list[int] = []

    async def looks(*calls: str) -> None:
        screen = Watcher(None, "en", asyncio.get_running_loop(), wants_seats=True)
        evening.table.watch(screen)
        assert (await screen.next() or b"").startswith(b"event: view")
        heard.append((await screen.next() or b"").count(b"true"))
        for seat in calls:
            evening.table.called(seat)
            evening.table.called(seat)  # once more changes nothing, and is not told
            heard.append((await screen.next() or b"").count(b"true"))
        evening.table.leave(screen)

    evening.later(A_MOMENT)
    evening.house.wait(looks("mask", "target"))
    evening.later(A_MOMENT)
    evening.table.called("mask")  # while nobody looks
    evening.house.wait(looks("target"))
    assert heard == [0, 1, 2, 1, 2]


def test_somebody_who_comes_while_others_are_counted_is_told_to_be_there(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MASK, away for a while, calls in a thread just after the loop has found nobody there."""
    table = evening.table
    counted = table.connected

    def counted_too_early() -> set[str]:
        there = counted()
        if not there:
            thread = threading.Thread(target=table.called, args=("mask",))
            thread.start()
            thread.join()
        return there

    async def told() -> list[int]:
        screen = Watcher(None, "en", asyncio.get_running_loop(), wants_seats=True)
        table.watch(screen)
        evening.later(A_MOMENT)
        monkeypatch.setattr(table, "connected", counted_too_early)
        table.tell_seats()
        heard: list[bytes | None] = [await asyncio.wait_for(screen.next(), PATIENCE) for _ in range(4)]
        return [what.count(b"true") for what in heard if what and what.startswith(b"event: seats")]

    assert evening.house.wait(told()) == [2, 0, 1]
