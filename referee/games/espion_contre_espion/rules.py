"""The rules of Espion contre Espion: how a move changes the table and the spies."""

from dataclasses import dataclass, replace
from typing import Any, Self

from referee.dice import Dice
from referee.game import News, Outcome, State
from referee.games.espion_contre_espion import tiles
from referee.games.espion_contre_espion.board import INDEX, SEATS, SQUARES, other
from referee.games.espion_contre_espion.choices import building_places
from referee.games.espion_contre_espion.table import (
    DOCUMENTS,
    SET_CAMERAS,
    Camera,
    Killer,
    SpyHand,
    SpyTable,
    Turn,
    Walk,
    hand,
)
from referee.moves import Move, Seat
from referee.options import Data, Number, OneOf, Options

OPTIONS = (
    OneOf("first", ("random", *SEATS)),
    OneOf("language", ("fr", "en")),
    Data("buildings", tiles.DEFAULT, tiles.fits, tiles.SAMPLES),
    OneOf("spy_may_return", (False, True)),
    Number("turn_cap", 1, 500),
)


@dataclass(frozen=True)
class Position(State[SpyTable, SpyHand]):
    """The state, with the steps that a move of this game is made of."""

    def say(self, kind: str, **fields: Any) -> Self:
        return self.on_table(said=(*self.table.said, News(kind, fields)))

    def on_table(self, **changes: Any) -> Self:
        return type(self)(replace(self.table, **changes), self.hands)

    def with_hand(self, seat: Seat, mine: SpyHand) -> Self:
        return type(self)(self.table, {**self.hands, seat: mine})

    def with_killer(self, seat: Seat, square: int, facing: str) -> Self:
        return self.on_table(killers={**self.table.killers, seat: Killer(square, facing)})

    def won(self, seat: Seat, reason: str) -> Self:
        return self.on_table(turn=None, outcome=Outcome((seat,), reason))


def deal(options: Options, dice: Dice) -> Position:
    """An empty board; who begins is drawn unless settled."""
    first = dice.pick(SEATS) if options["first"] == "random" else options["first"]
    described = tuple(map(tiles.tile, options["buildings"]))
    table = SpyTable(
        turn=None,
        step="building",
        said=(News("began", {"first": first}),),
        first=first,
        tiles=described,
        tiles_left=dict.fromkeys(SEATS, tuple(range(len(described)))),
        documents=dict.fromkeys(SEATS, ()),
        killers=dict.fromkeys(SEATS),
        left_camp=dict.fromkeys(SEATS, False),
        turn_cap=options["turn_cap"],
        spy_may_return=options["spy_may_return"],
    )
    return _set_up(Position(table, dict.fromkeys(SEATS, SpyHand())))


def play(state: State[SpyTable, SpyHand], seat: Seat, move: Move, _dice: Dice) -> Position:
    """Play a move that `choices` offers."""
    before = Position(replace(state.table, said=()), state.hands)
    match move.type:
        case "place_building":
            return _place_building(before, seat, move)
        case "place_document":
            return _place_document(before, seat, move["cell"])
        case "place_killer":
            return _place_killer(before, seat, move["cell"], move["facing"])
        case "place_camera":
            return _place_camera(before, seat, move["kind"], move["cell"])
        case "place_spy":
            return _place_spy(before, seat, move["cell"])
        case "move_camera":
            return _move_camera(before, seat, move["from"], move["cell"])
        case "move_killer":
            return _move_killer(before, seat, move["cell"], move["facing"])
        case "move_spy":
            return _move_spy(before, seat, tuple(INDEX[name] for name in move["path"]))
        case "guess":
            return _guess(before, seat, move["cell"])
    raise ValueError(f"Espion contre Espion has no move {move.type}")


# ---- Mise en place: piece by piece, one side after the other


