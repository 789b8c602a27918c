"""The board of Espion contre Espion as bit masks: 72 squares, walls on their edges, steps between them."""

from functools import lru_cache
from typing import NamedTuple

from referee.core.moves import Seat

COLUMNS = "ABCDEFGH"
WIDTH, HEIGHT = 8, 9
SQUARES = tuple(f"{column}{line + 1}" for line in range(HEIGHT) for column in COLUMNS)
INDEX = {name: square for square, name in enumerate(SQUARES)}
FACINGS = ("N", "E", "S", "W")
STEP = {"N": WIDTH, "E": 1, "S": -WIDTH, "W": -1}
ALL = (1 << len(SQUARES)) - 1


def line(number: int) -> int:
    """All squares of a line, numbered from 1."""
    return (1 << WIDTH) - 1 << WIDTH * (number - 1)


def column(letter: str) -> int:
    return sum(1 << INDEX[letter + str(number)] for number in range(1, HEIGHT + 1))


def bits(*names: str) -> int:
    return sum(1 << INDEX[name] for name in names)


def squares(mask: int) -> tuple[int, ...]:
    return tuple([square for square, bit in enumerate(reversed(f"{mask:b}")) if bit == "1"])


def names(mask: int) -> tuple[str, ...]:
    return tuple([SQUARES[square] for square in squares(mask)])


TOP, BOTTOM = line(HEIGHT), line(1)
FIRST, LAST = column(COLUMNS[0]), column(COLUMNS[-1])
SEATS = ("dia", "kcb")
CAMP = {"dia": sum(map(line, (1, 2, 3, 4))), "kcb": sum(map(line, (6, 7, 8, 9)))}
BACK = {"dia": BOTTOM, "kcb": TOP}
QG = {"dia": bits("D1", "E1", "D2", "E2"), "kcb": bits("D8", "E8", "D9", "E9")}
LEFT, RIGHT = sum(map(column, "ABC")), sum(map(column, "FGH"))  # of both QGs
ARCHIVE = {"dia": line(1) | line(2), "kcb": line(8) | line(9)}  # the lines of the documents


def other(seat: Seat) -> Seat:
    return SEATS[1 - SEATS.index(seat)]


class Edges(NamedTuple):
    """A set of edges of squares, walls or doors: bit s of `n` is the north edge of square s, and so on.

    In normal form each edge is stored once: as the north or east edge of a square, and as a south or west
    edge only on the rim of the board.
    """

    n: int = 0
    e: int = 0
    s: int = 0
    w: int = 0

    def normal(self) -> "Edges":
        south, west = self.s & BOTTOM, self.w & FIRST
        return Edges(self.n | (self.s ^ south) >> WIDTH, self.e | (self.w ^ west) >> 1, south, west)

    def moved(self, by: int) -> "Edges":
        return Edges(self.n << by, self.e << by, self.s << by, self.w << by)

    def union(self, more: "Edges") -> "Edges":
        return Edges(self.n | more.n, self.e | more.e, self.s | more.s, self.w | more.w)

    def intersects(self, others: "Edges") -> bool:
        return bool(self.n & others.n or self.e & others.e or self.s & others.s or self.w & others.w)

    def on_rim(self) -> bool:
        """Whether an edge is on the rim of the board. The edges must be in normal form."""
        return bool(self.n & TOP or self.e & LAST or self.s or self.w)


NO_EDGES = Edges()


@lru_cache(maxsize=512)
def edge_names(edges: Edges) -> tuple[str, ...]:
    """Each edge by its square and side: `A6:E`. Cached: every view has the walls, which rarely change."""
    sides = zip(FACINGS, edges, strict=True)
    named = [(square, side) for side, mask in sides for square in squares(mask)]
    return tuple(f"{SQUARES[s]}:{side}" for s, side in sorted(named, key=_in_order))


def _in_order(edge: tuple[int, str]) -> tuple[int, int]:
    return edge[0], FACINGS.index(edge[1])


def ways(walls: Edges) -> dict[str, int]:
    """For each direction, the squares from which a step in that direction is possible."""
    north, east = _up_and_right(walls)
    return {"N": north, "E": east, "S": north << WIDTH, "W": east << 1}


def _up_and_right(walls: Edges) -> tuple[int, int]:
    """The squares from which a step north is possible, and those from which a step east is."""
    return ALL & ~walls.n & ~TOP, ALL & ~walls.e & ~LAST


def spread(walls: Edges, mask: int) -> int:
    """The squares one step away from any of these."""
    free = ways(walls)
    up, right = (mask & free["N"]) << WIDTH, (mask & free["E"]) << 1
    return up | right | (mask & free["S"]) >> WIDTH | (mask & free["W"]) >> 1


def is_whole(walls: Edges) -> bool:
    """Whether every square can be reached from every other."""
    north, east = _up_and_right(walls)
    south, west = north << WIDTH, east << 1
    reached, before = 1, 0
    while reached != before:
        before = reached
        reached |= (reached & east) << 1 | (reached & west) >> 1
        reached |= (reached & north) << WIDTH | (reached & south) >> WIDTH
    return reached == ALL


def steps(walls: Edges, square: int) -> tuple[int, ...]:
    """The squares one step away, in the order of the board."""
    return squares(spread(walls, 1 << square))


def two_steps(walls: Edges, square: int) -> tuple[int, ...]:
    """The squares exactly two steps away, without the start; the start itself if there are none."""
    there = spread(walls, spread(walls, 1 << square)) & ~(1 << square)
    return squares(there) or (square,)


Path = tuple[int, ...]


def paths(walls: Edges, square: int, ends: int, may_return: bool) -> tuple[Path, ...]:
    """Every path of one or two steps. It stops on a square of `ends`, and returns only if `may_return`."""
    found: list[Path] = []
    for first in steps(walls, square):
        found.append((first,))
        if not ends >> first & 1:
            found += ((first, last) for last in steps(walls, first) if may_return or last != square)
    return tuple(found)
