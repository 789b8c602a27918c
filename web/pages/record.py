"""The record page of a finished game: its verification, and its steps with all hands shown."""

from collections.abc import Iterator, Mapping
from typing import Any

from flask import Blueprint, Response, request

from referee.core.moves import Seat
from referee.core.questions import HOST
from referee.core.story import APART, LATEST, Story, StoryLine, StoryStep
from referee.fairness.verify import noted_head
from referee.presentation.views import Localizer, view
from referee.presentation.words import words
from web.pages.forms import Forms
from web.pages.rendering import LastDrawing, game_macros, language, render_page, say, sketch_of, table_of
from web.request_context import service
from web.wire.parsing import whole

record = Blueprint("record", __name__)

Places = Mapping[str, tuple[str, ...]]  # the names of an arrangement's positions, by field


@record.get("/t/<code>/record")
def checked(code: str) -> Response:
    """The record page. Refused, like the record itself, while anything must stay secret."""
    table = table_of(code)
    past = service().records.get(table)
    match, story = table.match, past.story
    localizer, n = Localizer(words(language()), match.game, match.names), _wanted(story)
    first = (min(n, len(story)) - 1) // APART * APART + 1
    steps = story.steps(first, first + APART - 1)
    shown = steps[min(n, len(story)) - first]
    places = match.game.places(match.options)
    return render_page(
        "record.html",
        code=code,
        localizer=localizer,
        head=past.head,
        printed=_compared(request.args.get("printed"), story),
        wrong=[say(fault.key, **fault.fields) for fault in past.wrong],
        count=len(story),
        lines=[_line(step.line, localizer, places) for step in steps],
        others=list(_others(len(story), first)),
        n=n,
        step=_line(shown.line, localizer, places) if n <= len(story) else None,
        views=views_of(shown, localizer),
        sketch=sketch_of(shown.match.seen_by()),
        cached=LastDrawing(),
        entered=_entered(story, localizer, places) if n > len(story) else [],
        game=game_macros(match.game.id, "phone.html"),
        board=game_macros(match.game.id, "table.html"),
    )


def _wanted(story: Story) -> int:
    """The step that the query asks for; by default the deal, before which the table is empty. One extra step
    after the last entry is for comparing with the real cards."""
    return max(1, min(whole(request.args.get("step", ""), 6) or story.dealt, len(story) + 1))


def _others(count: int, first: int) -> Iterator[tuple[int, int]]:
    """(first, last) of the pages of steps before and after the page that begins at `first`."""
    for start in (first - APART, first + APART):
        if 1 <= start <= count:
            yield start, min(start + APART - 1, count)


def _compared(typed: str | None, story: Story) -> tuple[str, int] | None:
    """How the typed fingerprint compares with the chain, and how many entries came after it."""
    if typed is None:
        return None
    found, since = noted_head({"entries": [{"head": head} for head in story.heads]}, typed)
    return found, len(since)


def _line(line: StoryLine, localizer: Localizer, places: Places) -> dict[str, Any]:
    """One entry as the template shows it."""
    item = line.item
    sealed = item["sealed"]["fields"] if "sealed" in item else {}
    return {
        "n": item["n"],
        "by": localizer.name(item["seat"]) if item["seat"] in (*localizer.names, HOST) else "",
        "texts": [(localizer.news(told.news), told.n in line.gone) for told in line.told],
        "became": line.became,
        "head": item["head"],
        "commitment": item["commitment"] or "",
        "sealed": list(Forms(localizer, places=places).entered(sealed)),
    }


def views_of(step: StoryStep, localizer: Localizer) -> dict[str, dict[str, Any]]:
    """The public view after a step (key `""`), and each seat's view."""
    seats: tuple[Seat | None, ...] = (None, *step.match.seats)
    there = step.match.seats
    return {seat or "": view(step.match.seen_by(seat), localizer.words, there) for seat in seats}


def _entered(story: Story, localizer: Localizer, places: Places) -> list[dict[str, Any]]:
    """The latest secrets of each seat, to be compared with the real cards."""
    sealed = {seat: story.sealed.get(seat, ()) for seat in localizer.names}
    return [
        {
            "seat": seat,
            "secrets": [{**_line(line, localizer, places), "what": _what(line, localizer)} for line in lines],
            "more": len(lines) == LATEST,
        }
        for seat, lines in sealed.items()
    ]


def _what(line: StoryLine, localizer: Localizer) -> str:
    if line.item["type"] == "asks":
        return say("page.record.correction")
    return Forms(localizer).do(line.item["type"])
