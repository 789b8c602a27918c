"""Too late by an instant: a call that was let in and then waited while the table changed under it."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.web.client import PATIENCE
from tests.web.test_house import HERE, HIDE, joined, opened
from web import mending
from web.app import create_app
from web.caller import Caller
from web.desks import Desks
from web.front import Front
from web.house import House
from web.opening import Opened
from web.refusals import Refusal
from web.table import LiveTable


class Queue:
    """A table's lock that tells when somebody waits for it; whoever holds it may take it again."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.reached = threading.Event()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            self.reached.set()
            self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


def while_it_waits(
    table: LiveTable, pool: ThreadPoolExecutor, call: Callable[[], Any]
) -> Iterator[Future[Any]]:
    """Make a call that has to wait; what comes next happens before it."""
    queue = Queue()
    table.lock = queue  # type: ignore[assignment]
    with queue:
        made = pool.submit(call)
        assert queue.reached.wait(PATIENCE)
        yield made


def reissue(house: House, table: Opened, people: dict[str, Caller], seat: str) -> None:
    """This seat gets a new key: the host asks, the others agree."""
    version = house.find(table.code, HERE).match.version
    host = Caller(HERE.address, table.host)
    mending.ask(house, table.code, {"version": version, "kind": "reissue", "seat": seat}, host, "en")
    for other in people.keys() - {seat}:
        mending.answer(house, table.code, {"accept": True}, people[other], "en")


def refused_once_reissued(
    house: House, pool: ThreadPoolExecutor, call: Callable[[Opened, Caller], Any]
) -> Refusal:
    """How a call of a seat is refused that waits while its seat gets a new key."""
    table = opened(house)
    people = joined(house, table)
    live = house.find(table.code, HERE)
    for made in while_it_waits(live, pool, lambda: call(table, people["mask"])):
        reissue(house, table, people, "mask")
        late = made
    refused = late.exception(PATIENCE)
    assert isinstance(refused, Refusal), late
    assert live.match.news[-1].news.kind == "reissued"
    return refused


def test_a_move_by_a_token_that_died_meanwhile_is_refused(house: House, pool: ThreadPoolExecutor) -> None:
    def moves(table: Opened, who: Caller) -> Any:
        return house.move(table.code, {"version": 2, **HIDE}, who, "en")

    assert refused_once_reissued(house, pool, moves).code == "bad-token"


def test_a_question_by_a_token_that_died_meanwhile_is_refused(house: House, pool: ThreadPoolExecutor) -> None:
    def asks(table: Opened, who: Caller) -> Any:
        return mending.ask(house, table.code, {"version": 4, "kind": "abandon"}, who, "en")

    assert refused_once_reissued(house, pool, asks).code == "bad-token"


def test_a_key_that_died_meanwhile_takes_no_seat(house: House, pool: ThreadPoolExecutor) -> None:
    def joins(table: Opened, _who: Caller) -> Any:
        return house.join(table.code, "mask", {"key": table.keys["mask"], "name": "Eve"}, HERE)

    assert refused_once_reissued(house, pool, joins).code == "bad-key"


def test_a_stream_whose_token_died_meanwhile_shows_nothing(
    house: House, pool: ThreadPoolExecutor, tmp_path: Path
) -> None:
    desks = Desks(house, tmp_path, lambda: "http://localhost")
    front = Front(house, desks, create_app(house, desks))

    def follows(table: Opened, who: Caller) -> None:
        sent = asyncio.run(_streamed(front, table.code, str(who.token)))
        assert sent[0]["type"] == "http.response.start"
        if sent[0]["status"] == 401:
            raise Refusal("bad-token")

    assert refused_once_reissued(house, pool, follows).code == "bad-token"


async def _streamed(front: Front, code: str, token: str) -> list[Any]:
    """Open a seat's stream; what was sent until its first view, or its refusal."""
    sent: list[Any] = []
    scope = {
        "path": f"/api/tables/{code}/me/events",
        "raw_path": f"/api/tables/{code}/me/events".encode(),
        "method": "GET",
        "query_string": b"",
        "headers": [(b"host", b"localhost"), (b"authorization", f"Bearer {token}".encode())],
        "client": ("127.0.0.1", 1),
    }
    over = asyncio.Event()

    async def receive() -> dict[str, Any]:
        await over.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)
        if message["type"] == "http.response.body":
            over.set()

    await front(scope, receive, send)
    return sent


def test_a_yes_to_one_question_is_no_yes_to_the_next(house: House) -> None:
    """Ana's yes was on its way when the question was taken back and a graver one asked."""
    table = opened(house)
    people = joined(house, table)
    house.move(table.code, {"version": 2, **HIDE}, people["mask"], "en")
    ask = {"version": 3, "kind": "reissue", "seat": "mask"}
    seen = mending.ask(house, table.code, ask, people["mask"], "en")["version"]
    mending.answer(house, table.code, {"accept": False}, people["mask"], "en")
    mending.ask(house, table.code, {"version": 5, "kind": "abandon"}, people["mask"], "en")
    with pytest.raises(Refusal, match="stale"):
        mending.answer(house, table.code, {"accept": True, "version": seen}, people["target"], "en")
    answer = mending.answer(house, table.code, {"accept": True, "version": 6}, people["target"], "en")
    assert [item["kind"] for item in answer["news"]] == ["abandoned"]


def test_somebody_who_sits_down_during_a_rematch_has_a_seat_there(
    house: House, pool: ThreadPoolExecutor
) -> None:
    """The seat is either taken over or waits for its key: it is never lost."""
    table = opened(house)
    who = Caller(HERE.address, house.join(table.code, "target", _sits(table, "target"), HERE))
    mending.ask(house, table.code, {"version": 1, "kind": "abandon"}, who, "en")
    live = house.find(table.code, HERE)
    assert live.match.outcome, "there was nobody else to agree"
    for made in while_it_waits(live, pool, lambda: mending.rematch(house, table.code, {}, who)):
        house.join(table.code, "mask", _sits(table, "mask"), HERE)
        later = made
    again = house.find(later.result(PATIENCE), HERE)
    seat = again.seats["mask"]
    assert (seat.key is None) == (again.match.names["mask"] is not None) == (seat.token is not None)


def _sits(table: Opened, seat: str) -> dict[str, str]:
    return {"key": table.keys[seat], "name": seat}