def _place_building(before: Position, seat: Seat, move: Move) -> Position:
    table, n = before.table, move["tile"]
    laid = tiles.form(table.tiles[n], move["rotation"]).at(INDEX[move["cell"]])
    assert laid is not None
    left = tuple(tile for tile in table.tiles_left[seat] if tile != n)
    after = before.on_table(ground=table.ground.with_(laid), tiles_left={**table.tiles_left, seat: left})
    fields = {"tile": n, "cell": move["cell"], "rotation": move["rotation"]}
    return _set_up(after.say("building_placed", by=seat, **fields))


def _place_document(before: Position, seat: Seat, cell: str) -> Position:
    documents = before.table.documents
    after = before.on_table(documents={**documents, seat: (*documents[seat], INDEX[cell])})
    return _set_up(after.say("document_placed", by=seat, cell=cell))


def _place_killer(before: Position, seat: Seat, cell: str, facing: str) -> Position:
    after = before.with_killer(seat, INDEX[cell], facing)
    return _set_up(after.say("killer_placed", by=seat, cell=cell, facing=facing))


def _place_spy(before: Position, seat: Seat, cell: str) -> Position:
    """Both spies at once: play begins when both are on the board."""
    square, hidden = INDEX[cell], before.table.hidden | {seat}
    after = before.with_hand(seat, SpyHand(square, square)).on_table(hidden=hidden)
    after = after.say("spy_placed", by=seat)
    return after.on_table(step="camera", turn=after.table.first) if len(hidden) == len(SEATS) else after


def _set_up(before: Position) -> Position:
    """What is placed next and by whom: one side after the other, the beginner first in every step."""
    after = _skip_buildings(before)
    table = after.table
    for step, left in _still_to_place(table).items():
        last = table.turn if step == table.step and table.turn else other(table.first)
        for seat in (other(last), last):
            if left[seat]:
                return after.on_table(step=step, turn=seat)
    return after.on_table(step="spy", turn=None)


def _still_to_place(table: SpyTable) -> dict[str, dict[Seat, int]]:
    return {
        "building": {seat: len(table.tiles_left[seat]) for seat in SEATS},
        "document": {seat: DOCUMENTS - len(table.documents[seat]) for seat in SEATS},
        "killer": {seat: int(table.killers[seat] is None) for seat in SEATS},
        "set_camera": {seat: SET_CAMERAS - len(table.cameras_of(seat)) for seat in SEATS},
    }


def _skip_buildings(before: Position) -> Position:
    """A tile that has no legal place stays in the box."""
    after = before
    for seat in (before.table.first, other(before.table.first)):
        left = before.table.tiles_left[seat]
        fitting = tuple(n for n in left if any(building_places(before.table, seat, n)))
        for n in left:
            if n not in fitting:
                after = after.say("building_skipped", by=seat, tile=n)
        after = after.on_table(tiles_left={**after.table.tiles_left, seat: fitting})
    return after


# ---- Choix 1: camera, killer, spy, counts


def _place_camera(before: Position, seat: Seat, kind: str, cell: str) -> Position:
    cameras = (*before.table.cameras, Camera(seat, kind, INDEX[cell]))
    after = before.on_table(cameras=cameras).say("camera_placed", by=seat, camera=kind, cell=cell)
    return _set_up(after) if before.table.step == "set_camera" else after.on_table(step="move_killer")


def _move_camera(before: Position, seat: Seat, origin: str, cell: str) -> Position:
    old = next(c for c in before.table.cameras if c.square == INDEX[origin])
    new = replace(old, square=INDEX[cell])
    after = before.on_table(cameras=tuple(new if c is old else c for c in before.table.cameras))
    fields = {"camera": old.kind, "from": origin, "cell": cell}
    return after.on_table(step="move_killer").say("camera_moved", by=seat, **fields)


