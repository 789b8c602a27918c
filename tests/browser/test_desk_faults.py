"""A desk with simulated printer faults, and its own screen that follows every table."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from referee.games import GAMES
from tests.support.browser.agent_hunter import open_table
from tests.support.browser.browser_player import scan_table
from tests.support.browser.windows import TV, Window
from tests.support.web.server_process import Running


@pytest.fixture
def desk_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server with a desk of its own, whose devices are all virtual."""
    with Running(tmp_path_factory.mktemp("desk") / "data", desk="virtual") as running:
        yield running
        assert "Traceback" not in running.said()


def status(desk: Page, words: str) -> None:
    expect(desk.locator("[data-lamp=status]")).to_contain_text(words)


def test_paper_runs_out_and_the_printer_goes_and_nothing_is_lost(window: Window, desk_house: Running) -> None:
    host, desk = window(TV, base_url=desk_house.url), window(TV, base_url=desk_house.url)
    open_table(host)
    desk.goto("/desk/main")
    status(desk, "prêt")
    paper = desk.locator(".printed").first
    for fault, told in (("Plus de papier", "papier"), ("Imprimante débranchée", "branchée")):
        desk.get_by_role("button", name=fault).click()
        expect(desk.get_by_role("button", name=fault, pressed=True)).to_be_visible()
        status(desk, "souci")
        host.get_by_role("button", name="Imprimer les billets d’entrée").click()
        expect(host.locator("#desk-trouble .alert")).to_contain_text(told)
        expect(paper).to_contain_text("attend l’imprimante")
        desk.get_by_role("button", name="Aucune panne").click()
        status(desk, "prêt")
        expect(paper).to_contain_text("imprimé")
        expect(host.locator("#desk-trouble .alert")).to_have_count(0)
    expect(desk.locator(".printed")).to_have_count(2)


def test_the_screen_of_the_desk_follows_every_table_by_itself(window: Window, desk_house: Running) -> None:
    screen, host = window(TV, base_url=desk_house.url), window(TV, base_url=desk_house.url)
    way_in = (desk_house.data / "screen.html").read_text().partition("url=")[2].partition('"')[0]
    screen.goto(way_in)
    expect(screen).to_have_url(re.compile(r"/desk/main/screen$"))
    expect(screen.locator(".to-play .qr")).to_have_count(1)
    code = open_table(host)
    expect(screen.locator(".top .code")).to_contain_text(code)
    expect(screen.locator(".qr")).to_have_count(1)
    assert scan_table(screen) == scan_table(host)
    other = next(game for game in GAMES if game != "agent_hunter")
    table = desk_house.client.open_table(game=other)
    expect(screen.locator(".top .code")).to_contain_text(table.code)
    assert scan_table(screen).endswith(f"/j/{table.code}/{table.key}")
    table.everybody()
    expect(screen.locator("body")).to_have_class(re.compile("playing"))
    expect(screen.locator(".qr")).to_have_count(0)
