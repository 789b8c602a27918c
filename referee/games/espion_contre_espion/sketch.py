"""What a drawing of Espion contre Espion shows beyond the view: floors, doors, what is and would be seen."""

from collections.abc import Iterator
from typing import Any

from referee.games.espion_contre_espion.board import INDEX, SQUARES, names, wall_names
from referee.games.espion_contre_espion.choices import choices
from referee.games.espion_contre_espion.sight import camera_view, killer_view
from referee.games.espion_contre_espion.table import SpySlice, SpyTable
from referee.games.espion_contre_espion.tiles import form
from referee.moves import Choice

Marks = dict[str, dict[str, Any]]  # what is picked, as one text → the squares and walls it would mark

BY = {
    "place_building": ("tile", "rotation", "cell"),
    "place_camera": ("kind", "cell"),
    "move_camera": ("from", "cell"),
    "place_killer": ("facing", "cell"),
    "move_killer": ("facing", "cell"),
}


def sketch(seen: SpySlice) -> dict[str, Any]:
    table = seen.table
    return {
        "floors": list(names(table.ground.covered)),
        "doors": list(wall_names(table.ground.doors)),
        "sees": dict(_sees(table)),
        "would": _would(seen),
    }


def _sees(table: SpyTable) -> Iterator[tuple[str, list[str]]]:
    """The squares that each camera and each killer sees."""
    for camera in table.cameras:
        view = camera_view(table.walls, camera.kind, camera.square)
        yield f"camera {SQUARES[camera.square]}", list(names(view))
    for seat, killer in table.killers.items():
        if killer:
            yield f"killer {seat}", list(names(killer_view(table.walls, killer.facing, killer.square)))


def _would(seen: SpySlice) -> dict[str, Any]:
    """For each open type of move on the board what would be marked, by what is picked."""
    would: dict[str, Any] = {}
    for choice in choices(seen):
        if choice.type in BY:
            known = would.setdefault(choice.type, {"by": list(BY[choice.type]), "marks": {}})
            known["marks"].update(_marks(seen.table, choice))
    return would


def _marks(table: SpyTable, choice: Choice) -> Marks:
    options = {field.name: field.options for field in choice.fields}
    if choice.type == "place_building":
        return _buildings(table, options)
    return {
        f"{first} {cell}": {"sees": list(names(_view(table, choice.type, first, INDEX[cell]))), "walls": []}
        for first in options[BY[choice.type][0]]
        for cell in options["cell"]
    }


def _view(table: SpyTable, type_: str, first: str, square: int) -> int:
    """What would be seen from a square by what is picked first: a kind of camera, a camera, a facing."""
    match type_:
        case "place_camera":
            return camera_view(table.walls, first, square)
        case "move_camera":
            kind = next(camera.kind for camera in table.cameras if camera.square == INDEX[first])
            return camera_view(table.walls, kind, square)
    return killer_view(table.walls, first, square)


def _buildings(table: SpyTable, options: dict[str, Any]) -> Marks:
    marks: Marks = {}
    for tile in options["tile"]:
        for rotation in options["rotation"]:
            shape = form(table.tiles[tile], rotation)
            for cell in options["cell"]:
                if laid := shape.at(INDEX[cell]):
                    lies = {"sees": list(names(laid.covered)), "walls": list(wall_names(laid.walls))}
                    marks[f"{tile} {rotation} {cell}"] = lies
    return marks
