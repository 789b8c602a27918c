"""Calls that were admitted, and then waited while the table changed."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from tests.support.waiting import TIMEOUT
from tests.support.web.event_loops import let_others_run
from tests.support.web.held_store import writer_held
from tests.support.web.table_service import HERE, HIDE, joined, opened
from web.security.caller import Caller
from web.server.application import AsgiApplication
from web.server.flask_app import create_app
from web.service import questions
from web.service.desks import Desks
from web.service.live_table import LiveTable
from web.service.opening import Opened
from web.service.rematch import open_rematch
from web.service.tables import TableService
from web.wire.errors import ApiError

Call = Coroutine[Any, Any, Any]


class Queue(asyncio.Lock):
    """A table's lock that tells when somebody waits for it. They get it in the order in which they came."""

    def __init__(self) -> None:
        super().__init__()
        self.reached = asyncio.Event()

    async def acquire(self) -> Any:
        if self.locked():
            self.reached.set()
        return await super().acquire()


async def one_after_the_other(table: LiveTable, *calls: Call) -> list[Any]:
    """What comes of calls that all wait for a table at the same time."""
    table.lock = queue = Queue()
    made: list[asyncio.Task[Any]] = []
    async with queue:
        for call in calls:
            queue.reached.clear()
            made.append(asyncio.create_task(call))
            await asyncio.wait_for(queue.reached.wait(), TIMEOUT)
    return await asyncio.gather(*made, return_exceptions=True)


def asked_for_a_new_key(service: TableService) -> tuple[Opened, dict[str, Caller], Call]:
    """A table whose host has asked for a new key for MASK, and the answer that agrees to it."""
    table = opened(service)
    people, host = joined(service, table), Caller(HERE.address, table.host)
    ask = {"version": 2, "kind": "reissue", "seat": "mask"}
    service.wait(questions.ask(service, table.code, ask, host, "en"))
    return table, people, questions.answer(service, table.code, {"accept": True}, people["target"], "en")


def refused_once_reissued(service: TableService, call: Callable[[Opened, Caller], Call]) -> ApiError:
    """How a call of a seat is refused that waits while its seat gets a new key."""
    table, people, agrees = asked_for_a_new_key(service)
    live = service.find(table.code, HERE)
    told, refused = service.wait(one_after_the_other(live, agrees, call(table, people["mask"])))
    assert told["news"][-1]["kind"] == live.match.news[-1].news.kind == "reissued"
    assert isinstance(refused, ApiError), refused
    return refused


def test_a_move_by_a_token_that_died_meanwhile_is_refused(service: TableService) -> None:
    def moves(table: Opened, who: Caller) -> Call:
        return service.move(table.code, {"version": 2, **HIDE}, who, "en")

    assert refused_once_reissued(service, moves).code == "bad-token"


def test_a_question_by_a_token_that_died_meanwhile_is_refused(service: TableService) -> None:
    def asks(table: Opened, who: Caller) -> Call:
        return questions.ask(service, table.code, {"version": 4, "kind": "abandon"}, who, "en")

    assert refused_once_reissued(service, asks).code == "bad-token"


def test_a_key_that_died_meanwhile_takes_no_seat(service: TableService) -> None:
    def joins(table: Opened, _who: Caller) -> Call:
        return service.join(table.code, "mask", {"key": table.keys["mask"], "name": "Eve"}, HERE)

    assert refused_once_reissued(service, joins).code == "bad-key"


def test_a_stream_whose_token_dies_as_it_begins_shows_nothing_of_what_comes(
    service: TableService, tmp_path: Path
) -> None:
    """It begins while the new key of its seat is on its way to the disk."""
    desks = Desks(service, tmp_path, lambda: "http://localhost")
    application = AsgiApplication(service, desks, create_app(service, desks))
    table, people, agrees = asked_for_a_new_key(service)

    async def story() -> list[Any]:
        with writer_held(service.store.path):
            agreeing = asyncio.create_task(agrees)
            await let_others_run()
            follows = Streamed(application, table.code, str(people["mask"].token))
            await asyncio.wait_for(follows.begun.wait(), TIMEOUT)
        await agreeing
        await asyncio.wait_for(follows.ends, TIMEOUT)
        return follows.sent

    begins, first, *later = service.wait(story())
    assert begins["status"] == 200
    assert b"id: 3\n" in first["body"]
    assert later == [{"type": "http.response.body", "body": b""}]


class Streamed:
    """A seat's stream, and what was sent on it."""

    def __init__(self, application: AsgiApplication, code: str, token: str) -> None:
        self.sent: list[Any] = []
        self.begun = asyncio.Event()  # with its first view
        path = f"/api/tables/{code}/me/events"
        scope = {
            "path": path,
            "raw_path": path.encode(),
            "method": "GET",
            "query_string": b"",
            "headers": [(b"host", b"localhost"), (b"authorization", f"Bearer {token}".encode())],
            "client": ("127.0.0.1", 1),
        }
        self.ends = asyncio.create_task(application(scope, self._receive, self._send))

    async def _receive(self) -> dict[str, Any]:
        await asyncio.Event().wait()  # it never hangs up
        return {}

    async def _send(self, message: Any) -> None:
        self.sent.append(message)
        if message["type"] == "http.response.body":
            self.begun.set()


def test_a_yes_to_one_question_is_no_yes_to_the_next(service: TableService) -> None:
    """Ana's yes was on its way when the question was taken back and a graver one asked."""
    table = opened(service)
    people = joined(service, table)
    service.wait(service.move(table.code, {"version": 2, **HIDE}, people["mask"], "en"))
    ask = {"version": 3, "kind": "reissue", "seat": "mask"}
    seen = service.wait(questions.ask(service, table.code, ask, people["mask"], "en"))["version"]
    service.wait(questions.answer(service, table.code, {"accept": False}, people["mask"], "en"))
    graver = {"version": 5, "kind": "abandon"}
    service.wait(questions.ask(service, table.code, graver, people["mask"], "en"))

    def says_yes(version: int) -> dict[str, Any]:
        yes = {"accept": True, "version": version}
        return service.wait(questions.answer(service, table.code, yes, people["target"], "en"))

    with pytest.raises(ApiError, match="stale"):
        says_yes(seen)
    answer = says_yes(6)
    assert [item["kind"] for item in answer["news"]] == ["abandoned"]


def test_somebody_who_sits_down_during_a_rematch_has_a_seat_there(service: TableService) -> None:
    """The seat is either taken over or waits for its key: it is never lost."""
    table = opened(service)
    token = service.wait(service.join(table.code, "target", _sits(table, "target"), HERE))
    who = Caller(HERE.address, token)
    service.wait(questions.ask(service, table.code, {"version": 1, "kind": "abandon"}, who, "en"))
    live = service.find(table.code, HERE)
    assert live.match.outcome, "there was nobody else to agree"
    sits = service.join(table.code, "mask", _sits(table, "mask"), HERE)
    _, code = service.wait(one_after_the_other(live, sits, open_rematch(service, table.code, {}, who)))
    again = service.find(code, HERE)
    seat = again.seats["mask"]
    assert (seat.key is None) == (again.match.names["mask"] is not None) == (seat.token is not None)


def _sits(table: Opened, seat: str) -> dict[str, str]:
    return {"key": table.keys[seat], "name": seat}
