"""The desk and the loop, in one process: no table waits for a desk, and each job comes to it once."""

import asyncio
import re
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.game import News
from referee.settings import Settings
from referee.views import Voice
from tests.web.client import PATIENCE
from tests.web.loops import in_a_loop
from tests.web.test_house import HERE, HIDE, joined
from web import forgetting, mending
from web.bodies import Wish
from web.caller import Caller
from web.desks import Desks
from web.house import House
from web.opening import Opened
from web.store import Store
from web.store import changes as kept
from web.store.changes import Job
from web.watchers import Watcher

SHORT = {"first": "target", "language": "en", "turn_cap": 2}


class Evening:
    """A house with a table at its desk, where both have hidden; played and watched in a loop."""

    def __init__(self, data: Path) -> None:
        self.house = House(Store(data / "referee.db"), Settings())
        self.desks = Desks(self.house, data, lambda: "http://referee")
        self.table = self.opens("main")
        self.people = joined(self.house, self.table)
        for version, who in enumerate(self.people.values(), 2):
            self.house.move(self.table.code, {"version": version, **HIDE}, who, "en")

    def opens(self, desk: str | None) -> Opened:
        return self.house.open(Wish("agent_hunter", SHORT, desk), HERE)

    def slips(self) -> int:
        """The job of somebody's slips, who plays away from the desk."""
        return self.desks.print(self.house.find(self.opens(None).code, HERE), "join")

    async def attacks(self, seat: str, version: int) -> bytes:
        body = {"version": version, "type": "attack_from_hand", "card": 0, "house": 1}
        answer = await self.house.move_now(self.table.code, body, self.people[seat], "en")
        assert answer
        return answer


class Heard:
    """A desk, or a screen that shows it, and all that it hears."""

    def __init__(self, trusted: bool = True) -> None:
        self.text = ""
        self._news = asyncio.Condition()
        self.watcher = Watcher(None, "en", asyncio.get_running_loop(), trusted=trusted)
        self._task = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        while what := await self.watcher.next():
            async with self._news:
                self.text += what.decode()
                self._news.notify_all()

    async def hears(self, what: str, times: int = 1) -> None:
        async with self._news:
            heard = self._news.wait_for(lambda: self.text.count(what) >= times)
            await asyncio.wait_for(heard, PATIENCE)

    def kinds(self) -> list[str]:
        return re.findall("^event: (.*)", self.text, re.MULTILINE)

    def jobs(self) -> list[int]:
        return [int(job) for job in re.findall('^data: {"job": ([0-9]+)', self.text, re.MULTILINE)]


