"""Tables and seats: opening, joining, versions, views."""

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from referee.games import GAMES
from tests.support.web.http_client import Client, Phone, Table
from tests.support.web.random_player import hide
from tests.support.web.server_process import Running

VIEW = [
    *(
        "table",
        "game",
        "options",
        "version",
        "dice",
        "asked_before",
        "status",
        "seats",
        "sides",
        "waiting_for",
        "public",
        "todo",
        "news",
    ),
    *("question", "me", "outcome", "head", "next", "demo"),
]


def kinds(view: dict[str, Any]) -> list[str]:
    return [item["kind"] for item in view["news"]]


def test_healthz_answers_once_the_store_does(client: Client) -> None:
    answer = client.get("/healthz")
    assert answer.status == 200
    assert answer.json["status"] == "ok"


def test_the_catalogue_lists_games_with_seats_and_options(client: Client) -> None:
    games = client.get("/api/games").json
    assert [game["game"] for game in games] == list(GAMES)
    game = next(game for game in games if game["game"] == "agent_hunter")
    assert (game["game"], game["name"], game["seats"]) == ("agent_hunter", "Agent Hunter", ["target", "mask"])
    options = {option["name"]: option for option in game["options"]}
    assert options["first"] == {
        "name": "first",
        "kind": "one",
        "options": ["random", "target", "mask"],
        "default": "random",
    }
    assert options["turn_cap"]["kind"] == "number"


def test_a_new_table_has_a_code_a_host_and_a_key_for_each_seat(server: Running, client: Client) -> None:
    answer = client.post("/api/tables", {"game": "agent_hunter", "options": {}, "desk": "main"})
    assert answer.status == 201
    assert answer.json.keys() == {"table", "host", "seats", "table_key", "join_url"}
    assert answer.json["join_url"] == f"{server.url}/j/{answer.json['table']}/{answer.json['table_key']}"
    code, seats = answer.json["table"], answer.json["seats"]
    assert re.fullmatch("[2-9A-HJKMNP-Z]{5}", code)
    assert [seat["seat"] for seat in seats] == ["target", "mask"]
    assert all(seat.keys() == {"seat", "key", "join_url"} for seat in seats)
    assert seats[0]["join_url"] == f"{server.url}/j/{code}/target/{seats[0]['key']}"
    assert len({answer.json["host"], *(seat["key"] for seat in seats)}) == 3


def test_a_body_may_be_as_short_as_the_name_of_a_game(client: Client) -> None:
    assert client.post("/api/tables", {"game": "agent_hunter"}).status == 201


def test_a_view_has_exactly_the_fields_of_the_contract(table: Table) -> None:
    view = table.view()
    assert sorted(view) == sorted(VIEW)
    assert view["seats"] == {
        seat: {"name": None, "joined": False, "connected": False, "bot": False, "avatar": None}
        for seat in ("target", "mask")
    }
    assert (view["question"], view["me"], view["outcome"], view["next"]) == (None, None, None, None)


def test_while_joining_there_are_no_choices_and_nobody_is_waited_for(table: Table) -> None:
    ana = table.join("target", "Ana")
    mine = ana.view()
    assert (mine["version"], mine["status"], mine["waiting_for"]) == (1, "joining", [])
    assert mine["me"] == {"seat": "target", "hand": {}, "choices": [], "todo": [], "salts": {}, "keys": {}}
    assert mine["public"] == {"turn": None, "step": None}


def test_the_version_starts_at_0_and_grows_by_one_with_each_join_and_move(table: Table) -> None:
    assert table.view()["version"] == 0
    ana = table.join("target", "Ana")
    assert table.view()["version"] == 1
    bo = table.join("mask", "Bo")
    assert table.view()["version"] == 2
    assert ana.moves("hide", houses=[1, 2, 3])["version"] == 3
    assert bo.moves("hide", houses=[4, 5, 6])["version"] == 4
    assert table.view()["version"] == 4


def test_being_connected_is_no_version(phones: dict[str, Phone], table: Table) -> None:
    with phones["target"].events() as stream:
        stream.first("view")
        view = table.view()
    assert view["seats"]["target"]["connected"] is True
    assert view["seats"]["mask"]["connected"] is False
    assert view["version"] == 2


def test_the_last_join_deals_and_tells_who_begins(table: Table) -> None:
    table.join("mask", "Bo")
    assert kinds(table.view()) == ["joined"]
    table.join("target", "Ana")
    view = table.view()
    assert kinds(view) == ["joined", "joined", "began"]
    assert view["news"][-1]["first"] == "target"
    assert view["status"] == "playing"
    assert view["waiting_for"] == ["target", "mask"]


