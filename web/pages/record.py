"""The record of a finished game on a page: its checks, and its steps with all hands open."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from flask import Blueprint, Response, request

from referee.archive import archive
from referee.game import Say
from referee.moves import Seat
from referee.questions import HOST
from referee.story import Step, story
from referee.verify import noted_head, verify
from referee.views import Voice, view
from web import mending
from web.api import house
from web.bodies import whole
from web.house import House
from web.pages.forms import Forms
from web.pages.page import fragment, say, show, sketch_of, speech, table_of
from web.table import LiveTable

record = Blueprint("record", __name__)


@record.get("/t/<code>/record")
def checked(code: str) -> Response:
    """Refused, like the record itself, while anything is to stay hidden."""
    table = table_of(code)
    seen = table.seen()
    steps, wrong = _past(house(), table, seen.head, tuple(seen.names.values()))
    voice, n = speech(seen), _wanted(steps)
    shown = steps[min(n, len(steps)) - 1]
    return show(
        "record.html",
        code=code,
        voice=voice,
        head=seen.head,
        printed=_compared(request.args.get("printed"), steps),
        wrong=[say(fault.key, **fault.fields) for fault in wrong],
        lines=[_line(step, voice) for step in steps],
        n=n,
        step=_line(steps[n - 1], voice) if n <= len(steps) else None,
        views=views_of(shown, voice),
        sketch=sketch_of(shown.match.seen_by()),
        entered=_entered(steps, voice) if n > len(steps) else [],
        fragment=fragment(seen.game.id, "phone.html"),
        table_fragment=fragment(seen.game.id, "table.html"),
    )


@lru_cache(maxsize=4)  # whoever steps through a game asks for the same again and again
def _past(
    house_: House, table: LiveTable, _head: str, _names: tuple[str | None, ...]
) -> tuple[tuple[Step, ...], tuple[Say, ...]]:
    """All steps of a finished game, and what is wrong with its record; the same as head and names are."""
    opened, entries = mending.past(house_, table)
    return story(opened, entries), tuple(verify(archive(opened, entries)))


def _wanted(steps: tuple[Step, ...]) -> int:
    """The step that is asked for, else the one that deals: before it the table is empty. After the last entry
    comes one more, for the real cards."""
    dealt = next((n for n, step in enumerate(steps, 1) if step.match.state), 1)
    return max(1, min(whole(request.args.get("step", ""), 6) or dealt, len(steps) + 1))


def _compared(typed: str | None, steps: tuple[Step, ...]) -> tuple[str, int] | None:
    """Whether what stands on the printed sheet is the head of this game, or was before so many entries."""
    if typed is None:
        return None
    found, since = noted_head({"entries": [step.item for step in steps]}, typed)
    return found, len(since)


def _line(step: Step, voice: Voice) -> dict[str, Any]:
    """One entry in words."""
    item = step.item
    return {
        "n": item["n"],
        "by": voice.name(item["seat"]) if item["seat"] in (*voice.names, HOST) else "",
        "texts": [(voice.news(told.news), told.n in step.gone) for told in step.told],
        "became": step.became,
        "head": item["head"],
        "commitment": item["commitment"] or "",
        "sealed": list(_sealed(step, voice)),
    }


def _sealed(step: Step, voice: Voice) -> Iterator[tuple[str, str]]:
    """What an entry sealed, line by line."""
    if "sealed" in step.item:
        places = voice.game.places(step.match.options)
        yield from Forms(voice, places=places).entered(step.item["sealed"]["fields"])


def views_of(step: Step, voice: Voice) -> dict[str, dict[str, Any]]:
    """The public view as it was after a step, and each seat's own beside it."""
    seats: tuple[Seat | None, ...] = (None, *step.match.seats)
    there = step.match.seats
    return {seat or "": view(step.match.seen_by(seat), voice.words, there) for seat in seats}


def _entered(steps: tuple[Step, ...], voice: Voice) -> list[dict[str, Any]]:
    """All secrets that each seat entered, to be compared with the real cards."""
    return [
        {
            "seat": seat,
            "secrets": [
                {**_line(step, voice), "what": _what(step, voice)}
                for step in steps
                if step.item["seat"] == seat and "sealed" in step.item
            ],
        }
        for seat in voice.names
    ]


def _what(step: Step, voice: Voice) -> str:
    if step.item["type"] == "asks":
        return say("page.record.correction")
    return Forms(voice).do(step.item["type"])
