"""Rows of a journal that are no longer what was written: found when read, and brought back from a backup."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from referee.core.entries import Joined, write
from tests.support.fixtures import Start
from tests.support.web.history import finished
from tests.support.web.http_client import Client, Phone
from tests.support.web.journal import mend_checksums, mend_opening, rows
from tests.support.web.questions import answers, asks
from tests.support.web.random_player import hide
from tests.support.web.server_process import Running
from tests.support.web.store_file import referee
from web.store import DamagedJournal, Store
from web.store.backups import copy, copy_without_secrets
from web.store.statements import entry_written
from web.store.table_restore import restore_table

Change = Callable[[sqlite3.Connection, str], Any]


def edited(db: sqlite3.Connection, code: str) -> int:
    db.execute(
        "UPDATE journal SET line = replace(line, '[1,2,3]', '[1,2,4]') WHERE code = ? AND n = 3", (code,)
    )
    return 3


def cleverly_edited(db: sqlite3.Connection, code: str) -> int:
    """With a checksum that fits: the chain does not."""
    edited(db, code)
    mend_checksums(db, code)
    return 3


def redated(db: sqlite3.Connection, code: str) -> int:
    db.execute("UPDATE journal SET at = '1999' WHERE code = ? AND n = 2", (code,))
    return 2


def renamed(db: sqlite3.Connection, code: str) -> int:
    db.execute("UPDATE journal SET line = 'mask joins \"Eve\"' WHERE code = ? AND n = 2", (code,))
    return 2


def missing(db: sqlite3.Connection, code: str) -> int:
    db.execute("DELETE FROM journal WHERE code = ? AND n = 2", (code,))
    return 2


def reordered(db: sqlite3.Connection, code: str) -> int:
    for old, new in ((3, 99), (4, 3), (99, 4)):
        db.execute("UPDATE journal SET n = ? WHERE code = ? AND n = ?", (new, code, old))
    return 3


def joins_cut(db: sqlite3.Connection, code: str) -> int:
    db.execute("DELETE FROM journal WHERE code = ? AND n > 1", (code,))
    return 2


def no_text(db: sqlite3.Connection, code: str) -> int:
    """A flipped bit makes bytes that are no UTF-8."""
    db.execute("UPDATE journal SET line = CAST(x'e9' AS TEXT) WHERE code = ? AND n = 4", (code,))
    return 4


def other_kind(db: sqlite3.Connection, code: str) -> int:
    db.execute("UPDATE journal SET head = 7 WHERE code = ? AND n = 4", (code,))
    return 4


def other_options(db: sqlite3.Connection, code: str) -> int:
    """The first link of the chain binds what the table was opened with."""
    db.execute("UPDATE tables SET options = replace(options, 'target', 'mask') WHERE code = ?", (code,))
    return 1


def other_seed(db: sqlite3.Connection, code: str) -> int:
    db.execute("UPDATE tables SET seed = ? WHERE code = ?", ("ab" * 32, code))
    return 1


def other_rules(db: sqlite3.Connection, code: str) -> int:
    """Heads are not compared where other rules are in force: an edited line with a checksum that fits would
    pass."""
    cleverly_edited(db, code)
    db.execute("UPDATE tables SET rules = 0 WHERE code = ?", (code,))
    return 1


def later_rules(db: sqlite3.Connection, code: str) -> int:
    """Rules that this referee does not have yet; the checksum of the table's row fits."""
    cleverly_edited(db, code)
    db.execute("UPDATE tables SET rules = rules + 1 WHERE code = ?", (code,))
    mend_opening(db, code)
    return 1


DAMAGE = (
    *(edited, cleverly_edited, redated, renamed, missing, reordered, joins_cut),
    *(no_text, other_kind, other_options, other_seed, other_rules, later_rules),
)


def opened(client: Client) -> dict[str, Phone]:
    """A table where both have hidden."""
    phones = client.open_table(desk=None, options={"first": "target"}).everybody()
    hide(phones)
    return phones


def changed(server: Running, code: str, change: Change) -> int:
    with closing(sqlite3.connect(server.data / "referee.db")) as db, db:
        return int(change(db, code))


