"""Buildings: tiles of walls and doors, their description by owners, their rotations and legal places."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from referee.core.game import Say
from referee.core.moves import Seat
from referee.games.espion_contre_espion.board import (
    CAMP,
    COLUMNS,
    FACINGS,
    NO_EDGES,
    QG,
    SQUARES,
    WIDTH,
    Edges,
    is_whole,
    squares,
)

MOST = 4  # the most squares per side of a tile: a camp has four lines
TILES = 2
ROTATIONS = (0, 1, 2, 3)
STEPS = {"N": (0, 1), "E": (1, 0), "S": (0, -1), "W": (-1, 0)}
_EDGE = re.compile(r"([A-D])([1-4]):([NESW])")

Cell = tuple[int, int]  # column and line, from the tile's own bottom left square
Edge = tuple[Cell, str]


@dataclass(frozen=True)
class Tile:
    """A building: its size and which edges of its squares are walls. All other outline edges are doors."""

    width: int
    height: int
    walls: frozenset[Edge]  # an inner wall is listed for both its squares

    def cells(self) -> list[Cell]:
        return [(x, y) for y in range(self.height) for x in range(self.width)]

    def doors(self) -> frozenset[Edge]:
        edges = ((cell, side) for cell in self.cells() for side in FACINGS)
        return frozenset(e for e in edges if not self.has(beyond(*e)) and e not in self.walls)

    def has(self, cell: Cell) -> bool:
        return 0 <= cell[0] < self.width and 0 <= cell[1] < self.height

    def turned(self) -> "Tile":
        """A quarter turn clockwise."""
        walls = (((y, self.width - 1 - x), _clockwise(side)) for (x, y), side in self.walls)
        return Tile(self.height, self.width, frozenset(walls))

    def is_open(self) -> bool:
        """Whether all its squares can be reached through its doors."""
        reached = {cell for cell, _ in self.doors()}
        edge = list(reached)
        while edge:
            cell = edge.pop()
            for side in FACINGS:
                there = beyond(cell, side)
                if self.has(there) and there not in reached and (cell, side) not in self.walls:
                    reached.add(there)
                    edge.append(there)
        return len(reached) == self.width * self.height


def beyond(cell: Cell, side: str) -> Cell:
    across, up = STEPS[side]
    return cell[0] + across, cell[1] + up


def _clockwise(side: str) -> str:
    return FACINGS[(FACINGS.index(side) + 1) % 4]


def _facing(side: str) -> str:
    return _clockwise(_clockwise(side))


# ---- tiles as owners describe them

OURS = {"size": [2, 2], "walls": ["A1:S", "B1:S", "B1:E", "B2:E", "A2:N", "A2:W"]}
DEFAULT = [OURS, OURS]
_LONG = {"size": [1, 2], "walls": ["A1:W", "A1:E", "A2:W", "A2:E"]}
_ROOMS = {
    "size": [2, 3],
    "walls": ["A1:S", "B1:S", "A1:W", "A2:W", "B2:E", "B3:E", "A3:N", "B3:N", "A1:N", "B3:W"],
}
_HALL = {"size": [3, 4], "walls": ["A1:W", "A2:W", "A3:W", "A4:W", "A1:S", "B1:S", "C1:S", "B2:N"]}
SAMPLES: tuple[Any, ...] = ([_LONG, _ROOMS], [_ROOMS, _HALL], [OURS, _LONG])


def fits(value: Any) -> bool:
    """Whether this describes no buildings, or two valid ones with every square reachable."""
    return not any(wrong(value))


def wrong(value: Any) -> Iterator[Say]:
    """Everything wrong with a description of the buildings."""
    if not isinstance(value, list) or len(value) not in (0, TILES):
        yield Say("tiles.two")
        return
    faults = ((n, _fault_of(tile)) for n, tile in enumerate(value, 1))
    yield from (Say(f"tiles.{fault}", {"tile": n}) for n, fault in faults if fault)


def _fault_of(value: Any) -> str | None:
    if not isinstance(value, dict) or value.keys() != {"size", "walls"}:
        return "form"
    size, walls = value["size"], value["walls"]
    if not isinstance(size, list) or len(size) != 2 or not isinstance(walls, list):
        return "form"
    if not all(type(side) is int and 1 <= side <= MOST for side in size):
        return "size"
    if not _are_walls(walls, size[0], size[1]):
        return "walls"
    return None if tile(value).is_open() else "doors"


def _are_walls(walls: list[Any], width: int, height: int) -> bool:
    """Whether these are edges of the tile's squares, each named once."""
    if not all(isinstance(wall, str) and _EDGE.fullmatch(wall) for wall in walls):
        return False
    edges = [_edge(wall) for wall in walls]
    both = [edge for one in edges for edge in (one, _other_side(one))]
    return len(set(both)) == len(both) and all(x < width and y < height for (x, y), _ in edges)


