"""The score sheet of Agent Hunter: points with their parts, the tie-break, and the hidden cards.
The parts are also for the ending on the table screen."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from referee.core.game import Finished, Part, Say
from referee.core.moves import Seat
from referee.games.agent_hunter.table import SEATS, other
from referee.presentation.sheets import Block, Gap, Paragraph, Row, Rule


def sheet(game: Finished) -> Iterator[Block]:
    for seat in SEATS:
        yield from _points(game, seat)
    if game.outcome.tie_break:
        yield from _tie_break(game, game.outcome.tie_break["hand_sum"])
    yield Rule()
    yield Paragraph(game.say("hidden"), bold=True)
    for seat in SEATS:
        yield from _hidden(game, seat)


def score_parts(public: Mapping[str, Any]) -> dict[Seat, tuple[Part, ...]]:
    """The points of each side: the enemy houses that it destroyed, and the decoys beside them."""
    return {seat: tuple(_parts(public["sides"][other(seat)])) for seat in SEATS}


def _parts(enemy: Mapping[str, Any]) -> Iterator[Part]:
    for house in enemy["houses"]:
        if house["destroyed"]:
            yield Part(Say("house", {"house": house["house"]}), 1)
            if house["decoys"]:
                yield Part(Say("decoys", {"n": house["decoys"], "house": house["house"]}), house["decoys"])


def _points(game: Finished, seat: Seat) -> Iterator[Block]:
    houses = [house for house in game.public["sides"][other(seat)]["houses"] if house["destroyed"]]
    yield Row(f"{game.names[seat]} ({game.title(seat)})", str(game.outcome.scores[seat]), bold=True)
    yield Row(game.say("houses"), str(len(houses)))
    yield Row(game.say("decoys"), str(sum(house["decoys"] for house in houses)))
    yield Gap()


def _tie_break(game: Finished, sums: Mapping[Seat, int]) -> Iterator[Block]:
    yield Paragraph(game.say("tie_break"), bold=True)
    yield from (Row(game.names[seat], str(sums[seat])) for seat in SEATS)
    yield Gap()


def _hidden(game: Finished, seat: Seat) -> Iterator[Block]:
    first, end = game.debrief[seat]["first"], game.debrief[seat]["end"]
    yield Paragraph(game.names[seat])
    yield Row(game.say("first"), _cards(first["houses"].values()))
    for house in game.public["sides"][seat]["houses"]:
        yield Row(game.say("house", house=house["house"]), _fate(game, house, end["houses"]))
    yield Row(game.say("in_hand"), _cards(end["cards"]))
    yield Gap()


def _fate(game: Finished, house: Mapping[str, Any], held: Mapping[str, Any]) -> str:
    if house["destroyed"]:
        return game.say("destroyed", value=house["value"])
    return _cards([held[str(house["house"])]])


def _cards(values: Iterable[int | None]) -> str:
    return " ".join("–" if value is None else str(value) for value in values)
