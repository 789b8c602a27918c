"""Attacks: forms that another site forged or no page has, and the tokens of others."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from tests.support.fixtures import Start
from tests.support.web.http_client import Answer, Client
from tests.support.web.journal import rows
from tests.support.web.mid_game_table import Scene, set_up
from tests.support.web.server_process import Running
from web.server.flask_app import create_app


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
    yield from ("/api/tables/<code>/moves", "/t/<code>/s/<seat>")  # answered in the loop, not by Flask


SENDERS = {
    "another site": {"Origin": "http://evil.example"},
    "a sandboxed frame": {"Origin": "null"},
    "another port": {"Origin": "http://127.0.0.1:1"},
    "a name like ours": {"Origin": "http://127.0.0.1.evil.example"},
    "a path like ours": {"Origin": "http://x//{host}"},
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
    url = scene.table.client.url
    sent_by = {name: text.format(host=url.rpartition("/")[2]) for name, text in SENDERS[sender].items()}
    victim = Client(url, {**everything_held(scene).headers, **sent_by})
    before = scene.everything()
    move = {"version": before["public"]["version"], "type": "attack_from_hand", "card": 0, "house": 1}
    form = {"type": "attack_from_hand", "version": "4", "field.card": "0", "field.house": "1", "what": "join"}
    for rule in posts():
        path = rule.replace("<code>", scene.code).replace("<seat>", "target").replace("<desk>", "main")
        path = path.replace("<key>", scene.table.keys["mask"]).replace("<int:number>", "1")
        path = quote(path)
        assert victim.post(path, move).status == 403, rule
        sent = victim.post_form(path, **form)
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


def test_people_who_play_again_and_again_are_never_slowed_down(start: Start) -> None:
    client = start("[limits]\nexempt = []\ntables = 1\n").client
    table = client.open_table(desk=None)
    phone, path = table.join("mask"), table.path
    for _ in range(3):
        phone.client.post(f"{path}/ask", {"version": 1, "kind": "abandon"})
        answer = phone.client.post(f"{path}/rematch", {})
        assert answer.status == 201
        path = f"/api/tables/{answer.json['table']}"
    assert client.post("/api/tables", {"game": "agent_hunter"}).code == "slow-down"


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
    browser = scene.table.client.with_(Cookie=f"seat_{scene.code}_target={scene.target.token}")
    answer = browser.post_form(path, **form)
    assert 400 <= answer.status < 500
    scene.same_after(before)
