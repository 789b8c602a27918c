"""No secret comes to anyone but its owner: every byte that everyone receives is searched for all of them."""

import base64
import json
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
import zxingcpp

from tests.support.hardware.escpos_receiver import Receiver
from tests.support.secrecy.canary_table import CanaryTable, play, running
from tests.support.secrecy.desk_process import DeskProcess
from tests.support.secrecy.picture_reader import seen
from tests.support.secrecy.secret_search import Leak, forms, leaks, received
from tests.support.web.journal import mend_opening
from tests.support.web.server_process import Running


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CanaryTable]:
    """A whole evening, in which all goes wrong that can."""
    folder = tmp_path_factory.mktemp("evening")
    with Receiver() as printer, running(folder, printer.port, ["with_canaries"]) as server:
        with DeskProcess(folder / "desk", server) as beside:
            with ExitStack() as listening:
                spent = play(server, beside, listening)
                _mistakes(spent)
                _fault(spent)
                _lost_phone(spent)
                printer.await_slips(2)
                spent.hear_machine()
                server.process.send_signal(signal.SIGKILL)
                server.process.wait()
            server.kill()
            with server.again() as later:
                _abandon(spent, later)
                printer.await_slips(3)
                later.stop()
            _new_rules(server.data)
            with server.again() as latest:
                _again(spent, latest)
                latest.stop()
            spent.hear_desk()
        spent.hear_desk()
        spent.hear_last_words(server)
        spent.desk.keep("paper", "\n".join(slip.text for slip in printer.slips).encode())
        spent.desk.keep("codes", read_codes(printer))
        yield spent


def read_codes(printer: Receiver) -> bytes:
    """The codes on all paper that was printed."""
    return "\n".join(code.text for code in zxingcpp.read_barcodes(printer.picture())).encode()


def _mistakes(table: CanaryTable) -> None:
    """A move is taken back, a secret corrected."""
    table.exchanges(table.south)
    table.asks(table.north, "undo")
    table.everyone_looks()
    table.agrees(table.south)
    table.exchanges(table.south)
    assert table.plays(table.north, "dig").status == 200
    mine = table.me(table.north)["me"]
    n = max(map(int, mine["salts"]))
    table.asks(table.north, "correct", n=n, fields={"word": mine["hand"]["words"][0]})
    table.everyone_looks()
    table.agrees(table.south)
    assert table.me(table.north)["me"]["hand"]["buried"] == mine["hand"]["words"][0]
    table.everyone_looks(everywhere=True)


def _fault(table: CanaryTable) -> None:
    """The game breaks on a move, and says all it knows in its own error."""
    table.exchanges(table.south)
    word = table.me(table.north)["me"]["hand"]["words"][0]
    broken = table.plays(table.north, "stumble", word=word)
    assert (broken.status, broken.code) == (500, "broken")
    table.everyone_looks(everywhere=True)


def _lost_phone(table: CanaryTable) -> None:
    """North's phone is lost while it is still connected; the seat goes on with another."""
    table.asks(table.host, "reissue", seat="north")
    table.agrees(table.north)
    table.agrees(table.south)
    table.note()
    ((key,),) = table.rows("SELECT key FROM seats WHERE code = ? AND seat = 'north'")
    table.everyone_looks()
    table.sit(table.late, "north", key, "Ana")
    table.everyone_looks()


def _abandon(table: CanaryTable, server: Running) -> None:
    """After a power cut: they go on a little, then stop without showing."""
    table.move_to(server)
    table.everyone_looks()
    table.exchanges(table.late)
    table.asks(table.host, "abandon", show=False)
    table.agrees(table.late)
    table.agrees(table.south)
    assert table.stranger.get(table.path).json["outcome"]["reason"] == "abandoned"
    table.everyone_looks(everywhere=True)
    table.hear_machine()


def _new_rules(data: Path) -> None:
    """The table was played by older rules than those of today."""
    with closing(sqlite3.connect(data / "referee.db")) as db, db:
        for (code,) in list(db.execute("SELECT code FROM tables WHERE finished IS NOT NULL")):
            db.execute("UPDATE tables SET rules = 1 WHERE code = ?", (code,))
            mend_opening(db, code)