def _edge(text: str) -> Edge:
    return (COLUMNS.index(text[0]), int(text[1]) - 1), text[3]


def _other_side(edge: Edge) -> Edge:
    return beyond(*edge), _facing(edge[1])


def tile(value: Any) -> Tile:
    """The tile that a valid value describes."""
    width, height = value["size"]
    outline = Tile(width, height, frozenset())
    both = {edge for wall in map(_edge, value["walls"]) for edge in (wall, _other_side(wall))}
    return Tile(width, height, frozenset(edge for edge in both if outline.has(edge[0])))


# ---- tiles on the board


class Ground(NamedTuple):
    """The walls, doors and covered squares of the buildings on the board."""

    walls: Edges = NO_EDGES
    doors: Edges = NO_EDGES
    covered: int = 0

    def union(self, more: "Ground") -> "Ground":
        walls, doors = self.walls.union(more.walls), self.doors.union(more.doors)
        return Ground(walls, doors, self.covered | more.covered)


BARE = Ground()


class Form(NamedTuple):
    """A rotated tile with its bottom left square on A1, as bit masks."""

    width: int
    height: int
    walls: Edges
    doors: Edges
    cells: int

    def at(self, square: int) -> Ground | None:
        """The tile with its bottom left square here, or None if it extends beyond the board."""
        if square % WIDTH + self.width > WIDTH or square // WIDTH + self.height > len(SQUARES) // WIDTH:
            return None
        walls, doors = self.walls.moved(square).normal(), self.doors.moved(square).normal()
        return Ground(walls, doors, self.cells << square)


def form(tile: Tile, rotation: int) -> Form:
    for _ in range(rotation):
        tile = tile.turned()
    cells = sum(1 << x + WIDTH * y for x, y in tile.cells())
    return Form(tile.width, tile.height, _bits(tile.walls), _bits(tile.doors()), cells)


def _bits(edges: frozenset[Edge]) -> Edges:
    return Edges(*(sum(1 << x + WIDTH * y for (x, y), s in edges if s == side) for side in FACINGS))


def fault(ground: Ground, seat: Seat, laid: Ground | None) -> str | None:
    """The rule that a building laid like this breaks: its place, a blocked door, or unreachable squares."""
    if laid is None or laid.covered & ~CAMP[seat] or laid.covered & (QG[seat] | ground.covered):
        return "place"
    after = ground.union(laid)
    if laid.doors.on_rim() or after.doors.intersects(after.walls):
        return "door"
    return None if is_whole(after.walls) else "reach"


@lru_cache(maxsize=256)
def places(tile: Tile, rotation: int, ground: Ground, seat: Seat) -> tuple[int, ...]:
    """The squares where the bottom left square of a rotated tile may be. Cached: the choices and the
    drawing of one move ask for the same."""
    shape = form(tile, rotation)
    free = squares(CAMP[seat] & ~QG[seat] & ~ground.covered)
    return tuple(square for square in free if fault(ground, seat, shape.at(square)) is None)
