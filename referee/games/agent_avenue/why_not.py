"""Which rule of Agent Avenue forbids a move, derived only from what its seat may know."""

from referee.core.game import Say
from referee.core.moves import Move, Seat
from referee.games.agent_avenue.cards import AGENTS
from referee.games.agent_avenue.choices import AvenueSlice, concealer, may_show, to_replace
from referee.games.agent_avenue.counting import unmarked
from referee.games.agent_avenue.table import INDEX, AvenueTable, Resolving, side_of

EFFECTS = ("recruit_from_hand", "recruit_from_deck", "take_from", "take_back", "cannot")


def why_not(seen: AvenueSlice, move: Move) -> Say | None:
    """The rule that forbids a well-formed move at this step."""
    table, seat = seen.table, str(seen.seat)
    match table.step, move.type:
        case (("show" | "conceal"), "discard") if side_of(seat) == table.turn:
            return _discard(table, seat)
        case ("show", "show") if side_of(seat) == table.turn:
            return _show(table, seat, move["agent"])
        case ("conceal", "show") if side_of(seat) == table.turn:
            return Say("shown_already")
        case ("conceal", "conceal") if side_of(seat) == table.turn:
            return _conceal(table, seat, move)
        case ("take", "take") if side_of(seat) != table.turn:
            return Say("take")
        case ("take", "take"):
            return Say("not_your_offer")
        case ("market_setup", "market_setup") | ("market_refill", "market_refill"):
            return Say(move.type)
        case ("market_pick", "market_pick"):
            return Say("market_pick" if side_of(seat) == table.landed[0] else "not_your_market")
        case "effect", kind if kind in EFFECTS and table.resolving:
            return _effect(table.resolving, seat, kind)
    return None


def _discard(table: AvenueTable, seat: Seat) -> Say | None:
    """Étape 1, facultatif: before one's own card, a limited number of times, while the deck has cards."""
    if table.step == "conceal" and concealer(table) != seat:
        return Say("discard_late")
    if table.step == "conceal" and not table.is_pair(side_of(seat)):
        return Say("discard_late")
    if to_replace(table):
        return Say("no_discard_left")
    return Say("last_card" if table.reserved and table.must_show != seat else "deck_empty")


def _show(table: AvenueTable, seat: Seat, agent: str) -> Say:
    if not may_show(table, seat):
        return Say("partner_shows", {"by": table.must_show})
    return _not_in_hand(table, seat, agent)


def _conceal(table: AvenueTable, seat: Seat, move: Move) -> Say:
    if concealer(table) != seat:
        return Say("partner_conceals")
    if move["agent"] == table.face_up:
        return Say("same_agent")
    if move["agent"] in AGENTS and "whole_hand" in move.fields:
        return Say("whole_hand")
    return _not_in_hand(table, seat, move["agent"])


def _not_in_hand(table: AvenueTable, seat: Seat, agent: str) -> Say:
    """Why public information rules this agent out: the whole hand is known, or all copies are elsewhere."""
    if agent not in AGENTS:
        return Say("agent")
    marked = {each: held.marked[INDEX[agent]] for each, held in table.holdings.items()}
    if unmarked(table, agent) or marked[seat]:
        return Say("known_hand")
    return Say("elsewhere" if any(marked.values()) else "out")


def _effect(resolving: Resolving, seat: Seat, kind: str) -> Say | None:
    if resolving.seat != seat:
        return Say("not_your_card")
    if kind == "cannot":
        return Say("compulsory")
    return Say(f"effect.{resolving.card}")
