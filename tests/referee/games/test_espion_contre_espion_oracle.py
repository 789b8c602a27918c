"""Espion contre Espion against oracles that share nothing with it: rays for sight, drawn plans for buildings.

Walls are points here, the middles of edges on a finer grid: the square A1 has its centre on (1, 1), its north
edge on (1, 2), its east edge on (2, 1), and so on by twos.
"""

import json
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from referee.core.dice import Dice
from referee.games.espion_contre_espion import board, sight, tiles
from referee.games.espion_contre_espion.board import (
    ALL,
    CAMP,
    FACINGS,
    INDEX,
    QG,
    SQUARES,
    Edges,
    edge_names,
    names,
)
from tests.support.soak import games

Point = tuple[int, int]
BEYOND = {"N": (0, 1), "E": (1, 0), "S": (0, -1), "W": (-1, 0)}


def centre(name: str) -> Point:
    return 2 * "ABCDEFGH".index(name[0]) + 1, 2 * int(name[1]) - 1


def edge(name: str) -> Point:
    """`A1:N` → (1, 2)."""
    (x, y), (across, up) = centre(name[:2]), BEYOND[name[3]]
    return x + across, y + up


def random_walls(dice: Dice, density: int) -> Edges:
    """So many of a hundred edges are walls."""
    masks = [sum(1 << s for s in range(72) if dice.pick(range(100)) < density) for _ in range(2)]
    return Edges(masks[0] & ALL, masks[1] & ALL)


def points(walls: Edges) -> frozenset[Point]:
    return frozenset(map(edge, edge_names(walls)))


# ---- sight: rays from the centre of the looking square

FINE = 12  # units to a square
GRID = (1, 3, 6, 9, 11)  # where rays end in the target square, each way


def ray_is_free(start: Point, end: Point, walls: frozenset[Point]) -> bool:
    """Whether the segment meets none of the walls; to touch the end of one is to meet it."""
    return not any(_meets(start, end, wall) for wall in walls)


