"""What to do with the real components, and what a seat must do next."""

from referee.core.game import Say, Slice
from referee.kit.template.new_game.table import NewHand, NewTable


def todo(seen: Slice[NewTable, NewHand]) -> tuple[Say, ...]:
    """What to do with the real components after the last move."""
    found = (news for news in seen.table.said if news.kind == "found")
    return tuple(Say("turn_up", {"owner": news.fields["owner"]}) for news in found)


def awaited(seen: Slice[NewTable, NewHand]) -> tuple[Say, ...]:
    """What this seat must do next."""
    table, seat = seen.table, seen.seat
    if table.step == "hide" and seat and seat not in table.hidden:
        return (Say("hide"),)
    return (Say("guess"),) if seat and table.turn == seat else ()
