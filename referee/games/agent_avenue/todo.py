"""Instructions for the real cards and pawns of Agent Avenue after a move, and what a seat must do next."""

from collections.abc import Iterator
from typing import Any

from referee.core.game import News, Say, Slice
from referee.games.agent_avenue.cards import IMMEDIATE
from referee.games.agent_avenue.choices import concealer, may_discard_now, may_show
from referee.games.agent_avenue.table import AvenueHand, AvenueTable, Resolving, side_of

AvenueSlice = Slice[AvenueTable, AvenueHand]


def todo(seen: AvenueSlice) -> tuple[Say, ...]:
    """What to do with the components after the last move."""
    return (*_after(seen), *_drawn(seen))


def awaited(seen: AvenueSlice) -> tuple[Say, ...]:
    """What this seat, or anyone at the table, must do next."""
    return () if seen.table.outcome else tuple(_next(seen))


def _after(seen: AvenueSlice) -> Iterator[Say]:
    for news in seen.table.said:
        match news.kind:
            case "began":
                yield Say("deal")
            case "discarded" | "shown" | "concealed":
                yield Say(f"{news.kind}.{_voice(news, seen)}", news.fields)
            case "taken":
                yield Say("reveal", {"agent": _hidden(seen.table, news)})
            case "moved" if news.fields["spaces"]:
                yield Say(f"moved.{news.fields['way']}", news.fields)
            case "market_taken" if news.fields["card"] not in IMMEDIATE:
                yield Say(f"keep.{_voice(news, seen)}", news.fields)
            case "market_effect":
                yield from _effect(news, seen)


def _hidden(table: AvenueTable, taken: News) -> str:
    """The card that was face down: the recruit of the choosing side if it took it, else of the other side."""
    recruits = {n.fields["side"]: n.fields["agent"] for n in reversed(table.said) if n.kind == "recruited"}
    chooser = side_of(taken.fields["by"])
    if taken.fields["card"] == "face_down":
        return str(recruits[chooser])
    return str(next(agent for side, agent in recruits.items() if side != chooser))


def _effect(news: News, seen: AvenueSlice) -> Iterator[Say]:
    """Agents go to hands or zones as announced; a used card goes to the market's discard pile."""
    result = news.fields["result"]
    if result in ("recruits", "recruits_again", "takes", "takes_back"):
        yield Say(f"{result}.{_voice(news, seen)}", news.fields)
    if result != "drives_on":
        yield Say("used", news.fields)


def _voice(news: News, seen: AvenueSlice) -> str:
    return "you" if news.fields["by"] == seen.seat else "they"


def _drawn(seen: AvenueSlice) -> Iterator[Say]:
    if any(news.kind == "discarded" for news in seen.table.said):
        return  # the discard's own instruction covers the draw
    for seat, n in seen.table.drawn.items():
        about: dict[str, Any] = {"n": n, "seat": seat}
        yield Say(f"draw.{'you' if seat == seen.seat else 'they'}", about)


def _next(seen: AvenueSlice) -> Iterator[Say]:
    yield from _asked(seen)
    table, seat = seen.table, seen.seat
    if seat and may_discard_now(table, seat):
        yield Say("may_discard", {"n": table.holdings[seat].discards_left})


def _asked(seen: AvenueSlice) -> Iterator[Say]:
    table, seat = seen.table, seen.seat
    mine = bool(seat) and side_of(str(seat)) == table.turn
    if table.step in ("market_setup", "market_refill"):
        yield Say(table.step)
    elif table.step == "show" and mine and may_show(table, str(seat)):
        yield Say(f"show.{_who_shows(table)}")
    elif table.step == "conceal" and seat and concealer(table) == seat:
        yield Say("conceal")
    elif table.step == "take" and seat and not mine:
        yield Say("take")
    elif table.step == "market_pick" and seat and side_of(seat) == table.landed[0]:
        yield Say("market_pick")
    elif table.step == "effect" and table.resolving:
        yield _effect_of(table.resolving, is_mine=table.resolving.seat == seat)


def _who_shows(table: AvenueTable) -> str:
    """A solo player, either player of a pair, or the one who must because of the deck's last card."""
    if table.must_show:
        return "must"
    return "pair" if table.is_pair(str(table.turn)) else "solo"


def _effect_of(resolving: Resolving, is_mine: bool) -> Say:
    """What the card asks of the seat that took it; the others learn which card they wait for."""
    if is_mine:
        return Say(f"effect.{resolving.card}")
    return Say("effect_of", {"by": resolving.seat, "card": resolving.card})
