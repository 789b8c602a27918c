"""Which rule of Agent Hunter forbids a move, from what its seat may know."""

from referee.core.game import Say
from referee.core.moves import Move
from referee.games.agent_hunter.choices import HunterSlice
from referee.games.agent_hunter.table import HOUSES, HunterHand, other


def why_not(seen: HunterSlice, move: Move) -> Say | None:
    """The rule that forbids a well-formed move to a seat that must act."""
    table, mine, side = seen.table, seen.mine(), seen.table.sides[str(seen.seat)]
    targets = table.sides[other(str(seen.seat))].live
    match move.type:
        case "hide" if table.step == "hide" and not side.hidden:
            return Say("hide")
        case "refill" if table.owed and table.owed.seat == seen.seat:
            return _laid(mine, move) or Say("refill", {"house": table.owed.house})
        case "attack_from_hand" | "attack_from_house" | "swap" if table.owed and table.owed.seat == seen.seat:
            return Say("owed", {"house": table.owed.house})
        case "attack_from_hand" if _may_act(seen) and move["card"] not in mine.cards:
            return _laid(mine, move) or Say("not_in_hand", {"card": move["card"]})
        case "attack_from_hand" | "attack_from_house" if _may_act(seen) and move["house"] not in targets:
            return Say("target", {"house": move["house"]})
        case "attack_from_house" if _may_act(seen):
            return Say("own_house", {"house": move["from"]})
        case "swap" if _may_act(seen) and not side.decoys_left:
            return Say("no_decoy")
        case "swap" if _may_act(seen) and move["house"] not in side.live:
            return Say("own_house", {"house": move["house"]})
        case "swap" if _may_act(seen) and move["decoy"] not in HOUSES:
            return Say("decoy")
        case "swap" if _may_act(seen):
            return _laid(mine, move) or Say("not_in_hand", {"card": move["card"]})
    return None


def _laid(mine: HunterHand, move: Move) -> Say | None:
    """The refusal for a card that is in one of the seat's own houses. Only this seat reads it."""
    house = mine.house_of(move["card"])
    return Say("in_house", {"card": move["card"], "house": house}) if house else None


def _may_act(seen: HunterSlice) -> bool:
    return seen.table.step == "act" and seen.table.turn == seen.seat
