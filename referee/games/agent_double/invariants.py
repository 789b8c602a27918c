"""Invariants of every state of Agent Double, checked by the simulation."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from referee.core.game import State
from referee.core.moves import Seat
from referee.games.agent_double.deck import CARDS, HIDDEN
from referee.games.agent_double.table import (
    ENOUGH,
    HAND,
    INFLUENCE_TURNS,
    MARKERS,
    SEATS,
    TOKENS,
    TRACK,
    DoubleHand,
    DoubleTable,
)

DoubleState = State[DoubleTable, DoubleHand]


def invariants(state: DoubleState) -> Iterator[str]:
    """A sentence for each violated invariant."""
    for seat in SEATS:
        yield from _tokens(state, seat)
        yield from _cards(state, seat)
        yield from _documents(state, seat)
        yield from _hand(state.table, seat)
    yield from _agents(state.table)
    yield from _pieces(state.table)
    yield from _counters(state.table)
    yield from _nothing_to_deliver(state.table)
    yield from _step(state.table)
    yield from _score(state.table)


def _tokens(state: DoubleState, seat: Seat) -> Iterator[str]:
    """Six tokens: before the live agents, or shown in a delivery."""
    if seat not in state.table.assigned:
        if state.hands[seat].loyalty:
            yield f"{seat}: tokens are placed before they were assigned"
        return
    shown = [delivery.loyalty[seat].token for delivery in state.table.deliveries]
    mine = state.hands[seat].loyalty
    if sorted((*shown, *mine.values())) != sorted(TOKENS):
        yield f"{seat}: the tokens are not 1, 2, 2, 3, 4, 5"
    if mine.keys() != {agent.name for agent in state.table.live()}:
        yield f"{seat}: not one token before each live agent"


def _cards(state: DoubleState, seat: Seat) -> Iterator[str]:
    """22 cards: in hand, in the deck, before agents, in the piles, or out of the game."""
    table = state.table
    laid = [file.owner for agent in table.agents for file in agent.files]
    piled = [file.owner for each in table.deliveries if each.taker in SEATS for file in each.files]
    total = table.cards_left(seat) + laid.count(seat) + piled.count(seat) + table.boxed[seat]
    if total != CARDS or min(table.hands[seat], table.decks[seat], table.boxed[seat]) < 0:
        yield f"{seat}: {total} cards, not 22"
    played = len(state.hands[seat].placed) + len(table.spent[seat])
    if table.cards_left(seat) != CARDS - played:
        yield f"{seat}: {played} cards played, {table.cards_left(seat)} left"
    if table.laid[seat] != len(state.hands[seat].placed):
        yield f"{seat}: {table.laid[seat]} documents are counted as laid, not {len(state.hands[seat].placed)}"


def _documents(state: DoubleState, seat: Seat) -> Iterator[str]:
    """As many faces in the hand as backs on the table; with a deck file, no more copies than it has."""
    table, mine = state.table, state.hands[seat]
    for agent in table.agents:
        if len(mine.at(agent.name)) != [file.owner for file in agent.files].count(seat):
            yield f"{seat}: faces and backs before {agent.name} do not agree"
    if table.deck is None:
        yield from _by_the_rulebook(mine)
    else:
        acted, deck = Counter(table.spent[seat]), table.deck
        used = Counter([(each.back, each.file) for each in mine.placed])
        used.update([(HIDDEN, deck.actions[name].file) for name in acted.elements()])
        if _too_many(used, deck.documents) or _too_many(acted, deck.copies):
            yield f"{seat}: played a card that is not in the deck"


def _by_the_rulebook(mine: DoubleHand) -> Iterator[str]:
    """Without a deck file: at most four `0/7` backs, one Docs personnels and one Docs piégés."""
    backs, faces = Counter(each.back for each in mine.placed), Counter(each.file for each in mine.placed)
    if backs["0/7"] > 4 or faces["personal"] > 1 or faces["trapped"] > 1:
        yield f"{mine.seat}: laid a card that no player has"


def _too_many(used: Mapping[Any, int], there: Mapping[Any, int]) -> bool:
    return any(n > there.get(card, 0) for card, n in used.items())


def _hand(table: DoubleTable, seat: Seat) -> Iterator[str]:
    if table.hands[seat] > HAND or (table.turn != seat and table.decks[seat] and table.hands[seat] < HAND):
        yield f"{seat}: {table.hands[seat]} cards in hand with {table.decks[seat]} to draw from"


def _agents(table: DoubleTable) -> Iterator[str]:
    for agent in table.agents:
        if [file.back for file in agent.files].count(HIDDEN) > 1:
            yield f"{agent.name} has two documents with a hidden value"
        if agent.delivered and (agent.files or agent.markers):
            yield f"{agent.name} has delivered and still has documents or markers"
    delivered = [agent.name for agent in table.agents if agent.delivered]
    if sorted(delivered) != sorted(each.agent for each in table.deliveries):
        yield "the agents that delivered and the deliveries do not agree"


def _pieces(table: DoubleTable) -> Iterator[str]:
    """Each document and each token is in exactly one place."""
    documents = [(file.owner, file.n) for agent in table.agents for file in agent.files]
    documents += [(shown.owner, shown.lay.n) for each in table.deliveries for shown in each.files]
    if len(set(documents)) < len(documents) or any(n > table.laid[owner] for owner, n in documents):
        yield "a document is in two places, or was never laid"
    for seat in SEATS:
        if sorted(agent.tokens[seat] for agent in table.agents) != sorted(a.name for a in table.agents):
            yield f"{seat}: a token stands in two places"


def _counters(table: DoubleTable) -> Iterator[str]:
    if any(agent.influence not in TRACK for agent in table.agents):
        yield "a counter is not on the track"
    moved = sum(agent.moved for agent in table.agents)
    turns = sum(min(INFLUENCE_TURNS, table.turns[seat]) for seat in SEATS)
    if moved > turns:
        yield f"{moved} counters were moved in {turns} turns"
    if sum(agent.markers for agent in table.agents) > MARKERS - table.markers or table.markers < 0:
        yield "there are more than two markers"


def _nothing_to_deliver(table: DoubleTable) -> Iterator[str]:
    """Between moves no agent has enough documents, unless a delivery waits for a ruling."""
    for n, agent in enumerate(table.agents):
        beside = True in [each.delivered for each in table.agents[max(0, n - 1) : n + 2]]
        if not agent.delivered and len(agent.files) >= 4 - beside + agent.markers and not table.pending:
            yield f"{agent.name} has enough documents and has not delivered"


def _step(table: DoubleTable) -> Iterator[str]:
    if (table.step == "acting") > (table.draft is not None):
        yield "step acting without a draft"
    if (table.step == "ruling") > (table.pending is not None):
        yield "a ruling is asked for without a delivery"
    if (table.step == "agree") != bool(
        table.answering() and (table.pending is None or table.pending.proposed)
    ) and (table.step != "acting"):
        yield f"step {table.step}, answered by {table.answering()}"
    if table.step not in ("acting", "agree", "ruling") and (table.draft or table.pending):
        yield f"step {table.step} with a pending draft or delivery"
    if (table.turn is None) != (table.step == "assign" or table.outcome is not None):
        yield f"turn of {table.turn} in step {table.step}"
    if table.turn and not table.outcome and table.step == "play" and not table.cards_left(table.turn):
        yield f"{table.turn} has no card and is not skipped"


def _score(table: DoubleTable) -> Iterator[str]:
    delivered = sum(agent.delivered for agent in table.agents)
    if table.step == "play" and table.outcome is None and delivered >= ENOUGH:
        yield f"{delivered} agents delivered and a turn began"
    if table.outcome and table.outcome.reason == "delivered" and delivered < ENOUGH:
        yield f"over with {delivered} agents delivered"
    if table.outcome and table.outcome.reason == "exhausted" and any(map(table.cards_left, SEATS)):
        yield "over for lack of cards, and cards are left"
