"""Agent Double on two phones and a table screen: documents, deliveries, actions, decks of one's own."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from referee.games.agent_double.deck import SAMPLES
from tests.support.browser.agent_double import DoublePlayer
from tests.support.browser.browser_player import game_card, sit_down
from tests.support.browser.layout import LONG_NAMES, SCREENS, check_layout
from tests.support.browser.windows import PHONE, SMALL_PHONE, TV, Window
from tests.support.web.http_client import Client, Table
from tests.support.web.server_process import Running

TOKENS = {"red": [1, 2, 2, 3, 4, 5], "blue": [5, 4, 3, 2, 2, 1]}


@dataclass(frozen=True)
class Double:
    """A table with Ana (Red, who begins) and Ben (Blue)."""

    table: Table
    ana: DoublePlayer
    ben: DoublePlayer

    @property
    def code(self) -> str:
        return self.table.code

    def assign(self) -> None:
        """A 1, B 2, S 2, L 3, 5 4, 6 5 from Ana, the other way round from Ben."""
        for player in (self.ana, self.ben):
            player.moves("assign_loyalty", tokens=TOKENS[player.seat])

    def lay(self, *agents: str, back: str = "2", file: str = "") -> None:
        """Documents before these agents, in turn, each followed by what influence asks for."""
        for agent in agents:
            view = self.table.view()["public"]
            player = self.ana if view["turn"] == "red" else self.ben
            player.moves("place", agent=agent, back=back, file=file or back)
            if self.table.view()["public"]["step"] == "influence":
                assert player.phone
                (choice,) = player.phone.view()["me"]["choices"]
                player.moves("influence", agent=choice["fields"][0]["options"][0])

    def look(self, *players: DoublePlayer) -> None:
        for player in players:
            player.page.goto(f"/t/{self.code}/s/{player.seat}")


def seated(
    window: Window, client: Client, *, names: tuple[str, str] = ("Ana", "Ben"), **options: Any
) -> Double:
    table = client.open_table(game="agent_double", options={"first": "red", **options})

    ana, ben = (
        sit_down(DoublePlayer, window(PHONE), table, seat, name)
        for seat, name in zip(("red", "blue"), names, strict=True)
    )
    return Double(table, ana, ben)


@pytest.fixture
def game(window: Window, server: Running) -> Iterator[Double]:
    yield seated(window, server.client)


def screen_of(window: Window, game: Double, size: tuple[int, int] = TV) -> Page:
    screen = window(size)
    screen.goto(f"/t/{game.code}")
    return screen


def test_a_whole_game_to_the_sheet(game: Double, window: Window) -> None:
    ana, ben = game.ana, game.ben
    game.look(ana, ben)
    screen = screen_of(window, game)
    expect(ana.page.locator(".slot-name")).to_have_text([f"Agent {name}" for name in "ABSL56"])
    for token in (0, 1, 2, 3, 4, 5):
        ana.page.locator("[data-card]").nth(token).click()
    ana.checks()
    expect(ana.page.locator(".echo dt")).to_have_text([f"Agent {name}" for name in "ABSL56"])
    expect(ana.page.locator(".echo dd")).to_have_text(["1", "2", "2", "3", "4", "5"])
    ana.seals()
    ana.waits_for("Ben")
    ben.moves("assign_loyalty", tokens=TOKENS["blue"])

    ana.may_act()
    ana.lays("S", "3", "personal")
    expect(ana.page.locator(".echo dd")).to_have_text(["3", "S", "Docs personnels"])
    ana.moves("place", agent="S", back="3", file="personal")
    expect(ana.page.get_by_role("button", name="Déplacer un pion influence")).to_be_visible()
    assert ana.page.locator("input:checked").count() == 0, "what was picked for the document is no counter"
    ana.picks("agent", "A")
    ana.page.get_by_role("button", name="Avancer le pion de l’agent A").click()
    ana.waits_for("Ben")
    backs = screen.locator(".row-of-agents > li").nth(2).locator(".backs--red .back")
    expect(backs).to_have_text(["3"])
    expect(screen.locator(".row-of-agents > li").first.locator(".counter")).to_have_class(
        re.compile("is-moved")
    )
    assert ana.secret.locator(".token").all_text_contents() == ["1", "2", "2", "3", "4", "5"]
    expect(ana.secret).to_contain_text("Docs personnels")
    assert "Docs personnels" not in ben.page.content() + screen.content()

    game.lay(*"ABLABLABL5S5S5S")
    expect(ana.page.locator(".answer h1")).to_have_text("S livre !")
    for agent in ("B", "L", "A", "5"):
        ana.page.locator(".answer a.button").click()
        expect(ana.page.locator(".answer h1")).to_have_text(f"{agent} livre !")
    ana.goes_on()
    ana.sees(re.compile("gagne|Match nul"))
    expect(screen.locator(".is-delivered")).to_have_count(5)
    ana.page.get_by_role("link", name="feuille").click()
    expect(ana.page.locator(".slip")).to_contain_text("Agent S")
    expect(ana.page.locator(".slip")).to_contain_text("+1 P = 4")


def test_a_delivery_is_shown_step_by_step_then_the_chain(game: Double, window: Window) -> None:
    game.assign()
    game.lay(*"BBBSSS", back="4")
    game.look(game.ana, game.ben)
    screen = screen_of(window, game)
    game.lay("S")
    for player in (game.ana, game.ben):
        page = player.page
        player.sees_answer("S livre !")
        rows = page.locator(".answer .delivery tbody tr")
        expect(rows).to_contain_text(["Jeton", "Influence", "Loyauté", "Documents"])
        assert rows.nth(0).locator("td").all_text_contents() == ["2", "3"]
        assert rows.nth(1).locator("td").all_text_contents() == ["+1", "0"]
        expect(page.locator(".answer .takes")).to_have_text("Ana prend tout : 14")
        page.locator(".answer a.button").click()
        player.sees_answer("B livre !")
        player.goes_on()
    expect(screen.locator("#now .shout")).to_have_text("S et B livrent !")
    assert screen.locator("#now .went").all_inner_texts() == ["S : Rouge +14", "B : Bleu +12"]
    just = screen.locator(".dossier.is-just")
    expect(just).to_have_count(2)
    assert screen.locator(".is-just .agent-letter").all_inner_texts() == ["B2", "S1"]
    expect(screen.locator(".todo")).to_contain_text("Retournez les jetons et les documents des agents S, B")
    expect(just.nth(1).locator(".shown--red .back")).to_have_text(["4", "2"])


def test_an_action_is_composed_agreed_upon_and_its_peek_seen_by_one_phone_alone(
    game: Double, window: Window
) -> None:
    ana, ben = game.ana, game.ben
    game.assign()
    game.lay("A", "B", back="6")
    game.look(ana, ben)
    screen = screen_of(window, game)
    ana.chooses("act")
    ready = ana.page.locator("datalist option")
    assert ready.first.get_attribute("value") == "Regarder des documents"
    ana.page.get_by_role("combobox").fill("Fouineur")
    ana.page.get_by_role("button", name="Jouer cette action").click()
    ana.chooses("fx_peek")
    ana.picks("agent", "B")
    ana.page.locator("form.move button.button").click()
    ana.chooses("fx_move_file")
    ana.page.locator("a.pick", has_text="Agent A").click()
    ana.picks("to", "L")
    ana.page.locator("form.move button.button").click()
    told = [
        "Regarder les documents adverses devant l’agent B.",
        "Le document Rouge à dos « 6 », devant l’agent A, passe à l’agent L.",
    ]
    expect(ana.page.locator(".decision .would li")).to_have_text(told)
    ana.page.get_by_role("button", name="Terminer l’action").click()
    expect(ben.page.locator(".decision .would li")).to_have_text(told)
    expect(screen.locator(".would li")).to_have_text(told)
    expect(ana.page.locator(".peeked")).to_have_count(0)

    ben.page.get_by_role("button", name="D’accord", exact=True).click()
    expect(ana.page.locator(".peeked li")).to_have_text(["B 6"])
    expect(screen.locator(".row-of-agents > li").nth(3).locator(".back")).to_have_text(["6"])
    expect(ana.secret).to_be_hidden()
    game.look(ben)
    expect(ben.page.locator(".own-tokens")).to_have_count(1)
    expect(ben.page.locator(".peeked")).to_have_count(0)
    expect(screen.locator(".peeked")).to_have_count(0)


def test_a_card_that_returns_to_hand_is_said_so_before_the_other_agrees(game: Double) -> None:
    game.assign()
    game.ana.moves("act", name="Fouineur")
    game.look(game.ana, game.ben)
    game.ana.page.get_by_role("button", name="Terminer, carte en main").click()
    expect(game.ben.page.locator(".decision .would li").last).to_have_text("La carte revient en main.")
    game.ben.page.get_by_role("button", name="D’accord", exact=True).click()
    expect(game.ben.page.locator(".decision .would")).to_have_count(0)
    assert game.table.view()["public"]["hands"] == {"red": 5, "blue": 5}


def test_a_name_that_was_played_here_is_offered_for_the_next_card(game: Double) -> None:
    game.assign()
    game.ana.moves("act", name="Fouineur & <b>fils")
    game.ana.moves("act_done")
    game.ben.moves("agree")
    game.ana.moves("influence", agent="A")
    game.ben.page.goto(f"/t/{game.code}/s/blue?do=act")
    ready = game.ben.page.locator("datalist option")
    assert ready.first.get_attribute("value") == "Fouineur & <b>fils"
    expect(ready).to_have_count(8)


def test_an_action_goes_on_where_it_was_composed_even_if_the_stream_is_quicker(game: Double) -> None:
    """The same primitive is offered again, so the page of the form is still good: it must not come back."""
    page = game.ana.page
    game.assign()
    game.lay("A", "B")
    game.ana.moves("act", name="Fouineur")
    page.goto(f"/t/{game.code}/s/red?do=fx_marker&case=0")
    page.evaluate(
        """() => {
            const real = window.fetch;
            window.fetch = async (address, how) => {
                const isSent = how?.method === "POST";
                const shown = new Promise((go) => isSent
                    ? document.addEventListener("referee:shown", go, { once: true }) : go());
                const answer = await real(address, how);
                await shown;
                return answer;
            };
        }"""
    )
    game.ana.picks("agent", "S")
    page.locator("form.move button.button").click()
    expect(page.locator(".decision .would li")).to_have_text(["Un marqueur +1 document sur l’agent S."])


def test_a_trap_asks_its_owner_and_the_other_agrees(game: Double, window: Window) -> None:
    game.assign()
    game.lay(*"SSS")
    game.ben.moves("place", agent="S", back="5", file="trapped")
    game.look(game.ana, game.ben)
    screen = screen_of(window, game)
    expect(screen.locator(".is-asking")).to_contain_text("Docs piégés")
    expect(game.ben.page.locator(".decision .would")).to_contain_text("Agent S : Docs piégés de Ben")
    game.ben.picks("taker", "red")
    game.ben.page.get_by_role("button", name="Annoncer").click()
    expect(game.ana.page.locator(".proposed")).to_have_text("Selon la carte, Ana prend tous les documents.")
    game.ana.page.get_by_role("button", name="D’accord", exact=True).click()
    game.ana.sees_answer("S livre !")
    expect(game.ana.page.locator(".takes")).to_have_text("Ana prend tout : 11")


def test_a_turn_without_script(window: Window, server: Running) -> None:
    game = seated(lambda *_: window(SMALL_PHONE, java_script_enabled=False), server.client)
    game.ben.moves("assign_loyalty", tokens=TOKENS["blue"])
    game.look(game.ana)
    for place, token in enumerate(TOKENS["red"], 1):
        game.ana.picks(f"tokens.{place}", token)
    game.ana.checks()
    game.ana.seals()
    game.ana.lays("L", "?", "4")
    expect(game.ana.page.locator(".echo dd")).to_have_text(["?", "L", "4"])
    game.ana.seals()
    game.ana.picks("agent", "5")
    game.ana.page.locator("form.move button.button").click()
    game.ana.waits_for("Ben")
    assert game.table.view()["public"]["agents"][3]["files"] == [{"owner": "red", "back": "?"}]


@pytest.mark.parametrize("size", SCREENS)
def test_the_table_screen_needs_no_scrolling_in_play(
    window: Window, server: Running, size: tuple[int, int]
) -> None:
    """Not even after a chain of four, with the longest names."""
    game = seated(window, server.client, names=LONG_NAMES)
    game.assign()
    game.lay(*"AAABBBSS", back="0/7", file="7")
    game.lay(*"SLLL", back="7")
    game.lay("B")
    screen = screen_of(window, game, size)
    expect(screen.locator(".is-just")).to_have_count(4)
    assert screen.locator(".stage").evaluate("e => e.getBoundingClientRect().bottom <= innerHeight")
    spilled = screen.locator(".dossier").evaluate_all(
        """all => all.filter(e => e.scrollHeight > e.clientHeight + 1
            || e.scrollWidth > e.clientWidth + 1).length"""
    )
    assert spilled == 0


@pytest.mark.parametrize("size", [SMALL_PHONE, PHONE])
def test_nothing_sticks_out_of_a_phone(window: Window, server: Running, size: tuple[int, int]) -> None:
    game = seated(window, server.client, names=LONG_NAMES, deck=SAMPLES[0])
    page = game.ana.page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    game.look(game.ana)
    check_layout(page)
    game.assign()
    game.lay("A", "S", back="1")
    for query in ("", "?do=place&case=0", "?do=place&case=9", "?do=act", "?do=act&case=8"):
        page.goto(f"/t/{game.code}/s/red{query}")
        check_layout(page)
    page.locator(".folds summary").first.click()
    check_layout(page)
    for option in ("deck", "agents", "influence"):
        page.goto(f"/presets/agent_double/{option}")
        check_layout(page)


def test_a_known_action_names_its_targets_and_happens_at_once(window: Window, server: Running) -> None:
    game = seated(window, server.client, deck=SAMPLES[0])
    game.assign()
    game.lay("A", "S", back="1")
    game.look(game.ana)
    page = game.ana.page
    game.ana.chooses("act")
    page.get_by_role("link", name="Test 6").click()
    page.get_by_label("Déplacer un document").select_option(label="S → B (Bleu, dos 1)")
    page.get_by_role("button", name="Jouer cette action").click()
    expect(page.locator(".decision h1")).not_to_have_text("Jouer une action")
    assert [len(agent["files"]) for agent in game.table.view()["public"]["agents"]] == [1, 1, 0, 0, 0, 0]


def lines_of(deck: dict[str, Any]) -> list[str]:
    """The cards of a deck as somebody types them."""
    return [_line(card) for card in deck["cards"]]


def _line(card: dict[str, Any]) -> str:
    back, value = card["back"], str(card["value"])
    start = back if back == value else f"{back} {value}"
    if back != "?":
        return f"{start} {SPECIAL[card['special']]}" if "special" in card else start
    effects = [EFFECTS[one] for one in card.get("effect", ())] or ["rien"] * ("effect" in card)
    return "; ".join((f"{start} {card['name']}", *effects, *["revient"] * card.get("returns", False)))


SPECIAL = {"personal": "perso", "trapped": "Piege"}
EFFECTS = {
    "fx_peek": "regarder des d",
    "fx_marker": "poser un m",
    "fx_influence": "déplacer un pion",
    "fx_swap_loyalty": "echanger",
    "fx_peek_loyalty": "Regarder un jeton",
    "fx_move_file": "déplacer un document",
    "fx_remove_file": "retirer",
}


def kept_deck(page: Page, name: str) -> Any:
    return page.request.get("/presets/agent_double/deck/file", params={"name": name}).json()["value"]


@pytest.mark.parametrize("deck", SAMPLES, ids=["A", "B"])
def test_a_deck_is_typed_with_the_keyboard_alone(window: Window, deck: dict[str, Any]) -> None:
    page = window(PHONE)
    page.goto("/presets/agent_double/deck")
    page.get_by_label("Nom", exact=True).fill(deck["name"][:6])
    page.locator(".deck-text").first.focus()
    for n, line in enumerate(lines_of(deck)):
        expect(page.locator(".deck-text").nth(n)).to_be_focused()
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.type(line)
        page.keyboard.press("Enter")
        expect(page.locator("#deck-progress b")).to_have_text(f"{n + 1} cartes sur 22")
    expect(page.locator("#deck-progress span")).to_have_text("dos 0/7 : 4 sur 4")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("C’est enregistré")
    assert kept_deck(page, deck["name"][:6]) == {"cards": deck["cards"]}


def test_a_line_is_completed_while_it_is_typed(window: Window) -> None:
    page = window(SMALL_PHONE)
    page.goto("/presets/agent_double/deck")
    line, hints = page.get_by_role("combobox", name="Carte 6"), page.get_by_role("option")
    line.focus()
    page.keyboard.type("? 2 Fouineur; jeton")
    expect(hints).to_have_text(["Échanger deux jetons loyauté", "Regarder un jeton loyauté"])
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("option", selected=True)).to_have_text("Regarder un jeton loyauté")
    expect(line).to_have_attribute("aria-activedescendant", re.compile("hints-6-1"))
    page.keyboard.press("Enter")
    expect(line).to_have_value("? 2 Fouineur; Regarder un jeton loyauté")
    page.keyboard.type("; poser")
    hints.first.click()
    expect(line).to_have_value("? 2 Fouineur; Regarder un jeton loyauté; Poser un marqueur +1")
    page.keyboard.press("Escape")
    expect(hints).to_have_count(0)
    page.get_by_role("button", name="Carte 6 en détail").click()
    row = page.locator(".deck-card").nth(5)
    expect(row.get_by_label("Effet 1")).to_have_value('["fx_peek_loyalty"]')
    expect(row.get_by_label("Effet 2")).to_have_value('["fx_marker"]')
    row.get_by_label("Valeur").select_option("4")  # the fields change the line
    expect(line).to_have_value("? 4 Fouineur; Regarder un jeton loyauté; Poser un marqueur +1")
    check_layout(page)


@pytest.mark.parametrize("separator", ["\t", ";", ","])
def test_a_table_is_pasted_from_a_spreadsheet(window: Window, separator: str) -> None:
    page, deck = window(PHONE), SAMPLES[0]
    page.goto("/presets/agent_double/deck")
    page.get_by_label("Nom", exact=True).fill("Collé")
    rows = [separator.join(("Dos", "Valeur", "Nom"))]
    for card in deck["cards"]:
        after = [SPECIAL[card["special"]]] if "special" in card else []
        if "name" in card:
            effects = [EFFECTS[one] for one in card.get("effect", ())] or ["rien"] * ("effect" in card)
            after = [card["name"], *effects, *["revient"] * card.get("returns", False)]
        rows.append(separator.join((card["back"], str(card["value"]), *after)))
    pasted(page.locator(".deck-text").first, "\r\n".join(rows) + "\r\n")
    expect(page.locator("#deck-progress b")).to_have_text("22 cartes sur 22")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("status").first).to_contain_text("C’est enregistré")
    assert kept_deck(page, "Collé") == {"cards": deck["cards"]}


def pasted(field: Locator, text: str) -> None:
    field.evaluate(
        """(field, text) => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", text);
            const how = { clipboardData, bubbles: true, cancelable: true };
            field.dispatchEvent(new ClipboardEvent("paste", how));
        }""",
        text,
    )


def test_what_is_wrong_is_said_beside_its_line(window: Window) -> None:
    page = window(SMALL_PHONE, locale="en-GB")
    page.goto("/presets/agent_double/deck")
    for n, (line, told) in enumerate(
        (
            ("8", "Start with the back: 0 to 7, 0/7 or ?."),
            ("0/7", "The value is missing: 0 to 7."),
            ("? 3", "The action’s name is missing."),
            ("? 3 Snoop; dance", "“dance” isn’t an effect or document the referee knows."),
            ("4 secret", "“secret” isn’t an effect or document the referee knows."),
        )
    ):
        row = page.locator(".deck-card").nth(n)
        row.get_by_role("combobox").fill(line)
        expect(row.locator(".deck-read")).to_have_text(told)
        expect(row.get_by_role("combobox")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#deck-progress b")).to_have_text("0 of 22 cards")
    page.locator(".deck-text").first.fill("3")
    expect(page.locator(".deck-read").first).to_be_empty()
    expect(page.locator("#deck-progress b")).to_have_text("1 of 22 cards")
    check_layout(page)


def test_a_deck_is_entered_without_script_and_a_table_opened_with_it(window: Window) -> None:
    page = window(PHONE, java_script_enabled=False)
    page.goto("/presets/agent_double/deck")
    expect(page.locator(".deck-text").first).to_be_hidden()
    page.get_by_label("Nom", exact=True).fill("Notre boîte")
    for n, card in enumerate(SAMPLES[1]["cards"]):
        row = page.locator(".deck-card").nth(n)
        row.get_by_label("Dos").select_option(card["back"])
        row.get_by_label("Valeur").select_option(str(card["value"]))
        if special := card.get("special"):
            row.locator("[data-simple] select").select_option(special)
        if name := card.get("name"):
            row.get_by_label("Nom de l’action").fill(name)
        if card.get("returns"):
            row.get_by_label("Revient en main une fois jouée").check()
        for place, effect in enumerate(card.get("effect", ()), 1):
            row.get_by_label(f"Effet {place}").select_option(json.dumps([effect]))
    page.locator(".deck-card").nth(5).get_by_label("Valeur").select_option("7")
    page.locator(".deck-card").nth(0).get_by_label("Valeur").select_option("3")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("alert")).to_contain_text("Carte 6 : un dos chiffré est égal à la valeur.")
    told = page.locator(".deck-card").nth(0).locator(".flaw")
    expect(told).to_have_text("Carte 1 : un dos 0/7 vaut 0 ou 7.")
    page.locator(".deck-card").nth(0).get_by_label("Valeur").select_option("0")
    expect(page.locator(".deck-card").nth(21).get_by_label("Nom de l’action")).to_have_value("Test 4")
    page.locator(".deck-card").nth(5).get_by_label("Valeur").select_option("1")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("status").first).to_be_visible()

    page.goto("/")
    wish = game_card(page, "Agent Double")
    wish.locator("details.options summary").click()
    wish.get_by_label("Notre boîte").check()
    wish.get_by_role("button", name="Ouvrir la table").click()
    expect(page.locator(".seat-card .qr")).to_have_count(2)
    view = page.request.get(f"/api/tables/{page.url.rpartition('/')[2]}").json()
    assert view["options"]["deck"] == {"cards": SAMPLES[1]["cards"]}
