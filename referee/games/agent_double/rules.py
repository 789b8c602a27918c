"""The rules of Agent Double: the options, the deal, and how each move changes the table and the hands."""

from itertools import starmap
from typing import Any

from referee.core.dice import Dice
from referee.core.frozen import replaced
from referee.core.game import News, Outcome, Say, State
from referee.core.moves import Move, Seat
from referee.core.options import GUIDE, LANGUAGE, Data, OneOf, Options
from referee.games.agent_double import deck, delivery
from referee.games.agent_double.choices import movable
from referee.games.agent_double.deck import CARDS
from referee.games.agent_double.effects import aimed, document_fields, named, possible, preview
from referee.games.agent_double.position import Position
from referee.games.agent_double.table import (
    ENOUGH,
    HAND,
    INFLUENCE_TURNS,
    SEATS,
    Agent,
    DoubleHand,
    DoubleTable,
    Draft,
    Effect,
    Placed,
    hand,
    other,
    step_toward,
)

AGENTS = ["A", "B", "S", "L", "5", "6"]
INFLUENCE = ["red", "blue"] * 3
LONGEST_INITIAL = 2


def are_agents(value: Any) -> bool:
    """Six different initials, short enough for a card on a phone."""
    return (
        isinstance(value, list | tuple)
        and len(value) == len(AGENTS)
        and all(isinstance(each, str) and each.isalnum() and len(each) <= LONGEST_INITIAL for each in value)
        and len(set(value)) == len(value)
    )


def is_influence(value: Any) -> bool:
    """Three counters on red's side, three on blue's."""
    return (
        isinstance(value, list | tuple)
        and all(isinstance(each, str) for each in value)
        and sorted(value) == sorted(INFLUENCE)
    )


OPTIONS = (
    OneOf("first", ("random", *SEATS)),
    LANGUAGE,
    Data("agents", AGENTS, are_agents, (["K", "B", "S", "L", "É", "10"],), wrong=lambda _: (Say("agents"),)),
    Data(
        "influence", INFLUENCE, is_influence, (["blue"] * 3 + ["red"] * 3,), wrong=lambda _: (Say("sides"),)
    ),
    OneOf("personal", ("plus_one", "ask")),
    OneOf("trapped", ("ask", "none")),
    Data("deck", None, deck.fits, deck.SAMPLES, wrong=deck.wrong),
    GUIDE,
)


def deal(options: Options, dice: Dice) -> Position:
    """Mise en place: counters on their inner spaces, five cards each, the first player at random."""
    first = dice.pick(SEATS) if options["first"] == "random" else options["first"]
    spaces = [-1 if seat == "red" else 1 for seat in options["influence"]]
    table = DoubleTable(
        turn=None,
        step="assign",
        said=(News("began", {"first": first}),),
        first=first,
        agents=tuple(starmap(_waiting, zip(options["agents"], spaces, strict=True))),
        deck=deck.read(options["deck"]),
        trapped=options["trapped"],
        personal=options["personal"],
        hands=dict.fromkeys(SEATS, HAND),
        decks=dict.fromkeys(SEATS, CARDS - HAND),
        boxed=dict.fromkeys(SEATS, 0),
        acted=dict.fromkeys(SEATS, ()),
        spent=dict.fromkeys(SEATS, ()),
        laid=dict.fromkeys(SEATS, 0),
        turns=dict.fromkeys(SEATS, 0),
    )
    return Position(table, {seat: DoubleHand(seat, {}, {}) for seat in SEATS})


def _waiting(name: str, space: int) -> Agent:
    """An agent at the start: both players will place a token before it."""
    return Agent(name, space, tokens=dict.fromkeys(SEATS, name))


def play(state: State[DoubleTable, DoubleHand], seat: Seat, move: Move, _dice: Dice) -> Position:
    """Play a move that `choices` offers."""
    before = Position(replaced(state.table, said=(), drew=None), state.hands, state.box)
    match move.type:
        case "assign_loyalty":
            return _assign(before, seat, move["tokens"])
        case "place":
            return _place(before, seat, Placed(move["agent"], move["back"], move["file"]))
        case "act":
            return _act(before, seat, move)
        case "act_done":
            return _act_done(before, seat, returns="card" in move.fields)
        case "agree" | "disagree":
            return _answer(before, seat, move.type == "agree")
        case "ruling" if before.table.pending:
            return delivery.rules_on(before, before.table.pending, move["taker"])
        case "influence":
            return _influence(before, seat, move["agent"])
    return _compose(before, seat, Effect(move.type, dict(move.fields)))


def _assign(before: Position, seat: Seat, tokens: tuple[int, ...]) -> Position:
    """Mise en place: one token before each agent. Play begins when both players have done so."""
    names = (agent.name for agent in before.table.agents)
    loyalty = dict(zip(names, tokens, strict=True))
    mine = replaced(before.hands[seat], loyalty=loyalty, assigned=loyalty)
    assigned = tuple(each for each in SEATS if each == seat or each in before.table.assigned)
    after = before.with_hand(seat, mine).on_table(assigned=assigned).say("loyalty_assigned", by=seat)
    return after.on_table(step="play", turn=after.table.first) if len(assigned) == len(SEATS) else after


