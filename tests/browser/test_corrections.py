"""Both phones and the screen while a correction changes an answer, a delivery and an end."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.layout import SCREENS, check_layout, sizes
from tests.support.browser.windows import PHONE, SMALL_PHONE, TV, Window, holds
from tests.support.web.http_client import Client, Phone, Table
from tests.support.web.questions import answers, asks
from tests.support.web.server_process import Running

HEARD = """addEventListener("DOMContentLoaded", () => {
    window.heard = [];
    speechSynthesis.speak = said => {
        heard.push(said.text);
        setTimeout(() => said.dispatchEvent(new Event("end")));
    };
});"""  # the voice of a screen, written down


@dataclass(frozen=True)
class Watched:
    """A table with two people, the windows of their phones, and its screen, which speaks."""

    table: Table
    phones: tuple[Phone, Phone]
    windows: tuple[Page, Page]
    screen: Page

    def corrects(self, by: int, n: int, **fields: object) -> None:
        """One of the two corrects a secret, and the other agrees."""
        asked, other = self.phones[by], self.phones[1 - by]
        assert asks(asked, "correct", self.table, n=n, fields=fields).status == 200
        assert answers(other).status == 200

    def sees_large(self, *lines: str, by_seat: Sequence[Mapping[str, str]] = ({}, {})) -> None:
        """On both phones a large answer with all that changed, the newest first; then they go on. `by_seat`
        says what reads otherwise on the phone of each."""
        for page, others in zip(self.windows, by_seat, strict=True):
            mine = [reduce(lambda line, pair: line.replace(*pair), others.items(), line) for line in lines]
            expect(page.locator(".answer h1")).to_have_text("CORRIGÉ")
            expect(page.locator(".answer .put-right li")).to_have_text(mine)
            check_layout(page)
            page.locator(".answer a.button").click()
            expect(page.locator(".answer")).to_have_count(0)
        expect(self.screen.locator("#now .put-right li")).to_have_text(lines)

    def is_to_do(self, *each: Iterable[str]) -> None:
        """What the two phones and the screen say is to be changed on the real table."""
        for page, lines in zip((*self.windows, self.screen), each, strict=True):
            expect(page.locator("#todo li")).to_have_text(list(lines))

    def heard(self, sentence: str) -> None:
        """All that the screen has said since the question."""
        self.screen.wait_for_function("() => heard.length > 1")
        said = self.screen.evaluate("heard.splice(0)")
        assert [line.replace("\u00a0", " ") for line in said][1:] == [sentence]


def watched(window: Window, client: Client, game: str, first: str) -> Watched:
    table = client.open_table(game=game, options={"first": first})
    ana, ben = (table.join(seat, name) for seat, name in zip(table.keys, ("Ana", "Ben"), strict=True))
    windows = window(PHONE), window(SMALL_PHONE)
    for page, phone in zip(windows, (ana, ben), strict=True):
        holds(page, f"seat_{table.code}_{phone.seat}", phone.token, client.url)
    screen = window(TV, color_scheme="light")  # a window of its own kind: its voice is written down
    screen.add_init_script(HEARD)
    return Watched(table, (ana, ben), windows, screen)


def looks(game: Watched) -> None:
    """Everybody opens their page and has seen what was said so far; the screen speaks from now on."""
    for page, phone in zip(game.windows, game.phones, strict=True):
        page.goto(f"/t/{game.table.code}/s/{phone.seat}")
        while page.locator(".answer a.button").count():
            shown = page.locator("body").get_attribute("data-answer")
            page.locator(".answer a.button").click()
            expect(page.locator(f"body[data-answer='{shown}']")).to_have_count(0)
    game.screen.goto(f"/t/{game.table.code}")
    game.screen.locator("[data-voice]").click()
    game.screen.wait_for_function("() => heard.length == 1")
    game.screen.evaluate("heard.splice(0)")


@pytest.fixture
def hunter(window: Window, server: Running) -> Watched:
    game = watched(window, server.client, "agent_hunter", "target")
    ana, ben = game.phones
    ana.moves("hide", houses=[1, 2, 3])
    ben.moves("hide", houses=[4, 7, 8])
    return game


ATTACKER = {"Ana attaque": "Vous attaquez", "de sa main": "de votre main"}  # what Ana reads
DEFENDER = {
    "attaque la planque": "attaque votre planque",
    "La planque 3 de Ben": "Votre planque 3",
    "Les trois planques de Ben": "Vos trois planques",
}


def attackers(told: str) -> str:
    return told.replace("Attaque d’Ana", "Votre attaque")


def defenders(told: str) -> str:
    return re.sub(r"la planque (\d) de Ben", r"votre planque \1", told)


def test_an_answer_flips(hunter: Watched) -> None:
    """Ben hid 4 7 8 and meant 9 7 8: the 5 against his house 1 was MOINS."""
    ana, _ = hunter.phones
    ana.moves("attack_from_hand", card=5, house=1)
    looks(hunter)
    hunter.corrects(1, 5, houses=[9, 7, 8])
    hunter.sees_large(
        "Ana attaque la planque 1 avec le 5 de sa main : PLUS."
        " et non : Ana attaque la planque 1 avec le 5 de sa main : MOINS.",
        by_seat=(ATTACKER, DEFENDER),
    )
    told = "Attaque d’Ana avec le 5 : la réponse pour la planque 1 de Ben est PLUS, et non MOINS."
    hunter.is_to_do([attackers(told)], [defenders(told)], [told])
    hunter.heard("Un secret est corrigé : une annonce change.")
    hunter.windows[0].locator("details[data-fold=history] summary").click()
    log = hunter.windows[0].locator("#history li[data-kind=attack]:has(s)")
    expect(log).to_have_count(1)
    assert log.locator("s").text_content()


def test_an_end_flips(hunter: Watched) -> None:
    """The third house held a 6, not an 8: it stands, and the game goes on."""
    ana, ben = hunter.phones
    for house, card in ((1, 4), (2, 7)):
        ana.moves("attack_from_hand", card=card, house=house)
        ben.moves("attack_from_hand", card=9, house=1)
    ana.moves("attack_from_hand", card=8, house=3)
    looks(hunter)
    expect(hunter.windows[0].locator("#decision h1")).to_have_text("Vous gagnez !")
    asks(ben, "correct", hunter.table, n=5, fields={"houses": [4, 7, 6]})
    for page in hunter.windows:
        expect(page.locator(".asked .alert")).to_contain_text("la partie n’est pas finie : elle reprendrait")
    expect(hunter.screen.locator("#now")).to_contain_text("alors que les mains ont été vues")
    assert answers(ana).status == 200
    hunter.sees_large(
        "À Ben de jouer.",
        "Ce n’est plus vrai : Partie terminée : Ana gagne. Les trois planques de Ben sont détruites.",
        "Ce n’est plus vrai : La planque 3 de Ben est détruite : c’était le 8.",
        "Ana attaque la planque 3 avec le 8 de sa main : MOINS."
        " et non : Ana attaque la planque 3 avec le 8 de sa main : RÉUSSITE !",
        by_seat=(ATTACKER, DEFENDER),
    )
    told = "Attaque d’Ana avec le 8 : la réponse pour la planque 3 de Ben est MOINS, et non RÉUSSITE."
    stands = "La planque 3 de Ben n’est plus détruite : son espion y revient face cachée."
    hunter.is_to_do(
        [attackers(told), "Reprenez en main votre 8, posé sur la planque 3 de Ben.", stands],
        [
            defenders(told),
            "Ana reprend son 8, posé sur votre planque 3.",
            "Votre planque 3 n’est plus détruite : remettez son espion face cachée.",
        ],
        [told, "Ana reprend son 8, posé sur la planque 3 de Ben.", stands],
    )
    hunter.heard("Un secret est corrigé : 4 annonces changent.")
    expect(hunter.windows[1].locator("#decision h1")).to_have_text("À vous de jouer")


def test_a_chain_of_deliveries_put_right_or_taken_back_leaves_the_board_on_the_screen(
    window: Window, server: Running
) -> None:
    game = watched(window, server.client, "agent_double", "red")
    ana, ben = game.phones
    ana.moves("assign_loyalty", tokens=[1, 2, 3, 2, 4, 5])
    ben.moves("assign_loyalty", tokens=[5, 4, 2, 3, 2, 1])
    backs = {"B": "123", "L": "123", "S": "3452"}
    laid = [(agent, back) for agent, row in backs.items() for back in row]
    for turn, (agent, back) in enumerate(laid):
        phone, counter = (ben, "5SA") if turn % 2 else (ana, "6LB")
        phone.moves("place", agent=agent, back=back, file=back)
        if turn < 6:
            phone.moves("influence", agent=counter[turn // 2])
    game.corrects(1, 5, tokens=[5, 1, 4, 2, 2, 3])
    game.screen.goto(f"/t/{game.table.code}")
    expect(game.screen.locator("#now .put-right li")).to_have_count(3)
    fits(game.screen)
    assert asks(ana, "undo", game.table).status == 200
    assert answers(ben).status == 200
    expect(game.screen.locator("#todo")).to_contain_text("et la suite sur les téléphones")
    fits(game.screen)


def fits(screen: Page) -> None:
    """All of the board is in the window."""
    lowest = """Math.max(...[...document.querySelectorAll("#board *")]
        .filter(part => part.checkVisibility()).map(part => part.getBoundingClientRect().bottom))"""
    for _ in sizes(screen, *SCREENS):
        assert screen.evaluate(f"{lowest} <= innerHeight"), screen.viewport_size


def test_a_delivery_flips(window: Window, server: Running) -> None:
    """Ben gave S a 4, not a 2: the documents are his."""
    game = watched(window, server.client, "agent_double", "red")
    ana, ben = game.phones
    ana.moves("assign_loyalty", tokens=[1, 2, 3, 2, 4, 5])
    ben.moves("assign_loyalty", tokens=[5, 4, 2, 3, 2, 1])
    for phone, back, counter in ((ana, "3", "6"), (ben, "4", "5"), (ana, "5", "L"), (ben, "2", "B")):
        phone.moves("place", agent="S", back=back, file=back)
        phone.moves("influence", agent=counter)
    looks(game)
    game.corrects(1, 5, tokens=[5, 3, 4, 2, 2, 1])
    game.sees_large(
        "L’agent S livre ! Loyauté rouge 3, bleu 4 : Ben prend les documents, valeur 14."
        " et non : L’agent S livre ! Loyauté rouge 3, bleu 2 : Ana prend les documents, valeur 14."
        " il y a 1 coup",
        by_seat=({"Ana prend": "vous prenez"}, {"Ben prend": "vous prenez"}),
    )
    told = (
        "Agent S, loyauté rouge 3, bleu 4 : ses documents, valeur 14, passent de la pile d’Ana"
        " à celle de Ben."
    )
    game.is_to_do(
        [told, "Posez un document devant un agent, ou jouez une action."],
        [told],
        [told, "Ana pose un document ou joue une action."],
    )
    game.heard("Un secret est corrigé : une annonce change.")
