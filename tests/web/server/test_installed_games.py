"""A server with games from other packages: one that hangs, breaks the start or goes away stops no other."""

import http.client
from pathlib import Path
from threading import Thread

from tests.support.rules.installed_package import Changes, install, referee
from tests.support.waiting import eventually
from tests.support.web.http_client import Client, Phone, Table
from tests.support.web.server_process import Running, free_port

GONE = (OSError, http.client.HTTPException)


def server(tmp_path: Path, changes: Changes | None = None) -> Running:
    """A server with an installed game, at a port that it keeps."""
    install(tmp_path / "site", changes=changes)
    options = ("--host", "127.0.0.1", "--port", str(free_port()))
    return Running(tmp_path / "data", options=options, packages=[tmp_path / "site"])


def begun(client: Client) -> tuple[Table, dict[str, Phone]]:
    """A table of the installed game whose players have hidden their numbers."""
    table = client.open_table(game="marbles", desk=None, options={"first": "player_1"})
    phones = table.everybody()
    for number, phone in enumerate(phones.values(), 1):
        phone.moves("hide", number=number)
    return table, phones


def test_it_is_played_on_pages_and_stays_readable_when_it_is_uninstalled(tmp_path: Path) -> None:
    with server(tmp_path) as running:
        table, phones = begun(running.client)
        for page in ("/", "/play/marbles", f"/t/{table.code}", "/rules/marbles"):
            assert running.client.get(page).status == 200, page
        shown = running.client.get(f"/t/{table.code}").content.decode()
        assert "Player 1" in shown or "Joueur 1" in shown
        phones["player_1"].moves("guess", seat="player_2", number=2)
        assert table.view()["outcome"]["winners"] == ["player_1"]
        open_one, _ = begun(running.client)
        running.stop()
        running.packages = ()
        again = running.again().client.with_(Accept_Language="en")
        for code in (table.code, open_one.code):
            refused = again.get(f"/api/tables/{code}")
            assert (refused.status, refused.code) == (500, "broken")
            assert "“marbles”, which is not installed here" in refused.json["detail"]
            told = again.get(f"/t/{code}").content.decode()
            assert "which is not installed here" in told
        for page in ("/", "/overview", "/history", "/people"):
            assert again.get(page).status == 200, page
        assert "marbles" in again.get("/history").content.decode()
        [past] = again.get("/api/history").json
        assert (past["game"], past["table"]) == ("marbles", table.code)
        assert "Traceback" not in running.said()


def test_a_call_that_does_not_return_stops_its_table_and_no_other(tmp_path: Path) -> None:
    trigger = tmp_path / "trigger"
    wait = f"    while __import__('os').path.exists({str(trigger)!r}):\n        pass\n"
    before = "def _guess(state: MarblesState, seat: Seat, other: Seat, number: int) -> MarblesState:\n"
    with server(tmp_path, {"rules.py": (before, before + wait)}) as running:
        client = running.client
        other = client.open_table(desk=None)
        hunters = other.everybody()
        table, phones = begun(client)
        trigger.touch()
        Thread(target=_cut_off, args=(phones["player_1"],), daemon=True).start()
        eventually(lambda: (tmp_path / "data" / "games.json").exists() and _stopped(tmp_path))
        trigger.unlink()
        eventually(lambda: _answers(client))
        refused = client.with_(Accept_Language="en").get(table.path)
        assert "did not answer" in refused.json["detail"]
        hunters["target"].moves("hide", houses=[1, 2, 3])
        assert begun(client)[0].view()["status"] == "playing", "another table of this game"


def _cut_off(phone: Phone) -> None:
    try:
        phone.moves("guess", seat="player_2", number=1)
    except (*GONE, AssertionError):
        pass


def _stopped(tmp_path: Path) -> bool:
    return '"stopped"' in (tmp_path / "data" / "games.json").read_text()


def _answers(client: Client) -> bool:
    try:
        return client.get("/healthz").status == 200
    except GONE:
        return False


def test_after_two_failed_starts_the_rest_starts_without_it(tmp_path: Path) -> None:
    begins = "from referee.core.game import Facts"
    fatal = "import os\nimport sys\n\nsys.argv[0].endswith('trial.py') or os._exit(3)\n"
    changes = {"__init__.py": (begins, fatal + begins)}
    install(tmp_path / "site", changes=changes)
    start = ("serve", "--data", str(tmp_path / "data"), "--desk", "off", "--port", "0")
    for _ in range(2):
        assert referee(tmp_path / "site", tmp_path, *start).returncode == 3
    with server(tmp_path, changes) as running:
        page = running.client.with_(Accept_Language="en").get("/overview").content.decode()
        assert "The last two starts failed" in page
        assert running.client.open_table(desk=None).view()["game"] == "agent_hunter"


def test_they_can_be_left_out(tmp_path: Path) -> None:
    install(tmp_path / "site")
    options = ("--host", "127.0.0.1", "--port", "0", "--only-shipped")
    with Running(tmp_path / "data", options=options, packages=[tmp_path / "site"]) as running:
        page = running.client.with_(Accept_Language="en").get("/overview").content.decode()
        assert "started with its own games only" in page
        assert running.client.post("/api/tables", {"game": "marbles"}).code == "unknown-game"
