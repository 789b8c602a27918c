"""Host names we answer to, requests and names we accept, headers of every response."""

import socket
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.presentation.words import LANGUAGES
from referee.program.settings import ServerSettings
from tests.support.fixtures import Start
from tests.support.soak import examples
from tests.support.waiting import TIMEOUT
from tests.support.web.http_client import Answer, Client, Phone, Table
from tests.support.web.server_process import Running, free_port
from web.security.caller import language
from web.security.hosts import LONGEST_HOST, known_host

HOST = socket.gethostname().lower().split(".")[0]


def asked_as(client: Client, host: str, path: str = "/api/games") -> Answer:
    return client.with_(Host=host).get(path)


# ---- hosts


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "127.0.0.1:8000", "192.168.1.20:80", "[::1]", "[::1]:8000"),
        *("localhost", "localhost:8000", "LOCALHOST", "localhost.", HOST, f"{HOST}.local:8000"),
    ],
)
def test_addresses_and_our_own_names_are_answered(client: Client, host: str) -> None:
    assert asked_as(client, host).status == 200


WRONG = [
    *("evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost.evil.example", "local"),
    *("[", "]", "[::1", "a]b", "@", "127.0.0.1@evil.example", "http://localhost", "127.0.0.1 evil"),
]


@pytest.mark.parametrize("host", WRONG)
@pytest.mark.parametrize("path", ["/api/games", "/api/tables/ZZZZZ/events", "/desk/main/events"])
def test_other_names_are_refused(client: Client, host: str, path: str) -> None:
    answer = asked_as(client, host, path)
    assert (answer.status, answer.code) == (403, "not-allowed")


@pytest.mark.parametrize("host", ["", " "])
@pytest.mark.parametrize("path", ["/api/games", "/api/tables/ZZZZZ/events", "/desk/main/events"])
def test_an_empty_name_is_none(client: Client, host: str, path: str) -> None:
    answer = asked_as(client, host, path)
    assert (answer.status, answer.code) == (400, "malformed")


def test_names_from_the_settings_are_answered(start: Start) -> None:
    port = free_port()
    names = 'server.names = ["Referee.Home"]\nserver.address = "http://jeux.maison:8080"'
    server = start(names, options=["--host", "127.0.0.1", "--port", str(port)])
    assert server.url == "http://jeux.maison:8080"
    client = Client(f"http://127.0.0.1:{port}")
    for host in ("referee.home:8000", "jeux.maison:8080", "jeux.maison"):
        assert asked_as(client, host).status == 200
    assert asked_as(client, "maison").status == 403


@examples(100)
@given(st.text(alphabet=string.printable, max_size=40))
def test_any_host_header_is_judged_without_an_error(host: str) -> None:
    assert known_host(host, ServerSettings()) in (True, False)


def test_a_host_header_longer_than_any_name_is_refused() -> None:
    assert known_host("localhost" + "." * (LONGEST_HOST - 9), ServerSettings())
    assert not known_host("localhost" + "." * (LONGEST_HOST - 8), ServerSettings())


def test_phones_that_ask_whether_the_network_is_good_stay(client: Client) -> None:
    for path in ("/generate_204", "/gen_204"):
        answer = asked_as(client, "connectivitycheck.gstatic.com", path)
        assert (answer.status, answer.content) == (204, b"")
    for path in ("/hotspot-detect.html", "/library/test/success.html"):
        apple = asked_as(client, "captive.apple.com", path)
        assert apple.status == 200
        assert b"Success" in apple.content


# ---- other sites


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "", "http://[", "//", "file://"])
def test_a_form_of_another_site_is_refused(client: Client, origin: str) -> None:
    answer = client.with_(Origin=origin).post("/api/tables", {"game": "agent_hunter"})
    assert (answer.status, answer.code) == (403, "not-allowed")


def test_a_page_of_ours_and_a_script_may_post(client: Client) -> None:
    assert client.post("/api/tables", {"game": "agent_hunter"}).status == 201
    assert client.with_(Origin=client.url).post("/api/tables", {"game": "agent_hunter"}).status == 201
    other_port = client.with_(Origin=client.url.rpartition(":")[0] + ":1")
    assert other_port.post("/api/tables", {"game": "agent_hunter"}).code == "not-allowed"


# ---- strange requests


