"""The legal moves of a seat in Espion contre Espion."""

from referee.core.moves import Choice, Choices, One, Seat, Shape
from referee.games.espion_contre_espion.board import (
    ALL,
    ARCHIVE,
    BACK,
    FACINGS,
    LEFT,
    QG,
    RIGHT,
    SQUARES,
    names,
    paths,
    two_steps,
)
from referee.games.espion_contre_espion.table import Killer, SpySlice, SpyTable
from referee.games.espion_contre_espion.tiles import ROTATIONS, places

MOVES = {
    "place_building": Shape({"tile": int, "cell": str, "rotation": int}),
    "place_document": Shape({"cell": str}),
    "place_killer": Shape({"cell": str, "facing": str}),
    "place_camera": Shape({"kind": str, "cell": str}),
    "move_camera": Shape({"from": str, "cell": str}),
    "place_spy": Shape({"cell": str}, secret=frozenset({"cell"})),
    "move_killer": Shape({"cell": str, "facing": str}),
    "move_spy": Shape({"path": (str,)}, secret=frozenset({"path"})),
    "guess": Shape({"cell": str}),
}


def choices(seen: SpySlice) -> Choices:
    table, seat = seen.table, seen.seat
    return STEPS[table.step](seen, seat) if seat and table.waits_for(seat) else ()


def building_places(table: SpyTable, seat: Seat, tile: int) -> tuple[tuple[int, ...], ...]:
    """For each rotation of a tile, the squares where its bottom left square may be."""
    return tuple(places(table.tiles[tile], rotation, table.ground, seat) for rotation in ROTATIONS)


def _place_building(seen: SpySlice, seat: Seat) -> Choices:
    """One choice for each tile and rotation that has a legal place."""
    return tuple(
        Choice("place_building", (One("tile", (tile,)), One("rotation", (rotation,)), _cells(mask)))
        for tile in seen.table.tiles_left[seat]
        for rotation, squares in enumerate(building_places(seen.table, seat, tile))
        if (mask := sum(1 << square for square in squares))
    )


def document_squares(table: SpyTable, seat: Seat) -> int:
    """The squares for a document: on the side's two back lines, beside the QG, one on each side of it."""
    free = LEFT | RIGHT
    for square in table.documents[seat]:
        free &= ~(LEFT if LEFT >> square & 1 else RIGHT)
    return ARCHIVE[seat] & free


def _place_document(seen: SpySlice, seat: Seat) -> Choices:
    return (Choice("place_document", (_cells(document_squares(seen.table, seat)),)),)


def _place_killer(_seen: SpySlice, seat: Seat) -> Choices:
    return (Choice("place_killer", (_cells(QG[seat]), One("facing", FACINGS))),)


def _place_camera(seen: SpySlice, seat: Seat) -> Choices:
    """No choice if all nine cameras are placed."""
    kinds = tuple(kind for kind, left in seen.table.reserve(seat).items() if left)
    return (Choice("place_camera", (One("kind", kinds), _free(seen.table))),) if kinds else ()


def _turn(seen: SpySlice, seat: Seat) -> Choices:
    mine = sum(1 << camera.square for camera in seen.table.cameras_of(seat))
    move = Choice("move_camera", (One("from", names(mine)), _free(seen.table)))
    return (*_place_camera(seen, seat), move, GUESS)


def _free(table: SpyTable) -> One:
    return _cells(ALL & ~table.taken())


def _place_spy(_seen: SpySlice, seat: Seat) -> Choices:
    return (Choice("place_spy", (One("cell", names(BACK[seat]), secret=True),)),)


def killer_of(table: SpyTable, seat: Seat) -> Killer:
    killer = table.killers[seat]
    if killer is None:
        raise ValueError(f"the killer of {seat} is not on the board")
    return killer


def _move_killer(seen: SpySlice, seat: Seat) -> Choices:
    there = two_steps(seen.table.walls, killer_of(seen.table, seat).square)
    cells = tuple(SQUARES[square] for square in there)
    return (Choice("move_killer", (One("cell", cells), One("facing", FACINGS))),)


def spy_paths(table: SpyTable, seat: Seat, spy: int) -> tuple[tuple[int, ...], ...]:
    return paths(table.walls, spy, table.wanted_by(seat), table.spy_may_return)


def _move_spy(seen: SpySlice, seat: Seat) -> Choices:
    spy = seen.mine().spy
    assert spy is not None
    ways = tuple(tuple(SQUARES[square] for square in way) for way in spy_paths(seen.table, seat, spy))
    return (Choice("move_spy", (One("path", ways, secret=True),)),)


def _cells(mask: int) -> One:
    return One("cell", names(mask))


GUESS = Choice("guess", (One("cell", SQUARES),))
STEPS = {
    "building": _place_building,
    "document": _place_document,
    "killer": _place_killer,
    "set_camera": _place_camera,
    "spy": _place_spy,
    "camera": _turn,
    "move_killer": _move_killer,
    "move_spy": _move_spy,
}
