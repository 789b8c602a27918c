"""What a seat may do now in Agent Double."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from referee.core.game import Slice
from referee.core.moves import Arrange, Choice, Choices, One, Seat, Shape, Text
from referee.games.agent_double.deck import BACKS, EITHER, EITHERS, HIDDEN, NAME_LENGTH, SPECIALS, faces
from referee.games.agent_double.effects import NUMBERED, aims, preview, targets
from referee.games.agent_double.table import (
    NOBODY,
    SEATS,
    TO_HAND,
    TOKENS,
    DoubleHand,
    DoubleTable,
    step_toward,
)

DoubleSlice = Slice[DoubleTable, DoubleHand]
Faces = Mapping[str, tuple[str, ...]]  # back → the faces a document can have
LONGEST = 12  # the most primitives in one composed action
MOVES = {
    "assign_loyalty": Shape({"tokens": (int,)}, secret=frozenset({"tokens"})),
    "place": Shape({"agent": str, "back": str, "file": str}, secret=frozenset({"file"})),
    "act": Shape(
        {"name": str, **dict.fromkeys(NUMBERED, (str,))},
        optional=frozenset(NUMBERED),
        texts=frozenset({"name"}),
    ),
    "fx_peek": Shape({"agent": str}),
    "fx_marker": Shape({"agent": str}),
    "fx_influence": Shape({"agent": str, "toward": str}),
    "fx_swap_loyalty": Shape({"side": str, "a": str, "b": str}),
    "fx_peek_loyalty": Shape({"agent": str}),
    "fx_move_file": Shape({"from": str, "to": str, "index": int}),
    "fx_remove_file": Shape({"agent": str, "index": int}),
    "act_done": Shape({"card": str}, optional=frozenset({"card"})),
    "agree": Shape(),
    "disagree": Shape(),
    "ruling": Shape({"taker": str}),
    "influence": Shape({"agent": str}),
}


def choices(seen: DoubleSlice) -> Choices:
    table, seat = seen.table, seen.seat
    if seat is None or seat not in waited_for(table):
        return ()
    match table.step:
        case "assign":
            return (Choice("assign_loyalty", (Arrange("tokens", TOKENS, len(TOKENS), secret=True),)),)
        case "play":
            there = left(table, seen.mine())
            return (*_place(table, there), *_act(table, seat, there))
        case "acting":
            return _compose(table, seat)
        case "agree":
            return (Choice("agree"), Choice("disagree"))
        case "ruling":
            return (Choice("ruling", (One("taker", (*SEATS, NOBODY)),)),)
    return (Choice("influence", (One("agent", movable(table, seat)),)),)


def waited_for(table: DoubleTable) -> tuple[Seat, ...]:
    """The seats that must act now. This is public."""
    if table.outcome:
        return ()
    if table.step == "assign":
        return tuple(seat for seat in SEATS if seat not in table.assigned)
    if table.step == "ruling" and table.pending:
        return (table.pending.asks[0].owner,)
    seat = table.answering() if table.step == "agree" else table.turn
    return (seat,) if seat else ()


def _place(table: DoubleTable, there: Faces) -> Iterator[Choice]:
    """One choice for each back: the agents it may be laid before, and the faces it may have."""
    live = table.live()
    anywhere = One("agent", tuple([agent.name for agent in live]))
    without = One("agent", tuple([agent.name for agent in live if not agent.has_hidden()]))
    for back, shown in SHOWN.items():
        agents, files = without if back == HIDDEN else anywhere, there.get(back)
        if agents.options and files:
            yield Choice("place", (agents, shown, One("file", files, secret=True)))


def left(table: DoubleTable, mine: DoubleHand) -> Faces:
    """For each back, the faces that a document of this seat can still have."""
    if table.deck is None:
        return _left_by_the_rulebook(mine)
    actions = table.deck.actions
    used = Counter([(each.back, each.file) for each in mine.placed])
    used.update([(HIDDEN, actions[name].file) for name in table.spent[mine.seat]])
    there: dict[str, tuple[str, ...]] = {}
    for (back, file), copies in table.deck.documents.items():
        if copies > used[back, file]:
            there[back] = (*there.get(back, ()), file)
    return there


def _left_by_the_rulebook(mine: DoubleHand) -> Faces:
    """The same without a deck file: at most four `0/7` backs and one of each special document."""
    laid = {each.file for each in mine.placed}
    there = {back: tuple([face for face in faces(back) if not _is_used_up(face, laid)]) for back in BACKS}
    return there if _eithers(mine) < EITHERS else {**there, EITHER: ()}


def _is_used_up(face: str, laid: Collection[str]) -> bool:
    return face in SPECIALS and face in laid


def _eithers(mine: DoubleHand) -> int:
    """The number of documents with a `0/7` back that this seat has laid."""
    return sum(each.back == EITHER for each in mine.placed)


SHOWN = {back: One("back", (back,)) for back in BACKS}


def _act(table: DoubleTable, seat: Seat, there: Faces) -> Iterator[Choice]:
    """Actions: any name without a deck file; with one, each name that is left, with targets if its effect is
    known."""
    if table.deck is None:
        yield Choice("act", (Text("name", NAME_LENGTH),))
        return
    files, spent = there.get(HIDDEN, ()), table.spent[seat]
    copies, actions = table.deck.copies, table.deck.actions
    cards = [
        card for name, card in actions.items() if card.file in files and copies[name] > spent.count(name)
    ]
    for card, aimed in zip(cards, targets(table, seat, cards), strict=True):
        yield Choice("act", (One("name", (card.name,)), *aimed))


def _compose(table: DoubleTable, seat: Seat) -> Choices:
    assert table.draft is not None
    full = len(table.draft.effects) == LONGEST
    card = table.deck.actions[table.draft.name] if table.deck else None
    done = (RETURNED,) if card and card.returns else (BOXED, RETURNED)
    return (*(() if full else aims(preview(table), seat)), *done)


BOXED, RETURNED = Choice("act_done"), Choice("act_done", (One("card", (TO_HAND,)),))


def movable(table: DoubleTable, seat: Seat) -> tuple[str, ...]:
    """The counters that have not been moved yet and can go one step towards this player."""
    return tuple(
        agent.name
        for agent in table.live()
        if not agent.moved and step_toward(agent.influence, seat) is not None
    )
