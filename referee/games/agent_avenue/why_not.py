"""Which rule of Agent Avenue forbids a move, from what its seat may know."""

from referee.game import Say
from referee.games.agent_avenue.cards import AGENTS
from referee.games.agent_avenue.choices import AvenueSlice, concealer, to_replace
from referee.games.agent_avenue.table import AvenueTable, Resolving, side_of
from referee.moves import Move, Seat

EFFECTS = ("recruit_from_hand", "recruit_from_deck", "take_from", "take_back", "cannot")


def why_not(seen: AvenueSlice, move: Move) -> Say | None:
    """The rule that forbids a well-formed move at this step of the turn."""
    table, seat = seen.table, str(seen.seat)
    match table.step, move.type:
        case (("show" | "conceal"), "discard") if side_of(seat) == table.turn:
            return _discard(table, seat)
        case ("show", "show") if side_of(seat) == table.turn:
            return Say("agent" if move["agent"] not in AGENTS else "out")
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
    """Étape 1, facultatif: before one's own card, so many times, from a deck that is not empty."""
    if table.step == "conceal" and concealer(table) != seat:
        return Say("discard_late")
    if table.step == "conceal" and not table.is_pair(side_of(seat)):
        return Say("discard_late")
    if not table.deck:
        return Say("deck_empty")
    return Say("no_discard_left") if to_replace(table) else Say("last_card")


def _conceal(table: AvenueTable, seat: Seat, move: Move) -> Say:
    if concealer(table) != seat:
        return Say("partner_conceals")
    if move["agent"] not in AGENTS:
        return Say("agent")
    if move["agent"] == table.face_up:
        return Say("same_agent")
    return Say("whole_hand") if "whole_hand" in move.fields else Say("out")


def _effect(resolving: Resolving, seat: Seat, kind: str) -> Say | None:
    if resolving.seat != seat:
        return Say("not_your_card")
    if kind == "cannot":
        return Say("compulsory")
    return Say(f"effect.{resolving.card}")
