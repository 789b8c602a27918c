"""Invariants of every state of Espion contre Espion, checked by the simulation."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from referee.core.game import State
from referee.core.moves import Seat
from referee.games.espion_contre_espion.board import (
    ARCHIVE,
    CAMP,
    COLUMNS,
    LEFT,
    QG,
    RIGHT,
    SEATS,
    SQUARES,
    edge_names,
    other,
)
from referee.games.espion_contre_espion.choices import choices
from referee.games.espion_contre_espion.sight import KINDS
from referee.games.espion_contre_espion.table import RESERVE, SpyHand, SpyTable

SpyState = State[SpyTable, SpyHand]
PLAYING = ("camera", "move_killer", "move_spy")


def invariants(state: SpyState) -> Iterator[str]:
    """A sentence for each violated invariant."""
    if state.table.step in ("building", "document"):  # afterwards the walls do not change
        yield from _walls(state.table)
    yield from _cameras(state.table)
    for seat in SEATS:
        yield from _pieces(state.table, seat)
        yield from _spy(state, seat)
    yield from _turn(state)
    yield from _end(state)


def _walls(table: SpyTable) -> Iterator[str]:
    """Checked by the names of the walls, independently of the bit masks."""
    walls = set(edge_names(table.walls))
    if len(walls) != sum(mask.bit_count() for mask in table.walls):
        yield "a wall is named twice"
    if len(_reached(walls)) != len(SQUARES):
        yield "buildings cut squares off"
    if walls & set(edge_names(table.ground.doors)):
        yield "a wall blocks a door"
    if walls & {f"{column}5:E" for column in COLUMNS}:
        yield "there is a wall on the neutral line"


def _reached(walls: set[str]) -> set[str]:
    reached, edge = {"A1"}, ["A1"]
    while edge:
        here = edge.pop()
        near = [there for there in NEIGHBOURS[here] if _are_joined(here, there, walls)]
        edge += (there for there in near if there not in reached)
        reached.update(near)
    return reached


def _are_joined(one: str, two: str, walls: set[str]) -> bool:
    """Whether one step leads from one square to the other. A square sorts before its north and east one."""
    first, last = sorted((one, two))
    side = "N" if first[0] == last[0] else "E"
    return last in NEIGHBOURS[first] and f"{first}:{side}" not in walls


def _beside(name: str) -> tuple[str, ...]:
    x, y = COLUMNS.index(name[0]), int(name[1])
    near = ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1))
    return tuple(f"{COLUMNS[a]}{b}" for a, b in near if 0 <= a < len(COLUMNS) and 1 <= b <= 9)


NEIGHBOURS = {name: _beside(name) for name in SQUARES}


def _cameras(table: SpyTable) -> Iterator[str]:
    if len({camera.square for camera in table.cameras}) != len(table.cameras):
        yield "cameras are stacked"
    for seat in SEATS:
        placed = [camera.kind for camera in table.cameras if camera.owner == seat]
        if any(placed.count(kind) > RESERVE[kind] for kind in KINDS):
            yield f"{seat}: more cameras on the board than there are"
        if table.step in PLAYING and len(placed) < 2:
            yield f"{seat}: fewer than two cameras while play goes on"


def _pieces(table: SpyTable, seat: Seat) -> Iterator[str]:
    documents = sum(1 << square for square in table.documents[seat])
    if documents & ~(ARCHIVE[seat] & ~QG[seat]) or any(
        (documents & side).bit_count() > 1 for side in (LEFT, RIGHT)
    ):
        yield f"{seat}: the documents {table.documents[seat]} are not one on each side of the QG"
    if table.step in PLAYING and (documents.bit_count() != 2 or table.killers[seat] is None):
        yield f"{seat}: play began before all pieces were placed"
    if table.ground.covered & QG[seat]:
        yield f"{seat}: a building stands on the QG"
    if table.ground.covered & ~(CAMP["dia"] | CAMP["kcb"]):
        yield "a building stands on the neutral line"


def _spy(state: SpyState, seat: Seat) -> Iterator[str]:
    table, mine = state.table, state.hands[seat]
    if (mine.spy is not None) != (seat in table.hidden):
        yield f"{seat}: hand and table disagree on whether the spy is on the board"
    if mine.spy is None or mine.start is None:
        return
    way = (mine.start, *(square for walk in mine.trail for square in walk.path))
    if way[-1] != mine.spy:
        yield f"{seat}: the spy is not at the end of its path"
    walls, last = set(edge_names(table.walls)), way[-3:]  # earlier steps were checked in earlier states
    if not all(_are_joined(SQUARES[one], SQUARES[two], walls) for one, two in pairwise(last)):
        yield f"{seat}: the spy went through a wall"
    if table.left_camp[seat] != bool(_mask(way) & ~CAMP[seat]):
        yield f"{seat}: left_camp does not agree with the spy's path"
    if table.outcome is None and table.is_watched(seat, mine.spy):
        yield f"{seat}: the spy is in the killer's view and the game goes on"
    if table.outcome is None and mine.spy in table.documents[other(seat)]:
        yield f"{seat}: the spy is on a document and the game goes on"


def _mask(way: Iterable[int]) -> int:
    return sum(1 << square for square in set(way))


def _turn(state: SpyState) -> Iterator[str]:
    table = state.table
    whose = table.first if len(table.turns) % 2 == 0 else other(table.first)
    if table.step in PLAYING and table.outcome is None and table.turn != whose:
        yield f"turn of {table.turn} after {len(table.turns)} turns, begun by {table.first}"
    if (table.step == "spy" or table.outcome) and table.turn is not None:
        yield f"turn of {table.turn} in the step {table.step}"
    told = [turn.seen for turn in table.turns if turn.seen is not None]
    if table.seen != (told[-1] if told else None):
        yield f"the counts {table.seen} are not the last ones announced"
    for seat in SEATS:
        empty = [c.type for c in choices(state.slice(seat)) for field in c.fields if not field.options]
        if empty:
            yield f"{seat} is offered {empty} with nothing to choose"


def _end(state: SpyState) -> Iterator[str]:
    table, end = state.table, state.table.outcome
    if (table.turn_cap == len(table.turns)) != bool(end and end.reason == "turn_cap"):
        yield f"after {len(table.turns)} turns of {table.turn_cap} the outcome is {end}"
    if end is None or end.reason == "turn_cap":
        return
    (winner,) = end.winners
    loser = other(winner)
    lost, won = state.hands[loser].spy, state.hands[winner].spy
    assert lost is not None and won is not None
    guessed = [news.fields["cell"] for news in table.said if news.kind == "guess"]
    fair = {
        "spotted": table.is_watched(loser, lost),
        "stolen": won in table.documents[loser] and not table.is_watched(winner, won),
        "guess": guessed == [SQUARES[lost]],
    }
    if not fair[end.reason]:
        yield f"{winner} won by {end.reason}, but its condition does not hold"