class Slow:
    """Papers that take as long to draw as one likes."""

    def __init__(self, desks: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
        self._draw = desks.paper
        self.begun, self.go_on = threading.Event(), threading.Event()
        monkeypatch.setattr(desks, "paper", self._wait)

    def _wait(self, job: Any) -> Any:
        self.begun.set()
        assert self.go_on.wait(PATIENCE)
        return self._draw(job)


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    evening = Evening(tmp_path)
    yield evening
    evening.house.store.close()


def in_thread(work: Callable[..., Any], *args: Any) -> Awaitable[Any]:
    return asyncio.get_running_loop().run_in_executor(None, work, *args)


def test_a_move_does_not_wait_for_the_papers_of_a_desk_that_comes(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    evening.slips()
    slow = Slow(evening.desks, monkeypatch)

    async def story() -> None:
        screen, desk = Heard(trusted=False), Heard()
        await in_thread(evening.desks.watch, "main", screen.watcher)
        coming = in_thread(evening.desks.watch, "main", desk.watcher)
        assert await in_thread(slow.begun.wait, PATIENCE)
        await evening.attacks("target", 4)
        slow.go_on.set()
        await coming
        for heard in (screen, desk):
            await heard.hears("id: 5")
        await desk.hears("event: job")

    in_a_loop(story())


def test_a_desk_gets_each_job_once_and_in_order_however_it_comes(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = evening.slips()
    slow = Slow(evening.desks, monkeypatch)

    async def story() -> None:
        desk = Heard()
        coming = in_thread(evening.desks.watch, "main", desk.watcher)
        assert await in_thread(slow.begun.wait, PATIENCE)
        second = await in_thread(evening.slips)
        slow.go_on.set()
        await coming
        third = await in_thread(evening.slips)
        await desk.hears(f'"job": {third}')
        assert desk.jobs() == [first, second, third]
        assert desk.kinds()[0] == "view", "the table as it stands comes before all else"

    in_a_loop(story())


def test_a_screen_hears_of_what_is_new_and_not_of_what_its_page_shows_already(evening: Evening) -> None:
    evening.slips()

    async def story() -> None:
        screen = Heard(trusted=False)
        await in_thread(evening.desks.watch, "main", screen.watcher)
        new = await in_thread(evening.slips)
        await screen.hears(f'"job": {new}')
        assert screen.jobs() == [new]

    in_a_loop(story())


def test_the_loop_asks_the_disk_nothing_for_a_desk(evening: Evening, monkeypatch: pytest.MonkeyPatch) -> None:
    read, asked = evening.house.store.read, list[str]()

    def noted(sql: str, *values: Any) -> Any:
        if asyncio._get_running_loop():
            asked.append(sql)
        return read(sql, *values)

    async def story() -> None:
        desk = Heard()
        await in_thread(evening.desks.watch, "main", desk.watcher)
        monkeypatch.setattr(evening.house.store, "read", noted)
        await evening.attacks("target", 4)
        await evening.attacks("mask", 5)
        await desk.hears("event: job")
        assert '"kind":"over"' in desk.text.partition("event: job")[0], "the sheet comes after the end"

    in_a_loop(story())
    assert asked == []


def test_what_happened_is_worded_once_for_phones_screens_and_desk(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    word, worded = Voice.news, list[str]()

    def noted(voice: Voice, news: News) -> str:
        worded.append(news.kind)
        return word(voice, news)

    async def story() -> None:
        phone, desk = Heard(), Heard()
        await in_thread(evening.house.find(evening.table.code, HERE).watch, phone.watcher)
        await in_thread(evening.desks.watch, "main", desk.watcher)
        monkeypatch.setattr(Voice, "news", noted)
        await evening.attacks("target", 4)
        await desk.hears("event: news", 2)

    in_a_loop(story())
    assert len(worded) == len(set(worded)) == 2


def test_the_table_before_is_at_the_desk_again_when_the_newest_is_forgotten(evening: Evening) -> None:
    newest = evening.opens("main")
    body = {"version": 0, "kind": "abandon", "show": False}
    mending.ask(evening.house, newest.code, body, Caller(HERE.address, newest.host), "en")
    assert evening.desks.table_at("main") is evening.house.find(newest.code, HERE)

    async def story() -> None:
        desk = Heard()
        await in_thread(evening.desks.watch, "main", desk.watcher)
        await evening.attacks("target", 4)
        await in_thread(forgetting.forget_game, evening.house, newest.code)
        await evening.attacks("mask", 5)
        await desk.hears('"kind":"over"')
        assert "id: 5" not in desk.text

    in_a_loop(story())


def test_a_paper_that_cannot_be_written_holds_up_no_other_and_comes_later(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    torn, whole = evening.slips(), evening.slips()
    draw, torn_ones = evening.desks.paper, {torn}

    def drawn(job: Job) -> Any:
        if job.job in torn_ones:
            raise KeyError("a word that was lost")
        return draw(job)

    monkeypatch.setattr(evening.desks, "paper", drawn)

    async def story() -> None:
        desk = Heard()
        await in_thread(evening.desks.watch, "main", desk.watcher)
        await desk.hears("event: job")
        assert desk.jobs() == [whole]
        torn_ones.clear()
        later = await in_thread(evening.slips)
        await desk.hears("event: job", times=3)
        assert desk.jobs() == [whole, torn, later]

    in_a_loop(story())


def test_a_sheet_that_is_on_disk_before_the_game_is_over_here_comes_when_it_is(evening: Evening) -> None:
    """The last move and its sheet are written together, and stand in memory a moment later."""
    evening.house.commit([kept.job_added("main", evening.table.code, "sheet", "2026-01-01T20:00:00+00:00")])

    async def story() -> None:
        desk = Heard()
        other = await in_thread(evening.slips)
        await in_thread(evening.desks.watch, "main", desk.watcher)
        await desk.hears("event: job")
        assert desk.jobs() == [other]
        await evening.attacks("target", 4)
        await evening.attacks("mask", 5)
        await desk.hears('"what": "sheet"')

    in_a_loop(story())
