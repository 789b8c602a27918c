"""Agent Avenue on its pages: what is sealed, and what was corrected."""

import re
from collections.abc import Iterator

import pytest

from tests.support.web.http_client import Client, Phone
from tests.support.web.questions import answers, asks

Phones = dict[str, Phone]


@pytest.fixture
def avenue(client: Client) -> Iterator[Phones]:
    table = client.with_(Accept_Language="fr").open_table(
        game="agent_avenue", options={"first": "green"}, desk=None
    )
    yield table.everybody()


def page(phone: Phone, seen: int = 0) -> str:
    """A seat's page, with single spaces, once all answers up to this one were tapped away."""
    code, seat, client = phone.table.code, phone.seat, phone.browser
    cookies = f"{client.headers['Cookie']}; seen_{code}_{seat}={seen}"
    html = client.with_(Cookie=cookies).get(f"/t/{code}/s/{seat}").content.decode()
    return " ".join(html.replace("\u00a0", " ").replace("\u202f", " ").split())


def turn(active: Phone, other: Phone, shown: str, hidden: str) -> None:
    active.moves("show", agent=shown)
    active.moves("conceal", agent=hidden)
    other.moves("take", card="face_up")


def labels(phone: Phone) -> list[str]:
    """The secrets that a seat may correct, as its page calls them."""
    return re.findall(r'<a class="button quiet" href="\?correct=\d+">([^<]+)</a>', page(phone))


def test_the_secrets_to_correct_are_told_apart_in_words(avenue: Phones) -> None:
    ana, bob = avenue.values()
    turn(ana, bob, shown="sentinel", hidden="enforcer")
    assert labels(ana) == ["Jouer face cachée"]
    turn(bob, ana, shown="daredevil", hidden="codebreaker")
    turn(ana, bob, shown="saboteur", hidden="enforcer")
    first, _, last = [item["n"] for item in ana.view()["news"] if item["kind"] == "concealed"]
    assert labels(ana) == [
        f"Carte cachée, jouée avec : Saboteur (n° {last})",
        f"Carte cachée, jouée avec : Sentinelle (n° {first})",
    ]
    assert labels(bob) == ["Jouer face cachée"]


def test_the_others_are_told_which_card_they_are_asked_about(avenue: Phones) -> None:
    ana, bob = avenue.values()
    turn(ana, bob, shown="sentinel", hidden="enforcer")
    n = next(item["n"] for item in ana.view()["news"] if item["kind"] == "concealed")
    daredevil = {"n": n, "fields": {"agent": "daredevil"}}
    asks(ana, "correct", ana.table, **daredevil)
    assert "<blockquote>Ana a posé une carte face cachée.</blockquote>" in page(bob)
    answers(bob, accept=False)
    turn(bob, ana, shown="codebreaker", hidden="enforcer")
    turn(ana, bob, shown="codebreaker", hidden="sentinel")
    asks(ana, "correct", ana.table, **daredevil)
    assert "Ana joue face visible : Sentinelle. Ana a posé une carte face cachée." in page(bob)
    answers(bob)
    for phone, recruit, pawn in (
        (ana, "Votre recrue", "Votre pion"),
        (bob, "La recrue d’Ana", "Le pion d’Ana"),
    ):
        shown = page(phone, seen=phone.view()["news"][-1]["n"])
        assert f"{recruit} est Risque-tout, et non Mercenaire." in shown
        assert f"{pawn} va en case 2." in shown


def test_after_an_undo_each_phone_says_what_to_put_back(avenue: Phones) -> None:
    ana, bob = avenue.values()
    turn(ana, bob, shown="sentinel", hidden="enforcer")
    asks(bob, "undo", bob.table)
    answers(ana)
    for phone, pawn in ((ana, "Votre pion"), (bob, "Le pion d’Ana")):
        shown = page(phone)
        assert f"{pawn} va en case 0." in shown
        assert "Remettez au centre, face cachée, cette recrue d’Ana : Mercenaire." in shown
    screen = ana.table.client.with_(Accept_Language="fr").get(f"/t/{ana.table.code}").content.decode()
    assert "Le pion d’Ana va en case 0." in screen


def test_the_echo_draws_the_card(avenue: Phones) -> None:
    ana, _ = avenue.values()
    ana.moves("show", agent="sentinel")
    path, version = f"/t/{ana.table.code}/s/green", str(ana.view()["version"])
    move = {"type": "conceal", "version": version, "field.agent": '"mole"', "check": "1"}
    sent = ana.sends_form(f"{path}?do=conceal&case=0", **move)
    assert sent.status == 303
    draft = sent.headers["Set-Cookie"].partition(";")[0]
    client = ana.browser
    cookie = f"{client.headers['Cookie']}; {draft}"
    echo = client.with_(Cookie=cookie).get(str(sent.headers["Location"])).content.decode()
    assert "agent--mole" in echo
    assert "est-ce bien celle-ci" in echo
    assert "ne se corrige plus" not in echo


def marked(phone: Phone, agent: str) -> list[str]:
    """The symbols of an agent that a page sets off: those that would be used now."""
    found = re.search(rf"agent--{agent}.*?</label>", page(phone, seen=phone.view()["news"][-1]["n"]))
    assert found
    return re.findall(r"<i class=is-next>([^<]+)</i>", found[0])


def test_an_agent_that_is_recruited_again_uses_its_own_symbol(client: Client) -> None:
    options = {"first": "green", "mode": "advanced"}
    ana, bob = client.open_table(game="agent_avenue", options=options, desk=None).everybody().values()
    ana.moves("market_setup", cards=["spycation", "outpost", "masterplan"])
    assert marked(ana, "daredevil") == ["+2"]
    turn(ana, bob, shown="sentinel", hidden="daredevil")
    ana.moves("market_pick", card="spycation")
    bob.moves("market_refill", card="watchtower")
    assert marked(ana, "daredevil") == ["+2"]
    ana.moves("take_back", agent="daredevil", recruit=False)
    turn(bob, ana, shown="daredevil", hidden="codebreaker")
    assert marked(ana, "daredevil") == ["+3"]


def test_the_side_that_won_is_marked_in_a_team_too(client: Client) -> None:
    table = client.open_table(game="agent_avenue", options={"first": "green", "players": 4}, desk=None)
    ana, chloe, bob, _ = table.everybody().values()
    ana.moves("show", agent="mole")
    chloe.moves("conceal", agent="sidekick")
    bob.moves("take", card="face_up")
    screen = table.client.get(f"/t/{table.code}").content.decode()
    assert re.findall(r'<div class="seat-(\d) is-winner">', screen) == ["1"]


def test_an_agent_of_which_there_is_no_other_has_no_next_symbol(client: Client) -> None:
    table = client.open_table(game="agent_avenue", options={"first": "green"}, desk=None)
    ana, bob = table.everybody().values()
    turn(ana, bob, shown="sentinel", hidden="sidekick")
    screen = client.get(f"/t/{table.code}").content.decode()
    symbols = r" <b>×1</b></span>\s*<span class=\"symbols\">"
    assert re.search(rf"Acolyte{symbols}<i>\+4</i>", screen)
    assert re.search(rf"Sentinelle{symbols}<i>0</i><i class=is-next>", screen)
