"""The public table of Espion contre Espion, the hidden spies, and their JSON form."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from referee.core.append_only import AppendOnlyList
from referee.core.game import Hand, Slice, Table
from referee.core.moves import Seat
from referee.games.espion_contre_espion.board import CAMP, SEATS, SQUARES, Edges, edge_names, other
from referee.games.espion_contre_espion.sight import KINDS, camera_view, killer_view
from referee.games.espion_contre_espion.tiles import BARE, Ground, Tile

RESERVE = {"column": 2, "line": 2, "panoramic": 5}
DOCUMENTS = 2
SET_CAMERAS = 2  # placed before the game begins


@dataclass(frozen=True)
class Camera:
    owner: Seat
    kind: str
    square: int


@dataclass(frozen=True)
class Killer:
    square: int
    facing: str


@dataclass(frozen=True)
class Building:
    """A tile on the board, by its number and the cell of its bottom left corner."""

    owner: Seat
    tile: int
    cell: str


@dataclass(frozen=True)
class Turn:
    """A completed turn: its side, and the counts announced at its end or the guessed square."""

    by: Seat
    seen: Mapping[Seat, int] | None = None
    guess: int | None = None


@dataclass(frozen=True, kw_only=True)
class SpyTable(Table):
    first: Seat
    tiles: tuple[Tile, ...]
    tiles_left: Mapping[Seat, tuple[int, ...]]
    documents: Mapping[Seat, tuple[int, ...]]
    killers: Mapping[Seat, Killer | None]
    left_camp: Mapping[Seat, bool]
    ground: Ground = BARE
    buildings: tuple[Building, ...] = ()
    cameras: tuple[Camera, ...] = ()
    hidden: frozenset[Seat] = frozenset()  # the seats whose spies are on the board
    seen: Mapping[Seat, int] | None = None  # the last announced camera counts
    turns: AppendOnlyList[Turn] = field(default_factory=AppendOnlyList)  # completed
    turn_cap: int | None = None
    spy_may_return: bool = False

    @property
    def walls(self) -> Edges:
        return self.ground.walls

    def waits_for(self, seat: Seat) -> bool:
        """Whether this seat must act. Both place their spies at the same time; all else is done in turn."""
        waits = seat not in self.hidden if self.step == "spy" else self.turn == seat
        return waits and self.outcome is None

    def cameras_of(self, seat: Seat) -> tuple[Camera, ...]:
        return tuple(camera for camera in self.cameras if camera.owner == seat)

    def reserve(self, seat: Seat) -> dict[str, int]:
        """The number of cameras of each kind that a side has not placed yet."""
        placed = [camera.kind for camera in self.cameras_of(seat)]
        return {kind: RESERVE[kind] - placed.count(kind) for kind in KINDS}

    def taken(self) -> int:
        """The squares where cameras stand."""
        return sum(1 << camera.square for camera in self.cameras)

    def count(self, square: int) -> int:
        """How many cameras of both sides together see a square."""
        views = (camera_view(self.walls, camera.kind, camera.square) for camera in self.cameras)
        return sum(view >> square & 1 for view in views)

    def is_watched(self, seat: Seat, square: int) -> bool:
        """Whether the killer of this side's enemy sees a square."""
        killer = self.killers[other(seat)]
        return killer is not None and bool(
            killer_view(self.walls, killer.facing, killer.square) >> square & 1
        )

    def wanted_by(self, seat: Seat) -> int:
        """The squares of the documents that this side's spy must steal."""
        return sum(1 << square for square in self.documents[other(seat)])

    def is_in_camp(self, seat: Seat, square: int) -> bool:
        return bool(CAMP[seat] >> square & 1)


@dataclass(frozen=True)
class Walk:
    """A spy's path in one turn. Turns are numbered from 1."""

    turn: int
    path: tuple[int, ...]


@dataclass(frozen=True, repr=False)
class SpyHand(Hand):
    """A spy's current square, its first square and its path."""

    spy: int | None = None
    start: int | None = None
    trail: AppendOnlyList[Walk] = field(default_factory=AppendOnlyList)


SpySlice = Slice[SpyTable, SpyHand]


def public(table: SpyTable) -> dict[str, Any]:
    return {
        "turn": table.turn,
        "step": table.step,
        "walls": list(edge_names(table.walls)),
        "documents": {seat: [SQUARES[s] for s in table.documents[seat]] for seat in SEATS},
        "killers": {seat: _killer(table.killers[seat]) for seat in SEATS},
        "cameras": [{"owner": c.owner, "kind": c.kind, "cell": SQUARES[c.square]} for c in table.cameras],
        "reserve": {seat: table.reserve(seat) for seat in SEATS},
        "left_camp": dict(table.left_camp),
        "seen": dict(table.seen) if table.seen else None,
    }


def _killer(killer: Killer | None) -> dict[str, str] | None:
    return {"cell": SQUARES[killer.square], "facing": killer.facing} if killer else None


def hand(mine: SpyHand) -> dict[str, Any]:
    return {"spy": name_of(mine.spy)}


def name_of(square: int | None) -> str | None:
    return None if square is None else SQUARES[square]
