"""Background work: done once for all who wait, in slices, shortest first; no request waits long for it."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

import pytest

from referee.core.sliced_work import SlicedWork, run_to_end
from tests.support.waiting import TIMEOUT
from tests.support.web.event_loops import run_in_loop
from web.server.workers import CallerGone, unless_gone
from web.service import background
from web.service.background import BackgroundWork
from web.wire.errors import ApiError


class Endless:
    """Work that goes on until it is told to end."""

    def __init__(self) -> None:
        self.begun, self.end, self.times = threading.Event(), threading.Event(), 0

    def __call__(self) -> SlicedWork[str]:
        self.times += 1
        while not self.end.is_set():
            self.begun.set()
            yield
        return "done"


@pytest.fixture
def endless() -> Iterator[Endless]:
    work = Endless()
    yield work
    work.end.set()


def short() -> SlicedWork[str]:
    yield
    return "short"


def test_work_under_way_is_done_once_for_all_who_ask(endless: Endless) -> None:
    works = BackgroundWork()
    first = works.submit("key", endless)
    assert works.submit("key", endless) is first
    assert works.pending("key") is first
    endless.end.set()
    assert first.result(TIMEOUT) == "done"
    assert (endless.times, works.pending("key")) == (1, None)


def test_short_work_is_done_while_long_work_goes_on() -> None:
    works, long = BackgroundWork(), [Endless() for _ in range(8)]  # more than there are threads
    under_way = [works.submit(n, work) for n, work in enumerate(long)]
    for work in long:
        assert work.begun.wait(TIMEOUT)
    assert works.submit("short", short).result(TIMEOUT) == "short"
    assert not any(one.done() for one in under_way)
    for work in long:
        work.end.set()
    assert {one.result(TIMEOUT) for one in under_way} == {"done"}


def test_whoever_asks_for_long_work_is_told_to_ask_again(endless: Endless) -> None:
    works = BackgroundWork()
    assert works.result_or_busy("short", short) == "short"
    for _ in range(3):
        with pytest.raises(ApiError) as refusal:
            works.result_or_busy("long", endless)
        assert (refusal.value.code, refusal.value.extra) == ("busy", {"retry_after": 2})
    under_way = works.submit("long", endless)
    endless.end.set()
    assert under_way.result(TIMEOUT) == "done"
    assert endless.times == 1


def test_the_number_of_jobs_is_limited(monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr(background, "MOST", 4)
    works = BackgroundWork()
    under_way = [works.submit(n, endless) for n in range(4)]
    with pytest.raises(ApiError):
        works.submit("one more", short)
    assert works.submit(3, endless) is under_way[3]
    endless.end.set()
    assert {one.result(TIMEOUT) for one in under_way} == {"done"}
    assert works.submit("one more", short).result(TIMEOUT) == "short"


def test_what_goes_wrong_is_told_to_whoever_waits_and_nothing_else_stops() -> None:
    def broken() -> SlicedWork[str]:
        yield
        raise KeyError("broken")

    works = BackgroundWork()
    with pytest.raises(KeyError):
        works.submit("key", broken).result(TIMEOUT)
    assert works.submit("key", short).result(TIMEOUT) == "short"


def test_whoever_hangs_up_does_not_stop_the_work_of_others(endless: Endless) -> None:
    works = BackgroundWork()

    async def story() -> None:
        gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        there: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waits = asyncio.create_task(unless_gone(works.submit("key", endless), lambda: gone))
        stays = asyncio.create_task(unless_gone(works.submit("key", endless), lambda: there))
        await asyncio.sleep(0)
        gone.set_result(None)
        with pytest.raises(CallerGone):
            await waits
        waits.cancel()
        endless.end.set()
        assert await stays == "done"

    run_in_loop(story())
    assert endless.times == 1


def test_a_cancelled_wait_leaves_the_work_alone(endless: Endless) -> None:
    done: Future[Any] = BackgroundWork().submit("key", endless)
    assert not done.cancel()
    endless.end.set()
    assert done.result(TIMEOUT) == "done"


def test_run_to_end_returns_the_result() -> None:
    assert run_to_end(short()) == "short"
