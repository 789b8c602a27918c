"""History: who played what, how it is counted and exported, and deletion that keeps records valid."""

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from tests.support.fixtures import Start
from tests.support.web.history import finished, history, page, stop
from tests.support.web.http_client import Client, Table
from tests.support.web.server_process import ROOT
from web.output.exports import COLUMNS, as_csv
from web.pages.admin.overview import PAGE
from web.store.history_queries import FinishedGame, PlayerResult
from web.wire.names import person_key

FORM = "application/x-www-form-urlencoded"


def abandoned(client: Client, *names: str) -> Table:
    table = client.open_table(desk=None)
    phones = {seat: table.join(seat, name) for seat, name in zip(table.keys, names, strict=True)}
    stop(table, phones)
    return table


def post(client: Client, path: str, form: str = "") -> int:
    return client.with_(Content_Type=FORM).call("POST", path, form.encode()).status


@pytest.mark.parametrize("typed", ["Ana", "ana ", "  ANA", "Ána", "A\u0301na", "Ａna"])
def test_one_person_however_the_name_is_typed(typed: str) -> None:
    assert person_key(typed) == "ana"


@pytest.mark.parametrize(
    ("one", "other"), [("Ana", "Anna"), ("की", "का"), ("がく", "かく"), ("Ana B", "AnaB")]
)
def test_two_people_stay_two(one: str, other: str) -> None:
    assert person_key(one) != person_key(other)


def test_what_was_played_is_told_newest_first_and_found_by_game_and_person(client: Client) -> None:
    first = finished(client, "Mnémé", "Clio", turn_cap=2)
    second = finished(client, "Érato", " mneme", game="agent_avenue", seed=2)
    third = abandoned(client, "Mnémé", "Clio")
    games = history(client)[:3]
    assert [game["table"] for game in games] == [third.code, second.code, first.code]
    assert [game["abandoned"] for game in games] == [True, False, False]
    assert history(client, "?game=agent_avenue")[0]["table"] == second.code
    assert [game["table"] for game in history(client, "?player=ERATO")] == [second.code]
    assert [game["table"] for game in history(client, "?player=clio")] == [third.code, first.code]
    assert [game["table"] for game in history(client, f"?limit=1&before={games[0]['n']}")] == [second.code]
    assert games[2]["moves"] == 4
    assert [player["name"] for player in games[2]["players"]] == ["Mnémé", "Clio"]
    won = {player["seat"] for player in games[1]["players"] if player["won"]}
    assert won == set(second.view()["outcome"]["winners"])
    people = {player["name"]: player for player in client.get("/api/players").json}
    assert people["mneme"]["played"] == 2, "an abandoned game is played by nobody"
    assert "Mnémé" not in people
    assert people["Clio"]["games"].keys() == {"agent_hunter"}
    assert client.get("/api/history?game=chess").code == "unknown-game"
    for bad in ("before=x", "before=", "limit=", "before=0", "limit=-1", f"before={2**63}"):
        assert client.get(f"/api/history?{bad}").code == "malformed"


def test_the_pages_tell_it_too_and_joining_suggests_names_alone(client: Client) -> None:
    table = finished(client, "Ana", "<b>Bo</b>", turn_cap=2)
    past = page(client, "/history")
    assert f"/t/{table.code}/record" in past
    assert "&lt;b&gt;Bo&lt;/b&gt;" in past
    assert "<b>Bo" not in past
    assert 'aria-label="' in page(client, "/person?name=ana")
    assert "Head to head" in page(client, "/person?name=Ana")
    assert re.search(r"[1-9][\d,]* games?", page(client, "/games/agent_hunter"))
    assert "&lt;b&gt;Bo" in page(client, "/people")
    assert client.get("/person?name=Zoe").status == 404
    assert client.get("/games/chess").status == 404
    free = client.open_table(desk=None)
    joining = page(client, urlsplit(free.links["mask"]).path)
    assert '<option value="Ana"></option>' in joining
    assert table.code not in joining


