"""The rules of Espion contre Espion: the options, the deal, and how each move changes table and spies."""

from typing import Any

from referee.core.dice import Dice
from referee.core.frozen import replaced
from referee.core.game import News, Outcome, State
from referee.core.moves import Move, Seat
from referee.core.options import AIDS, GUIDE, LANGUAGE, Data, Number, OneOf, Options
from referee.games.espion_contre_espion import tiles
from referee.games.espion_contre_espion.board import INDEX, SEATS, SQUARES, other
from referee.games.espion_contre_espion.choices import building_places, killer_of
from referee.games.espion_contre_espion.position import Position
from referee.games.espion_contre_espion.table import (
    DOCUMENTS,
    SET_CAMERAS,
    Building,
    Camera,
    Killer,
    SpyHand,
    SpyTable,
    Turn,
    Walk,
    hand,
    name_of,
)

OPTIONS = (
    OneOf("first", ("random", *SEATS)),
    LANGUAGE,
    Data("buildings", tiles.DEFAULT, tiles.fits, tiles.SAMPLES, {"none": []}, tiles.wrong),
    OneOf("spy_may_return", (False, True)),
    Number("turn_cap", 1, 500),
    AIDS,
    GUIDE,
)


def deal(options: Options, dice: Dice) -> Position:
    """An empty board. The first side is drawn unless the options set it."""
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
    return _set_up(_skip_buildings(Position(table, dict.fromkeys(SEATS, SpyHand()))))


def play(state: State[SpyTable, SpyHand], seat: Seat, move: Move, _dice: Dice) -> Position:
    """Play a move that `choices` offers."""
    before = Position(state.table, state.hands)
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


def _place_building(before: Position, seat: Seat, move: Move) -> Position:
    table, n = before.table, move["tile"]
    laid = tiles.form(table.tiles[n], move["rotation"]).at(INDEX[move["cell"]])
    assert laid is not None
    left = tuple(tile for tile in table.tiles_left[seat] if tile != n)
    news = News("building_placed", {"by": seat, **move.fields})
    changes = {"ground": table.ground.union(laid), "tiles_left": {**table.tiles_left, seat: left}}
    buildings = (*table.buildings, Building(seat, n, move["cell"]))
    return _set_up(_skip_buildings(before.told(news, buildings=buildings, **changes)))


def _skip_buildings(before: Position) -> Position:
    """A tile that has no legal place stays in the box."""
    table, news, left = before.table, [], {}
    for seat in (table.first, other(table.first)):
        fits = {n: any(building_places(table, seat, n)) for n in table.tiles_left[seat]}
        news += [News("building_skipped", {"by": seat, "tile": n}) for n in fits if not fits[n]]
        left[seat] = tuple(n for n in fits if fits[n])
    return before.also(*news, tiles_left=left) if news else before


def _place_document(before: Position, seat: Seat, cell: str) -> Position:
    documents = {**before.table.documents, seat: (*before.table.documents[seat], INDEX[cell])}
    news = News("document_placed", {"by": seat, "cell": cell})
    return _set_up(before.told(news, documents=documents))


def _place_killer(before: Position, seat: Seat, cell: str, facing: str) -> Position:
    killers = {**before.table.killers, seat: Killer(INDEX[cell], facing)}
    news = News("killer_placed", {"by": seat, "cell": cell, "facing": facing})
    return _set_up(before.told(news, killers=killers))


def _set_up(before: Position) -> Position:
    """Determine what is placed next and by whom. Sides alternate, and the first side begins every step."""
    table = before.table
    for step, left in _still_to_place(table).items():
        last = table.turn if step == table.step and table.turn else other(table.first)
        for seat in (other(last), last):
            if left[seat]:
                return before.also(step=step, turn=seat)
    return before.also(step="spy", turn=None)


def _still_to_place(table: SpyTable) -> dict[str, dict[Seat, int]]:
    return {
        "building": {seat: len(table.tiles_left[seat]) for seat in SEATS},
        "document": {seat: DOCUMENTS - len(table.documents[seat]) for seat in SEATS},
        "killer": {seat: int(table.killers[seat] is None) for seat in SEATS},
        "set_camera": {seat: SET_CAMERAS - len(table.cameras_of(seat)) for seat in SEATS},
    }


def _place_spy(before: Position, seat: Seat, cell: str) -> Position:
    """Both sides place their spies at the same time. Play begins when both are on the board."""
    square, table = INDEX[cell], before.table
    hidden, news = table.hidden | {seat}, News("spy_placed", {"by": seat})
    after = before.with_hand(seat, SpyHand(square, square))
    if len(hidden) < len(SEATS):
        return after.told(news, hidden=hidden)
    return after.told(news, hidden=hidden, step="camera", turn=table.first)


