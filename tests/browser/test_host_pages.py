"""The host's pages, and what a browser says beside an empty field."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.layout import check_sizes
from tests.support.browser.windows import PHONE, TV, Window, holds
from tests.support.web.http_client import Client, Phone, Table
from tests.support.web.server_process import Running


@pytest.fixture
def table(server: Running) -> Table:
    return server.client.open_table(desk=None, options={"first": "target"})


def manage(page: Page, table: Table) -> None:
    page.goto("/overview")
    page.locator(".overview-table", has_text=table.code).get_by_role("link", name="Gérer cette table").click()


def test_a_host_names_a_table_and_closes_it(window: Window, table: Table) -> None:
    page = window(PHONE)
    manage(page, table)
    page.get_by_label("Nom ou numéro de la table").fill("Fenêtre 3")
    page.get_by_role("button", name="Enregistrer").click()
    card = page.locator(".overview-table", has_text=table.code)
    expect(card.locator(".table-name")).to_have_text("Fenêtre 3")
    card.get_by_role("link", name="Gérer cette table").click()
    check_sizes(page)
    page.get_by_role("button", name="Fermer la table").click()
    expect(page.get_by_role("status").first).to_have_text("La table est fermée.")
    expect(card).to_have_count(0)


def test_players_are_asked_on_their_phones_before_their_game_is_closed(window: Window, table: Table) -> None:
    phones = table.everybody()
    phone = window(PHONE)
    _looks(phone, phones["target"])
    host = window(PHONE)
    manage(host, table)
    host.get_by_role("button", name="Demander aux joueurs").click()
    expect(host.get_by_role("status").first).to_have_text("La question est posée aux joueurs.")
    expect(phone.locator("#question")).to_contain_text("arrêter la partie")
    assert table.view()["status"] == "playing"


def test_the_clock_ticks_on_the_pages_of_a_table_and_a_move_starts_it_again(
    window: Window, table: Table
) -> None:
    phones = table.everybody()
    phone, screen = window(PHONE), window(TV)
    phone.clock.install()
    _looks(phone, phones["target"])
    screen.goto(f"/t/{table.code}")
    expect(phone.locator(".turn-clock")).to_have_count(0)
    host = window(PHONE)
    manage(host, table)
    version = table.view()["version"]
    host.get_by_label("Montrer le temps du tour").check()
    host.get_by_role("button", name="Enregistrer").click()
    for page in (phone, screen):
        expect(page.locator("[data-clock]")).to_have_text(re.compile(r"^\d+:\d\d$"))
    assert table.view()["version"] == version, "nothing of the game has changed"
    phone.clock.run_for(125_000)
    expect(phone.locator("[data-clock]")).to_have_text(re.compile(r"^2:\d\d$"))
    phones["mask"].moves("hide", houses=[4, 5, 6])
    phone.clock.run_for(1000)
    expect(phone.locator("[data-clock]")).to_have_text(re.compile(r"^0:0\d$"))


def test_the_alarm_sounds_once_for_each_table_that_stands_still(window: Window, table: Table) -> None:
    page = window(PHONE)
    page.goto("/overview")
    page.evaluate(
        """() => {
            const { dataset } = document.documentElement;
            const count = () => (dataset.alarms = Number(dataset.alarms || 0) + 1);
            document.addEventListener("overview:alarm", count);
        }"""
    )
    html, button = page.locator("html"), page.get_by_role("button", name="Son de l’alerte")
    button.click()  # sounds once, to be heard
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(html).to_have_attribute("data-alarms", "1")
    for still, alarms in (("2", "2"), ("2", "2"), ("1", "2"), ("3", "3")):
        page.evaluate(
            """still => {
                document.querySelector("[data-still]").dataset.still = still;
                document.dispatchEvent(new CustomEvent("referee:shown"));
            }""",
            still,
        )
        expect(html).to_have_attribute("data-alarms", alarms)
        expect(page).to_have_title(re.compile(rf"^\({still}\) "))
    page.reload()
    expect(button).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize(
    ("path", "field", "words"),
    [
        ("/presets/agent_double/deck", "#name", "Please fill in this field."),
        ("/presets/agent_double/agents", "#name", "Please fill in this field."),
        ("/presets/agent_double/deck", "#file", "Please choose one."),
    ],
)
def test_a_missing_field_is_named_in_the_language_of_the_page(
    window: Window, server: Running, path: str, field: str, words: str
) -> None:
    """The browser speaks French, the page English."""
    page = window(PHONE)
    holds(page, "language", "en", server.client.url)
    page.goto(path)
    told = page.locator(field).evaluate("field => (field.reportValidity(), field.validationMessage)")
    assert told == words
    if field == "#name":
        page.locator(field).fill("Ours")
        assert page.locator(field).evaluate("field => field.checkValidity()")


def _looks(page: Page, phone: Phone) -> None:
    client: Client = phone.table.client
    holds(page, f"seat_{phone.table.code}_{phone.seat}", phone.token, client.url)
    page.goto(f"/t/{phone.table.code}/s/{phone.seat}?seen=999")
