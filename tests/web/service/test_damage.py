"""A damaged database is reported to the host: where it is, and how to restore the newest backup."""

import html
import re
import shlex
from pathlib import Path

import pytest

from referee.program.cli import main
from tests.support.fixtures import Start
from tests.support.web.http_client import Answer, Client
from tests.support.web.server_process import ROOT, Running
from web.store import damage
from web.store.backups import copy, keep_in, open_store, quarantine

PIN = '[server]\nhost_pin = "2468"\n'
CODE = re.compile(r"<code>(.*?)</code>")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "referee.db"


def ruined(server: Running) -> Running:
    """The same house after a night in which its card broke."""
    server.stop()
    (server.data / "referee.db").write_bytes(b"\x00" * 50_000)
    return server.again()


def text(client: Client, path: str, language: str = "en") -> str:
    answer = client.with_(Accept_Language=language).get(path)
    assert answer.status == 200
    return html.unescape(answer.content.decode())


def says(client: Client, **fields: str) -> Answer:
    return client.post_form("/damaged", **fields)


def test_the_host_is_told_and_the_command_brings_the_games_back(
    start: Start, capsys: pytest.CaptureFixture[str]
) -> None:
    before = start()
    table = before.client.open_table()
    aside, backup = before.data / "damaged-1", before.data / "backups" / "0001.db"
    copy(before.data / "referee.db", backup)
    with ruined(before) as after:
        assert after.client.get("/healthz").json["tables"] == 0
        for page in ("/", "/overview", "/damaged"):
            assert f"moved to {aside}" in text(after.client, page)
            assert f"latest backup is {backup}" in text(after.client, page)
            assert f"mis de côté dans {aside}" in text(after.client, page, "fr")
            assert not any(key in text(after.client, page) for key in (table.host, *table.keys.values()))
        [shown] = CODE.findall(text(after.client, "/"))
        command = re.sub("<.*?>", "", shown)
    doctor = ["doctor", "--virtual", "--data", str(before.data)]
    assert main(doctor) == 1
    assert command in capsys.readouterr().out
    words = shlex.split(command)[1:]
    assert words == ["restore", str(backup), "--data", str(before.data)]
    assert main(words) == 0
    main(doctor)
    assert str(aside) not in capsys.readouterr().out
    with before.again() as mended:
        assert mended.client.get(f"/api/tables/{table.code}").status == 200
        assert "was moved to" not in text(mended.client, "/")
        assert mended.client.get("/damaged").status == 303


def test_whoever_has_read_it_says_so_with_the_hosts_pin(start: Start) -> None:
    with ruined(start(PIN)) as house:
        guest = house.client.with_(Accept_Language="en")
        assert "There is no backup" in text(guest, "/")
        refused = says(guest, pin="1111")
        assert (refused.status, "was moved to" in refused.content.decode()) == (403, True)
        assert "was moved to" in text(guest, "/")
        assert says(guest, pin="2468").status == 303
        assert "set aside" not in text(guest, "/")
        assert (house.data / "damaged-1" / "referee.db").exists()


def test_the_backup_that_is_offered_is_not_pushed_out_by_later_ones(path: Path) -> None:
    open_store(path).close()
    offered = path.parent / "backups" / "0001.db"
    copy(path, offered)
    quarantine(path, "worms")
    open_store(path).close()
    for _ in range(9):
        keep_in(path, offered.parent)
    assert [report.backup for report in damage.reports(path)] == [offered]
    damage.dismiss_reports(path)
    keep_in(path, offered.parent)
    assert not offered.exists()


def test_damage_upon_damage_is_told_in_order(path: Path) -> None:
    for _ in range(11):
        path.write_bytes(b"x" * 9000)
        quarantine(path, "worms")
    told = damage.reports(path)
    assert [report.folder.name for report in told] == [f"damaged-{number}" for number in range(1, 12)]


def test_a_power_cut_while_it_is_set_aside_leaves_one_report(path: Path) -> None:
    path.write_bytes(b"x" * 9000)
    aside = path.with_name("damaged-1")
    aside.mkdir()
    (aside / damage.REPORT).write_text("{")
    quarantine(path, "worms")
    assert [report.folder for report in damage.reports(path)] == [aside]


def test_where_it_was_installed_the_command_is_short(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.prefix", str(damage.INSTALLED))
    assert damage.command(path, path) == f"sudo referee restore {path}"
    assert str(damage.INSTALLED) in (ROOT / "systemd/referee").read_text()
