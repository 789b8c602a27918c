"""Watchers: an event goes straight onto the line of a phone that keeps up, and into its queue otherwise."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from tests.web.loops import in_a_loop
from web.watchers import QUEUE, Watcher, deliver


class Line:
    """A line that notes what is written on it, unless its phone is behind."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.is_behind = False

    def write(self, what: bytes) -> bool:
        if not self.is_behind:
            self.written.append(what)
        return not self.is_behind


def watched(story: Callable[[Watcher, Line], Awaitable[None]]) -> list[bytes]:
    """What is on the line at the end of a story; whoever sends what is queued writes it there too."""
    line = Line()

    async def send(watcher: Watcher) -> None:
        while (what := await watcher.next()) is not None:
            while line.is_behind:
                await asyncio.sleep(0)
            line.written.append(what)

    async def told() -> None:
        watcher = Watcher(None, "en", asyncio.get_running_loop(), line.write)
        sending = asyncio.create_task(send(watcher))
        await story(watcher, line)
        watcher.stop()
        watcher.push(b"after the end")
        await sending
        watcher.push(b"long after the end")

    in_a_loop(told())
    return line.written


async def a_while() -> None:
    """Time enough for whoever sends."""
    for _ in range(5):
        await asyncio.sleep(0)


def test_an_event_is_on_the_line_at_once() -> None:
    async def story(watcher: Watcher, line: Line) -> None:
        await a_while()
        watcher.push(b"1")
        assert line.written == [b"1"]
        watcher.push(b"2")
        assert line.written == [b"1", b"2"]

    assert watched(story) == [b"1", b"2"]


def test_what_comes_before_the_stream_has_begun_waits_for_it() -> None:
    async def story(watcher: Watcher, line: Line) -> None:
        watcher.push(b"1")
        assert line.written == []
        await a_while()
        watcher.push(b"2")

    assert watched(story) == [b"1", b"2"]


def test_nothing_overtakes_what_waits() -> None:
    async def story(watcher: Watcher, line: Line) -> None:
        await a_while()
        line.is_behind = True
        watcher.push(b"1")
        await a_while()
        watcher.push(b"2")
        line.is_behind = False
        watcher.push(b"3")
        assert line.written == []
        await a_while()
        watcher.push(b"4")

    assert watched(story) == [b"1", b"2", b"3", b"4"]


def test_a_phone_that_is_too_far_behind_is_given_up() -> None:
    async def story(watcher: Watcher, line: Line) -> None:
        await a_while()
        line.is_behind = True
        for _ in range(QUEUE):
            watcher.push(b"late")
        assert not watcher.stopped
        watcher.push(b"too late")
        assert watcher.stopped
        line.is_behind = False

    assert watched(story) == []


def test_nobody_stumbles_over_a_loop_that_closes_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, line = asyncio.new_event_loop(), Line()
    loop.close()
    monkeypatch.setattr(loop, "is_closed", lambda: False)  # it was not, the last time somebody asked
    deliver([(Watcher(None, "en", loop, line.write), b"1")])
    assert line.written == []
