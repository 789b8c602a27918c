"""What a drawing of Espion contre Espion shows beyond the view: floors, doors, what is and would be seen."""

from collections.abc import Iterator
from typing import Any

from referee.games.espion_contre_espion.board import INDEX, SQUARES, names, wall_names
from referee.games.espion_contre_espion.choices import choices
from referee.games.espion_contre_espion.sight import camera_view, killer_view
from referee.games.espion_contre_espion.table import SpySlice, SpyTable
from referee.games.espion_contre_espion.tiles import form
from referee.moves import Choice

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
        if choice.type == "place_building":
            known = would.setdefault(choice.type, {"by": BY[choice.type], "marks": {}, "walls": {}})
            _add_building(known, seen.table, choice)
        elif choice.type in BY:
            would[choice.type] = _views(seen.table, choice)
    return would


def _views(table: SpyTable, choice: Choice) -> dict[str, Any]:
    """What would be seen from each square; a camera that is moved goes by its kind."""
    options = {field.name: field.options for field in choice.fields}
    firsts: tuple[str, ...] = options[BY[choice.type][0]]
    kinds = {SQUARES[camera.square]: camera.kind for camera in table.cameras}
    named: dict[str, str] = {cell: kinds[cell] for cell in firsts} if choice.type == "move_camera" else {}
    view = killer_view if "facing" in options else camera_view
    marks = {
        f"{first} {cell}": "".join(names(view(table.walls, first, INDEX[cell])))
        for first in sorted({named.get(first, first) for first in firsts})
        for cell in options["cell"]
    }
    return {"by": BY[choice.type], "named": named, "marks": marks}


def _add_building(known: dict[str, Any], table: SpyTable, choice: Choice) -> None:
    """The squares that a turned tile would cover, and its walls."""
    (tile,), (rotation,), cells = (field.options for field in choice.fields)
    shape = form(table.tiles[tile], rotation)
    for cell in cells:
        if laid := shape.at(INDEX[cell]):
            known["marks"][f"{tile} {rotation} {cell}"] = "".join(names(laid.covered))
            known["walls"][f"{tile} {rotation} {cell}"] = list(wall_names(laid.walls))