def test_a_damaged_table_is_refused_and_the_others_go_on(start: Start) -> None:
    server = start()
    client = server.client.with_(Accept_Language="en")
    whole = opened(client)
    tables = {damage: opened(client)["target"].table for damage in DAMAGE}
    server.stop()
    found = {table.code: changed(server, table.code, damage) for damage, table in tables.items()}
    with server.again() as later:
        for table in tables.values():
            for path in (table.path, f"{table.path}/events"):
                answer = Client(later.url, client.headers).get(path)
                assert (answer.status, answer.code) == (500, "broken")
                assert answer.json["title"] == "This table is damaged"
                assert f"(row {found[table.code]})" in answer.json["detail"], table.code
                assert f"referee restore FILE --table {table.code}" in answer.json["detail"]
            page = Client(later.url, client.headers).get(f"/t/{table.code}")
            assert page.status == 500 and "is no longer what the referee wrote" in page.content.decode()
        whole["target"].at(later.url).moves("attack_from_hand", card=4, house=1)
        assert f"row {found[tables[edited].code]} of the journal is damaged" in later.said()


BROKEN = (  # damage of rows that no journal has
    "UPDATE tables SET code = CAST(x'4bd8375146' AS TEXT) || id WHERE code = ?",  # a flipped bit: no text
    "DELETE FROM seats WHERE code = ? AND seat = 'mask'",
    "UPDATE seats SET seat = CAST(x'ed61736b' AS TEXT) WHERE code = ? AND seat = 'mask'",
    "UPDATE tables SET options = '[' WHERE code = ?",
    "UPDATE tables SET outcome = '[' WHERE code = ?",
    "UPDATE tables SET before = '[' WHERE code = ?",
    "UPDATE tables SET options = replace(printf('%9000s', ''), ' ', '[') WHERE code = ?",
    "UPDATE tables SET game = 'chess' WHERE code = ?",
    "UPDATE tables SET seed = x'ff' WHERE code = ?",
    "UPDATE tables SET opened = x'ff' WHERE code = ?",
    "UPDATE tables SET host = CAST(x'ff' AS TEXT) WHERE code = ?",
    "UPDATE seats SET token = x'ff' WHERE code = ? AND seat = 'mask'",
    "UPDATE seats SET token = CAST(x'c328' AS TEXT) WHERE code = ? AND seat = 'mask'",
    "UPDATE seats SET key = replace(printf('%9000s', ''), ' ', '9') WHERE code = ? AND seat = 'mask'",
    "UPDATE tables SET key_hash = x'ff' WHERE code = ?",
)
ENDED = (  # the same of a game that is over
    "UPDATE tables SET finished = NULL WHERE code = ?",
    "UPDATE tables SET finished = 'yesterday' WHERE code = ?",
    "UPDATE tables SET finished = '2026-11-18' WHERE code = ?",
    "UPDATE tables SET finished = x'ff' WHERE code = ?",
    "UPDATE tables SET outcome = '[' WHERE code = ?",
)


def test_a_damaged_row_of_a_table_or_seat_is_in_nobodys_way(start: Start) -> None:
    server = start()
    whole = opened(server.client)
    tables = [opened(server.client)["target"].table for _ in BROKEN]
    at_desk = server.client.open_table(desk="main")
    server.stop()
    with closing(sqlite3.connect(server.data / "referee.db")) as db, db:
        for table, sql in zip((*tables, at_desk), (*BROKEN, BROKEN[0]), strict=True):
            assert db.execute(sql, (table.code,)).rowcount == 1
    with server.again() as later:
        for path in ("/", "/overview", "/desk/main", "/history", "/cleanup"):
            assert later.client.get(path).status in (200, 302, 303), path
        for table in tables[1:]:
            refused = later.client.with_(Accept_Language="en").get(table.path).json
            assert refused["code"] == "broken"
            assert refused["title"] == "This table is damaged", (table.code, refused)
        whole["target"].at(later.url).moves("attack_from_hand", card=4, house=1)
        assert later.client.open_table(desk="main").view()["version"] == 0


