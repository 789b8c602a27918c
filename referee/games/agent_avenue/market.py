"""The black market of Agent Avenue: taking, replacing and resolving market cards."""

from referee.core.frozen import replaced
from referee.core.moves import Move, Seat
from referee.games.agent_avenue.cards import IMMEDIATE, other
from referee.games.agent_avenue.choices import effect
from referee.games.agent_avenue.position import Position
from referee.games.agent_avenue.table import DECK, MARKET_DECK, ROW, USED, Place, Resolving, side_of
from referee.games.agent_avenue.turn import go_on, moved, recruited, turn_of


def set_up(before: Position, cards: tuple[str, ...]) -> Position:
    """Mise en place: three cards are face up; then the first side plays."""
    after = before.with_market(row=cards, deck=before.market().deck - len(cards))
    for card in cards:
        after = after.carried(card, MARKET_DECK, ROW)
    return turn_of(after.say("market_row", cards=list(cards)), before.table.first)


def picked(before: Position, seat: Seat, card: str) -> Position:
    """A seat takes a card from the row. The row is refilled before the card takes effect."""
    team = before.table.teams[side_of(seat)]
    team = replaced(team, bought=(*team.bought, card))
    resolving = Resolving(seat, card) if card in IMMEDIATE else None
    to = Place("pending", seat) if resolving else Place("kept", side_of(seat))
    if resolving is None:
        team = replaced(team, permanents=(*team.permanents, card))
    row = tuple(each for each in before.market().row if each != card)
    after = before.with_team(side_of(seat), team).with_market(row=row)
    after = after.on_table(landed=before.table.landed[1:], resolving=resolving)
    after = after.carried(card, ROW, to).say("market_taken", by=seat, card=card)
    return after.on_table(step="market_refill") if after.market().deck else _take_effect(after)


def refilled(before: Position, card: str) -> Position:
    market = before.market()
    after = before.with_market(row=(*market.row, card), deck=market.deck - 1)
    after = after.carried(card, MARKET_DECK, ROW)
    return _take_effect(after.say("market_row", cards=[*market.row, card]))


def _take_effect(before: Position) -> Position:
    """A permanent card does nothing now. An immediate one asks for a move, acts alone, or has no effect."""
    table, resolving = before.table, before.table.resolving
    if resolving is None:
        return go_on(before)
    if resolving.card == "surveillance_truck":
        return go_on(moved(_used(before, "moves"), side_of(resolving.seat), 1))
    if not effect(table):
        return go_on(_used(before, "impossible"))
    return before.on_table(step="effect")


def _used(before: Position, result: str, **fields: str) -> Position:
    """An immediate card is announced and goes to the market's discard pile."""
    resolving = before.table.resolving
    assert resolving is not None
    seat, card = resolving.seat, resolving.card
    after = before.with_market(discard=(*before.market().discard, card)).on_table(resolving=None)
    after = after.carried(card, Place("pending", seat), USED)
    return after.say("market_effect", by=seat, card=card, result=result, **fields)


def effect_of(before: Position, seat: Seat, move: Move) -> Position:
    """Play the move that an immediate card asked for. The hand is refilled after the whole ability."""
    match move.type:
        case "cannot":
            return go_on(_used(before, "cannot"))
        case "recruit_from_hand":
            after = _from_hand(before, seat, move["agent"])
        case "recruit_from_deck":
            after = _used(before, "recruits", agent=move["agent"]).on_table(deck=before.table.deck - 1)
            after = recruited(after, side_of(seat), move["agent"], DECK)
        case "take_from":
            after = _taken_from(before, seat, move["agent"])
        case "take_back":
            after = _taken_back(before, seat, move["agent"], move["recruit"])
        case _:
            raise ValueError(f"Agent Avenue has no move {move.type}")
    return go_on(after.drawn(seat))


def _from_hand(before: Position, seat: Seat, agent: str) -> Position:
    """Recruit from hand. For Coup double two copies are shown; one stays in hand, known to everyone."""
    held, resolving = before.table.holdings[seat], before.table.resolving
    assert resolving is not None
    held = held.has_pair(agent) if resolving.card == "double_trouble" else held
    after = _used(before, "recruits", agent=agent).with_holding(seat, held.shows(agent))
    return recruited(after, side_of(seat), agent, Place("hand", seat))


def _taken_from(before: Position, seat: Seat, agent: str) -> Position:
    """An agent of the opponents goes to this hand; no pawn moves."""
    foe = other(side_of(seat))
    after = _used(before, "takes", agent=agent)
    after = after.with_team(foe, after.table.teams[foe].with_agent(agent, -1))
    after = after.carried(agent, Place("zone", foe), Place("hand", seat))
    return after.with_holding(seat, after.table.holdings[seat].gains(agent))


def _taken_back(before: Position, seat: Seat, agent: str, recruit: bool) -> Position:
    """An own agent goes back to hand, or is recruited again at once."""
    side = side_of(seat)
    after = _used(before, "recruits_again" if recruit else "takes_back", agent=agent)
    after = after.with_team(side, after.table.teams[side].with_agent(agent, -1))
    if recruit:
        return recruited(after, side, agent, Place("zone", side))
    after = after.carried(agent, Place("zone", side), Place("hand", seat))
    return after.with_holding(seat, after.table.holdings[seat].gains(agent))
