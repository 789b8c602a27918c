"""The rules page and the deduction sheet, as a browser without a script gets them."""

import re

import pytest

from referee.games import GAMES
from referee.presentation.rulebook import rulebook
from referee.presentation.words import LANGUAGES
from tests.support.web.http_client import Client, Phone
from tests.support.web.questions import answers, asks


def page(client: Client, path: str) -> str:
    answer = client.get(path)
    assert (answer.status, answer.kind) == (200, "text/html"), path
    return answer.content.decode()


def links(html: str) -> list[str]:
    return re.findall(r'href="([^"]+)"', html)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_its_rules_with_contents(client: Client, game: str, language: str) -> None:
    shown = page(client.with_(Accept_Language=language), f"/rules/{game}")
    assert f'<html lang="{language}"' in shown
    for id_ in (*rulebook(game, language).ids(), "table"):
        assert f'href="#{id_}"' in shown and f'<section id="{id_}"' in shown
    assert f"/rules/{game}" in links(page(client, f"/play/{game}"))


def test_rules_of_no_game(client: Client) -> None:
    assert client.get("/rules/chess").status == 404


@pytest.mark.parametrize("game", GAMES)
def test_from_a_seat_to_the_rules_of_its_step_and_back(client: Client, game: str) -> None:
    table = client.open_table(desk=None, game=game)
    phones = table.everybody()
    seat = table.view()["waiting_for"][0]
    here = f"/t/{table.code}/s/{seat}"
    shown = links(page(phones[seat].browser, here))
    (there,) = (link for link in shown if link.startswith(f"/t/{table.code}/rules"))
    path, _, section = there.partition("#")
    passages = GAMES[game].passages
    assert passages
    doing = phones[seat].view()["me"]["choices"]
    only = passages.moves[doing[0]["type"]] if len({choice["type"] for choice in doing}) == 1 else ""
    assert section in (only, passages.steps[table.view()["public"]["step"]])
    rules = page(phones[seat].browser, path)
    assert f'<section id="{section}"' in rules
    assert here in links(rules)
    assert f"/t/{table.code}" in links(page(client, path)), "whoever has no seat goes back to the screen"


def test_the_rules_of_a_table_are_those_it_settled(client: Client) -> None:
    table = client.open_table(desk=None, options={"turn_cap": 37, "refill_after_final": True})
    shown = page(client.with_(Cookie="language=en"), f"/t/{table.code}/rules")
    assert "after 37 turns" in shown
    assert "even after the final destruction" in shown
    assert re.search(r"<dt>Turn limit[^<]*</dt><dd>37</dd>", shown)
    deck = client.open_table(desk=None, game="agent_double", options={"trapped": "none"})
    assert "no special effect at this table" in page(
        client.with_(Cookie="language=en"), f"/t/{deck.code}/rules"
    )


@pytest.mark.parametrize(
    ("language", "says"),
    [
        ("fr", ("Un tueur à gages n’est pas une caméra", "Pendant qu’il se déplace, il ne voit rien")),
        ("en", ("A killer isn’t a camera", "While moving it sees nothing")),
    ],
)
def test_the_page_says_what_a_killer_is_not(client: Client, language: str, says: tuple[str, ...]) -> None:
    shown = page(client.with_(Accept_Language=language), "/rules/espion_contre_espion")
    assert all(each in shown for each in says)


def test_a_refused_move_leads_to_its_rule(playing: dict[str, Phone]) -> None:
    ana = playing["target"]
    form = {"type": "attack_from_hand", "version": "4", "field.card": "1", "field.house": "1"}
    refused = ana.sends_form(**form)
    assert refused.status == 422
    assert f"/t/{ana.table.code}/rules#attack-hand" in links(refused.content.decode())
    too_early = playing["mask"].sends_form(**form)
    assert f"/t/{ana.table.code}/rules#turn" in links(too_early.content.decode())


def test_an_action_that_is_missing_says_where_it_is_ruled(playing: dict[str, Phone]) -> None:
    ana, ben = playing["target"], playing["mask"]
    rule = f"/t/{ana.table.code}/rules#swap"
    here = f"/t/{ana.table.code}/s/target"
    assert rule not in links(page(ana.browser, here))
    for _ in range(5):
        ana.moves("swap", house=1, card=1, decoy=1)
        ben.moves("swap", house=1, card=4, decoy=1)
    assert rule in links(page(ana.browser, here))


# ---- deductions


@pytest.mark.parametrize("game", [game.id for game in GAMES.values() if game.aid])
def test_deductions_are_shown_to_their_seat_where_the_table_wants_them(client: Client, game: str) -> None:
    plain = client.open_table(desk=None, game=game)
    for seat, phone in plain.everybody().items():
        path = f"/t/{plain.code}/s/{seat}/aid"
        assert path not in page(phone.browser, f"/t/{plain.code}/s/{seat}")
        assert phone.browser.get(path).status == 404
    table = client.open_table(desk=None, game=game, options={"aids": True})
    mine, theirs = table.everybody().values()
    path = f"/t/{table.code}/s/{mine.seat}/aid"
    assert path in links(page(mine.browser, f"/t/{table.code}/s/{mine.seat}"))
    assert f"/t/{table.code}/s/{mine.seat}" in links(page(mine.browser, path))
    assert theirs.browser.get(path).status == 401
    assert client.get(path).status == 401


def test_the_sheet_says_what_is_left(client: Client) -> None:
    table = client.open_table(desk=None, options={"first": "target", "aids": True})
    ana, ben = (table.join(seat, name) for seat, name in (("target", "Ana"), ("mask", "<b>Bo")))
    path = f"/t/{table.code}/s/target/aid"
    assert "Your opponent hasn’t hidden anything yet" in page(ana.browser, path)
    ana.moves("hide", houses=[1, 2, 3])
    ben.moves("hide", houses=[8, 5, 6])
    ana.moves("attack_from_hand", card=7, house=1)
    shown = page(ana.browser, path)
    assert re.findall(r"(\d+) of 10 still possible", shown) == ["2", "10", "10"]
    first = shown.split("</section>")[0]
    assert re.findall(r"<b>(\d)</b>", first) == ["8", "9"]
    assert re.findall(r"<s>(\d)</s>", first) == list("01234567")


def test_the_sheet_follows_a_corrected_answer(client: Client) -> None:
    table = client.open_table(desk=None, options={"first": "target", "aids": True})
    ana, ben = (table.join(seat, name) for seat, name in (("target", "Ana"), ("mask", "Ben")))
    ana.moves("hide", houses=[1, 2, 3])
    hidden = ben.moves("hide", houses=[8, 5, 6])["news"][0]["n"]
    ana.moves("attack_from_hand", card=7, house=1)
    assert asks(ben, "correct", table, n=hidden, fields={"houses": [0, 5, 6]}).status == 200
    assert answers(ana).status == 200
    first = page(ana.browser, f"/t/{table.code}/s/target/aid").split("</section>")[0]
    assert re.findall(r"<b>(\d)</b>", first) == list("0123456"), "the answer is now LOWER"