def test_a_damaged_row_of_a_finished_game_is_told_and_can_be_deleted(start: Start, tmp_path: Path) -> None:
    """Its pages failed without a sentence, deletion too, and no stick got a copy of any game."""
    server = start()
    games = [finished(server.client, "Ana", "Bo", turn_cap=2) for _ in (*ENDED, "whole")]
    *tables, whole = games
    server.stop()
    for table, sql in zip(tables, ENDED, strict=True):
        assert execute(server, sql, table.code) == 1
    copy_without_secrets(server.data / "referee.db", tmp_path / "stick.db")
    with closing(sqlite3.connect(tmp_path / "stick.db")) as db:
        copied = {code for (code,) in db.execute("SELECT code FROM tables")}
    assert whole.code in copied and not copied & {tables[0].code, tables[-1].code}
    with server.again() as later:
        client = later.client.with_(Accept_Language="en")
        assert client.get(f"{whole.path}/record").status == 200
        for table in tables:
            for path in (table.path, f"{table.path}/sheet.txt", f"{table.path}/record"):
                refused = client.get(path).json
                assert refused["title"] == "This table is damaged", (path, refused)
            page = client.get(f"/t/{table.code}")
            assert page.status == 500 and "is no longer what the referee wrote" in page.content.decode()
        assert [client.call("DELETE", f"/api/history/{table.code}").status for table in tables] == [
            *(403, 200, 200, 200, 200)
        ]
        assert client.get("/history").status == 200


def test_a_damaged_answer_of_an_earlier_call_keeps_no_name_from_being_deleted(start: Start) -> None:
    server = start()
    phones = opened(server.client)
    table = phones["target"].table
    phones["target"].sends_once("a key", {"version": 4, "type": "attack_from_hand", "card": 9, "house": 1})
    asks(phones["mask"], "abandon", table)
    assert answers(phones["target"]).status == 200
    assert execute(server, "UPDATE answers SET answer = substr(answer, 2)") >= 1
    assert server.client.call("DELETE", "/api/players/ana").status == 200
    kept = rows(server, "SELECT answer FROM answers")
    assert not [answer for (answer,) in kept if "Ana" in answer or not answer.startswith("{")]


@pytest.mark.parametrize("bit", range(8))
def test_any_flipped_bit_of_a_row_is_found(tmp_path: Path, bit: int) -> None:
    """In the text of every column, at every second byte."""
    with closing(Store(tmp_path / "referee.db")) as store:
        store.commit([entry_written("KX7QF", 1, "2026-11-18", 'mask joins "Zoë"', "ab" * 32)])
        assert [row.line for row in store.journal("KX7QF")] == ['mask joins "Zoë"']
        [texts] = store.read("SELECT at, line, head, checksum FROM journal")
        for column, text in zip(("at", "line", "head", "checksum"), texts, strict=True):
            for byte in range(0, len(text.encode()), 2):
                flipped = bytearray(text.encode())
                flipped[byte] ^= 1 << bit
                set_to = f"UPDATE journal SET {column} = CAST(? AS TEXT)"
                store.commit([(set_to, (bytes(flipped),))])
                with pytest.raises(DamagedJournal) as damaged:
                    store.journal("KX7QF")
                assert damaged.value.n == 1
                store.commit([(set_to, (text.encode(),))])
        assert store.journal("KX7QF")


def test_a_finished_game_whose_end_is_cut_off_is_found(start: Start) -> None:
    server = start()
    phones = opened(server.client)
    table = phones["target"].table
    for house, card in ((1, 4), (2, 5), (3, 6)):
        phones["target"].moves("attack_from_hand", card=card, house=house)
        if house < 3:
            phones["mask"].moves("attack_from_hand", card=9, house=1)
    assert table.client.get(f"{table.path}/record").status == 200
    last = rows(server, "SELECT max(n) FROM journal WHERE code = ?", table.code)[0][0]
    changed(server, table.code, lambda db, code: db.execute("DELETE FROM journal WHERE n = ?", (last,)) and 0)
    server.stop()
    with server.again() as later:
        answer = later.client.get(table.path)
        assert (answer.status, answer.code) == (500, "broken")
        assert f"ligne {last}" in answer.json["detail"]