def test_a_file_of_all_games_has_no_formulas(client: Client) -> None:
    table = finished(client, "=1+1|cmd", "+33", turn_cap=2)
    answer = client.get("/history.csv")
    assert answer.kind == "text/csv"
    assert "attachment" in answer.headers["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert [row["name"] for row in rows if row["table"] == table.code] == ["'=1+1|cmd", "'+33"]
    assert [game["table"] for game in client.get("/history.json?player=%2B33").json] == [table.code]
    french = client.with_(Accept_Language="fr").get("/history.csv").content
    assert french.startswith('\ufeff"game";"table";'.encode())
    assert client.get("/history.xls").status == 404


HOSTILE = [
    *(
        "=1",
        "+1",
        "-1",
        "@a",
        "a;=1+1",
        "b,=1+1",
        'c,"=1+1"',
        'd;""+1',
        "e, @sum",
        "f;\uff1d1",
        "g|-1",
        " =1",
        "h,';=1",
        '"=1',
        "i;\t=1",
    ),
]
FORMULA = re.compile(r"""["\s]*[=+\-@\uff1d\uff0b\uff0d\uff20]""")


def cells(text: str, separator: str) -> list[str]:
    """The cells of a CSV as spreadsheets read them: with quotes, or splitting at each separator."""
    quoted = [cell for row in csv.reader(io.StringIO(text), delimiter=separator) for cell in row]
    return quoted + [cell for line in text.splitlines() for cell in line.split(separator)]


@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.parametrize("separator", [";", ",", "\t", "|"])
def test_a_name_is_no_formula_in_a_spreadsheet_of_another_language(language: str, separator: str) -> None:
    """French spreadsheets split at `;`, English ones at `,`: a file may be opened in either."""
    players = tuple(
        PlayerResult(f"seat{n}", "side", name, name, "", True, -n) for n, name in enumerate(HOSTILE)
    )
    game = FinishedGame(1, "KX7QF", "agent_hunter", "2026-12-01", "found", False, 5, None, True, players)
    text = as_csv([game], language).removeprefix("\ufeff")
    own = {"fr": ";", "en": ","}[language]
    assert all(line[0] + line[-1] == '""' for line in text.splitlines()), "every cell is quoted"
    assert {line.count(f'"{own}"') for line in text.splitlines()} == {len(COLUMNS) - 1}
    found = [cell for cell in cells(text, separator) if FORMULA.match(cell)]
    assert [cell for cell in found if not re.fullmatch(r'"?-\d+"?', cell)] == [], "but scores below zero"


def test_bg_stats_gets_what_it_needs(client: Client) -> None:
    table = finished(client, "Ana", "Bo", turn_cap=2, first="mask")
    text = page(client, f"/t/{table.code}/sheet")
    link = next(part for part in text.split('"') if part.startswith("https://app.bgstatsapp.com/"))
    play = json.loads(parse_qs(urlsplit(link).query)["data"][0])
    assert urlsplit(link).path == "/createPlay.html"
    assert len(play["playDate"]) == len("2026-11-17 20:00:00")
    assert play["game"]["sourceGameId"] == "agent_hunter"
    assert (play["game"]["highestWins"], "bggId" in play["game"]) == (True, False)
    assert isinstance(play["game"]["noPoints"], bool)
    assert [player["startPlayer"] for player in play["players"]] == [False, True]
    assert [player["sourcePlayerId"] for player in play["players"]] == ["ana", "bo"]
    winners = table.view()["outcome"]["winners"]
    assert [player["winner"] for player in play["players"]] == ["target" in winners, "mask" in winners]
    assert "bgstatsapp" not in page(client, f"/t/{abandoned(client, 'Ana', 'Bo').code}/sheet")


# ---- forgetting


def verified(record: dict[str, Any], tmp_path: Path) -> bool:
    """What `referee verify` says of a record that was saved to a file."""
    file = tmp_path / "record.json"
    file.write_text(json.dumps(record, ensure_ascii=False), encoding="utf-8")
    command = [sys.executable, "-m", "referee.program.cli", "verify", str(file)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 0


def test_a_deleted_person_is_somebody_and_every_record_still_verifies(start: Start, tmp_path: Path) -> None:
    server = start()
    client = server.client.with_(Accept_Language="en")
    table = finished(client, "Zébulon", "Bo", turn_cap=2)
    stopped = client.open_table(desk=None)
    phones = {
        seat: stopped.join(seat, name) for seat, name in zip(stopped.keys, ("zebulon", "Bo"), strict=True)
    }
    with_retry = phones["target"].client.with_(Idempotency_Key="once")
    hide = {"version": 2, "type": "hide", "houses": [1, 2, 3]}
    assert b"zebulon" in with_retry.post(f"{stopped.path}/moves", hide).content
    stop(stopped, phones)
    before = client.get(f"{table.path}/record").json
    assert verified(before, tmp_path)
    assert client.get("/forget?name=Nobody").status == 404
    asked = page(client, f"/forget?name={quote('Zébulon')}")
    assert "Delete the name Zébulon?" in asked
    assert client.call("DELETE", f"/api/players/{quote('ZEBULON')}").json == {"tables": 2}
    after = client.get(f"{table.path}/record").json
    assert verified(after, tmp_path)
    assert (after["head"], after["entries"]) == (before["head"], before["entries"])
    assert after["names"] == {"target": "", "mask": "Bo"}
    assert "somebody" in page(client, f"{table.path}/sheet.txt")
    assert stopped.view()["seats"]["target"]["name"] == "somebody"
    assert with_retry.post(f"{stopped.path}/moves", hide).json["news"] == []
    seen = (f"/t/{table.code}/record", f"/t/{table.code}/sheet", f"/t/{stopped.code}", "/history", "/people")
    assert not any("bulon" in page(client, path).lower() for path in (*seen, "/history.csv", "/api/players"))
    assert client.get("/person?name=zebulon").status == 404
    assert client.call("DELETE", "/api/players/zebulon").code == "unknown-person"
    assert [game["players"][0]["name"] for game in history(client)] == [None, None]
    files = b"".join(file.read_bytes() for file in server.data.rglob("*") if file.is_file())
    assert b"bulon" not in files


def test_a_game_in_play_keeps_the_name_until_it_ends(start: Start) -> None:
    server = start()
    client = server.client.with_(Accept_Language="en")
    playing = client.open_table(desk=None)
    phones = {seat: playing.join(seat, name) for seat, name in zip(playing.keys, ("Ysé", "Bo"), strict=True)}
    assert client.call("DELETE", "/api/players/yse").code == "not-over"
    assert post(client, "/forget?name=yse") == 403
    assert "Delete permanently" not in page(client, "/forget?name=yse")
    finished(client, "Ysé", "Bo", turn_cap=2)
    length = page(client, "/games/agent_hunter")
    assert '<p class="aside">4 moves.</p>' in length and 'class="ends"' not in length
    assert "stays in games in progress until they end" in page(client, "/forget?name=yse")
    assert client.call("DELETE", "/api/players/yse").json == {"tables": 1}
    assert playing.view()["seats"]["target"]["name"] == "Ysé"
    assert client.get("/person?name=yse").status == 404
    stop(playing, phones)
    assert history(client, "?player=yse")[0]["table"] == playing.code
    assert client.call("DELETE", "/api/players/yse").json == {"tables": 1}
    assert not any("Ysé".encode() in file.read_bytes() for file in server.data.rglob("*") if file.is_file())


def test_a_deleted_game_is_gone_and_the_others_are_as_they_were(client: Client, tmp_path: Path) -> None:
    kept, gone = finished(client, "Thalie", "Bo", turn_cap=2), finished(client, "Thalie", "Bo", turn_cap=2)
    following = client.bearing(kept.host).post(f"{kept.path}/rematch", {}).json["table"]
    before = client.get(f"{kept.path}/record").json
    assert client.call("DELETE", f"/api/history/{following}").code == "not-over"
    with gone.events() as stream:
        stream.first("view")
        assert post(client, f"/forget?table={gone.code}") == 303
        stream.until_end()
    assert client.get(gone.path).code == "unknown-table"
    assert post(client, f"/forget?table={following}") == 404
    assert client.call("DELETE", f"/api/history/{gone.code}").code == "unknown-table"
    assert [game["table"] for game in history(client, "?player=thalie")] == [kept.code]
    people = {player["name"]: player for player in client.get("/api/players").json}
    assert people["Thalie"]["played"] == 1
    assert client.get(f"{kept.path}/record").json == before
    assert verified(before, tmp_path)
    assert "<form" in page(client, f"/t/{following}")


def test_a_host_pin_guards_deletion_and_the_overview(start: Start) -> None:
    server = start('server.host_pin = "4711"')
    client = server.client.with_(Accept_Language="en")
    table = finished(client.with_(X_Host_Pin="4711"), "Ana", "Bo", turn_cap=2)
    assert client.call("DELETE", "/api/players/ana").code == "bad-pin"
    assert client.call("DELETE", f"/api/history/{table.code}").code == "bad-pin"
    assert post(client, "/forget?name=ana", "pin=1") == 403
    assert [player["name"] for player in history(client)[0]["players"]] == ["Ana", "Bo"]
    waiting = client.with_(X_Host_Pin="4711").open_table(desk=None)
    assert waiting.code not in page(client, "/overview")
    assert post(client, "/overview", "pin=1") == 403
    for path, form in (("/overview", b"pin=1"), ("/open", b"game=agent_hunter&pin=1")):
        wrong = client.with_(Content_Type=FORM).call("POST", path, form).content.decode()
        assert "That isn’t the host’s PIN." in wrong and '<details class="options" open' not in wrong
    answer = client.with_(Content_Type=FORM).call("POST", "/overview", b"pin=4711")
    pass_ = answer.headers["Set-Cookie"].partition(";")[0]
    assert "HttpOnly" in answer.headers["Set-Cookie"]
    assert waiting.code in page(client.with_(Cookie=pass_), "/overview")
    assert post(client, "/forget?name=ana", "pin=4711") == 303
    assert [player["name"] for player in history(client)[0]["players"]] == [None, "Bo"]


def test_a_history_of_nobody_says_so_and_leads_to_all(client: Client) -> None:
    table = finished(client, "Jean-Christophe", "Bo", turn_cap=2)
    found = page(client.with_(Accept_Language="en"), "/history?player=Jean")
    assert "Names must be typed in full" in found and 'href="/history"' in found and table.code not in found


# ---- the overview for hosts


def test_the_overview_shows_every_table_and_only_public_facts(client: Client) -> None:
    over = finished(client, "Ana", "Bo", turn_cap=2)
    waiting, playing = client.open_table(desk=None), client.open_table(options={"first": "target"})
    phones = playing.everybody()
    overview = page(client, "/overview")
    assert (waiting.code in overview, playing.code in overview, over.code in overview) == (True, True, False)
    assert "Free seats: T.A.R.G.E.T. Agency and Men in Mask" in overview
    assert "Waiting for Ana and Bo" in overview
    phones["mask"].moves("hide", houses=[4, 5, 6])
    phones["mask"].client.post(f"{playing.path}/ask", {"version": 3, "kind": "abandon"})
    overview = page(client, "/overview")
    assert "Bo suggests stopping the game." in overview
    assert "No desk connected." in overview
    secrets = (
        *waiting.keys.values(),
        waiting.host,
        playing.host,
        *(phone.token for phone in phones.values()),
    )
    assert not any(secret in overview for secret in secrets)


def test_a_long_overview_has_pages(start: Start) -> None:
    """What waits for an answer comes first; no page is heavy."""
    client = start().client
    asked, *others = (client.open_table(desk=None) for _ in range(PAGE + 2))
    phones = asked.everybody()
    phones["mask"].client.post(f"{asked.path}/ask", {"version": 2, "kind": "abandon"})
    pages = [page(client, path) for path in ("/overview", "/overview?page=2", "/overview?page=99")]
    codes = [re.findall(r'small-code" href="/t/(\w{5})"', text) for text in pages]
    assert codes[0][0] == asked.code and codes[1] == codes[2]
    assert [len(found) for found in codes[:2]] == [PAGE, 2]
    assert {*codes[0], *codes[1]} == {asked.code, *(table.code for table in others)}
    assert 'rel="next"' in pages[0] and 'rel="next"' not in pages[1]
    assert len(pages[0]) < 40_000
