"""A line that has ended is gone at once, with all that was asked on it: nothing waits for the collector."""

import asyncio
import gc
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from tests.web.client import PATIENCE
from tests.web.loops import SERVED, New, in_a_loop
from web.line import Line, Lines

ASKED = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"


@pytest.fixture(autouse=True)
def no_collector() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


async def answers(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"here"})


async def quick(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body"})


async def streams(scope: Any, receive: Any, send: Any) -> None:
    """Say one thing, then wait until whoever listens is gone."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"here", "more_body": True})
    while (await receive())["type"] != "http.disconnect":
        pass


async def hangs_up(scope: Any, receive: Any, send: Any) -> None:
    """Say one thing and end the line, whatever else was asked on it."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"here", "more_body": True})
    await scope["state"]["heard"].wait()
    scope["extensions"]["hang_up"]()


async def left_of_a_call(app: Any, asked: bytes) -> list[Line]:
    """Call once, hang up when the answer is there, and wait until the line is closed on both sides."""
    state, made, heard = ServerState(), weakref.WeakSet[Line](), asyncio.Event()
    config = uvicorn.Config(app, log_config=None, ws="none")
    config.load()

    def line() -> Line:
        new = Line(Lines(8), config=config, server_state=state, app_state={"heard": heard})
        made.add(new)
        return new

    server = await asyncio.get_running_loop().create_server(line, "127.0.0.1", 0)
    async with server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(asked)
        await reader.readuntil(b"here")
        assert len(made) == 1
        heard.set()
        writer.close()
        await writer.wait_closed()
        while state.connections or state.tasks:
            await asyncio.sleep(0)
        await asyncio.sleep(0)  # what closed it ends as well
        return list(made)


@pytest.mark.parametrize("app", [answers, streams, hangs_up])
def test_a_line_that_has_ended_is_gone(app: Any) -> None:
    assert in_a_loop(left_of_a_call(app, ASKED)) == []


def test_a_line_on_which_more_was_asked_before_the_end_is_gone() -> None:
    assert in_a_loop(left_of_a_call(hangs_up, ASKED * 3)) == []


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, SERVED], ids=["plain", "served"])
@pytest.mark.parametrize("more", [1, 2])
def test_a_stream_hears_that_its_phone_is_gone_though_more_was_asked_behind_it(loop: New, more: int) -> None:
    call = asyncio.wait_for(left_of_a_call(streams, ASKED * (1 + more)), PATIENCE)
    assert in_a_loop(call, loop) == []


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, SERVED], ids=["plain", "served"])
def test_so_does_a_stream_that_was_asked_for_behind_something_else(loop: New) -> None:
    async def answers_then_streams(scope: Any, receive: Any, send: Any) -> None:
        await (streams if scope["path"] == "/stream" else quick)(scope, receive, send)

    asked = ASKED + ASKED.replace(b"/", b"/stream", 1) + ASKED
    call = asyncio.wait_for(left_of_a_call(answers_then_streams, asked), PATIENCE)
    assert in_a_loop(call, loop) == []
