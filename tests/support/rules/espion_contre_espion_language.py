"""A test language for Espion contre Espion: `ana.acts(camera=("line", "A5"), killer="D3", spy="A2 A3")`.

Ana plays the DIA (lines 1-4), Bob the KCB. Every move goes through the match's own checks.
"""

from collections.abc import Iterable
from typing import Any

from referee.core.moves import Seat
from referee.games.espion_contre_espion import ESPION_CONTRE_ESPION
from referee.presentation.views import view
from referee.presentation.words import LANGUAGES, words
from tests.support.rules.table_language import AnyPlayer, AnyTable


class Board(AnyTable):
    """Where Ana and Bob sit, and what has been said so far."""

    def __init__(self, **options: Any) -> None:
        super().__init__(ESPION_CONTRE_ESPION, **{"first": "dia", **options})

    def moves(self, seat: Seat, kind: str, /, **fields: Any) -> None:
        super().moves(seat, kind, **fields)
        for language in LANGUAGES:
            assert all(item["text"] for item in view(self.match.seen_by(), words(language))["news"])

    @property
    def turn(self) -> tuple[str | None, str]:
        return self.public["turn"], self.public["step"]

    @property
    def result(self) -> tuple[str, ...]:
        """Who won and why."""
        return (*self.outcome.winners, self.outcome.reason)


class Spymaster(AnyPlayer[Board]):
    """Somebody at the board."""

    @property
    def spy(self) -> str | None:
        spy = ESPION_CONTRE_ESPION.hand(self.table.state.hands[self.seat])["spy"]
        return None if spy is None else str(spy)

    # ---- a turn

    def looks(self, camera: tuple[str, str] | None = None) -> None:
        """Place this camera, or move one's last one to the first free square."""
        if camera:
            self.does("place_camera", kind=camera[0], cell=camera[1])
        else:
            last = [c["cell"] for c in self.table.public["cameras"] if c["owner"] == self.seat][-1]
            self.does("move_camera", **{"from": last, "cell": self.offered("move_camera", "cell")[0][-1]})

    def sends(self, killer: str | None = None, facing: str = "N") -> None:
        """Move the killer there, or anywhere."""
        self.does("move_killer", cell=killer or self.offered("move_killer", "cell")[0][0], facing=facing)

    def sneaks(self, path: str) -> None:
        self.does("move_spy", path=tuple(path.split()))

    def acts(
        self,
        spy: str,
        camera: tuple[str, str] | None = None,
        killer: str | None = None,
        facing: str = "N",
    ) -> None:
        """A whole turn: camera, killer, spy."""
        self.looks(camera)
        self.sends(killer, facing)
        self.sneaks(spy)

    def guesses(self, cell: str) -> bool:
        self.does("guess", cell=cell)
        return bool(self.table.news("guess")["right"])


def sit_down(**options: Any) -> tuple[Board, Spymaster, Spymaster]:
    """Ana and Bob take their seats; nothing is placed yet."""
    board = Board(**options)
    board.sits("dia", "Ana")
    board.sits("kcb", "Bob")
    return board, Spymaster(board, "dia"), Spymaster(board, "kcb")


def set_up(
    players: tuple[Spymaster, Spymaster], cameras: Iterable[tuple[str, str]], spies: tuple[str, str]
) -> None:
    """Place documents and killers on their usual squares, then these cameras and spies."""
    for n, cell in enumerate(("C1", "C9", "F1", "F9")):
        players[n % 2].does("place_document", cell=cell)
    players[0].does("place_killer", cell="D2", facing="N")
    players[1].does("place_killer", cell="E8", facing="S")
    for n, (kind, cell) in enumerate(cameras):
        players[n % 2].does("place_camera", kind=kind, cell=cell)
    for player, cell in zip(players, spies, strict=True):
        player.does("place_spy", cell=cell)


def with_buildings(
    kind: str, cameras: tuple[str, str, str, str], spies: tuple[str, str]
) -> tuple[Board, Spymaster, Spymaster]:
    """A game with two buildings of each side in which all is placed."""
    board, ana, bob = sit_down()
    for player, tile, cell in ((ana, 0, "B3"), (bob, 0, "B6"), (ana, 1, "F3"), (bob, 1, "F6")):
        player.does("place_building", tile=tile, cell=cell, rotation=0)
    set_up((ana, bob), [(kind, cell) for cell in cameras], spies)
    return board, ana, bob


def ready(
    ana: str = "A1",
    bob: str = "H9",
    cameras: tuple[tuple[str, str], ...] = (
        ("line", "A5"),
        ("line", "H5"),
        ("panoramic", "A4"),
        ("panoramic", "H6"),
    ),
    **options: Any,
) -> tuple[Board, Spymaster, Spymaster]:
    """A game without buildings in which all is placed, the spies on these squares."""
    board, one, two = sit_down(**{"buildings": [], **options})
    set_up((one, two), cameras, (ana, bob))
    return board, one, two


def watched() -> tuple[Board, Spymaster]:
    """Ana's spy on B3 is about to walk, and Bob's killer on D5 looks west."""
    board, ana, bob = ready(ana="C1")
    ana.acts(killer="D4", spy="B1")
    bob.acts(killer="E6", facing="S", spy="H8")
    ana.acts(killer="D2", spy="B2 B3")
    bob.acts(killer="D5", facing="W", spy="H9")
    ana.looks()
    ana.sends("D4")
    return board, ana
