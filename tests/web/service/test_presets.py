"""Presets: saved values of options, over the API and on pages, exported and imported."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from werkzeug.datastructures import MultiDict

from referee.core.options import Data
from referee.games import GAMES
from tests.support.fixtures import Start
from tests.support.web.http_client import Answer, Client
from tests.support.web.server_process import Running
from web.pages.admin.form_decoding import nested
from web.service.presets import MOST

PATH = "/api/shelf/espion_contre_espion/buildings"
PAGE = "/presets/espion_contre_espion/buildings"
WALLS = ["A1:W", "A1:E", "A2:W", "A2:E"]
HALL = {"size": [1, 2], "walls": WALLS}
TILES = [HALL, HALL]


@pytest.fixture
def client(server: Running) -> Iterator[Client]:
    """One of the shared server, whose presets are deleted afterwards."""
    yield server.client
    for item in server.client.get(PATH).json:
        server.client.call("DELETE", f"{PATH}/{quote(item['name'])}")


def sends(client: Client, fields: dict[str, str] | list[tuple[str, str]]) -> Answer:
    return client.post_form(PAGE, *(fields.items() if isinstance(fields, dict) else fields))


def uploads(client: Client, content: bytes) -> Answer:
    body = b'--x\r\nContent-Disposition: form-data; name="file"; filename="tiles.json"\r\n\r\n'
    kind = "multipart/form-data; boundary=x"
    return client.with_(Content_Type=kind).call("POST", PAGE, body + content + b"\r\n--x--\r\n")


def names(client: Client) -> list[str]:
    return [item["name"] for item in client.get(PATH).json]


def test_a_preset_is_offered_and_opens_a_table(client: Client) -> None:
    assert client.get(PATH).json == []
    answer = client.post(PATH, {"name": "Ma boîte", "value": TILES})
    assert (answer.status, answer.json) == (201, {"name": "Ma boîte"})
    (kept,) = client.get(PATH).json
    assert kept == {"name": "Ma boîte", "value": TILES}
    table = client.open_table(game="espion_contre_espion", options={"buildings": kept["value"]}, desk=None)
    assert table.view()["options"]["buildings"] == TILES
    assert "Ma boîte" in client.get("/play/espion_contre_espion").content.decode()


def test_it_is_still_there_after_the_power_failed(start: Start) -> None:
    house = start()
    house.client.post(PATH, {"name": "Ma boîte", "value": TILES})
    house.kill()
    with house.again() as anew:
        assert names(anew.client) == ["Ma boîte"]


def test_a_preset_of_the_same_name_is_replaced_and_can_be_deleted(client: Client) -> None:
    for value in (TILES, []):
        client.post(PATH, {"name": "Ma boîte", "value": value})
    assert client.get(PATH).json == [{"name": "Ma boîte", "value": []}]
    assert client.call("DELETE", f"{PATH}/Ma%20bo%C3%AEte").json == {}
    assert names(client) == []
    assert client.call("DELETE", f"{PATH}/Nobody").status == 200


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ([HALL], "deux bâtiments"),
        ([HALL, {"size": [5, 1], "walls": []}], "bâtiment 2 mesure"),
        ([HALL, {"size": [1, 1], "walls": ["B1:N"]}], "bâtiment 2 a un mur"),
        ([{"size": [1, 1], "walls": ["A1:N", "A1:E", "A1:S", "A1:W"]}, HALL], "bâtiment 1 n’est pas ouvert"),
        ("tiles", "deux bâtiments"),
        ([1, 2], "bâtiment 1 n’a pas la forme"),
    ],
)
def test_what_cannot_be_is_refused_in_words_and_not_kept(client: Client, value: Any, word: str) -> None:
    answer = client.post(PATH, {"name": "Prison", "value": value})
    assert (answer.status, answer.code) == (422, "bad-options")
    assert word in answer.json["detail"]
    assert names(client) == []
    opened = client.post("/api/tables", {"game": "espion_contre_espion", "options": {"buildings": value}})
    assert opened.code == "bad-options"
    assert word in opened.json["detail"]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/api/shelf/chess/board", "unknown-game"),
        ("/api/shelf/espion_contre_espion/first", "unknown-page"),
        ("/api/shelf/espion_contre_espion/nothing", "unknown-page"),
    ],
)
def test_only_options_of_kind_data_have_presets(client: Client, path: str, code: str) -> None:
    assert client.get(path).code == code
    assert client.post(path, {"name": "x", "value": 1}).code == code
    assert client.call("DELETE", f"{path}/x").code == code


def test_the_number_of_presets_is_limited(client: Client) -> None:
    for n in range(MOST):
        assert client.post(PATH, {"name": f"n° {n}", "value": []}).status == 201
    answer = client.post(PATH, {"name": "one more", "value": []})
    assert (answer.status, answer.code) == (409, "shelf-full")
    assert client.post(PATH, {"name": "n° 1", "value": TILES}).status == 201


def test_a_server_with_a_host_pin_asks_for_it(start: Start) -> None:
    client = start("[server]\nhost_pin = '2468'\n").client
    body = {"name": "x", "value": []}
    assert client.post(PATH, body).code == "bad-pin"
    assert client.with_(X_Host_Pin="2468").post(PATH, body).status == 201
    assert client.call("DELETE", f"{PATH}/x").code == "bad-pin"
    refused = sends(client, {"forget": "x", "pin": "1"})
    assert refused.status == 403
    assert (
        refused.content.count(b"aria-invalid") == 1 and b'describedby="pin-forget-1-wrong"' in refused.content
    )
    assert b'describedby="pin-keep-wrong"' in sends(client, {"name": "y", "pin": "1"}).content
    assert names(client) == ["x"]
    assert client.with_(X_Host_Pin="2468").call("DELETE", f"{PATH}/x").status == 200


def test_another_site_cannot_take_anything_away(client: Client) -> None:
    client.post(PATH, {"name": "x", "value": []})
    foreign = client.with_(Origin="http://evil.example")
    assert foreign.call("DELETE", f"{PATH}/x").code == "not-allowed"
    assert foreign.post(PATH, {"name": "y", "value": []}).code == "not-allowed"
    assert names(client) == ["x"]


# ---- the page


def test_a_form_saves_and_deletes(client: Client) -> None:
    tile = [("size.0", "1"), ("size.1", "2"), *(("walls:each", f'"{wall}"') for wall in WALLS)]
    fields = [("name", "Ma boîte"), *((f"value.{n}.{name}", v) for n in (0, 1) for name, v in tile)]
    assert sends(client, fields).status == 303
    assert client.get(PATH).json == [{"name": "Ma boîte", "value": TILES}]
    assert sends(client, {"forget": "Ma boîte"}).status == 303
    assert names(client) == []


def test_what_was_drawn_wrongly_comes_back_to_be_mended(client: Client) -> None:
    answer = sends(client, {"name": "<b>Prison</b>", "value.0.size.0": "9", "value.1.size.0": '"x"'})
    page = answer.content.decode()
    assert answer.status == 422
    assert "deux bâtiments" in page or "n’a pas la forme" in page
    assert "&lt;b&gt;Prison&lt;/b&gt;" in page


def test_a_file_carries_it_to_another_referee(client: Client, start: Start) -> None:
    client.post(PATH, {"name": "Ma boîte", "value": TILES})
    exported = client.get(f"{PAGE}/file?{urlencode({'name': 'Ma boîte'})}")
    assert exported.kind == "application/json"
    assert "attachment" in exported.headers["Content-Disposition"]
    other = start().client
    assert uploads(other, exported.content).status == 303
    assert other.get(PATH).json == client.get(PATH).json
    assert client.get(f"{PAGE}/file?name=nobody").status == 404


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no json",
        b"[]",
        json.dumps({"referee": "deck", "game": "espion_contre_espion", "name": "x", "value": []}).encode(),
        json.dumps({"referee": "buildings", "game": "agent_hunter", "name": "x", "value": []}).encode(),
        json.dumps({"referee": "buildings", "game": "espion_contre_espion", "name": "x"}).encode(),
    ],
)
def test_a_file_that_is_no_such_thing_is_refused(client: Client, content: bytes) -> None:
    assert uploads(client, content).status == 400
    assert names(client) == []


def test_every_option_with_an_editor_has_a_page_in_both_languages(client: Client) -> None:
    for game in GAMES.values():
        for option in (option for option in game.options if isinstance(option, Data)):
            for language in ("fr", "en"):
                answer = client.with_(Accept_Language=language).get(f"/presets/{game.id}/{option.name}")
                assert answer.status == 200, (game.id, option.name)


def test_nested_fields() -> None:
    fields = [
        ("v.0.a", "1"),
        ("v.0.b:text", "1"),
        ("v.1.c:each", ""),
        ("v.2.c:each", "1"),
        ("v.2.c:each", "x"),
    ]
    form = MultiDict([*fields, ("other.0", "2"), ("v.2.d", "null")])
    assert nested(form, "v") == [{"a": 1, "b": "1"}, {"c": []}, {"c": [1, "x"], "d": None}]
    assert nested(MultiDict([("v.a", "1"), ("v.a.b", "2")]), "v") == {"a": 1}
    assert nested(MultiDict(), "v") == {}