def _place_camera(before: Position, seat: Seat, kind: str, cell: str) -> Position:
    cameras = (*before.table.cameras, Camera(seat, kind, INDEX[cell]))
    news = News("camera_placed", {"by": seat, "camera": kind, "cell": cell})
    if before.table.step == "set_camera":
        return _set_up(before.told(news, cameras=cameras))
    return before.told(news, cameras=cameras, step="move_killer")


def _move_camera(before: Position, seat: Seat, origin: str, cell: str) -> Position:
    old = next(camera for camera in before.table.cameras if camera.square == INDEX[origin])
    new = replaced(old, square=INDEX[cell])
    cameras = tuple(new if camera is old else camera for camera in before.table.cameras)
    news = News("camera_moved", {"by": seat, "camera": old.kind, "from": origin, "cell": cell})
    return before.told(news, cameras=cameras, step="move_killer")


def _move_killer(before: Position, seat: Seat, cell: str, facing: str) -> Position:
    """The killer sees only after its move: an enemy spy in its view is spotted."""
    table, enemy = before.table, other(seat)
    origin = SQUARES[killer_of(table, seat).square]
    news = News("killer_moved", {"by": seat, "from": origin, "cell": cell, "facing": facing})
    killers = {**table.killers, seat: Killer(INDEX[cell], facing)}
    after = before.told(news, killers=killers, step="move_spy")
    hiding = after.spy(enemy)
    if after.table.is_watched(enemy, hiding):
        return _won(after, seat, "spotted", News("spotted", {"side": enemy, "cell": SQUARES[hiding]}))
    return after


def _won(before: Position, seat: Seat, reason: str, news: News) -> Position:
    return before.also(news, turn=None, outcome=Outcome((seat,), reason))


def _move_spy(before: Position, seat: Seat, path: tuple[int, ...]) -> Position:
    """Move square by square. Leaving the camp, the enemy killer's view and an enemy document are checked."""
    table, mine = before.table, before.hands[seat]
    walked = _walked(table, seat, path)
    walk = Walk(len(table.turns) + 1, walked)
    news, left = [News("spy_moved", {"by": seat})], table.left_camp
    if not left[seat] and not all(table.is_in_camp(seat, square) for square in walked):
        news.append(News("left_camp", {"side": seat}))
        left = {**left, seat: True}
    after = before.with_hand(seat, replaced(mine, spy=walked[-1], trail=mine.trail.appended(walk)))
    return _arrived(after.told(*news, left_camp=left), seat, walked[-1])


def _walked(table: SpyTable, seat: Seat, path: tuple[int, ...]) -> tuple[int, ...]:
    """The squares of a path up to the first one that ends the game."""
    for n, square in enumerate(path, 1):
        if table.is_watched(seat, square) or table.wanted_by(seat) >> square & 1:
            return path[:n]
    return path


def _arrived(before: Position, seat: Seat, square: int) -> Position:
    cell = SQUARES[square]
    if before.table.is_watched(seat, square):
        return _won(before, other(seat), "spotted", News("spotted", {"side": seat, "cell": cell}))
    if before.table.wanted_by(seat) >> square & 1:
        return _won(before, seat, "stolen", News("stolen", {"by": seat, "cell": cell}))
    seen = {each: before.table.count(before.spy(each)) for each in SEATS}
    return _end_turn(before, Turn(seat, seen=seen), News("camera_counts", {"seen": seen}), seen=seen)


def _guess(before: Position, seat: Seat, cell: str) -> Position:
    right = before.spy(other(seat)) == INDEX[cell]
    news = News("guess", {"by": seat, "cell": cell, "right": right})
    if right:
        return _won(before.told(), seat, "guess", news)
    return _end_turn(before.told(), Turn(seat, guess=INDEX[cell]), news)


def _end_turn(before: Position, turn: Turn, news: News, **changes: Any) -> Position:
    turns = before.table.turns.appended(turn)
    is_last = len(turns) == before.table.turn_cap
    outcome = Outcome((), "turn_cap") if is_last else None
    whose = None if is_last else other(turn.by)
    return before.also(news, turns=turns, step="camera", turn=whose, outcome=outcome, **changes)


def debrief(state: State[SpyTable, SpyHand]) -> dict[Seat, dict[str, Any]]:
    """Everything hidden, by seat: the spy's first and last square, and each turn's path, counts and guess."""
    state.check_over()
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
            "guess": name_of(told[n].guess) if n in told else None,
        }
        for n in sorted(walks.keys() | told.keys())
    ]
    return {"first": hand(replaced(mine, spy=mine.start)), "end": hand(mine), "turns": turns}