def _again(table: CanaryTable, server: Running) -> None:
    """Another game with the same people and tokens, while the first stays hidden."""
    table.move_to(server)
    table.everyone_looks(everywhere=True)
    again = table.host.post(f"{table.path}/rematch", {}).json["table"]
    for tap in (table.late, table.south, table.host):
        tap.get(f"/t/{table.code}/next")  # leads on, with the tokens of this device
    table.code = again
    table.seal(table.late, table.draft(table.late, "north", "bury"))
    table.everyone_looks(everywhere=True)
    table.hear_machine()


def test_no_secret_came_to_anyone_but_its_owner(table: CanaryTable) -> None:
    found = sorted(map(str, set(leaks(table.secrets, table.taps))))
    assert not found, "\n".join(found)


def test_there_was_something_to_find(table: CanaryTable) -> None:
    """Whoever may know a secret did receive it, and the search sees that: the search can find."""
    kinds = {secret.what for secret in table.secrets}
    assert len(table.secrets) > 40
    for owner, what in (
        ("north", "a word of north"),
        ("south", "a word of south"),
        ("late", "a word of north"),
        ("north", "a salt of north"),
        ("south", "a salt of south"),
        ("north", "the token of north"),
        ("late", "the token of late"),
        ("host", "the token of host"),
        ("host", "the key of north"),
        ("host", "the QR code of north"),
        ("desk", "the key of south"),
        ("late", "the chest"),
    ):
        assert what in kinds
        tap = next(tap for tap in table.taps if tap.name == owner)
        assert any(received(secret, tap) for secret in table.secrets if secret.what == what), (owner, what)


def test_pictures_were_read(table: CanaryTable) -> None:
    """The sheets of an abandoned game, and the slips that the host alone may see."""
    sheets = [h for tap in table.taps for h in tap.heard if h.where.endswith((".png", ".pdf"))]
    given = [h for h in sheets if h.content.startswith(b"200")]
    assert {h.where.rpartition("/")[2] for h in given} >= {"sheet.png", "sheet.pdf", "1.png"}
    assert all(b"Canary" in seen(h.content) for h in given)
    slips = seen(next(h.content for h in given if h.where.endswith("1.png")))
    assert all(f"/j/{table.first}/{seat}/".encode() in slips for seat in table.keys)


def test_a_draft_is_found_in_its_cookie(table: CanaryTable) -> None:
    """The one thing that is sent in base64 alone: what its own phone keeps between choosing and sealing."""
    drafts = [h for h in table.north.heard if b"draft_" in h.content and b"303" in h.content[:4]]
    words = [secret.text for secret in table.secrets if secret.what == "a word of north"]
    assert any(form in draft.content for draft in drafts for word in words for form in forms(word))
    assert not any(word.encode() in draft.content for draft in drafts for word in words)


def test_the_folder_of_the_games_is_its_owners_alone(table: CanaryTable) -> None:
    assert table.server.data.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("before", ["", "x", "xy", "xyz"])
def test_base64_is_found_wherever_it_begins(before: str) -> None:
    hidden = base64.b64encode(json.dumps({before: "canary5c1f?>"}).encode())
    assert any(form in hidden for form in forms("canary5c1f"))


def test_planted_leaks_are_found(tmp_path: Path) -> None:
    """The same table at a server and a desk that tell hands wherever they can."""
    with Receiver() as printer, running(tmp_path, printer.port, ["with_canaries", "with_leaks"]) as server:
        with DeskProcess(tmp_path / "desk", server, ["talkative"]) as beside, ExitStack() as listening:
            spent = play(server, beside, listening)
            printer.await_slips(2)
            spent.hear_machine()
            server.stop()
        spent.hear_last_words(server)
    found = set(leaks(spent.secrets, spent.taps))
    to = {(leak.to, leak.what) for leak in found}
    for other in ("stranger", "guest", "host", "desk", "south"):
        assert (other, "a word of north") in to, "in a header or a refusal"
    for other in ("stranger", "guest", "host", "desk", "north"):
        assert (other, "a word of south") in to, "in a view"
    assert {leak.where for leak in found if leak.to == "machine" and leak.what.startswith("a word")} == {
        *("log", "standard output", "scratch"),
        *(
            "the desk's stdout",
            "the desk's stderr",
            "the desk's home",
            "the desk's scratch",
            "the desk's here",
        ),
    }
    assert Leak("a word of south", "desk", "traffic") in found
