"""Presets of Agent Double decks: 22 cards in a form; saved, exported, imported, played with."""

import json
import re
from collections.abc import Iterator
from html import unescape
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from werkzeug.datastructures import MultiDict

from referee.games.agent_double.deck import SAMPLES, fits
from tests.support.web.http_client import Client
from web.pages.admin.form_decoding import nested
from web.wire.parsing import MAX_BODY

DECK, AGENTS = "/presets/agent_double/deck", "/presets/agent_double/agents"
NAME = "😀" * 24  # as long as the name of a preset may be, and longer still in a form
Fields = list[tuple[str, str]]


def card_fields(n: int, card: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """A card as the editor sends it: what it does not have is sent empty."""
    at = f"value.cards.{n}"
    yield f"{at}.back:text", card["back"]
    yield f"{at}.value", str(card["value"])
    yield f"{at}.special:some", card.get("special", "")
    yield f"{at}.name:some", card.get("name", "")
    if card.get("returns"):  # a box that is not ticked is not sent
        yield f"{at}.returns", "true"
    effects = [json.dumps([one]) for one in card["effect"]] or ["[]"] if "effect" in card else [""]
    yield from ((f"{at}.effect:all", text) for text in [*effects, "", ""][:3])


def deck_fields(cards: list[dict[str, Any]], name: str) -> Fields:
    return [("name", name), *(field for n, card in enumerate(cards) for field in card_fields(n, card))]


def kept(client: Client, name: str) -> Any:
    answer = client.get(f"{DECK}/file?name={quote(name)}")
    return answer.json["value"] if answer.status == 200 else None


def longest() -> list[dict[str, Any]]:
    """As many actions as there can be, all names and effects as long as they may be in a form."""
    simple = [{"back": "0/7", "value": 7}, {"back": "0/7", "value": 0, "special": "trapped"}]
    simple += [{"back": "0/7", "value": 0}] * 2 + [{"back": "1", "value": 1, "special": "personal"}]
    actions = [{"back": "?", "value": 7, "effect": ["fx_swap_loyalty"] * 3, "returns": True}] * 17
    return [{**card, "name": chr(0x1F600 + n) * 40} for n, card in enumerate((*simple, *actions))]


@pytest.mark.parametrize(
    "cards", [SAMPLES[0]["cards"], SAMPLES[1]["cards"], longest()], ids=["A", "B", "longest"]
)
def test_a_deck_is_entered_saved_and_played_with(client: Client, cards: list[dict[str, Any]]) -> None:
    assert client.post_form(DECK, *deck_fields(cards, NAME)).status == 303
    assert kept(client, NAME) == {"cards": cards}

    home = client.get("/play/agent_double").content.decode()
    found = re.search(rf'name="option.deck" value="([^"]*)"><span>{NAME}</span>', home)
    assert found
    chosen = unescape(found[1])
    assert chosen == f"@{NAME}"  # the form carries its name, not 22 cards
    opened = client.post_form("/open", ("game", "agent_double"), ("option.deck", chosen))
    assert opened.status == 303, opened.content
    code = opened.headers["Location"].rpartition("/")[2]
    assert client.get(f"/api/tables/{code}").json["options"]["deck"] == {"cards": cards}


def test_a_deck_that_was_taken_away_meanwhile_opens_no_table(client: Client) -> None:
    refused = client.post_form("/open", ("game", "agent_double"), ("option.deck", "@Gone"))
    assert refused.status == 422
    assert "“Gone” is no longer saved" in refused.content.decode()
    odd = client.post_form("/open", ("game", "agent_double"), ("option.trapped", "@Gone"))
    assert odd.status == 422


def test_a_table_without_a_list_is_opened_from_the_same_form(client: Client) -> None:
    opened = client.post_form("/open", ("game", "agent_double"), ("option.deck", "null"))
    assert opened.status == 303, opened.content
    code = opened.headers["Location"].rpartition("/")[2]
    assert client.get(f"/api/tables/{code}").json["options"]["deck"] is None


def test_a_mistake_names_the_card_and_the_rule_and_what_was_typed_stays(client: Client) -> None:
    cards = [dict(card) for card in SAMPLES[0]["cards"]]
    cards[5]["value"] = 7
    refused = client.post_form(DECK, *deck_fields(cards, "Wrong"))
    page = refused.content.decode()
    assert refused.status == 422
    assert "Card 6: a number on the back must equal the value." in page
    assert 'value="Wrong"' in page
    assert page.count('value="Test ') == len([card for card in cards if "name" in card])
    row = page[page.index("value.cards.5.back") : page.index("value.cards.6.back")]
    assert re.findall(r"<option selected>(.*?)</option>", row) == ["1", "7"]
    assert kept(client, "Wrong") is None


def test_a_card_that_returns_to_hand_is_ticked_when_the_deck_is_opened_again(client: Client) -> None:
    assert client.post_form(DECK, *deck_fields(SAMPLES[0]["cards"], "Returns")).status == 303
    page = client.get(f"{DECK}?name=Returns").content.decode()
    assert re.findall(r'name="value.cards.(\d+).returns" value="true" checked', page) == ["17"]
    assert "Goes back to hand after use" in page


def test_only_an_action_may_return_to_hand(client: Client) -> None:
    cards = [dict(card) for card in SAMPLES[0]["cards"]]
    cards[5]["returns"] = True
    page = client.post_form(DECK, *deck_fields(cards, "Wrong")).content.decode()
    assert "Card 6: only an action can return to hand." in page


def test_all_mistakes_are_told_at_once_each_at_its_card(client: Client) -> None:
    cards = [dict(card) for card in SAMPLES[0]["cards"]]
    cards[0]["value"] = 3
    for n in (5, 6, 7, 8, 9):
        cards[n]["back"] = ""
    page = client.post_form(DECK, *deck_fields(cards, "Wrong")).content.decode()
    rows = page.split("<legend>")[1:]
    flaws = [re.findall(r'<p class="flaw">(.*?)</p>', row) for row in rows]
    assert flaws[0] == ["Card 1: with a 0/7 back it must be worth 0 or 7."]
    assert [n for n, flaw in enumerate(flaws) if flaw] == [0, 5, 6, 7, 8, 9]
    listed = page[page.index('role="alert"') : page.index("</ul>")]
    assert listed.count("<li>") == 5
    assert "And 1 more below." in page


def test_a_deck_goes_to_another_referee_as_a_file(client: Client) -> None:
    client.post_form(DECK, *deck_fields(longest(), "Carried"))
    file = client.get(f"{DECK}/file?name=Carried").content
    assert client.post_form(DECK, ("forget", "Carried")).status == 303
    assert kept(client, "Carried") is None
    body = b"\r\n".join(
        (
            b"--cut",
            b'Content-Disposition: form-data; name="file"; filename="deck.json"',
            b"Content-Type: application/json",
            b"",
            file,
            b"--cut--",
            b"",
        )
    )
    sent = client.with_(Content_Type="multipart/form-data; boundary=cut").call("POST", DECK, body)
    assert sent.status == 303, sent.content
    assert kept(client, "Carried") == {"cards": longest()}


def test_a_form_without_end_is_refused(client: Client) -> None:
    fields = [*deck_fields(SAMPLES[0]["cards"], "Endless"), ("value.cards.22.name:some", "x" * 70_000)]
    assert client.post_form(DECK, *fields).status == 413
    assert kept(client, "Endless") is None


def test_agents_have_the_initials_of_ones_own_copy(client: Client) -> None:
    initials = ["K", "B", "S", "L", "É", "10"]
    fields = [(f"value.{n}:text", initial) for n, initial in enumerate(initials)]
    assert client.post_form(AGENTS, ("name", "Ours"), *fields).status == 303
    twice = client.post_form(AGENTS, ("name", "Twice"), *fields[:-1], ("value.5:text", "K"))
    assert twice.status == 422
    assert b"six different initials" in twice.content
    assert 'value="É"' in twice.content.decode()
    assert "<span>Ours</span>" in client.get("/play/agent_double").content.decode()


@pytest.mark.parametrize("option", ["deck", "agents", "influence"])
@pytest.mark.parametrize(
    "query", ["", "value=x", "value.cards=3", "value.cards.0=1", "value.0.x=[1]", "value.cards.0.effect=9"]
)
def test_an_editor_shows_whatever_it_is_given(client: Client, option: str, query: str) -> None:
    assert client.get(f"/presets/agent_double/{option}?{query}").status == 200


# ---- how a form says it


def test_what_is_empty_is_left_out() -> None:
    form = MultiDict(
        [("v.a:some", ""), ("v.b:some", "x"), ("v.c:all", ""), ("v.c:all", ""), ("v.d:text", "")]
    )
    assert nested(form, "v") == {"b": "x", "d": ""}


def test_lists_of_one_name_are_one_list() -> None:
    form = MultiDict(
        [("v.a:all", '["x"]'), ("v.a:all", ""), ("v.a:all", '["y"]'), ("v.b:all", "[]"), ("v.c:all", "z")]
    )
    assert nested(form, "v") == {"a": ["x", "y"], "b": [], "c": ["z"]}


def test_the_longest_deck_is_a_right_one_and_longer_as_a_form_than_a_body_of_the_api() -> None:
    assert fits({"cards": longest()})
    assert len(urlencode(deck_fields(longest(), NAME))) > MAX_BODY
