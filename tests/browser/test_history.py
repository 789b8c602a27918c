"""From the end of a game to its history, a person, the replay, and deletion."""

import re

from playwright.sync_api import expect

from tests.support.browser.windows import PHONE, Window, holds
from tests.support.web.http_client import Client
from tests.support.web.random_player import hide
from tests.support.web.server_process import Running


def test_from_the_last_move_to_history_person_replay_and_deletion(window: Window, server: Running) -> None:
    client = server.client
    table = client.open_table(desk=None, options={"first": "target", "turn_cap": 2})
    phones = {"target": table.join("target", "Mélusine"), "mask": table.join("mask", "Perceval")}
    hide(phones)
    page = window(PHONE)
    holds(page, f"seat_{table.code}_target", phones["target"].token, client.url)
    for phone in phones.values():
        phone.moves("attack_from_hand", card=0, house=1)
    page.goto(f"/t/{table.code}/s/target?seen=999")
    link = page.get_by_role("link", name="Noter dans BG Stats")
    expect(link).to_have_attribute(
        "href", re.compile(r"^https://app\.bgstatsapp\.com/createPlay\.html\?data=")
    )

    page.get_by_role("link", name="Parties jouées").click()
    newest = page.locator(".past-game").first
    expect(newest).to_contain_text("Mélusine")
    newest.get_by_role("link", name="Mélusine").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Mélusine")
    expect(page.locator(".lead")).to_contain_text("1 partie")
    expect(page.get_by_role("img").first).to_have_attribute("aria-label", re.compile("gagnée|nulle|perdue"))
    expect(page.locator("section", has_text="Face à face").last).to_contain_text("Perceval")

    page.get_by_role("link", name="Revoir").click()
    expect(page).to_have_url(re.compile(rf"/t/{table.code}/record$"))
    expect(page.locator("#step")).to_contain_text("Mélusine")
    expect(page.locator(".verdict")).to_have_class(re.compile("is-fine"))

    page.goto("/person?name=melusine")
    page.get_by_role("link", name="Effacer le nom de Mélusine").click()
    page.get_by_role("link", name="Ne rien effacer").click()
    page.get_by_text("Effacer un nom").click()
    page.get_by_role("textbox").fill("melusine")
    page.get_by_role("button", name="Continuer").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Effacer le nom de Mélusine ?")
    page.get_by_role("button", name="Effacer pour toujours").click()
    expect(page.get_by_role("status").last).to_have_text("Le nom est effacé.")
    expect(newest).to_contain_text("quelqu’un")
    expect(newest).not_to_contain_text("Mélusine")
    newest.get_by_role("link", name="Revoir").click()
    expect(page.locator("#step")).to_contain_text("quelqu’un")
    expect(page.locator(".verdict")).to_have_class(re.compile("is-fine"))

    page.goto("/history")
    newest.get_by_role("link", name="Effacer").click()
    page.get_by_role("button", name="Effacer pour toujours").click()
    expect(page.get_by_role("status").last).to_have_text("La partie est effacée.")
    assert client.get(table.path).code == "unknown-table"


def test_the_overview_follows_the_tables(window: Window, server: Running) -> None:
    client: Client = server.client
    page = window((1280, 800))
    table = client.open_table(desk=None, options={"first": "target"})
    page.goto("/overview")
    card = page.locator(".overview-table", has_text=table.code)
    expect(card).to_contain_text("Places libres")
    table.everybody()
    expect(card).to_contain_text("On attend Ana et Bo")
    card.get_by_role("link", name=table.code).click()
    expect(page).to_have_url(re.compile(rf"/t/{table.code}$"))
