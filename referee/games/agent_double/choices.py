"""What a seat may do now in Agent Double, and which rule forbids what it may not."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from referee.game import Say, Slice
from referee.games.agent_double.deck import BACKS, EITHER, EITHERS, HIDDEN, NAME_LENGTH, SPECIALS, faces
from referee.games.agent_double.effects import NUMBERED, aims, laid_out, targets
from referee.games.agent_double.table import (
    NOBODY,
    SEATS,
    TO_HAND,
    TOKENS,
    DoubleHand,
    DoubleTable,
    step_toward,
)
from referee.moves import Arrange, Choice, Choices, Move, One, Seat, Shape, Text

DoubleSlice = Slice[DoubleTable, DoubleHand]
Faces = Mapping[str, tuple[str, ...]]  # what documents can be, by their backs

LONGEST = 12  # primitives of one action

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
    """Who has something to do now: known to everyone."""
    if table.outcome:
        return ()
    if table.step == "assign":
        return tuple(seat for seat in SEATS if seat not in table.assigned)
    if table.step == "ruling" and table.pending:
        return (table.pending.asks[0].owner,)
    seat = table.answering() if table.step == "agree" else table.turn
    return (seat,) if seat else ()


# ---- documents


def _place(table: DoubleTable, there: Faces) -> Iterator[Choice]:
    """One choice for each back: the faces it may have, and the agents it may lie before."""
    live = table.live()
    anywhere = One("agent", tuple([agent.name for agent in live]))
    without = One("agent", tuple([agent.name for agent in live if not agent.has_hidden()]))
    for back, shown in SHOWN.items():
        agents, files = without if back == HIDDEN else anywhere, there.get(back)
        if agents.options and files:
            yield Choice("place", (agents, shown, One("file", files, secret=True)))


def left(table: DoubleTable, mine: DoubleHand) -> Faces:
    """By their backs, the faces that a document of this seat can still have."""
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
    """Where the cards are not known: four `0/7` backs and one of each special document, whatever else."""
    laid = {each.file for each in mine.placed}
    there = {back: tuple([face for face in faces(back) if not _is_used_up(face, laid)]) for back in BACKS}
    return there if _eithers(mine) < EITHERS else {**there, EITHER: ()}


def _is_used_up(face: str, laid: Collection[str]) -> bool:
    return face in SPECIALS and face in laid


def _eithers(mine: DoubleHand) -> int:
    """How many documents with a `0/7` back this seat has laid."""
    return sum(each.back == EITHER for each in mine.placed)


SHOWN = {back: One("back", (back,)) for back in BACKS}


# ---- actions


def _act(table: DoubleTable, seat: Seat, there: Faces) -> Iterator[Choice]:
    """By any name; where the cards are known, by the names that are left, with the targets of known ones."""
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
    return (*(() if full else aims(laid_out(table), seat)), *done)


BOXED, RETURNED = Choice("act_done"), Choice("act_done", (One("card", (TO_HAND,)),))


# ---- influence


def movable(table: DoubleTable, seat: Seat) -> tuple[str, ...]:
    """The counters that never moved and can still go one step towards this player."""
    return tuple(
        agent.name
        for agent in table.live()
        if not agent.moved and step_toward(agent.influence, seat) is not None
    )


# ---- why not


def why_not(seen: DoubleSlice, move: Move) -> Say | None:
    """The rule that forbids a well-formed move to a seat that is waited for."""
    table, seat = seen.table, str(seen.seat)
    if seat not in waited_for(table):
        return None
    match move.type:
        case "assign_loyalty" if table.step == "assign":
            return Say("tokens")
        case "place" if table.step == "play":
            return _why_not_place(table, seen.mine(), move)
        case "act" if table.step == "play":
            return Say("name" if table.deck is None else "not_left")
        case "influence" if table.step == "influence":
            return _why_not_influence(table, move["agent"])
        case "ruling" if table.step == "ruling":
            return Say("taker")
        case "act_done" if table.step == "acting":
            return Say("card")
    if table.step == "acting":
        return Say("target" if move.type.startswith("fx_") else "acting")
    return Say("answer") if table.step == "agree" else None


def _closed(table: DoubleTable, agent: str) -> Say | None:
    """Nothing is played on an agent that is not there or has delivered."""
    if agent not in (each.name for each in table.agents):
        return Say("agent", {"agent": agent})
    return None if agent in (each.name for each in table.live()) else Say("closed", {"agent": agent})


def _why_not_place(table: DoubleTable, mine: DoubleHand, move: Move) -> Say:
    agent, back = move["agent"], move["back"]
    if why := _closed(table, agent):
        return why
    if back not in BACKS or move["file"] not in faces(back):
        return Say("file")
    if back == HIDDEN and table.agents[table.index(agent)].has_hidden():
        return Say("one_hidden", {"agent": agent})
    if table.deck:
        return Say("not_left")
    return Say("eithers") if back == EITHER and _eithers(mine) == EITHERS else Say(f"one_{move['file']}")


def _why_not_influence(table: DoubleTable, agent: str) -> Say:
    return _closed(table, agent) or Say("counter", {"agent": agent})