def test_who_begins_is_drawn_unless_it_is_settled(client: Client) -> None:
    def first(**options: str) -> str:
        table = client.open_table(desk=None, options=options)
        table.everybody()
        return str(table.view()["news"][-1]["first"])

    assert first(first="mask") == "mask"
    drawn = {first() for _ in range(40)}  # all the same with a chance of one in 2^39
    assert drawn == {"target", "mask"}


def test_the_turn_is_told_when_it_becomes_somebodys(playing: dict[str, Phone], table: Table) -> None:
    view = table.view()
    assert view["public"]["turn"] == "target"
    assert view["news"][-1]["kind"] == "turn"
    assert view["news"][-1]["seat"] == "target"
    answer = playing["target"].moves("attack_from_hand", card=0, house=1)
    assert [item["kind"] for item in answer["news"]] == ["attack", "turn"]
    assert answer["news"][-1]["seat"] == "mask"


def test_names_are_told_in_sentences_of_ones_own_language(playing: dict[str, Phone], table: Table) -> None:
    path = table.path
    english = table.client.with_(Accept_Language="en-GB, fr;q=0.5").get(path).json
    french = table.client.with_(Accept_Language="fr").get(path).json
    default = Client(table.client.url).get(path).json
    assert english["news"][-1]["text"] == "It’s Ana’s turn."
    assert french["news"][-1]["text"] != english["news"][-1]["text"]
    assert default == french
    switched = table.client.with_(Accept_Language="fr", Cookie="language=en").get(path).json
    assert switched == english


def test_at_least_twenty_pieces_of_news_stay(playing: dict[str, Phone], table: Table) -> None:
    for _ in range(10):
        playing["target"].moves("attack_from_hand", card=0, house=1)
        playing["mask"].moves("attack_from_hand", card=0, house=1)
    news = table.view()["news"]
    assert len(news) >= 20
    numbers = [item["n"] for item in news]
    assert numbers == list(range(numbers[0], numbers[0] + len(news)))


@pytest.mark.parametrize("seat", ["target", "mask"])
def test_a_seat_sees_its_own_hand_and_nobody_elses(playing: dict[str, Phone], seat: str) -> None:
    mine = playing[seat].view()["me"]
    laid = {"target": [1, 2, 3], "mask": [4, 5, 6]}[seat]
    assert mine["seat"] == seat
    assert mine["hand"]["houses"] == {"1": laid[0], "2": laid[1], "3": laid[2]}
    assert sorted(mine["hand"]["cards"] + laid) == list(range(10))


def test_the_public_view_is_the_same_for_all(playing: dict[str, Phone], table: Table) -> None:
    public = table.view()
    assert public["me"] is None
    for client in (
        playing["mask"].client,
        table.client.bearing(table.host),
        table.client.bearing("nonsense"),
    ):
        assert client.get(table.path).json == public


def test_the_views_of_seats_differ_from_the_public_one_in_me_alone(
    playing: dict[str, Phone], table: Table
) -> None:
    for phone in playing.values():
        assert {**phone.view(), "me": None} == table.view()


def test_choices_are_offered_as_data(table: Table) -> None:
    phones = table.everybody()
    [choice] = phones["target"].view()["me"]["choices"]
    assert choice == {
        "type": "hide",
        "fields": [
            {"name": "houses", "kind": "arrange", "options": list(range(10)), "count": 3, "secret": True}
        ],
    }
    hide(phones)
    choices = phones["target"].view()["me"]["choices"]
    assert [choice["type"] for choice in choices] == [
        "attack_from_hand",
        "attack_from_house",
        *["swap"] * 3,
    ]
    assert phones["mask"].view()["me"]["choices"] == []


def test_two_people_may_have_the_same_name(client: Client) -> None:
    table = client.open_table(desk=None)
    table.join("target", "Ana")
    table.join("mask", "Ana")
    assert table.view()["seats"]["mask"]["name"] == "Ana"
    assert "Men in Mask" in table.view()["news"][1]["text"]


def test_a_seat_is_joined_by_one_of_two_who_come_at_once(client: Client) -> None:
    for _ in range(5):
        table = client.open_table(desk=None)
        with ThreadPoolExecutor(4) as pool:
            answers = list(
                pool.map(lambda name, at=table: at.take("mask", name), ("Ana", "Bo", "Chloé", "Dan"))
            )
        assert sorted(answer.status for answer in answers) == [200, 409, 409, 409]
        assert table.view()["version"] == 1
