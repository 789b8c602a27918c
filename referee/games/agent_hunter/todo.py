"""Instructions for the real cards and tokens of Agent Hunter, and what a seat must do next."""

from collections.abc import Iterator

from referee.core.game import News, Say, Slice
from referee.games.agent_hunter.table import HunterHand, HunterTable, other


def todo(seen: Slice[HunterTable, HunterHand]) -> tuple[Say, ...]:
    """What to do with the components after the last move."""
    return tuple(_after(seen))


def awaited(seen: Slice[HunterTable, HunterHand]) -> tuple[Say, ...]:
    """What this seat, or anyone at the table, must do next."""
    return tuple(_next(seen))


def _after(seen: Slice[HunterTable, HunterHand]) -> Iterator[Say]:
    for news in seen.table.said:
        if news.kind == "hidden" and seen.seat and seen.table.sides[seen.seat].hidden:
            yield Say("lay_out")
        if news.kind == "attack":
            yield from _attack(news, seen)
        if news.kind == "matched":
            lost = next(n.fields for n in seen.table.said if n.kind == "destroyed")
            about = {**news.fields, "side": lost["side"], "lost": lost["house"]}
            yield Say(f"matched.{news.fields['origin']}.{_voice(news, seen)}", about)
        if news.kind in ("swapped", "refilled"):
            yield Say(f"{news.kind}.{_voice(news, seen)}", news.fields)


def _attack(news: News, seen: Slice[HunterTable, HunterHand]) -> Iterator[Say]:
    if news.fields["answer"] == "reussite":
        yield Say(f"hit.{_voice(news, seen)}", {**news.fields, "side": other(news.fields["by"])})
    elif news.fields["origin"] == "hand":
        yield Say(f"miss.{_voice(news, seen)}", news.fields)
    # for a missed attack from a house, the news `matched` says what to do


def _voice(news: News, seen: Slice[HunterTable, HunterHand]) -> str:
    return "you" if news.fields["by"] == seen.seat else "they"


def _next(seen: Slice[HunterTable, HunterHand]) -> Iterator[Say]:
    table = seen.table
    if table.step == "hide" and seen.seat and not table.sides[seen.seat].hidden:
        yield Say("hide")
    elif table.owed and table.owed.seat == seen.seat:
        yield Say("refill.you", {"house": table.owed.house})
    elif table.owed:
        yield Say("refill.they", {"seat": table.owed.seat, "house": table.owed.house})