def _meets(start: Point, end: Point, wall: Point) -> bool:
    across = wall[0] % 2  # a wall along x: its middle has an odd x
    along, over = (0, 1) if across else (1, 0)
    at = wall[over] * FINE // 2
    one, two = start[over] - at, end[over] - at
    if one * two >= 0:
        return False
    # where the ray crosses the line of the wall, times (two - one), to stay with whole numbers
    crossing = start[along] * (two - one) - one * (end[along] - start[along])
    low, high = ((wall[along] - 1) * FINE // 2 * (two - one), (wall[along] + 1) * FINE // 2 * (two - one))
    return min(low, high) <= crossing <= max(low, high)


def wholly_seen(looking: str, target: str, walls: frozenset[Point], grid: tuple[int, ...] = GRID) -> bool:
    (x, y), (a, b) = centre(looking), centre(target)
    start = x * FINE // 2, y * FINE // 2
    corner = (a - 1) * FINE // 2, (b - 1) * FINE // 2
    low, high = (min(x, a) - 1, min(y, b) - 1), (max(x, a) + 1, max(y, b) + 1)
    near = frozenset(w for w in walls if low[0] <= w[0] <= high[0] and low[1] <= w[1] <= high[1])
    return all(ray_is_free(start, (corner[0] + i, corner[1] + j), near) for i, j in product(grid, grid))


def area(kind: str, looking: str) -> list[str]:
    """What it looks at where there are no walls."""
    x, y = centre(looking)
    inside: dict[str, Callable[[int, int], bool]] = {
        "column": lambda a, b: a == x,
        "line": lambda a, b: b == y,
        "panoramic": lambda a, b: abs(a - x) <= 2 and abs(b - y) <= 2,
        "N": lambda a, b: b == y + 2 and abs(a - x) <= 2,
        "S": lambda a, b: b == y - 2 and abs(a - x) <= 2,
        "E": lambda a, b: a == x + 2 and abs(b - y) <= 2,
        "W": lambda a, b: a == x - 2 and abs(b - y) <= 2,
    }
    return [name for name in SQUARES if name == looking or inside[kind](*centre(name))]


def seen(kind: str, looking: str, walls: Edges) -> set[str]:
    view = sight.killer_view if kind in FACINGS else sight.camera_view
    return set(names(view(walls, kind, INDEX[looking])))


def test_sight_is_what_rays_say_over_thousands_of_random_walls() -> None:
    views = 0
    for i in games(2500):
        dice = Dice("rays", i)
        walls = random_walls(dice, dice.pick((3, 10, 25, 60)))
        drawn, looking = points(walls), dice.pick(SQUARES)
        kind = dice.pick((*sight.KINDS, *FACINGS))
        rays = {name for name in area(kind, looking) if name == looking or wholly_seen(looking, name, drawn)}
        assert seen(kind, looking, walls) == rays, (kind, looking, edge_names(walls))
        views += len(rays) > 1
    assert views > 1000, "hardly anything was in sight: are there too many walls?"


def test_with_no_walls_everything_in_the_area_is_seen() -> None:
    for kind, looking in product((*sight.KINDS, *FACINGS), SQUARES):
        assert seen(kind, looking, Edges()) == set(area(kind, looking))


def test_dense_rays_agree_with_the_few() -> None:
    """The grid is fine enough: one as dense as can be says the same."""
    layouts = [points(random_walls(Dice("dense", i), 15)) for i in range(25)]
    pairs = [(walls, name) for walls in layouts for name in area("panoramic", "D5")]
    few = [wholly_seen("D5", name, walls) for walls, name in pairs]
    assert few == [wholly_seen("D5", name, walls, tuple(range(1, FINE))) for walls, name in pairs]
    assert {True, False} == set(few)


# ---- steps: walked on the drawn plan


def neighbours(name: str, walls: frozenset[Point]) -> set[str]:
    x, y = centre(name)
    free = {(x + 2 * a, y + 2 * b) for a, b in BEYOND.values() if (x + a, y + b) not in walls}
    return {other for other in SQUARES if centre(other) in free}


def test_moves_are_what_walking_the_plan_says() -> None:
    for i in games(150):
        dice = Dice("walk", i)
        walls = random_walls(dice, 20)
        drawn, start = points(walls), dice.pick(SQUARES)
        document = dice.pick(SQUARES)
        one = neighbours(start, drawn)
        two = {(a, b) for a in one for b in neighbours(a, drawn)}
        for may_return in (False, True):
            found = board.paths(walls, INDEX[start], 1 << INDEX[document], may_return)
            there = {tuple(SQUARES[square] for square in path) for path in found}
            assert there == {(a,) for a in one} | {
                (a, b) for a, b in two if a != document and (may_return or b != start)
            }
            assert len(there) == len(found)
        killer = {SQUARES[square] for square in board.two_steps(walls, INDEX[start])}
        assert killer == ({b for _, b in two} - {start} or {start})


# ---- buildings: turned and laid on the drawn plan

Plan = tuple[frozenset[Point], frozenset[Point], frozenset[Point]]  # cells, walls, doors


def plan(tile: Any, rotation: int) -> Plan:
    """A tile as points, turned as one turns a sheet of paper, its bottom left square on A1."""
    width, height = tile["size"]
    cells = {(2 * x + 1, 2 * y + 1) for x in range(width) for y in range(height)}
    walls = set(map(edge, tile["walls"]))
    for _ in range(rotation):
        cells, walls = {(y, -x) for x, y in cells}, {(y, -x) for x, y in walls}
    left, low = min(x for x, _ in cells) - 1, min(y for _, y in cells) - 1
    cells, walls = {(x - left, y - low) for x, y in cells}, {(x - left, y - low) for x, y in walls}
    return frozenset(cells), frozenset(walls), outline(cells) - walls


def outline(cells: set[Point]) -> frozenset[Point]:
    edges = [(x + a, y + b) for x, y in cells for a, b in BEYOND.values()]
    return frozenset(e for e in edges if edges.count(e) == 1)


def laid(tile: Any, rotation: int, name: str) -> Plan:
    x, y = centre(name)
    cells, walls, doors = (
        frozenset((a + x - 1, b + y - 1) for a, b in part) for part in plan(tile, rotation)
    )
    return cells, walls, doors


def may_lie(tile: Any, rotation: int, name: str, seat: str, others: list[Plan]) -> bool:
    cells, walls, doors = laid(tile, rotation, name)
    camp = {centre(square) for square in names(CAMP[seat] & ~QG[seat])}
    if not cells <= camp or any(cells & other[0] for other in others):
        return False
    all_walls = walls.union(*(other[1] for other in others))
    all_doors = doors.union(*(other[2] for other in others))
    if all_walls & all_doors or any(x in (0, 16) or y in (0, 18) for x, y in doors):
        return False
    reached, edge_of_it = {"A1"}, ["A1"]
    while edge_of_it:
        fresh = neighbours(edge_of_it.pop(), all_walls) - reached
        reached |= fresh
        edge_of_it += fresh
    return len(reached) == len(SQUARES)


def random_tile(dice: Dice) -> Any:
    """A tile of any size with walls here and there; one that fits."""
    while True:
        size = [dice.pick((1, 2, 2, 3)), dice.pick((1, 2, 2, 3))]
        cells = [f"{'ABCD'[x]}{y + 1}" for x in range(size[0]) for y in range(size[1])]
        edges = {edge(f"{cell}:{side}"): f"{cell}:{side}" for cell in cells for side in FACINGS}
        walls = [name for name in edges.values() if dice.pick(range(10)) < 7]
        if tiles.fits([{"size": size, "walls": walls}] * 2):
            return {"size": size, "walls": walls}


def test_buildings_may_lie_where_the_drawn_plan_says() -> None:
    met = {True: 0, False: 0}
    for i in games(12):
        dice = Dice("plan", i)
        seat, ground, others = dice.pick(("dia", "kcb")), tiles.BARE, list[Plan]()
        for _ in range(3):
            drawn, rotation = random_tile(dice), dice.pick((0, 1, 2, 3))
            tile = tiles.tile(drawn)
            found = {SQUARES[square] for square in tiles.places(tile, rotation, ground, seat)}
            wanted = {n for n in names(CAMP[seat]) if may_lie(drawn, rotation, n, seat, others)}
            assert found == wanted, (drawn, rotation, others)
            met[True] += len(wanted)
            met[False] += 32 - len(wanted)
            if found:
                name = dice.pick(sorted(found))
                form = tiles.form(tile, rotation).at(INDEX[name])
                assert form is not None
                ground, others = ground.union(form), [*others, laid(drawn, rotation, name)]
                assert points(ground.walls) == frozenset().union(*(other[1] for other in others))
    assert min(met.values()) > 50


@pytest.mark.parametrize("rotation", [0, 1, 2, 3])
def test_four_turns_are_none_and_each_turns_the_walls(rotation: int) -> None:
    tile = tiles.tile(tiles.OURS)
    again = tile
    for _ in range(4):
        again = again.turned()
    assert again == tile
    form = tiles.form(tile, rotation).at(INDEX["B2"])
    assert form is not None
    assert points(form.walls) == laid(tiles.OURS, rotation, "B2")[1]
    assert points(form.doors) == laid(tiles.OURS, rotation, "B2")[2]


def test_the_option_goes_on_the_wire_as_it_is() -> None:
    assert json.loads(json.dumps(tiles.DEFAULT)) == tiles.DEFAULT
    assert all(map(tiles.fits, (tiles.DEFAULT, *tiles.SAMPLES)))
