"""What lies on the table of Espion contre Espion, where the spies hide, and how both go on the wire."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from referee.game import Hand, Slice, Table
from referee.games.espion_contre_espion.board import CAMP, SEATS, SQUARES, Edges, other, wall_names
from referee.games.espion_contre_espion.sight import KINDS, camera_view, killer_view
from referee.games.espion_contre_espion.tiles import BARE, Ground, Tile
from referee.growing import Growing
from referee.moves import Seat

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
    """A tile that lies on the board, by its number and the cell of its corner."""

    owner: Seat
    tile: int
    cell: str


@dataclass(frozen=True)
class Turn:
    """A turn that was played: by whom, the counts told at its end, or the square that was guessed."""

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
    hidden: frozenset[Seat] = frozenset()  # whose spies are on the board
    seen: Mapping[Seat, int] | None = None
    turns: Growing[Turn] = field(default_factory=Growing)  # wholly played
    turn_cap: int | None = None
    spy_may_return: bool = False

    @property
    def walls(self) -> Edges:
        return self.ground.walls

    def waits_for(self, seat: Seat) -> bool:
        """Spies are hidden by both at once; everything else is done in turn."""
        waits = seat not in self.hidden if self.step == "spy" else self.turn == seat
        return waits and self.outcome is None

    def cameras_of(self, seat: Seat) -> tuple[Camera, ...]:
        return tuple(camera for camera in self.cameras if camera.owner == seat)

    def reserve(self, seat: Seat) -> dict[str, int]:
        """The cameras that a side has not placed yet."""
        placed = [camera.kind for camera in self.cameras_of(seat)]
        return {kind: RESERVE[kind] - placed.count(kind) for kind in KINDS}

    def taken(self) -> int:
        """The squares where cameras stand."""
        return sum(1 << camera.square for camera in self.cameras)

    def count(self, square: int) -> int:
        """How many cameras see a square, of both camps together."""
        views = (camera_view(self.walls, camera.kind, camera.square) for camera in self.cameras)
        return sum(view >> square & 1 for view in views)

    def is_watched(self, seat: Seat, square: int) -> bool:
        """Whether the enemy killer of this side sees a square."""
        killer = self.killers[other(seat)]
        return killer is not None and bool(
            killer_view(self.walls, killer.facing, killer.square) >> square & 1
        )

    def wanted_by(self, seat: Seat) -> int:
        """The documents that this side's spy is after."""
        return sum(1 << square for square in self.documents[other(seat)])

    def is_in_camp(self, seat: Seat, square: int) -> bool:
        return bool(CAMP[seat] >> square & 1)


@dataclass(frozen=True)
class Walk:
    """What a spy walked in one turn, counted from 1."""

    turn: int
    path: tuple[int, ...]


@dataclass(frozen=True, repr=False)
class SpyHand(Hand):
    """Where a spy is, where it began and how it came here."""

    spy: int | None = None
    start: int | None = None
    trail: Growing[Walk] = field(default_factory=Growing)


SpySlice = Slice[SpyTable, SpyHand]


def public(table: SpyTable) -> dict[str, Any]:
    return {
        "turn": table.turn,
        "step": table.step,
        "walls": list(wall_names(table.walls)),
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
