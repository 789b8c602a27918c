"""The legal moves of a seat in Agent Avenue."""

from referee.core.game import Slice
from referee.core.moves import Arrange, Choice, Choices, One, Seat, Shape
from referee.games.agent_avenue.cards import AGENTS, MARKET, ROW, other
from referee.games.agent_avenue.counting import may_be_drawn, may_hold, may_lack, may_lack_pairs, most
from referee.games.agent_avenue.table import AvenueHand, AvenueTable, Resolving, in_zone, side_of

AvenueSlice = Slice[AvenueTable, AvenueHand]

AGENT = {"agent": str}
CARD = {"card": str}
MOVES = {
    "market_setup": Shape({"cards": (str,)}),
    "discard": Shape(),
    "show": Shape(AGENT),
    "conceal": Shape(
        {"agent": str, "whole_hand": bool},
        secret=frozenset({"agent", "whole_hand"}),
        optional=frozenset({"whole_hand"}),
    ),
    "take": Shape(CARD),
    "market_pick": Shape(CARD),
    "market_refill": Shape(CARD),
    "recruit_from_hand": Shape(AGENT),
    "recruit_from_deck": Shape(AGENT),
    "take_from": Shape(AGENT),
    "take_back": Shape({"agent": str, "recruit": bool}),
    "cannot": Shape(),
}
OFFERED = ("face_up", "face_down")
DISCARD, CANNOT = Choice("discard"), Choice("cannot")
TAKE = Choice("take", (One("card", OFFERED),))
SETUP = Choice("market_setup", (Arrange("cards", MARKET, ROW),))


def choices(seen: AvenueSlice) -> Choices:
    table, seat = seen.table, seen.seat
    if table.outcome or seat is None:
        return ()
    match table.step:
        case "market_setup":
            return (SETUP,)
        case "market_refill":
            return (Choice("market_refill", (One("card", unseen_market(table)),)),)
        case "effect":
            return effect(table) if table.resolving and table.resolving.seat == seat else ()
        case "market_pick":
            return (_market_pick(table),) if side_of(seat) == table.landed[0] else ()
        case "take":
            return (TAKE,) if side_of(seat) != table.turn else ()
        case _:
            return _plays(table, seat) if side_of(seat) == table.turn else ()


# ---- 1: play


def _plays(table: AvenueTable, seat: Seat) -> Choices:
    """One card face up, then one face down; before that, a card may be discarded."""
    card = _show(table, seat) if table.step == "show" else _conceal(table, seat)
    return (*card, DISCARD) if may_discard_now(table, seat) else card


def may_discard_now(table: AvenueTable, seat: Seat) -> bool:
    """Whether this seat may discard before it plays its card."""
    if table.outcome or side_of(seat) != table.turn or table.step not in ("show", "conceal"):
        return False
    is_next = table.step == "show" or (concealer(table) == seat and table.is_pair(side_of(seat)))
    return is_next and may_discard(table, seat)


def _show(table: AvenueTable, seat: Seat) -> Choices:
    return (_agents("show", may_hold(table, seat)),) if may_show(table, seat) else ()


def may_show(table: AvenueTable, seat: Seat) -> bool:
    """Précisions: in a pair, the player who took the deck's last card must play face up."""
    return table.must_show in (None, seat)


def concealer(table: AvenueTable) -> Seat | None:
    """The seat that plays face down: the partner of the one who played face up, or the same seat if alone."""
    if table.shower is None:
        return None
    members = table.members(side_of(table.shower))
    return next((seat for seat in members if seat != table.shower), table.shower)


def _conceal(table: AvenueTable, seat: Seat) -> Choices:
    """A different agent from the one shown; the same one only if the whole hand consists of it."""
    if concealer(table) != seat:
        return ()
    shown = str(table.face_up)
    others = tuple(agent for agent in may_hold(table, seat) if agent != shown)
    plain = (Choice("conceal", (One("agent", others, secret=True),)),) if others else ()
    if most(table, seat, shown) < table.holdings[seat].hand:
        return plain
    same = (One("agent", (shown,), secret=True), One("whole_hand", (True,), secret=True))
    return (*plain, Choice("conceal", same))


def may_discard(table: AvenueTable, seat: Seat) -> bool:
    return table.holdings[seat].discards_left > 0 and to_replace(table) > 0


def to_replace(table: AvenueTable) -> int:
    """How many cards of the deck a discard may draw. A reserved last card goes to the face-up player."""
    return 0 if table.reserved and table.step == "conceal" else table.deck


# ---- 2: the market


def unseen_market(table: AvenueTable) -> tuple[str, ...]:
    """The market cards that nobody has seen yet."""
    market = table.market
    assert market is not None
    seen = {*market.row, *(card for team in table.teams.values() for card in team.bought)}
    return tuple(card for card in MARKET if card not in seen)


def _market_pick(table: AvenueTable) -> Choice:
    assert table.market is not None
    return Choice("market_pick", (One("card", table.market.row),))


def effect(table: AvenueTable) -> Choices:
    """The choices of the seat that took an immediate market card. Empty if the card has no effect."""
    resolving = table.resolving
    assert resolving is not None
    side = side_of(resolving.seat)
    match resolving.card:
        case "smoke_screen":
            return _only("recruit_from_deck", may_be_drawn(table) if table.deck else ())
        case "mind_control":
            return _only("take_from", in_zone(table.teams[other(side)]))
        case "spycation":
            return _take_back(in_zone(table.teams[side]))
        case _:
            agents = from_hand(table, resolving)
            sure = must_recruit(table, resolving)
            return () if not agents else (_agents("recruit_from_hand", agents), *(() if sure else (CANNOT,)))


def from_hand(table: AvenueTable, resolving: Resolving) -> tuple[str, ...]:
    """The agents that the market card may let the seat recruit from its hand."""
    copies = 2 if resolving.card == "double_trouble" else 1
    wanted = _wanted(table, resolving)
    return tuple(agent for agent in may_hold(table, resolving.seat, copies) if agent in wanted)


def must_recruit(table: AvenueTable, resolving: Resolving) -> bool:
    """Whether public information proves that the hand holds what the card asks for."""
    if resolving.card == "double_trouble":
        return not may_lack_pairs(table, resolving.seat)
    return not may_lack(table, resolving.seat, _wanted(table, resolving))


def _wanted(table: AvenueTable, resolving: Resolving) -> tuple[str, ...]:
    if resolving.card == "outpost":
        return ("sentinel",)
    if resolving.card == "secret_recruit":
        have = in_zone(table.teams[side_of(resolving.seat)])
        return tuple(agent for agent in AGENTS if agent not in have)
    return AGENTS


def _agents(type_: str, agents: tuple[str, ...]) -> Choice:
    return Choice(type_, (One("agent", agents),))


def _only(type_: str, agents: tuple[str, ...]) -> Choices:
    return (_agents(type_, agents),) if agents else ()


def _take_back(agents: tuple[str, ...]) -> Choices:
    fields = (One("agent", agents), One("recruit", (True, False)))
    return (Choice("take_back", fields),) if agents else ()
