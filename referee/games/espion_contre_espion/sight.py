"""Lines of sight of cameras and killers. Walls block sight, doors do not; a partly seen square is not seen.

Sight starts at the centre of the square. Along a line, every crossed edge must be open. A diagonal neighbour
is seen only if none of the four edges that meet at the shared corner is a wall.
"""

from collections.abc import Iterable
from functools import lru_cache

from referee.games.espion_contre_espion.board import ALL, LAST, STEP, WIDTH, Edges, ways

KINDS = ("column", "line", "panoramic")
STRAIGHT = {"column": ("N", "S"), "line": ("E", "W")}
AROUND = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")
IN_FRONT = {"N": ("NW", "N", "NE"), "E": ("NE", "E", "SE"), "S": ("SE", "S", "SW"), "W": ("SW", "W", "NW")}


@lru_cache(maxsize=512)
def looks(walls: Edges) -> dict[str, int]:
    """For each of the eight directions, the squares from which the neighbour in that direction is seen."""
    clear = ~(walls.n | walls.e | walls.n >> 1 | walls.e >> WIDTH)  # the corner north east of a square
    corner = ALL >> WIDTH & ~LAST & clear
    diagonal = {"NE": corner, "NW": corner << 1, "SE": corner << WIDTH, "SW": corner << WIDTH + 1}
    return {**ways(walls), **diagonal}


def camera_view(walls: Edges, kind: str, square: int) -> int:
    """The squares that a camera sees, its own included."""
    if kind == "panoramic":
        return _neighbours(walls, square, AROUND)
    free, seen = ways(walls), 1 << square
    for direction in STRAIGHT[kind]:
        at = square
        while free[direction] >> at & 1:
            at += STEP[direction]
            seen |= 1 << at
    return seen


def killer_view(walls: Edges, facing: str, square: int) -> int:
    """The squares that a killer sees: its own and the three in front of it."""
    return _neighbours(walls, square, IN_FRONT[facing])


def _neighbours(walls: Edges, square: int, directions: Iterable[str]) -> int:
    clear, seen = looks(walls), 1 << square
    for direction in directions:
        if clear[direction] >> square & 1:
            seen |= 1 << square + sum(STEP[part] for part in direction)
    return seen
