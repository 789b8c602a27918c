"""Games of Espion contre Espion in which a mistyped spy was corrected, each with all that it changed."""

from collections.abc import Iterator

from referee.core.match import Match
from referee.core.moves import Move, Seat
from tests.support.rules.espion_contre_espion_language import Board, Spymaster, ready, watched, with_buildings
from tests.support.rules.repairs import corrects, takes_back


def scenes() -> Iterator[tuple[Match, Seat, Move]]:
    for and_on in (False, True):
        for typed, meant in (("G3 G4", "H4 H5"), ("H4 H5", "G3 G4")):
            yield _seen(walked_out(typed, meant, and_on)[0])
    yield _seen(not_spotted())
    yield _seen(not_stolen())
    yield _seen(guessed(typed="B1", meant="A2"))
    yield _seen(nothing_placed())


def _seen(board: Board) -> tuple[Match, Seat, Move]:
    return board.match, "dia", Move("guess", {"cell": "A1"})


def walked_out(typed: str, meant: str, and_on: bool = False) -> tuple[Board, Spymaster, Spymaster]:
    """Ana's spy goes from H3 to G4, in her camp, or to H5, outside; then on to G5, or not yet."""
    board, ana, bob = ready(ana="H1")
    ana.acts(killer="D4", spy="H2 H3")
    bob.acts(killer="G8", facing="E", spy="G9")
    ana.acts(killer="D2", spy=typed)
    bob.acts(killer="E8", facing="E", spy="H9")
    if and_on:
        ana.acts(killer="D4", spy="G5")
    corrects(board, "dia", entry=3, path=tuple(meant.split()))
    return board, ana, bob


def not_spotted() -> Board:
    board, ana = watched()
    ana.sneaks("C3 C4")
    assert board.over
    corrects(board, "dia", entry=4, path=("B4",))
    return board


def spotted_after_all() -> Board:
    board, ana = watched()
    ana.sneaks("B4")
    corrects(board, "dia", entry=4, path=("C3", "C4"))
    return board


def _before_the_document() -> tuple[Board, Spymaster]:
    """Ana's spy stands on C8, beside a document."""
    board, ana, bob = ready()
    for n, path in enumerate(("A2 A3", "A4 A5", "A6 A7", "A8 B8", "C8")):
        ana.acts(killer="D4" if n % 2 == 0 else "D2", spy=path)
        bob.acts(killer="G8" if n % 2 == 0 else "E8", facing="E", spy=("H8", "H9")[n % 2])
    ana.looks()
    ana.sends("D2")
    return board, ana


def not_stolen() -> Board:
    board, ana = _before_the_document()
    ana.sneaks("C9")
    assert board.over
    corrects(board, "dia", entry=7, path=("B8",))
    return board


def stolen_after_all() -> Board:
    board, ana = _before_the_document()
    ana.sneaks("B8")
    corrects(board, "dia", entry=7, path=("C9",))
    return board


def guessed(typed: str, meant: str) -> Board:
    """Ana's spy leaves A1, and Bob says B1."""
    board, ana, bob = ready()
    ana.acts(killer="D4", spy=typed)
    bob.guesses("B1")
    corrects(board, "dia", entry=2, path=(meant,))
    return board


def nothing_placed() -> Board:
    """A whole set-up is taken back to the first building."""
    board, _, _ = with_buildings("panoramic", ("A5", "H5", "A4", "H6"), ("A1", "H9"))
    takes_back(board, "dia", moves=len(board.match.made))
    return board
