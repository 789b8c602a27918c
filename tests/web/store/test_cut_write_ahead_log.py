"""A write-ahead log cut at any byte: it starts, with every answer whose bytes are whole and with no other.

The log is that of a real server, killed in mid-play. The suite cuts it at the ends of every page and now and
then between; under REFEREE_SOAK=1 it is cut off at every single byte.
"""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.support.fixtures import Start
from tests.support.soak import SOAK
from tests.support.web.forked_server import Forked
from tests.support.web.http_client import Phone, without_presence
from tests.support.web.random_player import play_on
from web.store.backups import open_store

HEAD, FRAME = 32, 24 + 4096  # bytes of a log: its own head, then each page with one of its own
NEAR = (-1, 0, 24)  # just before the end of a page, there, and where the next one's head ends
STRIDE, FINE = (1, 97) if SOAK else (4999, 4999)  # bytes; no page has such a length, so it falls anywhere
Rows = dict[str, list[tuple[Any, ...]]]


@dataclass(frozen=True)
class Answered:
    """How long the log was when something was answered, and all that was kept by then."""

    size: int
    rows: Rows
    view: dict[str, Any] | None


@dataclass(frozen=True)
class KilledServer:
    """What a killed server left, and what it had answered."""

    db: bytes
    log: bytes
    answers: list[Answered]
    phones: tuple[Phone, Phone]

    def cuts(self, stride: int) -> list[int]:
        """Where to cut: around the end of each page, and a stride apart."""
        ends = range(HEAD, len(self.log) + 1, FRAME)
        near = {end + by for end in ends for by in NEAR if end + by <= len(self.log)}
        return sorted(near.union(range(0, len(self.log), stride)))

    def kept(self, log: bytes) -> Answered:
        """The last answer all of whose bytes are in this log."""
        whole = (answer for answer in self.answers if log[: answer.size] == self.log[: answer.size])
        return max(whole, key=lambda answer: answer.size)

    def left(self, folder: Path, log: bytes) -> Path:
        """What a power cut leaves of the folder: this much of the log, and today's backup was made."""
        (folder / "backups").mkdir(parents=True)
        (folder / "backups" / "0001.db").touch()
        (folder / "referee.db-wal").write_bytes(log)
        (folder / "referee.db").write_bytes(self.db)
        return folder / "referee.db"


def rows(path: Path) -> Rows:
    """All that is kept, read beside whoever writes."""
    with closing(sqlite3.connect(path)) as db:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {table: sorted(db.execute(f"SELECT * FROM {table}"), key=repr) for table in tables}


def is_sound(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as db:
        return db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> KilledServer:
    data = tmp_path_factory.mktemp("killed") / "data"
    path, log = data / "referee.db", data / "referee.db-wal"
    with Forked(data) as server:
        answers = [Answered(log.stat().st_size, rows(path), None)]

        def answered(phone: Phone | None = None) -> None:
            view = without_presence(phone.view()) if phone else None
            answers.append(Answered(log.stat().st_size, rows(path), view))

        table = server.client.open_table(options={"first": "target"})
        answered()
        target = table.join("target", "Ana")
        answered(target)
        mask = table.join("mask", "Bo")
        answered(target)
        target.moves("hide", houses=[1, 2, 3])
        answered(target)
        mask.moves("hide", houses=[4, 5, 6])
        answered(target)
        attack = {"version": 4, "type": "attack_from_hand", "card": 0, "house": 1}
        keyed = target.client.with_(Idempotency_Key="k1")
        assert keyed.post(f"{table.path}/moves", attack).status == 200
        answered(target)
        server.kill()
        left = KilledServer(path.read_bytes(), log.read_bytes(), answers, (target, mask))
    assert all(before.size < after.size for before, after in pairwise(answers))
    return left


def cut_off(log: bytes, at: int) -> bytes:
    return log[:at]


def zeros_beyond(log: bytes, at: int) -> bytes:
    return log[:at] + bytes(len(log) - at)


def torn(log: bytes, at: int) -> bytes:
    """The page that was being written is anything from here on, and nothing follows it."""
    return log[:at] + Random(at).randbytes((HEAD - at) % FRAME)


@pytest.mark.parametrize(("power_fails", "stride"), [(cut_off, STRIDE), (zeros_beyond, FINE), (torn, FINE)])
def test_it_starts_with_every_answer_that_is_whole_and_nothing_else(
    killed: KilledServer, tmp_path: Path, power_fails: Callable[[bytes, int], bytes], stride: int
) -> None:
    seen = set()
    for at in killed.cuts(stride):
        log = power_fails(killed.log, at)
        expected = killed.kept(log)
        path = killed.left(tmp_path / str(at), log)
        open_store(path).close()
        assert rows(path) == expected.rows, f"cut at byte {at} of {len(killed.log)}"
        assert is_sound(path), at
        assert not list(path.parent.glob("damaged-*"))
        shutil.rmtree(path.parent)
        seen.add(expected.size)
    assert seen == {answer.size for answer in killed.answers}


def test_the_server_starts_on_such_a_log_and_the_game_goes_on(killed: KilledServer, start: Start) -> None:
    server = start()
    for before, answer in pairwise(killed.answers[-3:]):
        server.kill()
        shutil.rmtree(server.data)
        killed.left(server.data, torn(killed.log, answer.size - 1))
        server.again()
        assert server.client.get("/healthz").json == {"status": "ok", "tables": 1}
        phones = [phone.at(server.url) for phone in killed.phones]
        assert before.view and without_presence(phones[0].view()) == before.view
        assert server.client.get(f"/t/{phones[0].table.code}").status == 200
        later = play_on({phone.seat: phone for phone in phones}, Random(1), moves=3)
        assert later["version"] == before.view["version"] + 3