def test_one_table_comes_back_and_the_others_stay(start: Start, tmp_path: Path) -> None:
    server = start()
    client = server.client.with_(Accept_Language="en")
    first, other = opened(client), opened(client)
    code, backup = first["target"].table.code, tmp_path / "monday.db"
    copy(server.data / "referee.db", backup)
    ask = {"version": 4, "kind": "reissue", "seat": "mask"}
    first["mask"].goes_away()
    [new] = first["target"].client.post(f"{first['target'].table.path}/ask", ask).json["seats"]
    key = {"key": new["key"], "name": "Bo"}
    token = client.post(f"{first['target'].table.path}/seats/mask", key).json["token"]
    first["target"].moves("attack_from_hand", card=9, house=1)
    other["target"].moves("attack_from_hand", card=9, house=1)
    later_table = client.open_table(desk=None)
    server.stop()
    changed(server, code, edited)
    done = referee("restore", backup, "--table", code.lower(), "--data", server.data)
    assert done.returncode == 0 and f"Table {code} from {backup} is back" in done.stdout
    assert "0001.db" in done.stdout, "the games as they were are kept"
    with server.again() as later:
        back = first["target"].at(later.url)
        assert (back.view()["version"], back.view()["me"]["hand"]["houses"]["1"]) == (4, 1)
        back.moves("attack_from_hand", card=4, house=1)
        again = Phone(back.table, "mask", token)
        assert again.view()["me"]["seat"] == "mask", "who has a new phone since keeps the seat with it"
        assert other["target"].at(later.url).view()["version"] == 5
        assert later.client.get(later_table.path).status == 200


def test_a_finished_game_comes_back_with_its_result_and_its_rematch(start: Start, tmp_path: Path) -> None:
    server = start()
    phones = opened(server.client)
    table, backup = phones["target"].table, tmp_path / "backup.db"
    for house, card in ((1, 4), (2, 5), (3, 6)):
        phones["target"].moves("attack_from_hand", card=card, house=house)
        if house < 3:
            phones["mask"].moves("attack_from_hand", card=9, house=1)
    copy(server.data / "referee.db", backup)
    history = server.client.get("/api/history").json
    code = table.client.bearing(table.host).post(f"{table.path}/rematch", {}).json["table"]
    server.stop()
    changed(server, table.code, lambda db, c: db.execute("DELETE FROM journal WHERE code = ?", (c,)) and 0)
    changed(server, table.code, lambda db, c: db.execute("DELETE FROM games WHERE code = ?", (c,)) and 0)
    assert referee("restore", backup, "--table", table.code, "--data", server.data).returncode == 0
    with server.again() as later:
        assert later.client.get("/api/history").json == history
        assert later.client.get(table.path).json["next"] == code
        assert phones["mask"].at(later.url).view()["me"]["seat"] == "mask"


@pytest.mark.parametrize("is_loop", [False, True])
def test_tables_that_lead_to_each_other_stop_nobody(start: Start, tmp_path: Path, is_loop: bool) -> None:
    """The game went on after the backup, so the closed rematch leads back to it. A restored table does not
    lead there again; if a file has such a loop all the same, nothing follows it forever."""
    server, backup = start(), tmp_path / "backup.db"
    table = server.client.open_table(game="agent_avenue", options={"first": "green"}, desk=None)
    phones = table.everybody()
    green, blue = phones["green"], phones["blue"]
    green.moves("show", agent="mole")
    green.moves("conceal", agent="sidekick")
    blue.moves("take", card="face_up")
    rematch = table.client.bearing(table.host).post(f"{table.path}/rematch", {}).json["table"]
    copy(server.data / "referee.db", backup)
    mistyped: dict[str, Any] = {"n": 6, "fields": {"agent": "enforcer"}}
    assert asks(green, "correct", table, **mistyped).status == 200
    assert answers(blue).status == 200
    server.stop()
    assert referee("restore", backup, "--table", table.code, "--data", server.data).returncode == 0
    if is_loop:
        lead = ("UPDATE tables SET next = ? WHERE code = ?", (rematch, table.code))
        changed(server, table.code, lambda db, _: db.execute(*lead).rowcount)
    with server.again() as later:
        back = green.at(later.url)
        leads = (
            later.client.get(table.path).json["next"],
            later.client.get(f"/api/tables/{rematch}").json["next"],
        )
        assert leads == (rematch if is_loop else None, table.code)
        assert asks(back, "correct", back.table, **mistyped).status == 200
        assert later.client.get(f"/t/{rematch}/next").status in (302, 303)
        assert answers(blue.at(later.url)).status == 200
        assert back.view()["status"] == "playing"


