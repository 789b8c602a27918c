"""Instructions for the real board, cards and tokens of Agent Double, and what a seat must do next."""

from collections.abc import Iterator, Mapping
from typing import Any

from referee.core.game import News, Say, Slice
from referee.games.agent_double.choices import waited_for
from referee.games.agent_double.table import NOBODY, DoubleHand, DoubleTable

DoubleSlice = Slice[DoubleTable, DoubleHand]

TO_ALL = ("did_marker", "did_influence", "did_swap_loyalty")
OF_DOCUMENTS = ("did_move_file", "did_remove_file")
TO_EACH = ("placed", "influence", "did_peek", "did_peek_loyalty")


def todo(seen: DoubleSlice) -> tuple[Say, ...]:
    """What to do with the components after the last move."""
    return tuple(_after(seen))


def awaited(seen: DoubleSlice) -> tuple[Say, ...]:
    """What this seat, or anyone at the table, must do next."""
    return tuple(_next(seen))


def _after(seen: DoubleSlice) -> Iterator[Say]:
    table = seen.table
    turned = False  # a delivery that waited for a ruling was turned up by an earlier move
    for news in table.said:
        turned = turned or news.kind in ("accepted", "refused")
        if news.kind == "loyalty_assigned" and seen.seat in table.assigned:
            yield Say("tokens")
        if news.kind in TO_EACH and not (seen.seat is None and news.kind == "placed" and _is_drawn(table)):
            yield Say(f"{news.kind}.{_voice(news, seen)}", news.fields)
        if news.kind == "refused" and seen.seat not in (None, news.fields["by"]):
            yield Say(f"refused.{news.fields['about']}", news.fields)
        if news.kind in TO_ALL:
            yield Say(news.kind, news.fields)
        if news.kind in OF_DOCUMENTS:
            yield Say(f"{news.kind}.{news.fields['document']}", news.fields)
        if news.kind == "acted":
            yield Say(f"acted.{news.fields['card']}.{_voice(news, seen)}", news.fields)
        if news.kind in ("asks", "delivered") and seen.seat:
            yield from _turned_up(news, turned)
            turned = False
    if seen.seat is None:
        yield from _on_screen(table)
    if table.drew:
        yield Say("draw.you" if table.drew == seen.seat else "draw.they", {"seat": table.drew})


def _turned_up(news: News, turned: bool) -> Iterator[Say]:
    """The instructions for an agent that delivers, card by card."""
    if news.kind == "asks" or not turned:
        yield from shown(news.fields)
    if news.kind == "delivered":
        yield delivered(news.fields)


def delivered(fields: Mapping[str, Any]) -> Say:
    """Who takes the documents of an agent. Everything else before it leaves the game."""
    return Say(f"delivered.{'nobody' if fields['taker'] == NOBODY else 'taken'}", fields)


def _is_drawn(table: DoubleTable) -> bool:
    """Whether the last move turned something up. The screen draws that."""
    return any(news.kind in ("asks", "delivered") for news in table.said)


def _on_screen(table: DoubleTable) -> Iterator[Say]:
    """The table screen draws everything that is turned up, so one sentence covers a whole chain."""
    chain = [str(news.fields["agent"]) for news in table.said if news.kind == "delivered"]
    if chain:
        yield Say("chain", {"agents": ", ".join(chain), "n": len(chain)})
    yield from (Say("turn_up", news.fields) for news in table.said if news.kind == "asks")


def _voice(news: News, seen: DoubleSlice) -> str:
    return "you" if news.fields["by"] == seen.seat else "they"


def shown(fields: Mapping[str, Any]) -> Iterator[Say]:
    """What everyone should see now, so that a mistyped card or token is noticed at once."""
    files = [file for file in fields["files"] if file["file"].isdigit()]
    tokens = {seat: part["token"] for seat, part in fields["loyalty"].items()}
    faces = " ".join(file["file"] for file in files) or "–"
    yield Say("show", {"agent": fields["agent"], **tokens, "files": faces})
    for file in fields["files"]:
        if not file["file"].isdigit():
            yield Say(f"show.{file['file']}", file)


def _next(seen: DoubleSlice) -> Iterator[Say]:
    table = seen.table
    for seat in waited_for(table):
        about = {"seat": seat, "agent": table.pending.agent if table.pending else ""}
        if seat == seen.seat:
            yield Say(f"next.{table.step}.{_card(table)}you", about)
        elif table.step not in ("assign", "play") or seen.seat is None:
            yield Say(f"next.{table.step}.they", about)


def _card(table: DoubleTable) -> str:
    """The part of the key that names what is answered, or which card needs a ruling."""
    if table.step == "agree":
        return "ruling." if table.pending else "action."
    return f"{table.pending.asks[0].card}." if table.step == "ruling" and table.pending else ""
