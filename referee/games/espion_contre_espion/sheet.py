"""The score sheet of Espion contre Espion: the final board, both spies' paths, the counts of every turn."""

from collections.abc import Iterator, Mapping
from typing import Any

from referee.core.game import Finished
from referee.core.moves import Seat
from referee.games.espion_contre_espion.board import SEATS
from referee.games.espion_contre_espion.drawing import drawing
from referee.presentation.sheets import Block, Gap, Paragraph, Row, Rule

LATEST = 200  # the most turns and squares printed; real games are shorter, and the record has them all


def sheet(game: Finished) -> Iterator[Block]:
    ways = {seat: way(game.debrief[seat]) for seat in SEATS}
    first, last = ({seat: (ways[seat] or ["–"])[n] for seat in SEATS} for n in (0, -1))
    ends = {f"{seat}_{end}": each[seat] for seat in SEATS for end, each in (("first", first), ("end", last))}
    yield drawing(game.public, ways, game.say("drawing", **ends))
    for seat in SEATS:
        yield Paragraph(game.say(f"legend.{seat}", name=game.names[seat], way=_squares(ways[seat])))
    yield Gap()
    if any(game.debrief[seat]["turns"] for seat in SEATS):
        yield Rule()
        yield from _turns(game)


def way(hidden: Mapping[str, Any]) -> list[str]:
    """The squares of a spy's path, from the first to the last; in a very long game, only the latest."""
    first = hidden["first"]["spy"]
    walked = [square for turn in hidden["turns"] for square in turn["path"] or ()]
    return [first, *walked][-LATEST:] if first else []


def _squares(way: list[str]) -> str:
    return " ".join(way) or "–"


def _turns(game: Finished) -> Iterator[Block]:
    """The turns, or the latest ones: the side, its path, and how many cameras saw each spy at the end."""
    every = [(turn["turn"], seat, turn) for seat in SEATS for turn in game.debrief[seat]["turns"]]
    played = sorted(every, key=lambda each: each[0])
    yield Paragraph(game.say("turns"), bold=True)
    if len(played) > LATEST:
        yield Paragraph(game.say("earlier", n=len(played) - LATEST))
    yield Row(game.say("who"), game.say("counts"))
    for n, seat, turn in played[-LATEST:]:
        yield Row(f"{n}. {game.title(seat)} {_did(game, turn)}", _told(game, turn["seen"]))


def _did(game: Finished, turn: Mapping[str, Any]) -> str:
    return game.say("guessed", cell=turn["guess"]) if turn["guess"] else _squares(turn["path"] or [])


def _told(game: Finished, seen: Mapping[Seat, int] | None) -> str:
    return " - ".join(str(seen[seat]) for seat in SEATS) if seen else "–"