def _place(before: Position, seat: Seat, placed: Placed) -> Position:
    """Lay a card face down before a live agent, which may then deliver."""
    after = (
        before.spends(seat).lays(seat, placed).say("placed", by=seat, agent=placed.agent, back=placed.back)
    )
    return _goes_on(delivery.delivers(after.on_table(origin=after.table.index(placed.agent))))


# ---- actions


def _act(before: Position, seat: Seat, move: Move) -> Position:
    """A known action happens at once; any other is composed first."""
    cards = before.table.deck
    card = cards.actions[move["name"]] if cards else None
    if card is None or card.effect is None:
        after = before.on_table(step="acting", draft=Draft(move["name"]))
        return after.say("acting", by=seat, name=move["name"])
    return _happens(before, seat, Draft(move["name"], aimed(before.table, card, move), card.returns))


def _compose(before: Position, seat: Seat, effect: Effect) -> Position:
    """Add a primitive to the draft and announce it. Nothing is shown or changed yet."""
    draft = before.table.draft
    assert draft is not None
    board = preview(before.table)
    effect = named(board, effect)
    after = before.on_table(draft=replaced(draft, effects=(*draft.effects, effect)))
    return after.say(effect.type, by=seat, **effect.fields, **document_fields(board, effect))


def _act_done(before: Position, seat: Seat, returns: bool) -> Position:
    assert before.table.draft is not None
    draft = replaced(before.table.draft, returns=returns)
    return before.on_table(step="agree", draft=draft).say(
        "proposed", by=seat, name=draft.name, card=draft.card
    )


def _happens(before: Position, seat: Seat, action: Draft) -> Position:
    """Apply all primitives of an action in order, then the deliveries. A primitive that has become impossible
    is skipped."""
    after = before.plays(seat, action)
    for effect in action.effects:
        if adapted := possible(after.table, seat, effect):
            after = after.does(seat, adapted)
    return _goes_on(delivery.delivers(after))


def _answer(before: Position, seat: Seat, yes: bool) -> Position:
    """An answer to a proposed action, or to the ruling on an effect card."""
    table = before.table
    about = "ruling" if table.pending else "action"
    before = before.say("accepted" if yes else "refused", by=seat, about=about)
    if table.pending:
        answer = delivery.agrees if yes else delivery.disagrees
        return _goes_on(answer(before, table.pending))
    assert table.draft is not None
    if yes:
        return _happens(before, other(seat), table.draft)
    return before.on_table(step="play", draft=None)


# ---- the rest of a turn


def _goes_on(before: Position) -> Position:
    """After the card and its deliveries: the game ends without cards; else influence or end of turn."""
    table, seat = before.table, str(before.table.turn)
    if table.pending:
        return before
    if not any(map(table.cards_left, SEATS)):
        return _score(before, "exhausted")
    if table.turns[seat] < INFLUENCE_TURNS and movable(table, seat):
        return before.on_table(step="influence")
    return _end_turn(before)


def _influence(before: Position, seat: Seat, name: str) -> Position:
    """A counter that has not been moved yet goes one step towards the player, and is turned over."""
    agent = before.agent(name)
    space = step_toward(agent.influence, seat)
    assert space is not None
    table = before.table.with_agent(replaced(agent, influence=space, moved=True))
    return _end_turn(before.with_table(table).say("influence", by=seat, agent=name, position=space))


def _end_turn(before: Position) -> Position:
    """Draw to five; five agents delivered end the game; a seat without cards is skipped."""
    seat, table = str(before.table.turn), before.table
    drawn = min(HAND - table.hands[seat], table.decks[seat])
    after = before.on_table(
        hands={**table.hands, seat: table.hands[seat] + drawn},
        decks={**table.decks, seat: table.decks[seat] - drawn},
        turns={**table.turns, seat: table.turns[seat] + 1},
        drew=seat if drawn else None,
    )
    if len(table.agents) - len(table.live()) >= ENOUGH:
        return _score(after, "delivered")
    following = other(seat) if after.table.cards_left(other(seat)) else seat
    return after.on_table(step="play", turn=following)


def _score(before: Position, reason: str) -> Position:
    """Fin du jeu: the higher total wins; a tie goes to the smaller pile."""
    piles = {seat: before.table.pile(seat) for seat in SEATS}
    scores = {seat: points for seat, (points, _) in piles.items()}
    winners, tie_break = _best(scores), None
    if not winners:
        cards = {seat: count for seat, (_, count) in piles.items()}
        winners = _best({seat: -count for seat, count in cards.items()})
        tie_break = {"cards": cards}
    return before.on_table(turn=None, step="play", outcome=Outcome(winners, reason, scores, tie_break))


def _best(figures: dict[Seat, int]) -> tuple[Seat, ...]:
    """The seat with the higher figure, or nobody if they are equal."""
    top = tuple(seat for seat in SEATS if figures[seat] == max(figures.values()))
    return top if len(top) == 1 else ()


def debrief(state: State[DoubleTable, DoubleHand]) -> dict[Seat, dict[str, Any]]:
    """Everything hidden, by seat: its hand at the end and what it entered."""
    state.check_over()
    hands = state.hands
    return {seat: {"end": hand(hands[seat]), "first": hand(hands[seat].first())} for seat in SEATS}
