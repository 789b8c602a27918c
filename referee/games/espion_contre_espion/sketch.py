"""Extra data for the page's drawing of Espion contre Espion: floors, doors, views, and previews of moves."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from referee.core.moves import Choice
from referee.games.espion_contre_espion.board import INDEX, SQUARES, Edges, edge_names, names
from referee.games.espion_contre_espion.choices import choices
from referee.games.espion_contre_espion.sight import camera_view, killer_view
from referee.games.espion_contre_espion.table import SpySlice, SpyTable, Turn
from referee.games.espion_contre_espion.tiles import form

BY = {
    "place_building": ("tile", "rotation", "cell"),
    "place_camera": ("kind", "cell"),
    "move_camera": ("from", "cell"),
    "place_killer": ("facing", "cell"),
    "move_killer": ("facing", "cell"),
}


def sketch(table: SpyTable) -> dict[str, Any]:
    return {
        "floors": names(table.ground.covered),
        "doors": edge_names(table.ground.doors),
        "sees": dict(_sees(table)),
        "counts": [_count(n, table.turns[n]) for n in _latest(table)],
    }


LATEST = 5  # turns whose counts stay in view


def _latest(table: SpyTable) -> Iterable[int]:
    """The latest turns that ended with counts, from the latest."""
    return islice((n for n in range(len(table.turns) - 1, -1, -1) if table.turns[n].seen), LATEST)


def _count(n: int, turn: Turn) -> dict[str, Any]:
    return {"turn": n + 1, "by": turn.by, "seen": dict(turn.seen or {})}


def _sees(table: SpyTable) -> Iterator[tuple[str, str]]:
    """The squares that each camera and each killer sees, as one text."""
    for camera in table.cameras:
        yield f"camera {SQUARES[camera.square]}", _named(camera_view, table.walls, camera.kind, camera.square)
    for seat, killer in table.killers.items():
        if killer:
            yield f"killer {seat}", _named(killer_view, table.walls, killer.facing, killer.square)


View = Callable[[Edges, str, int], int]


@lru_cache(maxsize=4096)
def _named(view: View, walls: Edges, by: str, square: int) -> str:
    """Cached: every drawing asks for all pieces, and a move changes one or two."""
    return " ".join(names(view(walls, by, square)))


def marks(seen: SpySlice, type_: str) -> dict[str, Any] | None:
    """The preview of a type of move on the board, by picked values. None if it has no preview."""
    of_type = [choice for choice in choices(seen) if choice.type == type_]
    if not of_type or type_ not in BY:
        return None
    if type_ != "place_building":
        return _views(seen.table, of_type[0])
    known: dict[str, Any] = {"by": BY[type_], "marks": {}, "walls": {}}
    for choice in of_type:
        _add_building(known, seen.table, choice)
    return known


def _views(table: SpyTable, choice: Choice) -> dict[str, Any]:
    """What would be seen from each offered square, in order, by camera kind or killer direction. A camera
    that is moved is looked up by its kind."""
    options = {field.name: field.options for field in choice.fields}
    firsts: tuple[str, ...] = options[BY[choice.type][0]]
    kinds = {SQUARES[camera.square]: camera.kind for camera in table.cameras}
    named: dict[str, str] = {cell: kinds[cell] for cell in firsts} if choice.type == "move_camera" else {}
    view = killer_view if "facing" in options else camera_view
    seen = {
        first: " ".join(map(_seen_from(view, table.walls, first).__getitem__, options["cell"]))
        for first in sorted({named.get(first, first) for first in firsts})
    }
    return {"by": BY[choice.type], "named": named, "cells": "".join(options["cell"]), "marks": seen}


@lru_cache(maxsize=512)
def _seen_from(view: View, walls: Edges, by: str) -> Mapping[str, str]:
    """By square, the squares seen from it, as runs. Cached: every turn asks for them; walls rarely change."""
    return {cell: _runs_in(view(walls, by, square)) for square, cell in enumerate(SQUARES)}


@lru_cache(maxsize=4096)
def _runs_in(mask: int) -> str:
    """Cached: far from walls, the same is seen at all tables."""
    return runs(names(mask))


def runs(cells: Iterable[str]) -> str:
    """Encode squares as straight runs, each by its first and last square: `A1A4C2C2`. Uses columns or lines,
    whichever is shorter."""
    own = set(cells)
    return min((_along(own, across) for across in (False, True)), key=len)


def _along(cells: set[str], across: bool) -> str:
    ordered = sorted(cells, key=lambda cell: (cell[1], cell[0]) if across else cell)
    found: list[list[str]] = []
    for cell in ordered:
        if found and cell == _after(found[-1][1], across):
            found[-1][1] = cell
        else:
            found.append([cell, cell])
    return "".join(first + last for first, last in found)


def _after(cell: str, across: bool) -> str:
    return f"{chr(ord(cell[0]) + 1)}{cell[1]}" if across else f"{cell[0]}{int(cell[1]) + 1}"


def _add_building(known: dict[str, Any], table: SpyTable, choice: Choice) -> None:
    """Add the squares that a rotated tile would cover, and its walls."""
    (tile,), (rotation,), cells = (field.options for field in choice.fields)
    shape = form(table.tiles[tile], rotation)
    for cell in cells:
        if laid := shape.at(INDEX[cell]):
            known["marks"][f"{tile} {rotation} {cell}"] = runs(names(laid.covered))
            known["walls"][f"{tile} {rotation} {cell}"] = list(edge_names(laid.walls))
