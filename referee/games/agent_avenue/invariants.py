"""Invariants of every state of Agent Avenue, checked by the simulation."""

from collections.abc import Iterator

from referee.core.game import State
from referee.games.agent_avenue.table import DISCARDS, AvenueHand, AvenueTable, public, side_of

AvenueState = State[AvenueTable, AvenueHand]

# Repeated here on purpose, so that a mistake in the rules' own tables is noticed.
SIX = ("double_agent", "enforcer", "codebreaker", "saboteur", "daredevil", "sentinel")
MARKET_CARDS = 15


def invariants(state: AvenueState) -> Iterator[str]:
    """A sentence for each violated invariant."""
    yield from _cards(state)
    yield from _zones(state.table)
    yield from _hands(state.table)
    yield from _known(state)
    yield from _hidden(state)
    yield from _pawns(state.table)
    yield from _market(state.table)
    yield from _turn(state.table)
    yield from _goes_on(state.table)
    yield from _end(state.table)


def _cards(state: AvenueState) -> Iterator[str]:
    shown = public(state.table)
    zones = sum(n for side in shown["sides"].values() for n in side["zone"].values())
    offered = bool(shown["offer"]) + sum(held.face_down is not None for held in state.hands.values())
    total = zones + sum(shown["hands"].values()) + shown["deck"] + shown["discarded"] + offered
    if total != 38:
        yield f"{total} agent cards instead of 38"
    if min(shown["deck"], *shown["hands"].values()) < 0:
        yield "a negative number of cards"


def _zones(table: AvenueTable) -> Iterator[str]:
    shown = public(table)
    for agent in (*SIX, "sidekick", "mole"):
        there = sum(side["zone"].get(agent, 0) for side in shown["sides"].values())
        there += bool(shown["offer"]) and shown["offer"]["face_up"] == agent
        if there > (6 if agent in SIX else 1):
            yield f"{there} copies of {agent} are face up"


def _hands(table: AvenueTable) -> Iterator[str]:
    for seat, held in table.holdings.items():
        if held.discards_left + held.discarded != DISCARDS[len(table.members(side_of(seat)))]:
            yield f"{seat}: {held.discarded} discards made, {held.discards_left} left"
        if held.discards_left < 0:
            yield f"{seat}: more discards than allowed"
        between_two_cards = table.step == "conceal" and seat == table.turn  # a solo player plays both
        if table.deck and held.hand < 4 and not between_two_cards:
            yield f"{seat}: {held.hand} cards in hand while the deck has some"


def _known(state: AvenueState) -> Iterator[str]:
    """What is publicly known of a hand fits into it, not counting the card laid face down from it."""
    for seat, holding in state.table.holdings.items():
        laid = state.hands[seat].face_down
        held = holding.without(laid) if laid else holding
        if sum(held.certain) > held.hand:
            yield f"{seat}: more cards known in hand than there are"
        if sum(held.marked) > held.hand + held.discarded:
            yield f"{seat}: more cards known to belong to this seat than it ever had"
        if any(c > m for c, m in zip(held.certain, held.marked, strict=True)):
            yield f"{seat}: a card certain to be in hand is not marked"


def _hidden(state: AvenueState) -> Iterator[str]:
    holders = [seat for seat, held in state.hands.items() if held.face_down is not None]
    if holders != [seat for seat in (state.table.concealer,) if seat]:
        yield f"{holders} hold a hidden card, {state.table.concealer} concealed one"
    if (state.table.step == "take") != bool(holders):
        yield f"step {state.table.step} with {len(holders)} hidden cards"
    if (state.table.step in ("conceal", "take")) != (state.table.face_up is not None):
        yield f"step {state.table.step} with {state.table.face_up} shown"


def _pawns(table: AvenueTable) -> Iterator[str]:
    for side, home in (("green", 0), ("blue", 7)):
        shown = public(table)["sides"][side]
        if (shown["space"] - shown["progress"] - home) % 14 or shown["space"] not in range(14):
            yield f"{side} moved {shown['progress']} from {home} and is on space {shown['space']}"


def _market(table: AvenueTable) -> Iterator[str]:
    bought = [card for team in table.teams.values() for card in team.bought]
    kept = [card for team in table.teams.values() for card in team.permanents]
    if table.market is None:
        if bought or kept or table.landed or table.resolving:
            yield "market cards in a game without a market"
        return
    market, resolving = table.market, [table.resolving.card] if table.resolving else []
    seen = [*market.row, *kept, *market.discard, *resolving]
    if len(seen) + market.deck != MARKET_CARDS or len(set(seen)) != len(seen):
        yield f"{seen} and {market.deck} face down are not the fifteen market cards, each once"
    if sorted(bought) != sorted([*kept, *market.discard, *resolving]):
        yield f"{bought} were taken, {kept} kept, {market.discard} used"
    if market.deck and len(market.row) != 3 and table.step not in ("market_setup", "market_refill"):
        yield f"{len(market.row)} cards in the row while others are face down"


def _turn(table: AvenueTable) -> Iterator[str]:
    order = (table.first, "blue" if table.first == "green" else "green")
    whose = None if table.outcome or table.step == "market_setup" else order[table.turns % 2]
    if table.turn != whose:
        yield f"turn of {table.turn} after {table.turns} turns, begun by {table.first}"
    if table.step == "effect" and table.resolving is None:
        yield "an effect without a card"
    if table.must_show and (table.deck or side_of(table.must_show) != table.turn):
        yield f"{table.must_show} must play face up without having taken the last card"
    if table.shower and table.must_show not in (None, table.shower):
        yield f"{table.shower} plays face up, {table.must_show} took the last card"
    if table.step in ("show", "conceal", "take") and (table.landed or table.resolving):
        yield f"step {table.step} while a market card is pending"


def _goes_on(table: AvenueTable) -> Iterator[str]:
    """At the beginning of a turn, no end condition holds."""
    if table.step != "show" or table.outcome:
        return
    green, blue = (table.teams[side] for side in ("green", "blue"))
    if abs(green.progress - blue.progress) >= 7:
        yield f"a lead of {abs(green.progress - blue.progress)} and the game goes on"
    if any(team.has(agent) >= 3 for team in (green, blue) for agent in ("codebreaker", "daredevil")):
        yield "three Codebreakers or Daredevils and the game goes on"
    hands = [table.holdings[seat].hand for seat in table.members(str(table.turn))]
    if min(hands) < (2 if len(hands) == 1 else 1):
        yield f"{table.turn} cannot play with {hands} cards"


def _end(table: AvenueTable) -> Iterator[str]:
    if table.outcome is None:
        return
    winners = {side_of(seat) for seat in table.outcome.winners}
    if len(winners) != 1 or table.outcome.winners != table.members(winners.pop()):
        yield f"the winners {table.outcome.winners} are not one whole side"
    if table.outcome.scores != {side: team.progress for side, team in table.teams.items()}:
        yield "the scores are not the progress of each side"
