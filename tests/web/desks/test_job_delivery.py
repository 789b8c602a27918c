"""Print jobs in the event loop: no table waits for a desk, and each job is delivered once."""

import asyncio
import re
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from referee.core.game import News
from referee.presentation.views import Localizer
from tests.support.waiting import TIMEOUT
from tests.support.web.seated_table import SeatedTable
from tests.support.web.table_service import HERE
from web.security.caller import Caller
from web.service import erasure, questions
from web.service.desks import Desks
from web.service.opening import Opened
from web.service.tables import TableService
from web.store import statements
from web.store.statements import JobRow
from web.streams.subscribers import Subscriber
from web.wire.requests import OpenTableRequest

SHORT = {"first": "target", "language": "en", "turn_cap": 2}


class DeskTable(SeatedTable):
    """A table at a desk, where both have hidden; played and watched in a loop."""

    def __init__(self, service: TableService, desks: Desks) -> None:
        super().__init__(service, options=SHORT, desk="main")
        self.desks = desks
        self.hide()

    async def opens(self, desk: str | None) -> Opened:
        return await self.service.open(OpenTableRequest("agent_hunter", SHORT, desk), HERE)

    async def slips(self) -> int:
        """The job of somebody's slips, who plays away from the desk."""
        opened = await self.opens(None)
        return await self.desks.print(self.service.find(opened.code, HERE), "join")

    async def attacks(self, seat: str, version: int) -> None:
        body = {"version": version, "type": "attack_from_hand", "card": 0, "house": 1}
        await self.service.move(self.code, body, self.people[seat], "en")


class Heard:
    """A desk, or a screen that shows it, and all that it hears."""

    def __init__(self, trusted: bool = True) -> None:
        self.text = ""
        self._news = asyncio.Condition()
        self.subscriber = Subscriber(None, "en", asyncio.get_running_loop(), trusted=trusted)
        self._task = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        while what := await self.subscriber.next():
            async with self._news:
                self.text += what.decode()
                self._news.notify_all()

    async def hears(self, what: str, times: int = 1) -> None:
        async with self._news:
            heard = self._news.wait_for(lambda: self.text.count(what) >= times)
            await asyncio.wait_for(heard, TIMEOUT)

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
        assert self.go_on.wait(TIMEOUT)
        return self._draw(job)


@pytest.fixture
def at(service: TableService, tmp_path: Path) -> DeskTable:
    return DeskTable(service, Desks(service, tmp_path, lambda: "http://referee"))