def test_what_cannot_be_brought_back_is_refused_and_changes_nothing(start: Start, tmp_path: Path) -> None:
    server = start()
    table = opened(server.client)["target"].table
    server.stop()
    before, backup = rows(server, "SELECT * FROM journal"), tmp_path / "backup.db"
    copy(server.data / "referee.db", backup)
    refused = referee("restore", backup, "--table", "ZZZZZ", "--data", server.data)
    assert refused.returncode == 2 and f"There is no table ZZZZZ in {backup}." in refused.stderr
    with closing(sqlite3.connect(backup)) as db, db:
        edited(db, table.code)
    refused = referee("restore", backup, "--table", table.code, "--data", server.data)
    assert refused.returncode == 2 and "is damaged in" in refused.stderr and "at row 3" in refused.stderr
    refused = referee("restore", tmp_path / "nothing", "--table", table.code, "--data", server.data)
    assert refused.returncode == 2 and "is no backup" in refused.stderr
    assert rows(server, "SELECT * FROM journal") == before
    assert not list(server.data.glob("restored.db*"))


def test_a_deleted_name_leaves_rows_that_fit(start: Start) -> None:
    server = start()
    phones = opened(server.client)
    table = phones["target"].table
    ask = {"version": 4, "kind": "abandon", "show": True}
    table.client.bearing(table.host).post(f"{table.path}/ask", ask)
    for phone in phones.values():
        phone.client.post(f"{table.path}/answer", {"accept": True})
    head = table.view()["head"]
    assert server.client.call("DELETE", "/api/players/ana").status == 200
    server.stop()
    assert not [line for (line,) in rows(server, "SELECT line FROM journal") if "Ana" in line]
    with server.again() as later:
        assert later.client.get(table.path).json["head"] == head
        assert later.client.get(f"{table.path}/record").json["names"]["target"] == ""


# ---- the rows of the history, beside the journal

STRANGE = ("x'00ff'", "'strange'", "CAST(x'ed6162' AS TEXT)", "-7", "3.5", "2e300", "9223372036854775807")
LISTS = (
    *(
        "/",
        "/history",
        "/history?player=ana",
        "/history.csv",
        "/history.json",
        "/api/history",
        "/api/players",
    ),
    *("/people", "/games/agent_hunter", "/overview", "/cleanup"),
)
OF_RESULTS = {  # the columns without a number that leads from one row to another
    "games": ("code", "game", "finished", "reason", "drawn", "moves", "seconds", "shown"),
    "played": ("seat", "side", "person", "name", "won", "score"),
}


