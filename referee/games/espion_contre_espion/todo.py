"""Instructions for the real board, tiles and pawns of Espion contre Espion after a move."""

from collections.abc import Iterator

from referee.core.game import News, Say
from referee.games.espion_contre_espion.board import other
from referee.games.espion_contre_espion.table import SpySlice


def todo(seen: SpySlice) -> tuple[Say, ...]:
    """What to do with the pieces after the last move. The form itself shows what the seat must do next."""
    return tuple(_after(seen))


def _after(seen: SpySlice) -> Iterator[Say]:
    for news in seen.table.said:
        if news.kind == "building_skipped":
            whose = "you" if news.fields["by"] == seen.seat else "they"
            yield Say(f"building_skipped.{whose}", {"by": news.fields["by"]})
        elif news.kind in ("spotted", "stolen", "guess"):
            yield from found(news)
        elif news.fields.get("by") == seen.seat:
            yield from _yours(news)


def _yours(news: News) -> Iterator[Say]:
    """Instructions for the seat that moved, which places the piece. They never name a spy's square."""
    match news.kind:
        case "building_placed":
            told = {"number": news.fields["tile"] + 1, "cell": news.fields["cell"]}
            yield Say(f"building_placed.{news.fields['rotation']}", told)
        case "killer_placed" | "killer_moved":
            yield Say(news.kind, news.fields)
            yield Say(f"facing.{news.fields['facing']}")
        case "document_placed" | "camera_placed" | "camera_moved" | "spy_placed" | "spy_moved":
            yield Say(news.kind, news.fields)


def found(news: News) -> Iterator[Say]:
    """Where everyone must now find a spy, so that a misplaced spy on the real board is noticed."""
    told = news.fields
    if news.kind == "guess" and not told["right"]:
        return
    side = told["side"] if news.kind == "spotted" else told["by"]
    yield Say("found", {"side": other(side) if news.kind == "guess" else side, "cell": told["cell"]})