def test_a_move_does_not_wait_for_the_papers_of_a_desk_that_comes(
    at: DeskTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    at.service.wait(at.slips())
    slow = Slow(at.desks, monkeypatch)

    async def story() -> None:
        screen, desk = Heard(trusted=False), Heard()
        for coming in (screen, desk):
            await at.desks.watch("main", coming.subscriber)
        assert await asyncio.to_thread(slow.begun.wait, TIMEOUT)
        await at.attacks("target", 4)
        for heard in (screen, desk):
            await heard.hears("id: 5")
        assert desk.jobs() == []
        slow.go_on.set()
        await desk.hears("event: job")

    at.service.wait(story())


def test_however_many_screens_of_a_desk_come_its_jobs_are_looked_for_once(
    at: DeskTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    at.service.wait(at.slips())
    slow, looked = Slow(at.desks, monkeypatch), list[str]()
    waiting_jobs = at.service.store.waiting_jobs

    def looks(desk: str) -> Any:
        if threading.current_thread().name.startswith("print-jobs"):
            looked.append(desk)
        return waiting_jobs(desk)

    async def story() -> None:
        desk = Heard()
        await at.desks.watch("main", desk.subscriber)
        assert await asyncio.to_thread(slow.begun.wait, TIMEOUT)
        monkeypatch.setattr(at.service.store, "waiting_jobs", looks)
        for _ in range(50):
            await at.desks.watch("main", Heard(trusted=False).subscriber)
        last = await at.slips()
        slow.go_on.set()
        await desk.hears(f'data: {{"job": {last}')
        await asyncio.to_thread(at.desks._job_sender.shutdown)

    at.service.wait(story())
    assert looked == ["main"]


def test_a_desk_gets_each_job_once_and_in_order_however_it_comes(
    at: DeskTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = at.service.wait(at.slips())
    slow = Slow(at.desks, monkeypatch)

    async def story() -> None:
        desk = Heard()
        await at.desks.watch("main", desk.subscriber)
        assert await asyncio.to_thread(slow.begun.wait, TIMEOUT)
        second = await at.slips()
        slow.go_on.set()
        third = await at.slips()
        await desk.hears(f'"job": {third}')
        assert desk.jobs() == [first, second, third]
        assert desk.kinds()[0] == "view", "the table as it stands comes before all else"

    at.service.wait(story())


def test_a_screen_hears_of_what_is_new_and_not_of_what_its_page_shows_already(at: DeskTable) -> None:
    at.service.wait(at.slips())

    async def story() -> None:
        screen = Heard(trusted=False)
        await at.desks.watch("main", screen.subscriber)
        new = await at.slips()
        await screen.hears(f'"job": {new}')
        assert screen.jobs() == [new]

    at.service.wait(story())


def test_the_loop_asks_the_disk_nothing_for_a_desk(at: DeskTable, monkeypatch: pytest.MonkeyPatch) -> None:
    read, asked = at.service.store.read, list[str]()

    def noted(sql: str, *values: Any) -> Any:
        with suppress(RuntimeError):  # this thread has no loop
            asyncio.get_running_loop()
            asked.append(sql)
        return read(sql, *values)

    async def story() -> None:
        desk = Heard()
        await at.desks.watch("main", desk.subscriber)
        monkeypatch.setattr(at.service.store, "read", noted)
        await at.attacks("target", 4)
        await at.attacks("mask", 5)
        await desk.hears("event: job")
        assert '"kind":"over"' in desk.text.partition("event: job")[0], "the sheet comes after the end"

    at.service.wait(story())
    assert asked == []


def test_what_happened_is_worded_once_for_phones_screens_and_desk(
    at: DeskTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    word, worded = Localizer.news, list[str]()

    def noted(localizer: Localizer, news: News) -> str:
        worded.append(news.kind)
        return word(localizer, news)

    async def story() -> None:
        phone, desk = Heard(), Heard()
        at.service.find(at.code, HERE).watch(phone.subscriber)
        await at.desks.watch("main", desk.subscriber)
        monkeypatch.setattr(Localizer, "news", noted)
        await at.attacks("target", 4)
        await desk.hears("event: news", 2)

    at.service.wait(story())
    assert len(worded) == len(set(worded)) == 2


def test_the_table_before_is_at_the_desk_again_when_the_newest_is_forgotten(at: DeskTable) -> None:
    newest = at.service.wait(at.opens("main"))
    body = {"version": 0, "kind": "abandon", "show": False}
    host = Caller(HERE.address, newest.host)
    at.service.wait(questions.ask(at.service, newest.code, body, host, "en"))
    assert at.desks.table_at("main") is at.service.find(newest.code, HERE)

    async def story() -> None:
        desk = Heard()
        await at.desks.watch("main", desk.subscriber)
        await at.attacks("target", 4)
        await erasure.forget_game(at.service, newest.code)
        await at.attacks("mask", 5)
        await desk.hears('"kind":"over"')
        assert "id: 5" not in desk.text

    at.service.wait(story())


def test_a_paper_that_cannot_be_written_holds_up_no_other_and_comes_later(
    at: DeskTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    torn, whole = (at.service.wait(at.slips()) for _ in range(2))
    draw, torn_ones = at.desks.paper, {torn}

    def drawn(job: JobRow) -> Any:
        if job.job in torn_ones:
            raise KeyError("a word that was lost")
        return draw(job)

    monkeypatch.setattr(at.desks, "paper", drawn)

    async def story() -> None:
        desk = Heard()
        await at.desks.watch("main", desk.subscriber)
        await desk.hears("event: job")
        assert desk.jobs() == [whole]
        torn_ones.clear()
        later = await at.slips()
        await desk.hears("event: job", times=3)
        assert desk.jobs() == [whole, torn, later]

    at.service.wait(story())


def test_a_sheet_that_is_on_disk_before_the_game_is_over_here_comes_when_it_is(at: DeskTable) -> None:
    """The last move and its sheet are written together, and stand in memory a moment later."""
    at.service.store.commit([statements.job_added("main", at.code, "sheet", "2026-01-01T20:00:00+00:00")])

    async def story() -> None:
        desk = Heard()
        other = await at.slips()
        await at.desks.watch("main", desk.subscriber)
        await desk.hears("event: job")
        assert desk.jobs() == [other]
        await at.attacks("target", 4)
        await at.attacks("mask", 5)
        await desk.hears('"what": "sheet"')

    at.service.wait(story())