def test_a_damaged_row_of_the_history_is_left_out_and_the_rest_goes_on(start: Start) -> None:
    server = start()
    client = server.client.with_(Accept_Language="en")
    whole, broken = (finished(client, "Ana", "Bo", turn_cap=2) for _ in range(2))
    [(number,)] = rows(server, "SELECT id FROM games WHERE code = ?", broken.code)
    people = client.get("/api/players").json
    for table, columns in OF_RESULTS.items():
        written = rows(server, f"SELECT * FROM {table} WHERE id = ?", number)
        for column in columns:
            for strange in STRANGE:
                change = f"UPDATE {table} SET {column} = {strange} WHERE id = {number}"
                execute(server, change)
                for path in (*LISTS, f"/forget?table={whole.code}", "/person?name=bo", "/person?name=ana"):
                    assert client.get(path).status == 200, (change, path)
                assert client.get(f"/forget?table={broken.code}").status in (200, 404), change
                listed = [game["table"] for game in client.get("/api/history").json]
                assert listed[-1] == whole.code, change
            execute(server, f"DELETE FROM {table} WHERE id = ?", number)
            for row in written:
                execute(server, f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", *row)
    assert client.get("/api/players").json == people
    execute(server, "UPDATE games SET finished = 'today' WHERE id = ?", number)
    page = client.get("/history").content.decode()
    assert "1 game is left out: its entry in this list is damaged." in page and "1 finished game" in page
    assert client.get(f"/forget?table={broken.code}").status == 404, "not the game before it"


def execute(server: Running, sql: str, *values: Any) -> int:
    return changed(server, "", lambda db, _: db.execute(sql, values).rowcount)


EVIL = "\x1b[31mAna\x07\u202e"


def test_a_prepared_name_gets_no_control_characters_onto_pages_and_into_tables(start: Start) -> None:
    """Names are cleaned when somebody joins; a prepared backup has whatever somebody wrote there."""
    server = start()
    over = finished(server.client, "Ana", "Bo", turn_cap=2)
    server.stop()
    line = write(Joined("target", EVIL))
    with closing(sqlite3.connect(server.data / "referee.db")) as db, db:
        db.execute("UPDATE journal SET line = ? WHERE code = ? AND n = 1", (line, over.code))
        mend_checksums(db, over.code)
        db.execute("UPDATE played SET name = ?, person = ? WHERE seat = 'target'", (EVIL, EVIL))
    with server.again() as later:
        assert later.client.get(over.path).code == "broken"
        for path in ("/", *LISTS, "/history.csv", "/api/history", "/api/players"):
            answer = later.client.get(path)
            assert answer.status == 200 and b"\x1b" not in answer.content, path
            assert b"u001b" not in answer.content and "\u202e" not in answer.content.decode(), path


@pytest.mark.parametrize(
    ("kind", "columns"),
    [("presets", ("name", "value")), ("jobs", ("what", "state", "reason", "code", "asker"))],
)
def test_a_damaged_preset_or_print_job_is_left_out(start: Start, kind: str, columns: tuple[str, ...]) -> None:
    server = start()
    client, table = server.client, server.client.open_table(desk="main")
    assert client.bearing(table.host).post(f"{table.path}/print", {"what": "join"}).status == 202
    [row] = rows(server, f"SELECT * FROM {kind}") or [("agent_double", "deck", "mine", "7")]
    insert = f"INSERT INTO {kind} VALUES ({','.join('?' * len(row))})"

    def damaged(db: sqlite3.Connection, damage: str) -> int:
        db.execute(f"DELETE FROM {kind}")
        db.execute(insert, row)
        return db.execute(damage).rowcount

    for column in columns:
        for strange in (*STRANGE, "'['"):
            damage = f"UPDATE {kind} SET {column} = {strange}"
            assert changed(server, damage, damaged) == 1
            for page in ("/", "/overview", "/desk/main", "/api/shelf/agent_double/deck"):
                assert client.get(page).status == 200, (damage, page)


def test_a_reason_that_a_game_does_not_have_is_shown_as_damage(start: Start) -> None:
    server = start()
    client = server.client.with_(Accept_Language="en")
    finished(client, "Ana", "Bo", turn_cap=2)
    execute(server, "UPDATE games SET reason = 'hooses'")
    for path in ("/history", "/games/agent_hunter"):
        page = client.get(path)
        assert page.status == 200 and "This entry of the list is damaged" in page.content.decode(), path


# ---- a cut tail


def test_a_stream_of_somebody_who_saw_more_says_so(start: Start) -> None:
    server = start()
    client = server.client.with_(Accept_Language="en")
    phones = opened(client)
    table, seen = phones["target"].table, {}
    for card in (9, 8):
        phones["target" if card == 9 else "mask"].moves("attack_from_hand", card=card, house=1)
        seen[table.view()["version"]] = table.view()["head"]
    early, late = seen.items()
    server.stop()
    changed(
        server,
        table.code,
        lambda db, c: db.execute("DELETE FROM journal WHERE code = ? AND n > 5", (c,)) and 0,
    )
    with server.again() as again:
        client, mine = Client(again.url, client.headers), phones["target"].at(again.url)
        page = f"/t/{table.code}/live"
        assert cut_told(client, f"{page}?version=5&head={early[1]}") is None
        assert cut_told(client, f"{page}?version=4&head={early[1]}") is not None, "not at that version"
        assert cut_told(client, f"{page}?version=5&head={'0' * 64}") is not None, "it went on differently"
        for strange in (
            "?version=-1",
            "?version=x&head=",
            "?version=0&head=abc",
            "?head=abc",
            "?version=5",
            "",
        ):
            assert cut_told(client, page + strange) is None
        assert cut_told(mine.browser, f"/t/{table.code}/s/target/live?version=6&head={late[1]}") is not None
        asking = (
            (client, f"{table.path}/events?version=6&head={late[1]}"),
            (client.with_(Last_Event_ID="6"), f"{table.path}/events"),
            (mine.client, f"{table.path}/me/events?version=6"),
        )
        for who, path in asking:
            with who.follow(path) as stream:
                told = stream.first("cut").json
            assert (told["seen"], told["version"]) == (6, 5) and "cut off or rewritten" in told["text"]
        assert "somebody saw version 6, the journal has 5" in again.said()


def cut_told(client: Client, path: str) -> dict[str, Any] | None:
    """What the stream of a page says about a journal that has less; it comes before the regions."""
    with client.follow(path) as stream:
        stream.first("regions")
        return next((dict(event.json) for event in stream.all("cut")), None)


def test_a_prepared_code_writes_no_command_for_whoever_reads_the_log(start: Start) -> None:
    """The log and the page of a damaged table name a command with its code, to be copied into a terminal."""
    server = start()
    table = opened(server.client)["target"].table
    server.stop()
    code = "A\x1b[2J;REBOOT #"
    with closing(sqlite3.connect(server.data / "referee.db")) as db, db:
        for kind in ("tables", "seats", "journal"):
            db.execute(f"UPDATE {kind} SET code = ? WHERE code = ?", (code, table.code))
    with server.again() as later:
        for path in ("/", "/overview", "/cleanup", "/desk/main"):
            assert later.client.get(path).status == 200, path
        for path in ("/t", "/api/tables"):
            assert later.client.get(f"{path}/{quote(code, safe='')}").status == 404, path
        assert "REBOOT" not in later.said() and "\x1b" not in later.said()


UNSEALED = (  # damage of what a table keeps when it is brought back
    "UPDATE tables SET host = x'ff' WHERE code = ?",
    "UPDATE tables SET ticket = '' WHERE code = ?",
    "UPDATE tables SET next = x'ff' WHERE code = ?",
    "UPDATE seats SET token = CAST(x'c328' AS TEXT) WHERE code = ? AND seat = 'mask'",
    "UPDATE seats SET ticket = '' WHERE code = ? AND seat = 'mask'",
    "UPDATE seats SET salt = 'a;b' WHERE code = ? AND seat = 'mask'",
)


def test_no_damage_comes_back_with_a_table(start: Start, tmp_path: Path) -> None:
    """Tokens since the backup are kept; a damaged one left the table damaged after any restore."""
    server = start()
    tables = [opened(server.client) for _ in UNSEALED]
    server.stop()
    copy(server.data / "referee.db", tmp_path / "backup.db")
    codes = [phones["mask"].table.code for phones in tables]
    for code, sql in zip(codes, UNSEALED, strict=True):
        assert execute(server, sql, code) == 1
    with server.again() as later:
        assert [later.client.get(f"/api/tables/{code}").status for code in codes] == [500] * len(codes)
        later.stop()
        for code in codes:
            restore_table(tmp_path / "backup.db", code, server.data / "referee.db")
        server.again()
        for phones in tables:
            assert phones["mask"].at(server.url).view()["me"]["seat"] == "mask"