@pytest.mark.parametrize(
    "line",
    [
        *(
            b"GET /api/games HTTP/9.9",
            b"GET",
            b"\x16\x03\x01\x02\x00",
            b"GET /\xff\xfe HTTP/1.1",
            b"BREW / HTTP/1.1",
        ),
        *(b"OPTIONS * HTTP/1.1", b"GET http:// HTTP/1.1", b"CONNECT a:1 HTTP/1.1"),
    ],
)
def test_a_malformed_request_line_breaks_nothing(server: Running, line: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.port), TIMEOUT) as raw:
        raw.sendall(line + b"\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        raw.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: raw.recv(4096), b""))
    assert answer.split(b" ")[1:2] != [b"500"]
    assert server.client.get("/healthz").status == 200


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/api/tables/%00",
            "/api/tables/%FF%FE/me",
            "/api/tables/%F0%9F%8E%B2",
            "/api/tables/..%2F..%2Fgames",
        ),
        *("/api/tables/%ED%A0%80/events", "/api/tables/a%0Ab/events", "/api/tables/" + "A" * 5000),
        *(
            "/static/..%2Fapp.py",
            "/static/%2e%2e/app.py",
            "/api/desks/%2E/events",
            "/api/tables/x'--/sheet.txt",
        ),
    ],
)
def test_a_malformed_path_is_refused(client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status in (401, 404)
    assert client.call("HEAD", path).status in (401, 404, 405)


def test_head_is_a_get_without_its_content(client: Client) -> None:
    asked, head = client.get("/api/games"), client.call("HEAD", "/api/games")
    assert (head.status, head.content) == (200, b"")
    assert head.headers["Content-Length"] == asked.headers["Content-Length"]


@examples(100)
@given(st.text(alphabet=string.printable, max_size=60))
def test_any_accept_language_is_one_of_ours(header: str) -> None:
    assert language({"accept-language": header}, {}) in LANGUAGES


@pytest.mark.parametrize(
    ("header", "spoken"),
    [
        *(
            (None, "fr"),
            ("", "fr"),
            ("de", "fr"),
            ("*", "fr"),
            ("en", "en"),
            ("EN-us", "en"),
            ("de, en", "en"),
        ),
        *(
            ("en;q=0, de", "fr"),
            ("en-GB, fr;q=0.5", "en"),
            ("fr-CA, en;q=0.9", "fr"),
            ("fr;q=0.1, en;q=0.2", "en"),
        ),
    ],
)
def test_the_best_language_we_speak(header: str | None, spoken: str) -> None:
    headers = {} if header is None else {"accept-language": header}
    assert language(headers, {}) == spoken


# ---- names

NAMES = {
    "  Ana   Lou  ": "Ana Lou",
    "<script>alert(1)</script>": "<script>alert(1)</script",
    "A\u202ena\u2066": "Ana",
    "A\x00\x1b[2J\u200bna": "A[2Jna",
    "e\u0301te\u0301": "été",
    "=SUM(A1)": "=SUM(A1)",
    "Ana\nBo\tC": "Ana Bo C",
    "x" * 5000: "x" * 24,
    "\U0001f98a": "\U0001f98a",
    "{seat} %s ${x}": "{seat} %s ${x}",
    "אבג": "אבג",
}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_shown_without_what_cannot_be_seen(client: Client, name: str) -> None:
    table = client.open_table(desk=None)
    table.join("mask", name)
    view = table.view()
    assert view["seats"]["mask"]["name"] == NAMES[name]
    assert NAMES[name] in view["news"][-1]["text"]


@pytest.mark.parametrize("name", ["", "   ", "\u202e\u2066", "\u200b", "\x00", "...", "\u0301"])
def test_a_name_of_nothing_is_refused(table: Table, name: str) -> None:
    answer = table.take("mask", name)
    assert (answer.status, answer.code) == (400, "malformed")


# ---- what every answer carries

POLICY = {
    "Content-Security-Policy": "default-src 'none'",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def carries_all(headers: Any) -> None:
    for name, value in POLICY.items():
        assert headers.get(name, "").startswith(value), name
    assert "unsafe-inline" not in headers["Content-Security-Policy"]
    assert headers["Server"] == "referee", "nobody is told by what we are served"


def test_every_response_has_protective_headers(
    client: Client, playing: dict[str, Phone], table: Table
) -> None:
    phone = playing["target"]
    for answer in (
        client.get("/healthz"),
        client.get("/api/games"),
        client.get("/api/openapi.json"),
        client.get(table.path),
        phone.client.get(f"{table.path}/me"),
        phone.tries("attack_from_hand", card=0, house=1),
        phone.tries("attack_from_hand", version=0, card=0, house=1),
        client.get("/api/tables/ZZZZZ"),
        client.get("/api/tables/ZZZZZ/events"),
        client.get(f"{table.path}/me/events"),
        client.get("/nowhere"),
        asked_as(client, "evil.example"),
        client.call("DELETE", table.path),
        client.call("OPTIONS", table.path),
        client.get(f"{table.path}/sheet.txt"),
    ):
        carries_all(answer.headers)


def test_streams_carry_it_too(playing: dict[str, Phone], table: Table, client: Client) -> None:
    with (
        table.events() as screen,
        playing["mask"].events() as phone,
        client.follow("/desk/main/events") as desk,
    ):
        for stream in (screen, phone, desk):
            carries_all(stream.headers)


def test_no_other_origin_may_read(client: Client) -> None:
    answer = client.with_(Origin="http://evil.example").get("/api/games")
    assert not [name for name in answer.headers if name.lower().startswith("access-control")]
