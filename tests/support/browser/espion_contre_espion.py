"""Espion contre Espion in a browser window: `ana.taps("B3")`, `ana.walks("E2", "E3")`."""

from playwright.sync_api import Locator

from tests.support.browser.browser_player import Player, Words, sit_down
from tests.support.browser.windows import PHONE, Window
from tests.support.web.http_client import Client, Table

TILES = [  # one open to the south and the east, one a corridor
    {"size": [2, 2], "walls": ["A1:W", "A2:W", "A2:N", "B2:N", "B1:S", "B2:E"]},
    {"size": [1, 2], "walls": ["A1:W", "A1:E", "A2:W", "A2:E"]},
]
SEATS = ("dia", "kcb")


def marked(marks: Locator) -> set[str]:
    """The squares that are shaded on a board."""
    return set((marks.get_attribute("data-cells") or "").split())


class EspionPlayer(Player):
    """The words of Espion contre Espion."""

    def square(self, cell: str, field: str = "cell") -> Locator:
        return self.page.locator(f".square:has(input[name='field.{field}'][value='\"{cell}\"'])")

    def taps(self, cell: str, field: str = "cell") -> None:
        self.square(cell, field).click()

    def walks(self, *cells: str) -> None:
        for cell in cells:
            self.page.locator(f"[data-tap={cell}]").click()

    def seals_entry(self, *rows: str) -> None:
        """Reads what was entered once more, then seals it."""
        self.checks()
        self.reads(*rows)
        self.seals()

    def sees_marks(self, cells: str) -> None:
        """The squares that are shaded, in any order."""
        assert marked(self.page.locator("form.move .marks")) == set(cells.split())

    def passes(self, words: Words) -> None:
        """Sees this answer and taps it away."""
        self.sees_answer(words)
        self.goes_on()


def sit(window: Window, client: Client, **options: object) -> tuple[Table, dict[str, EspionPlayer]]:
    """Ana (DIA, who begins) and Ben (KCB), each before a phone."""
    table = client.open_table(game="espion_contre_espion", options={"first": "dia", **options}, desk=None)
    players = {
        seat: sit_down(EspionPlayer, window(PHONE, base_url=client.url), table, seat, name)
        for seat, name in zip(SEATS, ("Ana", "Ben"), strict=True)
    }
    return table, players


def set_up(players: dict[str, EspionPlayer]) -> None:
    """Everything on the board, without a window."""
    ana, ben = players["dia"], players["kcb"]
    for player, cell in ((ana, "A1"), (ben, "A9"), (ana, "H2"), (ben, "H8")):
        player.moves("place_document", cell=cell)
    ana.moves("place_killer", cell="D2", facing="N")
    ben.moves("place_killer", cell="E8", facing="S")
    ana.moves("place_camera", kind="column", cell="D5")
    ben.moves("place_camera", kind="line", cell="H5")
    ana.moves("place_camera", kind="panoramic", cell="E6")
    ben.moves("place_camera", kind="panoramic", cell="C4")
    ana.moves("place_spy", cell="D1")
    ben.moves("place_spy", cell="A9")
