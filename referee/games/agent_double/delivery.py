"""Deliveries: who takes the documents of an agent, with all parts of the sum, and what it sets off."""

from collections.abc import Iterator

from referee.altered import altered
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
from referee.moves import Seat

PATIENCE = 2  # disagreements after which a card decides nothing


def delivers(before: Position) -> Position:
    """One agent after the other delivers, until none has enough documents or a card asks its owner."""
    after = before
    while (n := _next(after.table)) is not None:
        origin = n if after.table.origin is None else after.table.origin
        after = _shows(after.on_table(origin=origin), after.table.agents[n])
        if after.table.pending:
            return after
    return after.on_table(origin=None)


def _next(table: DoubleTable) -> int | None:
    """The next agent with enough documents: nearest to the first of the chain, left before right."""
    ready = (n for n, a in enumerate(table.agents) if not a.delivered and len(a.files) >= table.need(n))
    origin = table.origin
    return min(ready, key=lambda n: (0 if origin is None else abs(n - origin), n), default=None)


def _shows(before: Position, agent: Agent) -> Position:
    """Tokens and documents are turned up; what the sum says holds unless a card says otherwise."""
    files = tuple(_documents(before, agent))
    loyalty = {seat: _loyalty(before, agent, seat, files) for seat in SEATS}
    red, blue = (loyalty[seat].total for seat in SEATS)
    taker = ("red" if red > blue else "blue") if red != blue else side_of(agent.influence)
    why = "loyalty" if red != blue else "influence"
    shown = Delivery(agent.name, loyalty, files, taker, why, tuple(_asks(before.table, files)))
    return _asks_next(before, shown) if shown.asks else _taken(before, shown)


def _documents(state: Position, agent: Agent) -> Iterator[Shown]:
    """In the order in which they lie there."""
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
    """The cards whose text only their owners know: personal documents before traps, red's first."""
    asking = {"personal": table.personal, "trapped": table.trapped}
    for card in (card for card, how in asking.items() if how == "ask"):
        for seat in SEATS:
            yield from (Asks(seat, card) for file in files if (file.owner, file.file) == (seat, card))


def _asks_next(before: Position, pending: Delivery) -> Position:
    """All is turned up; the owner of the next card says what it does."""
    asks, shown = pending.asks[0], told(pending)
    after = before.on_table(step="ruling", pending=pending)
    return after.say("asks", by=asks.owner, card=asks.card, **shown)


def told(delivery: Delivery) -> dict[str, object]:
    """What everybody sees when tokens and documents are turned up."""
    return {
        "agent": delivery.agent,
        "loyalty": {seat: part.wire() for seat, part in delivery.loyalty.items()},
        "files": [{"owner": file.owner, "file": file.file} for file in delivery.files],
        "red": delivery.loyalty["red"].total,
        "blue": delivery.loyalty["blue"].total,
    }


def rules_on(before: Position, pending: Delivery, taker: str) -> Position:
    """The owner of an effect card says what happens to the documents; the other has to agree."""
    after = before.on_table(step="agree", pending=altered(pending, proposed=taker))
    asks = pending.asks[0]
    return after.say("ruled", by=asks.owner, card=asks.card, agent=pending.agent, taker=taker)


def agrees(before: Position, pending: Delivery) -> Position:
    """So it is: a later card may still say otherwise."""
    return _settled(before, altered(pending, taker=pending.proposed, why="ruling"))


def disagrees(before: Position, pending: Delivery) -> Position:
    """The owner says again what the card does; after two refusals it does nothing."""
    pending = altered(pending, disagreed=pending.disagreed + 1, proposed="")
    if pending.disagreed == PATIENCE:
        return _settled(before, pending)
    return before.on_table(step="ruling", pending=pending)


def _settled(before: Position, pending: Delivery) -> Position:
    """This card has had its say: the next one, or the documents are taken and the chain goes on."""
    pending = altered(pending, asks=pending.asks[1:], proposed="", disagreed=0)
    if pending.asks:
        return _asks_next(before, pending)
    return delivers(_taken(before.on_table(pending=None), pending))


def _taken(before: Position, done: Delivery) -> Position:
    """The documents go to a score pile; counter, tokens and markers leave; the agent is closed."""
    after = before
    if done.taker == NOBODY:
        for seat in SEATS:
            after = after.boxes(seat, sum(file.owner == seat for file in done.files))
    for seat in SEATS:
        after = after.with_hand(seat, after.hands[seat].without(done.agent))
    closed = altered(after.agent(done.agent), delivered=True, markers=0, files=())
    table = after.table.with_agent(closed)
    after = after.with_table(altered(table, deliveries=(*table.deliveries, done)))
    points = 0 if done.taker == NOBODY else done.points
    why = NOBODY if done.taker == NOBODY else done.why
    return after.say("delivered", **told(done), taker=done.taker, points=points, why=why)
