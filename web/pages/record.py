"""The record of a finished game on a page: its checks, and its steps with all hands open."""

from collections.abc import Iterator, Mapping
from typing import Any

from flask import Blueprint, Response, request

from referee.moves import Seat
from referee.questions import HOST
from referee.story import APART, LATEST, Line, Step, Story
from referee.verify import noted_head
from referee.views import Voice, view
from referee.words import words
from web.api import house
from web.bodies import whole
from web.pages.forms import Forms
from web.pages.page import fragment, language, say, show, sketch_of, table_of

record = Blueprint("record", __name__)

Places = Mapping[str, tuple[str, ...]]  # the names of an arrangement's places, by field


@record.get("/t/<code>/record")
def checked(code: str) -> Response:
    """Refused, like the record itself, while anything is to stay hidden."""
    table = table_of(code)
    past = house().records.past(table)
    match, story = table.match, past.story
    voice, n = Voice(words(language()), match.game, match.names), _wanted(story)
    first = (min(n, len(story)) - 1) // APART * APART + 1
    steps = story.steps(first, first + APART - 1)
    shown = steps[min(n, len(story)) - first]
    places = match.game.places(match.options)
    return show(
        "record.html",
        code=code,
        voice=voice,
        head=past.head,
        printed=_compared(request.args.get("printed"), story),
        wrong=[say(fault.key, **fault.fields) for fault in past.wrong],
        count=len(story),
        lines=[_line(step.line, voice, places) for step in steps],
        others=list(_others(len(story), first)),
        n=n,
        step=_line(shown.line, voice, places) if n <= len(story) else None,
        views=views_of(shown, voice),
        sketch=sketch_of(shown.match.seen_by()),
        entered=_entered(story, voice, places) if n > len(story) else [],
        fragment=fragment(match.game.id, "phone.html"),
        table_fragment=fragment(match.game.id, "table.html"),
    )


def _wanted(story: Story) -> int:
    """The step that is asked for, else the one that deals: before it the table is empty. After the last entry
    comes one more, for the real cards."""
    return max(1, min(whole(request.args.get("step", ""), 6) or story.dealt, len(story) + 1))


def _others(count: int, first: int) -> Iterator[tuple[int, int]]:
    """The first and the last steps of the lists before and after the one that begins here."""
    for start in (first - APART, first + APART):
        if 1 <= start <= count:
            yield start, min(start + APART - 1, count)


def _compared(typed: str | None, story: Story) -> tuple[str, int] | None:
    """Whether what stands on the printed sheet is the head of this game, or was before so many entries."""
    if typed is None:
        return None
    found, since = noted_head({"entries": [{"head": head} for head in story.heads]}, typed)
    return found, len(since)


def _line(line: Line, voice: Voice, places: Places) -> dict[str, Any]:
    """One entry in words."""
    item = line.item
    sealed = item["sealed"]["fields"] if "sealed" in item else {}
    return {
        "n": item["n"],
        "by": voice.name(item["seat"]) if item["seat"] in (*voice.names, HOST) else "",
        "texts": [(voice.news(told.news), told.n in line.gone) for told in line.told],
        "became": line.became,
        "head": item["head"],
        "commitment": item["commitment"] or "",
        "sealed": list(Forms(voice, places=places).entered(sealed)),
    }


def views_of(step: Step, voice: Voice) -> dict[str, dict[str, Any]]:
    """The public view as it was after a step, and each seat's own beside it."""
    seats: tuple[Seat | None, ...] = (None, *step.match.seats)
    there = step.match.seats
    return {seat or "": view(step.match.seen_by(seat), voice.words, there) for seat in seats}


def _entered(story: Story, voice: Voice, places: Places) -> list[dict[str, Any]]:
    """The latest secrets that each seat entered, to be compared with the real cards."""
    sealed = {seat: story.sealed.get(seat, ()) for seat in voice.names}
    return [
        {
            "seat": seat,
            "secrets": [{**_line(line, voice, places), "what": _what(line, voice)} for line in lines],
            "more": len(lines) == LATEST,
        }
        for seat, lines in sealed.items()
    ]


def _what(line: Line, voice: Voice) -> str:
    if line.item["type"] == "asks":
        return say("page.record.correction")
    return Forms(voice).do(line.item["type"])
