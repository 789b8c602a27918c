"""Which rule of Espion contre Espion forbids a move, derived only from what its seat may know."""

from referee.core.game import Say
from referee.core.moves import Move, Seat
from referee.games.espion_contre_espion.board import (
    ARCHIVE,
    BACK,
    FACINGS,
    INDEX,
    LEFT,
    NO_EDGES,
    RIGHT,
    steps,
)
from referee.games.espion_contre_espion.sight import KINDS
from referee.games.espion_contre_espion.table import SpySlice, SpyTable
from referee.games.espion_contre_espion.tiles import ROTATIONS, fault, form

SET_UP = ("building", "document", "killer", "set_camera", "spy")
MADE_IN = {  # the steps in which each move is made
    "place_building": ("building",),
    "place_document": ("document",),
    "place_killer": ("killer",),
    "place_camera": ("set_camera", "camera"),
    "place_spy": ("spy",),
    "move_camera": ("camera",),
    "guess": ("camera",),
    "move_killer": ("move_killer",),
    "move_spy": ("move_spy",),
}


def why_not(seen: SpySlice, move: Move) -> Say | None:
    """The rule that forbids a well-formed move to a seat that must act."""
    table, seat = seen.table, str(seen.seat)
    if not table.waits_for(seat):
        return None
    if table.step not in MADE_IN[move.type]:
        return Say("guess" if move.type == "guess" and table.step not in SET_UP else f"order.{table.step}")
    named = (move.fields.get("cell"), move.fields.get("from"), *move.fields.get("path", ()))
    for cell in named:
        if cell is not None and cell not in INDEX:
            return Say("square", {"cell": cell})
    if move.fields.get("facing", "N") not in FACINGS:
        return Say("facing")
    return _rule(seen, seat, move)


def _rule(seen: SpySlice, seat: Seat, move: Move) -> Say | None:
    match move.type:
        case "place_building":
            return _building(seen.table, seat, move)
        case "place_document":
            return _document(seat, INDEX[move["cell"]])
        case "place_killer":
            return Say("qg", move.fields)
        case "place_camera":
            return _camera(seen.table, seat, move)
        case "move_camera":
            return _moved_camera(seen.table, seat, move)
        case "place_spy":
            return Say("back_line", {"line": 1 if BACK[seat] & 1 else 9})
        case "move_killer":
            return Say("two_squares", {"cell": move["cell"]})
        case "move_spy":
            return _path(seen, seat, [INDEX[name] for name in move["path"]])
    return None


def _building(table: SpyTable, seat: Seat, move: Move) -> Say:
    if move["tile"] not in table.tiles_left[seat]:
        return Say("tile")
    if move["rotation"] not in ROTATIONS:
        return Say("rotation")
    laid = form(table.tiles[move["tile"]], move["rotation"]).at(INDEX[move["cell"]])
    return Say(f"building.{fault(table.ground, seat, laid)}", {"cell": move["cell"]})


def _document(seat: Seat, square: int) -> Say:
    if ARCHIVE[seat] >> square & (LEFT | RIGHT) >> square & 1:
        return Say("document.side")
    return Say("document.lines", {"lines": "1-2" if seat == "dia" else "8-9"})


def _camera(table: SpyTable, seat: Seat, move: Move) -> Say:
    left = table.reserve(seat)
    if move["kind"] not in KINDS:
        return Say("camera.kind")
    if not any(left.values()):
        return Say("camera.all")
    return Say("camera.none") if not left[move["kind"]] else Say("camera.stacked", {"cell": move["cell"]})


def _moved_camera(table: SpyTable, seat: Seat, move: Move) -> Say:
    if INDEX[move["from"]] not in [camera.square for camera in table.cameras_of(seat)]:
        return Say("camera.yours", {"cell": move["from"]})
    return Say("camera.stacked" if move["from"] != move["cell"] else "camera.still", {"cell": move["cell"]})


def _path(seen: SpySlice, seat: Seat, path: list[int]) -> Say:
    """Paragraph III: one or two orthogonal steps, not through walls, not back, not past a document."""
    table, at = seen.table, seen.mine().spy
    assert at is not None
    if len(path) not in (1, 2):
        return Say("path.length")
    begun = at
    for square in path:
        if square not in steps(table.walls, at):
            is_next = square in steps(NO_EDGES, at)
            return Say("path.wall" if is_next else "path.step")
        if table.wanted_by(seat) >> at & 1 and at != begun:
            return Say("path.document")
        at = square
    return Say("path.return")
