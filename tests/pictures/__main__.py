"""`make pictures`: the pages of every game at phone, tablet and TV size, and those of the documents.

All of them go to the folder `pictures` (or the one that is named), those of the documents to this folder.
"""

import io
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image, ImageDraw
from playwright.sync_api import Page, sync_playwright

from referee.games import GAMES
from tests.pictures.scenes import Scene, scenes
from tests.support.browser.windows import FLAGS, PHONE, TABLET, TV, goes_to
from tests.support.web.server_process import Running

HERE = Path(__file__).parent
SIZES = {"phone": PHONE, "tablet": TABLET, "tv": TV}
PAPER, GAP, COLOURS = "#e9dfcb", 40, 96
WIDEST = 1100  # pixels of a picture in a document
EVENING = ("joining-tv", "secret-phone", "answer-phone", "over-tv")  # lobby, secret, answer, ending
FILM, EDGE, HOLE = "#1b2133", 44, (26, 18)  # a film strip: its colour, its edges, the holes in them
Pictures = dict[str, Image.Image]


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "pictures")
    folder.mkdir(parents=True, exist_ok=True)
    evenings = []
    with _server() as server, _window() as page:
        for game in GAMES:
            pictures = _taken(page, server, game)
            for name, picture in pictures.items():
                _save(picture, folder / f"{game}-{name}.png")
            _save(_together(pictures, "screen-tv", "act-phone", "answer-phone"), HERE / f"{game}.png")
            evenings.append(_film(pictures, *EVENING))
    _save(
        _together(pictures, "home-phone", "joining-tablet", "sheet-phone", "record-phone"),
        HERE / "around.png",
    )
    _save(_stacked(evenings), HERE / "evenings.png", colours=256)


def _taken(page: Page, server: Running, game: str) -> Pictures:
    """The scenes of a game, each at the sizes it is looked at."""
    return {
        f"{scene.name}-{size}": _shot(page, server.url, scene, SIZES[size])
        for scene in scenes(server.client, game)
        for size in scene.sizes
    }


def _shot(page: Page, url: str, scene: Scene, size: tuple[int, int]) -> Image.Image:
    goes_to(page, "about:blank")  # a page that waits may be on its way to another
    page.context.clear_cookies()
    page.context.add_cookies([{"name": n, "value": v, "url": url} for n, v in scene.cookies.items()])
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(url + scene.path)
    _settle(page)
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def _settle(page: Page) -> None:
    """A page that is alive says who is there, a record is checked: then it stands still."""
    if page.locator("#browser").count():
        page.locator("#browser .verdict").wait_for()
    page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")


def _together(taken: Pictures, *names: str) -> Image.Image:
    """Some of the pictures side by side."""
    pictures = [taken[name] for name in names]
    high = max(picture.height for picture in pictures) + 2 * GAP
    wide = sum(picture.width + GAP for picture in pictures) + GAP
    together = Image.new("RGB", (wide, high), PAPER)
    x = GAP
    for picture in pictures:
        together.paste(picture, (x, (high - picture.height) // 2))
        x += picture.width + GAP
    together.thumbnail((WIDEST, WIDEST))
    return together


def _film(taken: Pictures, *names: str) -> Image.Image:
    """Some of the pictures as the frames of a film strip, all equally high."""
    high = max(taken[name].height for name in names)
    frames = [
        frame.resize((frame.width * high // frame.height, high)) for frame in map(taken.__getitem__, names)
    ]
    film = Image.new("RGB", (sum(f.width + GAP // 2 for f in frames) + GAP // 2, high + 2 * EDGE), FILM)
    x = GAP // 2
    for frame in frames:
        film.paste(frame, (x, EDGE))
        x += frame.width + GAP // 2
    holes, (wide, tall) = ImageDraw.Draw(film), HOLE
    for left in range(GAP // 2, film.width - wide, 2 * wide):
        for top in ((EDGE - tall) // 2, high + EDGE + (EDGE - tall) // 2):
            holes.rounded_rectangle((left, top, left + wide, top + tall), 5, PAPER)
    film.thumbnail((WIDEST, WIDEST))
    return film


def _stacked(strips: list[Image.Image]) -> Image.Image:
    """Film strips below one another, the evening of one game in each."""
    whole = Image.new("RGB", (WIDEST, sum(strip.height + GAP // 4 for strip in strips)), PAPER)
    y = 0
    for strip in strips:
        whole.paste(strip, ((WIDEST - strip.width) // 2, y))
        y += strip.height + GAP // 4
    return whole


def _save(picture: Image.Image, path: Path, colours: int = COLOURS) -> None:
    picture.quantize(colours).save(path, optimize=True)


@contextmanager
def _server() -> Iterator[Running]:
    with tempfile.TemporaryDirectory() as folder, Running(Path(folder) / "data") as server:
        yield server


@contextmanager
def _window() -> Iterator[Page]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser.new_page(locale="fr-FR", reduced_motion="reduce")
        browser.close()


if __name__ == "__main__":
    main()
