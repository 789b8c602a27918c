"""The board of Espion contre Espion on a small phone: nothing lies over a square that may be tapped."""

from playwright.sync_api import Page, expect

from tests.support.browser.espion_contre_espion import TILES, EspionPlayer, set_up, sit
from tests.support.browser.windows import Window
from tests.support.web.server_process import Running

HIDDEN = """squares => squares.filter(square => {
  square.scrollIntoView({ block: "nearest" });
  const { left, top, width, height } = square.getBoundingClientRect();
  return !square.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}).map(square => square.getAttribute("aria-label") || square.firstElementChild.getAttribute("aria-label"))"""


def hidden(page: Page, squares: str) -> list[str]:
    """The squares that a finger does not reach, scroll as it may."""
    found = page.locator(squares)
    expect(found).not_to_have_count(0)
    answer: list[str] = found.evaluate_all(HIDDEN)
    return answer


def stands_clear(player: EspionPlayer) -> None:
    """Nothing is over the button, and it is in sight, when a choice was made."""
    button = player.page.locator("form.move > button.button")
    expect(button).to_be_in_viewport(ratio=1)
    button.click(trial=True)


def test_each_square_for_a_building_is_reached_before_and_after_one_is_picked(
    window: Window, server: Running
) -> None:
    table, players = sit(window, server.client, buildings=TILES)
    ana = players["dia"]
    ana.page.goto(f"/t/{table.code}/s/dia?do=place_building&case=0")
    assert hidden(ana.page, ".square") == []
    ana.taps("B3")
    stands_clear(ana)
    assert hidden(ana.page, ".square") == []


def test_each_square_for_the_spy_is_reached_and_a_refusal_stands_above_the_board(
    window: Window, server: Running
) -> None:
    table, players = sit(window, server.client, buildings=[])
    set_up(players)
    ana = players["dia"]
    ana.moves("place_camera", kind="line", cell="B7")
    ana.moves("move_killer", cell="D4", facing="N")
    ana.page.goto(f"/t/{table.code}/s/dia")
    assert hidden(ana.page, "[data-tap]") == []
    ana.walks("A9")
    refusal = ana.page.locator(".tap-words")
    expect(refusal).to_contain_text("Votre espion ne peut pas aller en A9")
    expect(refusal).to_be_in_viewport(ratio=1)
    expect(refusal.get_by_role("link", name="Pourquoi ? Voir la règle")).to_have_attribute(
        "href", f"/t/{table.code}/rules#spy"
    )
    ana.walks("E1")
    expect(refusal.get_by_role("link")).to_be_hidden()
    stands_clear(ana)