def _move_killer(before: Position, seat: Seat, cell: str, facing: str) -> Position:
    """The killer sees when it stands still: the enemy spy in its view is found."""
    killer = before.table.killers[seat]
    assert killer is not None
    fields = {"from": SQUARES[killer.square], "cell": cell, "facing": facing}
    after = before.with_killer(seat, INDEX[cell], facing).say("killer_moved", by=seat, **fields)
    enemy = other(seat)
    hiding = _spy(after, enemy)
    if after.table.is_watched(enemy, hiding):
        return after.say("spotted", side=enemy, cell=SQUARES[hiding]).won(seat, "spotted")
    return after.on_table(step="move_spy")


def _move_spy(before: Position, seat: Seat, path: tuple[int, ...]) -> Position:
    """Square by square: the camp left behind, the enemy killer's view, then an enemy document."""
    after, walked = before.say("spy_moved", by=seat), 0
    while walked < len(path) and after.table.outcome is None:
        after = _enter(after, seat, path[walked])
        walked += 1
    mine = before.hands[seat]
    walk = Walk(len(before.table.turns) + 1, path[:walked])
    after = after.with_hand(seat, replace(mine, spy=walk.path[-1], trail=(*mine.trail, walk)))
    return after if after.table.outcome else _counted(after, seat)


def _enter(before: Position, seat: Seat, square: int) -> Position:
    table, cell, after = before.table, SQUARES[square], before
    if not table.is_in_camp(seat, square) and not table.left_camp[seat]:
        after = after.on_table(left_camp={**table.left_camp, seat: True}).say("left_camp", side=seat)
    if table.is_watched(seat, square):
        return after.say("spotted", side=seat, cell=cell).won(other(seat), "spotted")
    if table.wanted_by(seat) >> square & 1:
        return after.say("stolen", by=seat, cell=cell).won(seat, "stolen")
    return after


def _counted(before: Position, seat: Seat) -> Position:
    seen = {each: before.table.count(_spy(before, each)) for each in SEATS}
    after = before.on_table(seen=seen).say("camera_counts", seen=seen)
    return _end_turn(after, Turn(seat, seen=seen))


def _spy(state: Position, seat: Seat) -> int:
    square = state.hands[seat].spy
    if square is None:
        raise ValueError(f"the spy of {seat} is not on the board")
    return square


# ---- Choix 2: guess


def _guess(before: Position, seat: Seat, cell: str) -> Position:
    right = _spy(before, other(seat)) == INDEX[cell]
    after = before.say("guess", by=seat, cell=cell, right=right)
    turn = Turn(seat, guess=INDEX[cell])
    return after.won(seat, "guess") if right else _end_turn(after, turn)


def _end_turn(before: Position, turn: Turn) -> Position:
    turns = (*before.table.turns, turn)
    after = before.on_table(turns=turns, step="camera", turn=other(turn.by))
    if len(turns) == before.table.turn_cap:
        return after.on_table(turn=None, outcome=Outcome((), "turn_cap"))
    return after


def debrief(state: State[SpyTable, SpyHand]) -> dict[Seat, dict[str, Any]]:
    """All that was hidden: where each spy began and ended, and per turn its path, counts and guesses."""
    if state.table.outcome is None:
        raise PermissionError("what is hidden is told when the game is over, not before")
    return {seat: _debriefed(state, seat) for seat in SEATS}


def _debriefed(state: State[SpyTable, SpyHand], seat: Seat) -> dict[str, Any]:
    mine = state.hands[seat]
    walks = {walk.turn: [SQUARES[s] for s in walk.path] for walk in mine.trail}
    told = {n: turn for n, turn in enumerate(state.table.turns, 1) if turn.by == seat}
    turns = [
        {
            "turn": n,
            "path": walks.get(n),
            "seen": dict(told[n].seen or {}) or None if n in told else None,
            "guess": _square(told[n].guess) if n in told else None,
        }
        for n in sorted(walks.keys() | told.keys())
    ]
    return {"first": hand(replace(mine, spy=mine.start)), "end": hand(mine), "turns": turns}


def _square(square: int | None) -> str | None:
    return None if square is None else SQUARES[square]
