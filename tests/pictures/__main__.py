"""`make pictures`: the README's picture, a table screen and two phones in the middle of a game."""

import io
import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from tests.browser.conftest import FLAGS, PHONE, TV
from tests.web.client import Phone, Table
from tests.web.server import Running

HERE = Path(__file__).parent
PAPER, GAP = "#e9dfcb", 40


def main() -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with (
        tempfile.TemporaryDirectory() as folder,
        Running(Path(folder) / "data") as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        table = server.client.open_table(options={"first": "target"})
        ana, bob = _play(table)
        screen = _shot(browser, f"{server.url}/t/{table.code}", TV)
        phones = [
            _shot(browser, f"{server.url}/t/{table.code}/s/{p.seat}{q}", PHONE, p)
            for p, q in ((ana, ""), (bob, "?do=attack_from_hand"))
        ]
        _side_by_side(screen, phones).save(HERE / "table.png", optimize=True)


def _play(table: Table) -> tuple[Phone, Phone]:
    ana, bob = table.join("target", "Ana"), table.join("mask", "Bob")
    ana.moves("hide", houses=[2, 7, 4])
    bob.moves("hide", houses=[5, 3, 8])
    ana.moves("attack_from_hand", card=3, house=2)
    bob.moves("swap", house=1, card=9, decoy=2)
    ana.moves("attack_from_hand", card=6, house=3)
    return ana, bob


def _shot(browser: Browser, url: str, size: tuple[int, int], phone: Phone | None = None) -> Image.Image:
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, locale="fr-FR")
    if phone:
        name = f"seat_{phone.table.code}_{phone.seat}"
        context.add_cookies([{"name": name, "value": phone.token, "url": url.split("/t/", maxsplit=1)[0]}])
    page = context.new_page()
    page.goto(url)
    if phone and "?" in url:  # past the answer, to the decision
        page.get_by_role("link", name="Continuer").click()
        page.goto(url)
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    context.close()
    return picture


def _side_by_side(screen: Image.Image, phones: list[Image.Image]) -> Image.Image:
    high = max(picture.height for picture in phones) + 2 * GAP
    wide = screen.width + sum(picture.width + GAP for picture in phones) + 2 * GAP
    together = Image.new("RGB", (wide, high), PAPER)
    x = GAP
    for picture in (screen, *phones):
        together.paste(picture, (x, (high - picture.height) // 2))
        x += picture.width + GAP
    return together.resize((wide * 2 // 3, high * 2 // 3)).quantize(128)


if __name__ == "__main__":
    main()
