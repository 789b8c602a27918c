"""A test language for Espion contre Espion: `ana.acts(camera=("line", "A5"), killer="D3", spy="A2 A3")`.

Ana plays the DIA (lines 1-4), Bob the KCB. Every move goes through the match's own checks.
"""

from dataclasses import dataclass
from typing import Any

from referee.game import News, Outcome
from referee.games.espion_contre_espion import ESPION_CONTRE_ESPION
from referee.match import Match, open_match
from referee.moves import Move, Seat
from referee.record import Joined, Moved
from referee.refused import Refused
from referee.views import view
from referee.words import LANGUAGES, words
from tests.referee.legal import worded

SEED, SALT = "5e" * 32, "a1" * 32
Choices = list[tuple[Any, ...]]


class Board:
    """Where Ana and Bob sit, and what has been said so far."""

    def __init__(self, **options: Any) -> None:
        self.match: Match = open_match("KX7QF", ESPION_CONTRE_ESPION, {"first": "dia", **options}, SEED)

    def moves(self, seat: Seat, move: Move) -> None:
        self.match.check(seat, move, self.match.version)
        salt = SALT if ESPION_CONTRE_ESPION.moves[move.type].secret else ""
        self.match = self.match.after(Moved(seat, move, salt))
        for language in LANGUAGES:
            assert all(item["text"] for item in view(self.match.seen_by(), words(language))["news"])

    @property
    def state(self) -> Any:
        assert self.match.state is not None
        return self.match.state

    @property
    def public(self) -> dict[str, Any]:
        return ESPION_CONTRE_ESPION.public(self.state.table)

    @property
    def turn(self) -> tuple[str | None, str]:
        return self.public["turn"], self.public["step"]

    @property
    def heard(self) -> list[News]:
        """What the last move told everybody."""
        return [told.news for told in self.match.news if told.entry == self.match.entries]

    @property
    def kinds(self) -> list[str]:
        return [news.kind for news in self.heard]

    def news(self, kind: str) -> dict[str, Any]:
        (fields,) = (news.fields for news in self.heard if news.kind == kind)
        return dict(fields)

    @property
    def outcome(self) -> Outcome:
        assert self.match.outcome is not None, "the game is not over"
        return self.match.outcome

    @property
    def result(self) -> tuple[str, ...]:
        """Who won and why."""
        return (*self.outcome.winners, self.outcome.reason)


@dataclass(frozen=True)
class Spymaster:
    """Somebody at the table."""

    board: Board
    seat: Seat

    def does(self, kind: str, /, **fields: Any) -> None:
        self.board.moves(self.seat, Move(kind, fields))

    def is_refused(self, kind: str, /, **fields: Any) -> str:
        """The rule that forbids this move, or the refusal's code; nothing has changed then."""
        before = self.board.match
        try:
            self.does(kind, **fields)
        except Refused as refused:
            assert self.board.match is before
            assert all(worded(refused, words(language)) for language in LANGUAGES)
            return refused.why.key.removeprefix("espion_contre_espion.why.") if refused.why else refused.code
        raise AssertionError(f"{self.seat} may {kind} {fields}")

    def offered(self, kind: str, name: str) -> Choices:
        """The options of a field, in every choice of this type."""
        choices = [c for c in self.board.match.choices[self.seat] if c.type == kind]
        return [f.options for c in choices for f in c.fields if f.name == name]

    @property
    def may(self) -> list[str]:
        return list(dict.fromkeys(choice.type for choice in self.board.match.choices[self.seat]))

    @property
    def spy(self) -> str | None:
        spy = ESPION_CONTRE_ESPION.hand(self.board.state.hands[self.seat])["spy"]
        return None if spy is None else str(spy)

    def todo(self) -> list[str]:
        return [say.key for say in ESPION_CONTRE_ESPION.todo(self.board.state.slice(self.seat))]

    # ---- a turn

    def looks(self, camera: tuple[str, str] | None = None) -> None:
        """Place this camera, or move one's last one to the first free square."""
        if camera:
            self.does("place_camera", kind=camera[0], cell=camera[1])
        else:
            last = [c["cell"] for c in self.board.public["cameras"] if c["owner"] == self.seat][-1]
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
        return bool(self.board.news("guess")["right"])


def sit_down(**options: Any) -> tuple[Board, Spymaster, Spymaster]:
    """Ana and Bob take their seats; nothing is placed yet."""
    board = Board(**options)
    for seat, name in (("dia", "Ana"), ("kcb", "Bob")):
        board.match = board.match.after(Joined(seat, name))
    return board, Spymaster(board, "dia"), Spymaster(board, "kcb")


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
    for player, cell in ((one, "C1"), (two, "C9"), (one, "F1"), (two, "F9")):
        player.does("place_document", cell=cell)
    one.does("place_killer", cell="D2", facing="N")
    two.does("place_killer", cell="E8", facing="S")
    for player, (kind, cell) in zip((one, two, one, two), cameras, strict=True):
        player.does("place_camera", kind=kind, cell=cell)
    one.does("place_spy", cell=ana)
    two.does("place_spy", cell=bob)
    return board, one, two
