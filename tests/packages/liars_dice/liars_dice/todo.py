"""What to do with the real cups and dice, and what a seat must do next."""

from collections.abc import Sequence

from liars_dice.choices import DiceSlice
from referee.core.game import Made, Say


def todo(seen: DiceSlice) -> tuple[Say, ...]:
    """What to do on the real table after the last move."""
    table = seen.table
    lost = [news for news in table.said if news.kind == "lost"]
    if not lost:
        return ()
    loser = lost[0].fields["by"]
    return (Say("lift"), Say("put_away", {"by": loser}))


def turned_up(made: Sequence[Made]) -> list[int]:
    """After a doubt all cups are lifted, until the next roll is entered: the rolls of that round lie open."""
    if not made or made[-1].type != "doubt":
        return []
    before = [move.n for move in made[:-1] if move.type == "doubt"]
    return [move.n for move in made if move.is_secret and move.n > max(before, default=0)]


def put_back(before: DiceSlice, now: DiceSlice) -> tuple[Say, ...]:
    """After an undo: dice that were put away come back."""
    back = [seat for seat, dice in now.table.dice.items() if dice > before.table.dice[seat]]
    return tuple(Say("give_back", {"by": seat}) for seat in back)


def awaited(seen: DiceSlice) -> tuple[Say, ...]:
    """What this seat must do next."""
    table, seat = seen.table, seen.seat
    if seat is None or not table.dice[seat]:
        return ()
    if table.step == "roll" and seat not in table.rolled:
        return (Say("roll"),)
    if table.turn != seat:
        return ()
    return (Say("bid_or_doubt" if table.bid else "bid"),)
