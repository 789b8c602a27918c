"""Before a game, without script: all games at a glance, the number of seats, choosing seat and avatar."""

import re
from dataclasses import replace
from typing import Any

import pytest

from referee.core.game import Outcome
from referee.games import GAMES
from referee.presentation.avatars import AVATARS, ROBOT
from referee.presentation.words import LANGUAGES, words
from tests.support.fixtures import Start
from tests.support.web.http_client import Answer, Client, Table
from tests.support.web.journal import rows
from tests.support.web.questions import asks
from tests.support.web.random_player import hide
from tests.support.web.seated_table import SeatedTable
from tests.support.web.server_process import Running
from web.pages.assets import FOLDER
from web.service.presence import RESTING, Presence
from web.service.tables import TableService


def page(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status == 200, answer.content
    return answer.content.decode()


def offered(html: str) -> list[str]:
    """The seats that a join page offers."""
    return re.findall(r'name="seat" value="(\w+)"', html)


def place(table: Table) -> str:
    return f"/j/{table.code}/{table.key}"


class Browser:
    """A browser without script that keeps its cookies."""

    def __init__(self, client: Client) -> None:
        self.client, self.cookies = client, dict[str, str]()

    def _sends(self) -> Client:
        return self.client.with_(Cookie="; ".join(f"{name}={value}" for name, value in self.cookies.items()))

    def opens(self, path: str) -> Answer:
        answer = self._sends().get(path)
        self.cookies |= answer.cookies
        return answer

    def sits(self, path: str, **fields: str) -> Answer:
        """Fill in the form of a join page and send it."""
        html = self.opens(path).content.decode()
        hidden = dict(re.findall(r'<input type="hidden" name="(nonce)" value="([^"]*)"', html))
        answer = self._sends().post_form(path, **{**hidden, **fields})
        self.cookies |= answer.cookies
        return answer


@pytest.fixture
def table(client: Client) -> Table:
    return client.open_table(game="agent_avenue", options={"players": 4}, desk=None)


# ---- the home page and the page of a game


def test_every_game_says_at_a_glance_what_its_box_says(client: Client) -> None:
    html = page(client.with_(Accept_Language="en"), "/")
    for game in GAMES.values():
        assert game.facts, f"{game.id} says neither minutes nor age nor difficulty"
        least, most = game.facts.minutes
        assert 0 < least <= most <= 120 and 5 <= game.facts.age <= 14 and 1 <= game.facts.difficulty <= 3
        assert f"age {game.facts.age}+" in html
        assert f'href="/play/{game.id}"' in html


def test_a_foursome_gets_four_seats_with_one_tap(client: Client) -> None:
    html = page(client, "/")
    buttons = re.findall(r'name="option.players" value="(\d)"', html)
    assert buttons == ["2", "3", "4"], "only a game with a choice asks"
    opened = client.post_form("/open", game="agent_avenue", **{"option.players": "4"})
    assert opened.status == 303
    assert len(client.get(f"/api{opened.headers['Location'].replace('/t/', '/tables/')}").json["seats"]) == 4


def test_the_number_of_players_stands_before_the_options(client: Client) -> None:
    html = page(client, "/play/agent_avenue?option.players=3")
    assert html.index('name="option.players"') < html.index('<details class="options"')
    assert re.search(r'name="option.players" value="3" checked', html)
    assert client.get("/play/chess").status == 404


def test_a_refused_option_is_told_on_the_page_of_its_game(client: Client) -> None:
    refused = client.post_form("/open", game="agent_avenue", **{"option.mode": '"wild"'})
    html = refused.content.decode()
    assert refused.status == 422
    assert 'role="alert"' in html and "<h1>Agent Avenue</h1>" in html
    assert '<details class="options" open' in html


# ---- choosing a seat


def test_the_page_of_the_tables_code_offers_the_free_seats(table: Table) -> None:
    seats = list(table.keys)
    table.take(seats[0], "Ana", avatar="owl")
    html = page(table.client, place(table))
    assert offered(html) == seats[1:]
    assert html.count(" checked") == 2, "a seat and an avatar"
    assert "Ana" in html and "#owl" in html
    assert not re.search(r'value="owl"[^>]* checked', html), "an avatar that nobody has yet"
    assert table.client.get(place(table).lower()).status == 308
    assert table.view()["version"] == 1, "a look changes nothing"


def test_scan_choose_sit(table: Table) -> None:
    ana = Browser(table.client)
    seat = list(table.keys)[2]
    sat = ana.sits(place(table), seat=seat, name="Ana", avatar="cat", dice="0a")
    assert (sat.status, sat.headers["Location"]) == (303, f"/t/{table.code}/s/{seat}")
    view = table.view()
    assert (view["seats"][seat]["name"], view["seats"][seat]["avatar"]) == ("Ana", "cat")
    assert view["dice"]["nonces"] == {seat: "0a"}
    assert ana.opens(sat.headers["Location"]).status == 200
    assert ana.opens(place(table)).headers["Location"] == f"/t/{table.code}/s/{seat}"


def test_whoever_comes_second_chooses_again_and_nothing_typed_is_lost(table: Table) -> None:
    one, other = list(table.keys)[:2]
    bo = Browser(table.client.with_(Accept_Language="en"))
    bo.opens(place(table))
    table.choose(one, "Ana")
    refused = bo.sits(place(table), seat=one, name="Bo", avatar="frog")
    html = refused.content.decode()
    assert refused.status == 409
    assert "Ana was quicker" in html
    assert one not in offered(html)
    assert 'value="Bo"' in html and re.search(r'value="frog"[^>]* checked', html)
    assert bo.sits(place(table), seat=other, name="Bo", avatar="frog").status == 303


@pytest.mark.parametrize(
    "fields", [{"name": "Bo"}, {"name": "Bo", "seat": "nobody"}, {"seat": "", "name": ""}]
)
def test_without_a_seat_or_a_name_it_asks_again(table: Table, fields: dict[str, str]) -> None:
    refused = Browser(table.client).sits(place(table), **fields)
    assert refused.status == 400
    assert 'role="alert"' in refused.content.decode()
    assert table.view()["version"] == 0


def test_a_phone_that_never_got_the_response_gets_its_seat_back(table: Table) -> None:
    ana, eve = Browser(table.client), Browser(table.client)
    seat = next(iter(table.keys))
    ana.sits(place(table), seat=seat, name="Ana")
    del ana.cookies[f"seat_{table.code}_{seat}"]
    again = ana.opens(place(table))
    assert (again.status, again.headers["Location"]) == (303, f"/t/{table.code}/s/{seat}")
    assert ana.opens(again.headers["Location"]).status == 200
    assert seat not in offered(eve.opens(place(table)).content.decode()), "and nobody else does"
    assert table.view()["version"] == 1


def test_two_on_one_phone_sit_down_together(table: Table) -> None:
    both, (one, two, *_) = Browser(table.client), list(table.keys)
    sat = both.sits(place(table), seat=one, name="Ana", **{f"name.{two}": "Bo", f"name.{one}": "Nobody"})
    assert sat.status == 303
    names = {seat: who["name"] for seat, who in table.view()["seats"].items()}
    assert (names[one], names[two]) == ("Ana", "Bo")
    assert both.cookies.keys() >= {f"seat_{table.code}_{one}", f"seat_{table.code}_{two}"}


def test_when_the_game_has_begun_the_code_says_so(table: Table) -> None:
    late = Browser(table.client.with_(Accept_Language="en"))
    form = late.opens(place(table))
    assert form.status == 200
    table.everybody()
    for answer in (late.opens(place(table)), late.client.post_form(place(table), seat="x", name="Late")):
        assert answer.status == 409
        assert "The game has begun" in answer.content.decode()


def test_a_seat_that_waits_for_a_new_phone_is_not_offered(table: Table) -> None:
    seat = next(iter(table.keys))
    table.join(seat, "Ana")
    asks(table.client.bearing(table.host), "reissue", table, seat=seat)
    assert seat not in offered(page(table.client, place(table)))
    assert Browser(table.client).sits(place(table), seat=seat, name="Eve").status == 409


@pytest.mark.parametrize("key", ["WRONGWRONGWR", "AAAA", "%C3%89"])
def test_a_wrong_key_shows_nothing(table: Table, key: str) -> None:
    answer = table.client.get(f"/j/{table.code}/{key}")
    assert answer.status == 403
    assert b'name="seat"' not in answer.content


# ---- avatars


def test_every_avatar_is_drawn_and_named() -> None:
    drawn = re.findall(r'<symbol id="(\w+)"', (FOLDER / "avatars.svg").read_text())
    assert drawn == [*AVATARS, ROBOT]
    for language in LANGUAGES:
        named = [words(language).say(f"page.avatar.{name}") for name in AVATARS]
        assert len(set(named)) == len(AVATARS)


def test_a_bot_has_its_own_and_people_cannot_choose_it(client: Client) -> None:
    table = client.open_table(bots=["mask"], desk=None)
    assert table.view()["seats"]["mask"]["avatar"] == ROBOT
    assert table.take("target", avatar=ROBOT).code == "malformed"


def test_it_stays_for_the_rematch_and_in_the_history_and_goes_with_the_name(server: Running) -> None:
    client = server.client
    table = client.open_table(desk=None)
    tokens = {
        seat: table.take(seat, name, avatar=avatar).json["token"]
        for seat, name, avatar in (("target", "Ana", "fox"), ("mask", "Bo", "bear"))
    }
    asks(client.bearing(tokens["target"]), "abandon", table, show=True)
    assert client.bearing(tokens["mask"]).post(f"{table.path}/answer", {"accept": True}).status == 200
    again = client.bearing(tokens["mask"]).post(f"{table.path}/rematch", {}).json["table"]
    assert avatars(client.get(f"/api/tables/{again}").json) == ["fox", "bear"]
    assert [player["avatar"] for player in client.get("/api/history").json[0]["players"]] == ["fox", "bear"]
    assert "#fox" in page(client, "/history")
    head = table.view()["head"]
    assert client.call("DELETE", "/api/players/Ana").status == 200
    assert avatars(table.view()) == [None, "bear"]
    assert [player["avatar"] for player in client.get("/api/history").json[0]["players"]] == [None, "bear"]
    assert not rows(server, "SELECT 1 FROM journal WHERE code = ? AND line LIKE '%fox%'", table.code)
    assert table.view()["head"] == head, "it was never part of the chain"


def avatars(view: dict[str, Any]) -> list[str | None]:
    return [who["avatar"] for who in view["seats"].values()]


# ---- a screen without a table


def test_the_idle_screen_shows_every_game_and_the_way_in(start: Start) -> None:
    server = start()
    html = page(server.client.with_(Accept_Language="en"), "/desk/main/screen")
    assert html.count('class="scene ') + html.count('class="scene"') == len(GAMES)
    assert "Scan to play" in html and server.url in html


def test_long_after_a_game_its_result_makes_room(service: TableService) -> None:
    now = 0.0
    table = SeatedTable(service, desk="main").table
    table.presence = Presence(lambda: now)
    assert not table.is_at_rest()
    table.match = replace(table.match, ended=Outcome((), "abandoned"))
    now = RESTING - 1
    assert not table.is_at_rest()
    now = RESTING
    assert table.is_at_rest()
    table.note_call("mask")
    assert not table.is_at_rest()


def test_no_page_before_the_proof_shows_fingerprints(client: Client) -> None:
    """Hex is for the proof and for paper: joining and playing speak in words."""
    table = client.open_table()
    pages = [
        page(client, f"/t/{table.code}"),
        page(table.host_browser, f"/t/{table.code}"),
        page(client, place(table)),
    ]
    seat, *_ = table.keys
    pages.append(page(client, f"/j/{table.code}/{seat}/{table.keys[seat]}"))
    phones = table.everybody()
    hide(phones)
    pages += [page(phone.browser, f"/t/{table.code}/s/{phone.seat}") for phone in phones.values()]
    pages.append(page(client, f"/t/{table.code}"))
    shared = "; ".join(f"seat_{table.code}_{phone.seat}={phone.token}" for phone in phones.values())
    pages.append(page(client.with_(Cookie=shared), f"/t/{table.code}/s/{seat}"))
    assert "curtain" in pages[-1]
    texts = [re.sub(r"<[^>]*>", " ", shown) for shown in pages]
    assert not [
        found for text in texts for found in re.findall(r"[0-9a-f]{4}(?:[ \u00a0][0-9a-f]{4}){2,}", text)
    ]
