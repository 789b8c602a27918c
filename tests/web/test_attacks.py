"""Attacks: forged forms, tokens of others, strange addresses, two meanings of one request, hostile names."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from tests.web.client import Answer, Client, Phone, Table
from tests.web.conftest import Start
from tests.web.journal import rows, sizes
from tests.web.raw import Neighbour, heard_on, line_to
from tests.web.scene import Scene, set_up
from tests.web.server import ROOT, Running
from web.app import create_app

FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def scene(server: Running, client: Client) -> Scene:
    return set_up(server, client)


# ---- forged forms


def posts() -> Iterator[str]:
    """Every address that takes a POST."""
    nobody: Any = None
    for rule in create_app(nobody, nobody).url_map.iter_rules():
        if "POST" in (rule.methods or ()):
            yield rule.rule


SENDERS = {
    "another site": {"Origin": "http://evil.example"},
    "a sandboxed frame": {"Origin": "null"},
    "another port": {"Origin": "http://127.0.0.1:1"},
    "a name like ours": {"Origin": "http://127.0.0.1.evil.example"},
    "another site, says the browser": {"Sec-Fetch-Site": "cross-site"},
    "a sister site, says the browser": {"Sec-Fetch-Site": "same-site"},
}


def everything_held(scene: Scene) -> Client:
    """The browser of somebody who holds both seats and the table."""
    held = [f"seat_{scene.code}_{phone.seat}={phone.token}" for phone in (scene.target, scene.mask)]
    return scene.table.client.with_(Cookie="; ".join([*held, f"host_{scene.code}={scene.table.host}"]))


def test_there_are_forms_to_forge() -> None:
    assert {"/open", "/language", "/t/<code>/s/<seat>", "/api/tables/<code>/moves"} <= set(posts())


@pytest.mark.parametrize("sender", SENDERS)
def test_no_form_of_another_site_is_taken_anywhere(scene: Scene, sender: str) -> None:
    victim = Client(scene.table.client.url, {**everything_held(scene).headers, **SENDERS[sender]})
    before = scene.everything()
    move = {"version": before["public"]["version"], "type": "attack_from_hand", "card": 0, "house": 1}
    form = {"type": "attack_from_hand", "version": "4", "field.card": "0", "field.house": "1", "what": "join"}
    for rule in posts():
        path = rule.replace("<code>", scene.code).replace("<seat>", "target").replace("<desk>", "main")
        path = path.replace("<key>", scene.table.keys["mask"]).replace("<int:number>", "1")
        assert victim.post(path, move).status == 403, rule
        sent = victim.with_(Content_Type=FORM).call("POST", path, urlencode(form).encode())
        assert (sent.status, sent.headers["Set-Cookie"]) == (403, None), rule
    scene.same_after(before)


def test_our_own_pages_may_post_whatever_the_browser_says_of_them(client: Client) -> None:
    for site in ("same-origin", "none"):
        own = client.with_(Origin=client.url, Sec_Fetch_Site=site)
        assert own.post("/api/tables", {"game": "agent_hunter"}).status == 201


# ---- tokens of others


def crossed(scene: Scene, token: str) -> dict[str, Answer]:
    """What this token is told where it holds no seat."""
    client = scene.table.client.bearing(token)
    body = {"version": 4, "type": "attack_from_hand", "card": 0, "house": 1}
    return {
        "me": client.get(f"{scene.table.path}/me"),
        "stream": client.get(f"{scene.table.path}/me/events"),
        "move": client.post(f"{scene.table.path}/moves", body),
        "page": client.with_(Cookie=f"seat_{scene.code}_target={token}").get(f"/t/{scene.code}/s/target"),
    }


def test_no_token_of_another_place_opens_a_seat(scene: Scene) -> None:
    before = scene.everything()
    tokens = {
        "another table": scene.early.token,
        "its host": scene.table.host,
        "another host": scene.waiting.host,
        "the desk": scene.server.desk_key(),
        "the key of the seat": scene.table.keys["target"],
        "the code": scene.code,
        "nothing": "",
        "a hash": rows(scene.server, "SELECT token FROM seats WHERE code = ?", scene.code)[0][0],
    }
    for whose, token in tokens.items():
        for where, answer in crossed(scene, token).items():
            assert answer.status in (401, 403), (whose, where)
    scene.same_after(before)


def test_a_seats_token_is_no_host_and_no_other_seat(scene: Scene) -> None:
    mine = scene.mask.client.with_(Cookie=f"host_{scene.code}={scene.mask.token}")
    assert scene.mask.client.get(f"{scene.table.path}/me?seat=target").json["me"]["seat"] == "mask"
    page = scene.table.client.with_(Cookie=f"seat_{scene.code}_target={scene.mask.token}")
    assert page.get(f"/t/{scene.code}/s/target").status in (401, 403)
    assert scene.waiting.keys["mask"] not in mine.get(f"/t/{scene.waiting.code}").content.decode()
    desk = scene.mask.client
    assert desk.post("/api/desks/main/health", {}).code == "bad-token"
    assert desk.get("/api/desks/main/events").code == "bad-token"


def test_a_wrong_bearer_is_not_saved_by_a_right_cookie(scene: Scene) -> None:
    held = everything_held(scene).bearing("wrong")
    assert held.get(f"{scene.table.path}/me").code == "bad-token"
    assert held.get(f"{scene.table.path}/me/events").code == "bad-token"


def test_an_old_token_dies_when_the_seat_gets_a_new_key(scene: Scene) -> None:
    with scene.target.events() as stream:
        stream.view(4)
        asked = scene.table.client.bearing(scene.mask.token)
        assert asked.post(f"{scene.table.path}/ask", {"version": 4, "kind": "reissue", "seat": "target"})
        scene.target.client.post(f"{scene.table.path}/answer", {"accept": True})
        stream.until_end()
    assert {answer.status for answer in crossed(scene, scene.target.token).values()} == {401}
    assert scene.table.take("target", "Thief").code == "bad-key", "the first key is dead too"
    [key] = scene.mask.view()["me"]["keys"].values()
    body = {"key": key, "name": "Ana"}
    assert scene.table.client.post(f"{scene.table.path}/seats/target", body).status == 200
    assert scene.table.client.post(f"{scene.table.path}/seats/target", body).code == "seat-taken"


def test_after_a_rematch_a_token_holds_its_own_seat_and_no_other(scene: Scene) -> None:
    scene.target.client.post(f"{scene.table.path}/ask", {"version": 4, "kind": "abandon"})
    scene.mask.client.post(f"{scene.table.path}/answer", {"accept": True})
    code = scene.target.client.post(f"{scene.table.path}/rematch", {}).json["table"]
    for phone in (scene.target, scene.mask):
        assert phone.client.get(f"/api/tables/{code}/me").json["me"]["seat"] == phone.seat
    assert scene.early.client.get(f"/api/tables/{code}/me").code == "bad-token"
    for seat, key in scene.table.keys.items():
        body = {"key": key, "name": "Thief"}
        assert scene.table.client.post(f"/api/tables/{code}/seats/{seat}", body).code == "bad-key"


def test_a_rematch_counts_as_a_table_that_is_opened(start: Start) -> None:
    client = start("[limits]\nexempt = []\ntables = 3\n").client
    table = client.open_table(desk=None)
    phone, path = table.join("mask"), table.path
    for _ in range(2):
        phone.client.post(f"{path}/ask", {"version": 1, "kind": "abandon"})
        path = f"/api/tables/{phone.client.post(f'{path}/rematch', {}).json['table']}"
    phone.client.post(f"{path}/ask", {"version": 1, "kind": "abandon"})
    answer = phone.client.post(f"{path}/rematch", {})
    assert (answer.status, answer.code) == (429, "slow-down")


# ---- strange addresses

OUTSIDE = (
    "../app.py",
    "../../pyproject.toml",
    "/etc/passwd",
    "../templates/base.html",
    "../../../../etc/passwd",
)
DOTS = ("..", "%2e%2e", "%252e%252e", "..%c0%af", "%c0%ae%c0%ae", "..;", "..%00", "..\\", "%5c..%5c")


def strange() -> Iterator[str]:
    for path in OUTSIDE:
        yield f"/static/{path}"
        yield f"/static/{quote(path, safe='')}"
        for dots in DOTS:
            yield f"/static/{path.replace('..', dots)}"
    for name in ("desk.js%00.css", "desk.js%0a", "desk.js/", "DESK.JS", ".", "%00", "", "x" * 4000):
        yield f"/static/{name}"
    for path in (
        "//",
        "/;",
        "/%00",
        "/%ff",
        "/%",
        "/%zz",
        "/./",
        "/../",
        "//evil.example",
        "/\\evil",
        "/?%00=%ff",
    ):
        yield path
    for path in (
        "//healthz",
        "/healthz/",
        "/HEALTHZ",
        "/healthz;x=1",
        "/healthz%20",
        "/api//games",
        "/API/games",
    ):
        yield path
    for path in (
        "/t/%F0%9F%8E%B2",
        "/t/İİİİİ",
        "/t/ſſſſſ",
        "/j/a/b/%00",
        "/t/AAAAA/s/%2e%2e",
        "/desk/%00",
        "/desk/..%2fmain",
    ):
        yield quote(path, safe="/%")
    for path in (
        "/desk/main/paper/99999999999999999999999.png",
        "/desk/main/paper/-1.png",
        "/desk/main/paper/0.png",
    ):
        yield path
    yield "/join?code=" + "%F0%9F%8E%B2" * 300
    yield "/api/tables/AAAAA/me?seat=" + "%00" * 50


HARMLESS = ("/?", "//", "/./", "/../", "/%", "/;", "/static/desk.js/")


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "OPTIONS", "TRACE", "DELETE", "PUT", "PATCH"])
def test_no_address_leads_outside_or_breaks_anything(server: Running, method: str) -> None:
    secrets = [b"create_app", b"[build-system]", b"root:", b"{% block", b"Traceback"]
    for path in strange():
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        with line_to(server.port, head.encode()) as line:
            said = heard_on(line)
        status = int(said.split()[1])
        assert status < 500, (method, path)
        assert status >= 300 or path.startswith(HARMLESS) or method == "OPTIONS", (method, path, said[:300])
        assert not any(secret in said for secret in secrets), (method, path)
        location = re.search(rb"\r\nlocation: ([^\r]*)", said)
        assert location is None or re.match(rb"/[^/\\]|/$", location[1]), (path, location)


def test_headers_that_claim_another_method_or_address_are_not_believed(server: Running, table: Table) -> None:
    client = table.client.with_(X_HTTP_Method_Override="DELETE", X_Original_URL="/t/x", X_Rewrite_URL="/t/x")
    assert client.get(table.path).status == 200
    claims = {"X_Forwarded_Host": "evil.example", "X_Forwarded_Proto": "https", "X_Forwarded_Prefix": "/evil"}
    assert client.with_(**claims).get("/healthz").status == 200
    page = client.with_(**claims).get("/").content
    assert b"evil" not in page
    assert table.client.with_(Host="evil.example", X_Forwarded_Host="localhost").get("/").status == 403


# ---- two meanings of one request

LENGTH = b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\n"
WISH = b'{"game":"agent_hunter"}'
SMUGGLED = {
    "two lengths": LENGTH + b"Content-Length: 23\r\nContent-Length: 5\r\n\r\n" + WISH,
    "a list of lengths": LENGTH + b"Content-Length: 23, 23\r\n\r\n" + WISH,
    "length and chunks": LENGTH + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + WISH,
    "chunks twice": LENGTH + b"Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
    "unknown coding": LENGTH + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "a negative length": LENGTH + b"Content-Length: -1\r\n\r\n" + WISH,
    "a length with a sign": LENGTH + b"Content-Length: +23\r\n\r\n" + WISH,
    "a length in hex": LENGTH + b"Content-Length: 0x17\r\n\r\n" + WISH,
    "a space before the colon": LENGTH + b"Content-Length : 23\r\n\r\n" + WISH,
    "a folded header": LENGTH + b"X: a\r\n b\r\nContent-Length: 23\r\n\r\n" + WISH,
    "bare line feeds": LENGTH.replace(b"\r", b"") + b"Content-Length: 23\n\n" + WISH,
    "a chunk of nonsense": LENGTH + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
    "a chunk longer than all": LENGTH + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n\r\n",
    "a zero in a header": LENGTH + b"X: a\x00b\r\nContent-Length: 23\r\n\r\n" + WISH,
    "no version": b"POST /api/tables\r\nHost: localhost\r\n\r\n",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "an authority": b"GET localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a tunnel": b"CONNECT localhost:22 HTTP/1.1\r\nHost: localhost\r\n\r\nSSH-2.0",
}


@pytest.mark.parametrize("how", SMUGGLED)
def test_a_request_with_two_meanings_has_none(start: Start, server: Running, how: str) -> None:
    before = sizes(server)["tables"]
    with line_to(server.port, SMUGGLED[how]) as line:
        heard = heard_on(line)
    assert re.fullmatch(rb"(HTTP/1.1 40[0345] .*)?", heard.partition(b"\r\n")[0]), heard
    assert heard.count(b"HTTP/1.1") <= 1
    assert sizes(server)["tables"] == before
    assert server.client.get("/healthz").status == 200


@pytest.mark.parametrize("path", ["/api/games", "/api/tables/ZZZZZ/events"])
def test_two_hosts_are_none(server: Running, path: str) -> None:
    for hosts in (b"Host: localhost\r\nHost: evil.example", b"Host: evil.example\r\nHost: localhost"):
        with line_to(
            server.port, b"GET %s HTTP/1.1\r\n%s\r\nConnection: close\r\n\r\n" % (path.encode(), hosts)
        ) as line:
            assert heard_on(line).startswith((b"HTTP/1.1 403", b"HTTP/1.1 400")), hosts


@pytest.mark.parametrize(
    "head",
    [
        b"GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n",
        b"GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n",
    ],
)
def test_old_and_ambitious_callers_are_answered_plainly(server: Running, head: bytes) -> None:
    with line_to(server.port, head) as line:
        assert line.recv(65536).startswith(b"HTTP/1.1 200 OK\r\n")


# ---- names, everywhere they are shown

HOSTILE = {
    "markup": "<img src=x onerror=a()>",
    "quotes": "\"'><b>&amp;",
    "template": "{{7*7}}${7*7}%(x)s{seat}",
    "formula": "=1+1|cmd",
    "bidi": "Ana\u202e\u2066gro\u200f",
    "terminal": "\x1b[31mAna\x1b]0;x\x07",
    "lines": "Ana\r\nERROR: all is lost",
    "marks": "Z" + "\u0336\u0489\u0300" * 8,
    "emoji": "👩\u200d👩\u200d👧\ufe0f🏳\ufe0f",
    "printer": "A\x1bm\x1d(k\x00B",
}
UNSEEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]")


def test_a_hostile_name_is_only_a_name_wherever_it_is_shown(start: Start) -> None:
    server = start()
    for hostile in HOSTILE.values():
        shown_everywhere(server.client, hostile)
    server.stop()
    assert server.said() == ""


def shown_everywhere(client: Client, hostile: str) -> None:
    table = client.open_table()
    phone = table.join("mask", hostile)
    name = table.view()["seats"]["mask"]["name"]
    phone.client.post(f"{table.path}/ask", {"version": 1, "kind": "abandon"})
    browser = client.with_(Cookie=f"seat_{table.code}_mask={phone.token}; host_{table.code}={table.host}")
    pages = (f"/t/{table.code}", f"/t/{table.code}/s/mask", f"/t/{table.code}/sheet", "/desk/main", "/")
    sheets = (f"{table.path}/sheet.{form}" for form in ("html", "txt"))
    for path in (*pages, *sheets):
        answer = browser.get(path)
        text = answer.content.decode()
        assert answer.status == 200, path
        assert UNSEEN.sub("", text) == text, path
        assert answer.kind != "text/html" or "<" not in name or name not in text, path
    for form in ("png", "pdf"):
        assert browser.get(f"{table.path}/sheet.{form}").status == 200


@pytest.mark.parametrize(
    "name", ["\u3164", "\u2800\u2800", "\u115f\u1160", "\uffa0", "\u034f\u034f", "\ufe0f", "\u00ad"]
)
def test_a_name_that_shows_nothing_is_refused(table: Table, name: str) -> None:
    assert table.take("mask", name).code == "malformed"


def test_accents_do_not_climb_over_the_lines_above(table: Table) -> None:
    table.join("mask", "e" + "\u0323\u0302\u0336" * 7 + "n")
    name = table.view()["seats"]["mask"]["name"]
    assert (name[0], name[-1], len(name)) == ("ệ", "n", 5)


# ---- pages run no script but ours

TEMPLATES = ROOT / "web" / "templates"


@pytest.mark.parametrize(
    "path", sorted(TEMPLATES.rglob("*.*")), ids=lambda path: str(path.relative_to(TEMPLATES))
)
def test_no_template_has_script_or_style_of_its_own(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    scripts = re.findall(r"<script\b[^>]*>", text)
    assert all(" src=" in tag or 'type="application/json"' in tag for tag in scripts), scripts
    assert not re.search(
        r"<style\b|\sstyle\s*=|\son[a-z]+\s*=\s*[\"']|javascript:|<iframe|<object|<embed", text
    )
    assert not re.search(r"\|\s*safe\b|autoescape false", text)


# ---- forms that no page has


def test_a_field_that_is_one_and_many_is_neither(scene: Scene) -> None:
    before = scene.everything()
    form = {
        "type": "attack_from_hand",
        "version": "4",
        "field.card": "0",
        "field.card.1": "0",
        "field.house": "1",
    }
    path = f"/t/{scene.code}/s/target"
    answer = everything_held(scene).with_(Content_Type=FORM).call("POST", path, urlencode(form).encode())
    assert 400 <= answer.status < 500
    scene.same_after(before)


# ---- guessing, measured


def test_how_far_guessing_gets_in_an_hour() -> None:
    from web.door import LETTERS, new_code, new_key, new_token  # noqa: PLC0415

    one, all_ = 60 * 10, 60 * 200  # guesses an hour of one address, and of all together
    tables = 100  # that one of is found would do
    assert len(set(LETTERS)) == 31
    codes, keys, tokens = 31 ** len(new_code()), 31 ** len(new_key()), 64 ** len(new_token())
    assert one * tables / codes < 0.003  # and a code shows what everyone at the table may see
    assert all_ * tables / codes < 0.05
    assert all_ * 24 * 365 * tables * 4 / keys < 1e-7  # a year, and four free seats at each of them
    assert all_ * 24 * 365 * tables * 4 / tokens < 1e-40
    assert one / 10**6 < 0.001  # a pin of six digits; with four, it is one in seventeen
    assert all_ / 10**6 < 0.02


def test_guessers_at_many_addresses_are_slowed_down_and_players_are_not(start: Start) -> None:
    server = start("limits.failures_total = 40")
    table = server.client.open_table(desk=None)
    guessers = [Neighbour(server.url, f"127.0.1.{n}") for n in range(1, 61)]
    codes = [guesser.get("/api/tables/ZZZZZ").code for guesser in guessers]
    assert codes == ["unknown-table"] * 40 + ["slow-down"] * 20
    ana = Neighbour(server.url, "127.0.2.1")
    assert ana.get(table.path).code == "slow-down"
    path, body = f"{table.path}/seats/mask", {"key": table.keys["mask"], "name": "Ana"}
    assert ana.post(path, {**body, "key": table.keys["target"]}).code == "slow-down"
    assert ana.get(f"/j/{table.code}/mask/{table.keys['target']}").status == 429
    assert ana.get(f"/j/{table.code}/mask/{table.keys['mask']}").status == 200
    joined = ana.post(path, body)
    assert joined.status == 200, "whoever has the key is let in"
    phone = Phone(Table(ana, {"table": table.code, "host": "", "seats": []}), "mask", joined.json["token"])
    assert phone.view()["me"]["seat"] == "mask"


def test_an_address_is_the_one_that_calls_unless_this_machine_says_otherwise(start: Start) -> None:
    server = start("limits.failures = 3")
    liar = Neighbour(server.url, "127.0.1.1")
    told = [liar.with_(X_Forwarded_For=f"10.0.0.{n}").get("/api/tables/ZZZZZ").code for n in range(5)]
    assert told == ["unknown-table"] * 3 + ["slow-down"] * 2
    proxy = server.client
    told = [proxy.with_(X_Forwarded_For="1.1.1.1, 10.9.9.9").get("/api/tables/ZZZZZ").code for n in range(5)]
    assert told == ["unknown-table"] * 3 + ["slow-down"] * 2
    assert proxy.with_(X_Forwarded_For="10.8.8.8").get("/api/tables/ZZZZZ").code == "unknown-table"
