"""A table of 60,000 moves (fewer unless REFEREE_SOAK=1): whoever reads it, asks for its deductions or for its
record holds up nobody else."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from tests.support.fixtures import Start
from tests.support.soak import SOAK
from tests.support.web.http_client import Answer, Phone
from tests.support.web.long_journals import lengthen
from tests.support.web.random_player import hide
from tests.support.web.raw_sockets import ClientAtAddress
from tests.support.web.server_process import Running

LONG = 60_000 if SOAK else 3_000  # moves
MEGABYTES = 500 if SOAK else 60  # for two such tables in memory, a record, and what making it took
SETTINGS = "[limits]\nentries = 1000000\n"
AT_ONCE = 50  # who ask for the long table
LATE = 1.0  # second after which somebody was held up
ELSEWHERE, ATTACKER = "127.0.0.2", "127.0.0.3"
OPTIONS = {"aids": True}
UNTIL_DONE = 300.0  # seconds


class Others:
    """Somebody who looks at the pages of another table, again and again: how long each look took."""

    def __init__(self, phones: dict[str, Phone]) -> None:
        table = phones["target"].table
        self.took: list[float] = []
        cookies = [f"seat_{table.code}_{phone.seat}={phone.token}" for phone in phones.values()]
        browser = ClientAtAddress(table.client.url, ELSEWHERE, {"Cookie": "; ".join(cookies)})
        self._looks: list[Callable[[], Answer]] = [
            *(lambda seat=seat: browser.get(f"/t/{table.code}/s/{seat}") for seat in phones),
            lambda: browser.get(f"/t/{table.code}"),
            lambda: browser.get(table.path),
            lambda: browser.get("/"),
            lambda: browser.get("/healthz"),
        ]

    def look(self) -> None:
        for look in self._looks:
            began = time.monotonic()
            answer = look()
            self.took.append(time.monotonic() - began)
            assert answer.status == 200

    @contextmanager
    def look_on(self) -> Iterator[None]:
        """Look again and again, meanwhile and once more after it."""
        done = threading.Event()

        def on() -> None:
            while not done.is_set():
                self.look()

        self.took.clear()
        with ThreadPoolExecutor(1) as somebody:
            looking = somebody.submit(on)
            try:
                yield
            finally:
                done.set()
            looking.result()
        self.look()
        assert max(self.took) <= LATE, f"{max(self.took):.2f} s"


class LongTables:
    """A server with a long table that goes on and one that is over, both not at hand yet, and a short one."""

    def __init__(self, server: Running) -> None:
        client = server.client
        short = client.open_table(desk=None, options={"first": "target"}).everybody()
        hide(short)
        tables = [
            client.open_table(game="espion_contre_espion", desk=None, options=OPTIONS) for _ in range(2)
        ]
        seats = [table.everybody() for table in tables]
        cold = client.open_table(desk=None)
        server.stop()
        for table, is_over in zip(tables, (False, True), strict=True):
            lengthen(server, table.code, LONG, is_over)
        self.server = server.again()
        self.running, self.over, self.cold = (table.code for table in (*tables, cold))
        self.seat, phone = next(iter(seats[0].items()))
        self.others = Others({seat: self._again(phone) for seat, phone in short.items()})
        self.others.look()
        self.attacker = ClientAtAddress(
            self.server.url, ATTACKER, {"Cookie": f"seat_{self.running}_{self.seat}={phone.token}"}
        )

    def _again(self, phone: Phone) -> Phone:
        """The same phone, now that the server is at another port."""
        return phone.at(self.server.url)

    def asked_until_done(self, path: str) -> Answer:
        """Ask as often as one is told to ask again."""
        until = time.monotonic() + UNTIL_DONE
        while (answer := self.attacker.get(path)).status == 503:
            assert int(answer.headers["Retry-After"]) > 0
            assert time.monotonic() < until
        return answer


@pytest.fixture
def tables(start: Start) -> LongTables:
    return LongTables(start(SETTINGS, modifications=["nosync"]))


def test_whatever_is_asked_of_a_long_table_holds_up_nobody(tables: LongTables) -> None:
    lean = tables.server.megabytes()
    with tables.others.look_on(), ThreadPoolExecutor(AT_ONCE) as crowd:
        reads = [crowd.submit(tables.attacker.get, f"/t/{tables.running}") for _ in range(AT_ONCE)]
        began = time.monotonic()
        assert tables.server.client.get(f"/t/{tables.cold}").status == 200
        assert time.monotonic() - began <= LATE, "another table that is not at hand is read meanwhile"
        assert {read.result().status for read in reads} == {200}
    aid = f"/t/{tables.running}/s/{tables.seat}/aid"
    with tables.others.look_on():
        assert tables.asked_until_done(aid).status == 200
    began = time.monotonic()
    assert tables.attacker.get(aid).status == 200
    assert time.monotonic() - began <= LATE, "nothing was played since the last look"
    page, record = f"/t/{tables.over}/record", f"/api/tables/{tables.over}/record"
    with tables.others.look_on():
        assert tables.asked_until_done(page).status == 200
        answer = tables.asked_until_done(record)
    assert len(answer.json["entries"]) > LONG
    began = time.monotonic()
    for step in (1, LONG // 2, LONG, LONG + 9):
        shown = tables.attacker.get(f"{page}?step={step}")
        assert (shown.status, len(shown.content) < 300_000) == (200, True)
    assert time.monotonic() - began <= 4 * LATE, "it was made before"
    assert tables.server.megabytes() - lean < MEGABYTES
