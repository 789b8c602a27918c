"""Deliveries in Agent Double: who takes the documents of an agent, and the chain of further deliveries."""

from collections.abc import Iterator

from referee.core.frozen import replaced
from referee.core.moves import Seat
from referee.games.agent_double.deck import worth
from referee.games.agent_double.position import Position
from referee.games.agent_double.table import (
    DARK,
    NOBODY,
    SEATS,
    Agent,
    Asks,
    Delivery,
    DoubleTable,
    Loyalty,
    Shown,
    side_of,
)

MAX_REFUSALS = 2  # after this many refusals of its owner's ruling, a card has no effect


def delivers(before: Position) -> Position:
    """Agents deliver one after the other, until none has enough documents or a card needs a ruling."""
    after = before
    while (n := _next(after.table)) is not None:
        origin = n if after.table.origin is None else after.table.origin
        after = _shows(after.on_table(origin=origin), after.table.agents[n])
        if after.table.pending:
            return after
    return after.on_table(origin=None)


def _next(table: DoubleTable) -> int | None:
    """The next agent with enough documents: the nearest to the origin of the chain, left before right."""
    ready = (n for n, a in enumerate(table.agents) if not a.delivered and len(a.files) >= table.need(n))
    origin = table.origin
    return min(ready, key=lambda n: (0 if origin is None else abs(n - origin), n), default=None)


def _shows(before: Position, agent: Agent) -> Position:
    """Turn up tokens and documents. The sum decides who takes them, unless a card needs a ruling."""
    files = tuple(_documents(before, agent))
    loyalty = {seat: _loyalty(before, agent, seat, files) for seat in SEATS}
    red, blue = (loyalty[seat].total for seat in SEATS)
    taker = ("red" if red > blue else "blue") if red != blue else side_of(agent.influence)
    why = "loyalty" if red != blue else "influence"
    shown = Delivery(agent.name, loyalty, files, taker, why, tuple(_asks(before.table, files)))
    return _asks_next(before, shown) if shown.asks else _taken(before, shown)


def _documents(state: Position, agent: Agent) -> Iterator[Shown]:
    """The documents before an agent, face up, in the order in which they lie there."""
    held = {seat: iter(state.hands[seat].at(agent.name)) for seat in SEATS}
    for file in agent.files:
        face = next(held[file.owner])
        yield Shown(file, face, worth(file.back, face, state.table.deck))


def _loyalty(state: Position, agent: Agent, seat: Seat, files: tuple[Shown, ...]) -> Loyalty:
    personal = sum(file.owner == seat and file.file == "personal" for file in files)
    return Loyalty(
        token=state.hands[seat].loyalty[agent.name],
        influence=int(DARK.get(agent.influence) == seat),
        personal=personal if state.table.personal == "plus_one" else 0,
    )


def _asks(table: DoubleTable, files: tuple[Shown, ...]) -> Iterator[Asks]:
    """The effect cards that need a ruling by their owners: personal before trapped documents, red first."""
    asking = {"personal": table.personal, "trapped": table.trapped}
    for card in (card for card, how in asking.items() if how == "ask"):
        for seat in SEATS:
            yield from (Asks(seat, card) for file in files if (file.owner, file.file) == (seat, card))


def _asks_next(before: Position, pending: Delivery) -> Position:
    """Everything is turned up; ask the owner of the next card what it does."""
    asks, shown = pending.asks[0], told(pending)
    after = before.on_table(step="ruling", pending=pending)
    return after.say("asks", by=asks.owner, card=asks.card, **shown)


def told(delivery: Delivery) -> dict[str, object]:
    """The news fields of a delivery: everything that is turned up."""
    return {
        "agent": delivery.agent,
        "loyalty": {seat: part.wire() for seat, part in delivery.loyalty.items()},
        "files": [{"owner": file.owner, "file": file.file} for file in delivery.files],
        "red": delivery.loyalty["red"].total,
        "blue": delivery.loyalty["blue"].total,
    }


def rules_on(before: Position, pending: Delivery, taker: str) -> Position:
    """The owner of an effect card says who takes the documents; the other player must agree."""
    after = before.on_table(step="agree", pending=replaced(pending, proposed=taker))
    asks = pending.asks[0]
    return after.say("ruled", by=asks.owner, card=asks.card, agent=pending.agent, taker=taker)


def agrees(before: Position, pending: Delivery) -> Position:
    """The ruling is accepted. A later card may still change the taker."""
    return _settled(before, replaced(pending, taker=pending.proposed, why="ruling"))


def disagrees(before: Position, pending: Delivery) -> Position:
    """The ruling is refused. The owner rules again; after two refusals the card has no effect."""
    pending = replaced(pending, disagreed=pending.disagreed + 1, proposed="")
    if pending.disagreed == MAX_REFUSALS:
        return _settled(before, pending)
    return before.on_table(step="ruling", pending=pending)


def _settled(before: Position, pending: Delivery) -> Position:
    """A card is settled: go on to the next card, or take the documents and continue the chain."""
    pending = replaced(pending, asks=pending.asks[1:], proposed="", disagreed=0)
    if pending.asks:
        return _asks_next(before, pending)
    return delivers(_taken(before.on_table(pending=None), pending))


def _taken(before: Position, done: Delivery) -> Position:
    """Documents go to a score pile or the box; counter, tokens and markers leave; the agent is closed."""
    after = before
    if done.taker == NOBODY:
        for seat in SEATS:
            after = after.boxes(seat, sum(file.owner == seat for file in done.files))
    for seat in SEATS:
        after = after.with_hand(seat, after.hands[seat].without(done.agent))
    closed = replaced(after.agent(done.agent), delivered=True, markers=0, files=())
    table = after.table.with_agent(closed)
    after = after.with_table(replaced(table, deliveries=(*table.deliveries, done)))
    points = 0 if done.taker == NOBODY else done.points
    why = NOBODY if done.taker == NOBODY else done.why
    return after.say("delivered", **told(done), taker=done.taker, points=points, why=why)
