"""Refusals: each has its code and its sentence, and changes nothing."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from referee.presentation.words import LANGUAGES, words
from tests.support.fixtures import Start
from tests.support.web.http_client import Answer, Client
from tests.support.web.mid_game_table import Scene, set_up
from tests.support.web.server_process import Running

Call = Callable[[Scene, Client], Answer]

NOBODY = "A" * 32
HIDE = {"version": 2, "type": "hide", "houses": [1, 2, 3]}
ATTACK = {"version": 4, "type": "attack_from_hand", "card": 0, "house": 1}


@pytest.fixture
def scene(server: Running, client: Client) -> Scene:
    return set_up(server, client)


def as_(who: str) -> Callable[[Scene, Client], Client]:
    """The client of a seat, the host or the desk, in the language of the caller."""

    def bearing(scene: Scene, client: Client) -> Client:
        tokens = {
            "target": scene.target.token,
            "mask": scene.mask.token,
            "early": scene.early.token,
            "host": scene.table.host,
            "desk": scene.server.desk_key(),
            "stranger": NOBODY,
        }
        return client.bearing(tokens[who]) if who else client

    return bearing


def get(path: str, who: str = "") -> Call:
    return lambda scene, client: as_(who)(scene, client).get(_at(path, scene))


def post(path: str, body: Any, who: str = "", **headers: str) -> Call:
    return lambda scene, client: as_(who)(scene, client.with_(**headers)).post(_at(path, scene), body)


def raw(path: str, body: bytes, who: str = "") -> Call:
    return lambda scene, client: as_(who)(scene, client).call("POST", _at(path, scene), body)


def joining(seat: str, **fields: Any) -> Call:
    """Join the table that waits, with these fields instead of the right ones."""

    def call(scene: Scene, client: Client) -> Answer:
        body = {"key": scene.waiting.keys.get(seat, "?"), "name": "Bo", **fields}
        return client.post(f"{scene.waiting.path}/seats/{seat}", body)

    return call


def _at(path: str, scene: Scene) -> str:
    """`T/…` is at the table in play, `W/…` at the one that waits."""
    where = {"T/": scene.table.path, "W/": scene.waiting.path}.get(path[:2])
    return f"{where}/{path[2:]}" if where else path


REFUSED: dict[str, tuple[int, str, Call]] = {
    # 400
    "not JSON": (400, "malformed", raw("T/moves", b"{", "target")),
    "an empty body": (400, "malformed", raw("T/moves", b"", "target")),
    "a list": (400, "malformed", post("T/moves", [ATTACK], "target")),
    "no version": (400, "malformed", post("T/moves", {"type": "hide", "houses": [1, 2, 3]}, "target")),
    "a version in words": (400, "malformed", post("T/moves", {**ATTACK, "version": "4"}, "target")),
    "a version that is true": (400, "malformed", post("T/moves", {**ATTACK, "version": True}, "target")),
    "no type": (400, "malformed", post("T/moves", {"version": 4, "card": 0, "house": 1}, "target")),
    "a field of the wrong type": (400, "malformed", post("T/moves", {**ATTACK, "card": "0"}, "target")),
    "a whole number with a point": (400, "malformed", post("T/moves", {**ATTACK, "card": 0.0}, "target")),
    "true for one": (400, "malformed", post("T/moves", {**ATTACK, "house": True}, "target")),
    "an unknown field": (400, "malformed", post("T/moves", {**ATTACK, "colour": "red"}, "target")),
    "a missing field": (400, "malformed", post("T/moves", {"version": 4, "type": "swap"}, "target")),
    "not a number": (
        400,
        "malformed",
        raw("T/moves", b'{"version":4,"type":"attack_from_hand","card":NaN,"house":1}', "target"),
    ),
    "more than any number": (
        400,
        "malformed",
        raw("T/moves", b'{"version":4,"type":"sing","how_loud":1e999}', "target"),
    ),
    "over 16 KiB": (413, "too-large", raw("T/moves", json.dumps(ATTACK).encode().ljust(16385), "target")),
    "too deep": (400, "malformed", raw("T/moves", b'{"a":' * 2000 + b"1" + b"}" * 2000, "target")),
    "deep, but not many brackets": (
        400,
        "malformed",
        raw("T/moves", b'{"version":4,"type":"sing","a":' + b"[" * 505 + b"]" * 505 + b"}", "target"),
    ),
    "a question that is deep": (
        400,
        "malformed",
        raw(
            "T/ask",
            b'{"version":4,"kind":"correct","n":1,"fields":{"a":%b}}' % (b"[" * 505 + b"]" * 505),
            "target",
        ),
    ),
    "not UTF-8": (400, "malformed", raw("T/moves", '{"version":4,"type":"é"}'.encode("latin-1"), "target")),
    "UTF-16": (400, "malformed", raw("T/moves", json.dumps(ATTACK).encode("utf-16"), "target")),
    "half a character": (400, "malformed", raw("T/moves", b'{"version":4,"type":"\\ud800"}', "target")),
    "a key of half a character": (400, "malformed", joining("mask", key="\ud800")),
    "an empty Idempotency-Key": (400, "malformed", post("T/moves", ATTACK, "target", Idempotency_Key="")),
    "a strange Idempotency-Key": (400, "malformed", post("T/moves", ATTACK, "target", Idempotency_Key="é")),
    "an endless Idempotency-Key": (
        400,
        "malformed",
        post("T/moves", ATTACK, "target", Idempotency_Key="k" * 129),
    ),
    "opening nothing": (400, "malformed", post("/api/tables", {})),
    "opening with options in a list": (
        400,
        "malformed",
        post("/api/tables", {"game": "agent_hunter", "options": []}),
    ),
    "opening with a numbered desk": (
        400,
        "malformed",
        post("/api/tables", {"game": "agent_hunter", "desk": 1}),
    ),
    "opening with an unknown field": (
        400,
        "malformed",
        post("/api/tables", {"game": "agent_hunter", "table": "KX7QF"}),
    ),
    "opening a numbered game": (400, "malformed", post("/api/tables", {"game": 1})),
    "joining without a name": (400, "malformed", post("W/seats/mask", {"key": None})),
    "joining with a numbered name": (400, "malformed", joining("mask", name=7)),
    "joining with an empty name": (400, "malformed", joining("mask", name=" \u202e\u200b\x00 ")),
    "joining with an unknown field": (400, "malformed", joining("mask", token="mine")),
    "printing nothing": (400, "malformed", post("T/print", {}, "target")),
    "printing money": (400, "malformed", post("T/print", {"what": "money"}, "host")),
    "health of nothing": (400, "malformed", post("/api/desks/main/health", [], "desk")),
    "health in one word": (400, "malformed", post("/api/desks/main/health", {"lights": "good"}, "desk")),
    "health in numbers": (
        400,
        "malformed",
        post("/api/desks/main/health", {"lights": {"ok": 1, "detail": ""}}, "desk"),
    ),
    # 401
    "a seat's view without a token": (401, "no-token", get("T/me")),
    "a seat's stream without a token": (401, "no-token", get("T/me/events")),
    "a move without a token": (401, "no-token", post("T/moves", ATTACK)),
    "printing without a token": (401, "no-token", post("T/print", {"what": "join"})),
    "a desk's stream without a key": (401, "no-token", get("/api/desks/main/events")),
    "a desk's health without a key": (401, "no-token", post("/api/desks/main/health", {})),
    "a seat's view for a stranger": (401, "bad-token", get("T/me", "stranger")),
    "a seat's view of another table": (401, "bad-token", get("T/me", "early")),
    "a seat's stream for a stranger": (401, "bad-token", get("T/me/events", "stranger")),
    "a stranger's move": (401, "bad-token", post("T/moves", ATTACK, "stranger")),
    "a move from another table": (401, "bad-token", post("T/moves", ATTACK, "early")),
    "printing for a stranger": (401, "bad-token", post("T/print", {"what": "join"}, "stranger")),
    "a desk's stream for a seat": (401, "bad-token", get("/api/desks/main/events", "target")),
    "a desk's health for a stranger": (401, "bad-token", post("/api/desks/main/health", {}, "stranger")),
    "a seat's view for the desk": (401, "bad-token", get("T/me", "desk")),
    # 403
    "the host looking into a hand": (403, "not-allowed", get("T/me", "host")),
    "the host's stream of a hand": (403, "not-allowed", get("T/me/events", "host")),
    "the host moving": (403, "not-allowed", post("T/moves", ATTACK, "host")),
    "another page's form": (
        403,
        "not-allowed",
        post("T/moves", ATTACK, "target", Origin="http://evil.example"),
    ),
    "a page from nowhere": (403, "not-allowed", post("T/moves", ATTACK, "target", Origin="null")),
    "a broken Origin": (403, "not-allowed", post("T/moves", ATTACK, "target", Origin="http://[")),
    "a sheet as text": (403, "not-over", get("T/sheet.txt")),
    "a sheet as HTML": (403, "not-over", get("T/sheet.html")),
    "a sheet as a picture": (403, "not-over", get("T/sheet.png", "host")),
    "a sheet as a PDF": (403, "not-over", get("T/sheet.pdf", "target")),
    "a sheet on paper": (403, "not-over", post("T/print", {"what": "sheet"}, "target")),
    "a wrong key": (403, "bad-key", joining("mask", key="AAAAAAAAAAAA")),
    "another seat's key": (
        403,
        "bad-key",
        lambda scene, client: joining("mask", key=scene.waiting.keys["target"])(scene, client),
    ),
    # 404
    "a table that is none": (404, "unknown-table", get("/api/tables/ZZZZZ")),
    "a table in small letters": (
        404,
        "unknown-table",
        lambda scene, client: client.get(scene.table.path.lower()),
    ),
    "a seat at no table": (404, "unknown-table", get("/api/tables/ZZZZZ/me", "target")),
    "a stream of no table": (404, "unknown-table", get("/api/tables/ZZZZZ/events")),
    "a stream of signs": (404, "unknown-table", get("/api/tables/%2E%2E;--/events")),
    "a seat's stream at no table": (404, "unknown-table", get("/api/tables/ZZZZZ/me/events", "target")),
    "a move at no table": (404, "unknown-table", post("/api/tables/ZZZZZ/moves", ATTACK, "target")),
    "joining no table": (404, "unknown-table", post("/api/tables/ZZZZZ/seats/mask", {})),
    "the sheet of no table": (404, "unknown-table", get("/api/tables/ZZZZZ/sheet.txt")),
    "printing at no table": (404, "unknown-table", post("/api/tables/ZZZZZ/print", {"what": "join"}, "desk")),
    "a seat that is none": (404, "unknown-seat", post("W/seats/dealer", {"key": "A", "name": "Bo"})),
    "a game that is none": (404, "unknown-game", post("/api/tables", {"game": "chess"})),
    "a desk that is none": (
        404,
        "unknown-desk",
        post("/api/tables", {"game": "agent_hunter", "desk": "bar"}),
    ),
    "the stream of no desk": (404, "unknown-desk", get("/api/desks/bar/events", "desk")),
    "the health of no desk": (404, "unknown-desk", post("/api/desks/bar/health", {}, "desk")),
    "a job that is none": (
        404,
        "unknown-job",
        post("/api/desks/main/jobs/999", {"state": "printed"}, "desk"),
    ),
    "a job beyond counting": (
        404,
        "unknown-job",
        post(f"/api/desks/main/jobs/{10**30}", {"state": "printed"}, "desk"),
    ),
    "an address that is none": (404, "unknown-page", get("/api/nothing")),
    "an address with two slashes": (404, "unknown-page", get("/api//games")),
    "a sheet in stone": (404, "unknown-page", get("T/sheet.stone")),
    # 405
    "asking for moves": (405, "wrong-method", get("T/moves", "target")),
    "posting to a stream": (405, "wrong-method", post("T/events", {}, "target")),
    # 409
    "a move before all have joined": (409, "not-started", post("W/moves", {**HIDE, "version": 1}, "early")),
    "a seat that is taken": (
        409,
        "seat-taken",
        lambda scene, client: client.post(
            f"{scene.table.path}/seats/mask", {"key": scene.table.keys["mask"], "name": "Eve"}
        ),
    ),
    "slips when nobody is missing": (409, "seat-taken", post("T/print", {"what": "join"}, "host")),
    "a move at an old version": (409, "stale", post("T/moves", {**ATTACK, "version": 3}, "target")),
    "a move at a version to come": (409, "stale", post("T/moves", {**ATTACK, "version": 5}, "target")),
    "a move before time": (409, "stale", post("T/moves", {**ATTACK, "version": -1}, "target")),
    # 422
    "an unknown move": (422, "illegal-move", post("T/moves", {"version": 4, "type": "sing"}, "target")),
    "a move out of turn": (422, "illegal-move", post("T/moves", ATTACK, "mask")),
    "a move of another step": (422, "illegal-move", post("T/moves", {**HIDE, "version": 4}, "target")),
    "a card not in hand": (422, "illegal-move", post("T/moves", {**ATTACK, "card": 1}, "target")),
    "a card that is none": (422, "illegal-move", post("T/moves", {**ATTACK, "card": 10**400}, "target")),
    "a house that is none": (422, "illegal-move", post("T/moves", {**ATTACK, "house": 4}, "target")),
    "an option that is none": (
        422,
        "bad-options",
        post("/api/tables", {"game": "agent_hunter", "options": {"wager": 5}}),
    ),
    "an option it cannot have": (
        422,
        "bad-options",
        post("/api/tables", {"game": "agent_hunter", "options": {"first": "nobody"}}),
    ),
    "an option of the wrong type": (
        422,
        "bad-options",
        post("/api/tables", {"game": "agent_hunter", "options": {"refill_after_final": 1}}),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_refusal_has_its_code_and_sentence_and_changes_nothing(scene: Scene, case: str) -> None:
    status, code, call = REFUSED[case]
    before = scene.everything()
    answers = {
        language: call(scene, scene.server.client.with_(Accept_Language=language)) for language in LANGUAGES
    }
    scene.same_after(before)
    for answer in answers.values():
        assert (answer.status, answer.code) == (status, code)
        extra = {"version"} if code == "stale" else set()
        assert answer.json.keys() == {"code", "title", "detail"} | extra
    said = [(answer.json["title"], answer.json["detail"]) for answer in answers.values()]
    assert all(title and detail.endswith(".") for title, detail in said)
    assert said[0] != said[1], "French and English say the same"


def test_a_stale_move_is_told_the_current_version(scene: Scene) -> None:
    answer = scene.target.tries("attack_from_hand", version=3, card=0, house=1)
    assert answer.json["version"] == 4


def test_refused_calls_are_not_heard_on_any_stream(scene: Scene) -> None:
    with scene.unchanged():
        for case, (status, _, call) in REFUSED.items():
            assert call(scene, scene.server.client).status == status, case


def test_a_wrong_method_is_told_the_right_ones(scene: Scene) -> None:
    rematch = scene.target.client.get(f"{scene.table.path}/rematch")
    assert {"OPTIONS", "POST"} == set(rematch.headers["Allow"].split(", "))
    moves = scene.target.client.get(f"{scene.table.path}/moves")
    assert moves.headers["Allow"] == "POST"
    events = scene.target.client.post(f"{scene.table.path}/events", {})
    assert events.headers["Allow"] == "GET"


# Wrong in two ways: what comes first in 404, 401, 403, 400, 409, 422 is told.
ORDER: dict[str, tuple[str, Call]] = {
    "404 before 401": ("unknown-table", post("/api/tables/ZZZZZ/moves", ATTACK)),
    "404 before 400": ("unknown-table", raw("/api/tables/ZZZZZ/moves", b"{", "target")),
    "404 before a broken Idempotency-Key": (
        "unknown-table",
        post("/api/tables/ZZZZZ/moves", ATTACK, "target", Idempotency_Key=""),
    ),
    "404 seat before 403": ("unknown-seat", post("W/seats/dealer", {"key": "AAAA", "name": ""})),
    "404 game before 400": ("unknown-game", post("/api/tables", {"game": "chess", "colour": "red"})),
    "404 desk before 400": (
        "unknown-desk",
        post("/api/tables", {"game": "agent_hunter", "desk": "bar", "colour": "red"}),
    ),
    "404 desk before 422": (
        "unknown-desk",
        post("/api/tables", {"game": "agent_hunter", "desk": "bar", "options": {"wager": 5}}),
    ),
    "404 desk before 401": ("unknown-desk", post("/api/desks/bar/health", [])),
    "404 job before 401": ("unknown-job", post("/api/desks/main/jobs/999", [])),
    "404 asked seat before 401": ("unknown-seat", post("T/ask", {"kind": "reissue", "seat": "dealer"})),
    "404 asked seat before 400": (
        "unknown-seat",
        post("T/ask", {"kind": "reissue", "seat": "dealer"}, "target"),
    ),
    "404 sheet before 403": ("unknown-page", get("T/sheet.stone")),
    "401 before 400": ("no-token", raw("T/moves", b"{")),
    "401 bad before 400": ("bad-token", raw("T/moves", b"{", "stranger")),
    "401 before a broken Idempotency-Key": ("no-token", post("T/moves", ATTACK, Idempotency_Key="")),
    "401 before 403": ("no-token", post("T/print", {"what": "sheet"})),
    "401 before 409": ("bad-token", post("W/moves", HIDE, "stranger")),
    "401 desk before 400": ("bad-token", post("/api/desks/main/health", [], "stranger")),
    "403 before 400": ("not-allowed", raw("T/moves", b"{", "host")),
    "403 key before 400": ("bad-key", joining("mask", key="AAAA", name="", colour="red")),
    "403 key before 409": (
        "bad-key",
        lambda scene, client: client.post(f"{scene.table.path}/seats/mask", {"key": "A", "name": "Eve"}),
    ),
    "403 sheet before 400": ("not-over", post("T/print", {"what": "sheet", "colour": "red"}, "target")),
    "400 before 409": ("malformed", post("W/moves", {"version": 0, "type": "hide"}, "early")),
    "400 before 409 seat": (
        "malformed",
        lambda scene, client: client.post(
            f"{scene.table.path}/seats/mask", {"key": scene.table.keys["mask"], "name": ""}
        ),
    ),
    "400 before 422": (
        "malformed",
        post("/api/tables", {"game": "agent_hunter", "options": {"wager": 5}, "colour": "red"}),
    ),
    "409 before 422": ("stale", post("T/moves", {**ATTACK, "version": 3, "card": 77}, "target")),
    "409 start before 422": ("not-started", post("W/moves", {"version": 1, "type": "sing"}, "early")),
}


@pytest.mark.parametrize("case", ORDER)
def test_checks_run_in_a_fixed_order(scene: Scene, case: str) -> None:
    code, call = ORDER[case]
    assert call(scene, scene.server.client).code == code


def test_after_the_end_every_move_is_refused_and_says_so(client: Client) -> None:
    table = client.open_table(desk=None, options={"first": "target", "turn_cap": 2})
    phones = table.everybody()
    phones["target"].moves("hide", houses=[1, 2, 3])
    phones["mask"].moves("hide", houses=[4, 5, 6])
    phones["target"].moves("attack_from_hand", card=0, house=1)
    phones["mask"].moves("attack_from_hand", card=0, house=1)
    answer = phones["target"].tries("attack_from_hand", card=0, house=1)
    assert (answer.status, answer.code) == (422, "illegal-move")
    assert "over" in answer.json["detail"]


PIN = 'server.host_pin = "2468"'


def test_with_a_host_pin_only_who_knows_it_opens_tables(start: Start) -> None:
    server = start(PIN)
    wish = {"game": "agent_hunter"}
    for client in (
        server.client,
        server.client.with_(X_Host_Pin="1357"),
        server.client.with_(X_Host_Pin="é"),
    ):
        answer = client.with_(Accept_Language="en").post("/api/tables", wish)
        assert (answer.status, answer.code) == (403, "bad-pin")
    assert server.client.get("/healthz").json["tables"] == 0
    assert server.client.post("/api/tables", {"game": "chess"}).code == "unknown-game"  # 404 before 403
    assert server.client.post("/api/tables", {"game": "agent_hunter", "a": 1}).code == "bad-pin"  # before 400
    assert server.client.with_(X_Host_Pin="2468").post("/api/tables", wish).status == 201
    assert server.client.bearing(server.desk_key()).post("/api/tables", wish).status == 201
    assert server.client.bearing(NOBODY).post("/api/tables", wish).code == "bad-pin"


def test_a_page_with_a_host_pin_tells_of_an_unknown_game_first(start: Start) -> None:
    client = start(PIN).client.with_(Content_Type="application/x-www-form-urlencoded", Accept_Language="en")
    for path in ("/open", "/try"):
        refused = client.call("POST", path, b"game=chess&pin=1357")
        assert refused.status == 404
        assert words("en").say("refusal.unknown-game") in refused.content.decode()


def test_a_code_that_is_none_can_be_typed_again_beside_the_refusal(client: Client) -> None:
    refused = client.get("/join?code=zzzzz").content.decode()
    assert refused.count('id="code"') == 1
    assert refused.index('role="alert"') < refused.index('value="zzzzz"') < refused.index('id="games"')
    home = client.get("/").content.decode()
    assert home.index('id="games"') < home.index('id="code"')
