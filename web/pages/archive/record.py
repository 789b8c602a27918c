"""The record page of a finished game: its steps with all hands shown, and below them its verification."""

from collections.abc import Iterator
from typing import Any

from flask import Blueprint, Response, jsonify, render_template, request

from referee.core.moves import Seat
from referee.core.questions import HOST
from referee.core.story import APART, LATEST, Story, StoryLine, StoryStep
from referee.fairness.verify import binding_faults, noted_head
from referee.presentation.views import Localizer, view
from referee.presentation.words import words
from web.pages.play.forms import Forms
from web.pages.rendering import LastDrawing, game_macros, language, render_page, say, sketch_of, table_of
from web.request_context import service
from web.service.record_cache import FinishedRecord
from web.wire.errors import ApiError
from web.wire.parsing import whole

record = Blueprint("record", __name__)

BLOCK = 12  # steps that the page's script fetches at once


@record.get("/t/<code>/record")
def checked(code: str) -> Response:
    """The record page. Refused, like the record itself, while anything must stay secret."""
    table = table_of(code)
    past = service().records.get(table)
    story, match = past.story, table.match
    localizer, n = Localizer(words(language()), match.game, match.names), _wanted(story)
    first = (min(n, len(story)) - 1) // APART * APART + 1
    steps = story.steps(first, first + APART - 1)
    replay = _Replay(story, localizer)
    shown = steps[min(n, len(story)) - first]
    return render_page(
        "record.html",
        code=code,
        localizer=localizer,
        people=[localizer.name(side) for side in localizer.sides()],
        head=past.head,
        printed=_compared(request.args.get("printed"), story),
        wrong=[say(fault.key, **fault.fields) for fault in past.wrong],
        bound=list(_bound(past)),
        count=len(story),
        dealt=story.dealt,
        lines=[replay.line(step.line) for step in steps],
        others=list(_others(len(story), first)),
        n=n,
        shown=replay.shown(shown) if n <= len(story) else None,
        entered=replay.entered() if n > len(story) else [],
    )


@record.get("/t/<code>/record/steps")
def block(code: str) -> Response:
    """Some steps for the page's script, each as it stands on the page. Refused like the page."""
    table = table_of(code)
    story, match = service().records.get(table).story, table.match
    replay = _Replay(story, Localizer(words(language()), match.game, match.names))
    first = max(1, min(whole(request.args.get("from", ""), 6) or 1, len(story)))
    return jsonify([replay.sent(step) for step in story.steps(first, first + BLOCK - 1)])


def _wanted(story: Story) -> int:
    """The step that the query asks for; by default the deal, where the game begins. One extra step after the
    last entry is for comparing with the real cards."""
    return max(1, min(whole(request.args.get("step", ""), 6) or story.dealt, len(story) + 1))


def _others(count: int, first: int) -> Iterator[tuple[int, int]]:
    """(first, last) of the pages of steps before and after the page that begins at `first`."""
    for start in (first - APART, first + APART):
        if 1 <= start <= count:
            yield start, min(start + APART - 1, count)


def _bound(past: FinishedRecord) -> Iterator[tuple[str, str]]:
    """For a rematch: how it compares with the record of the game before it, as (class, sentence)."""
    if past.binding is None or past.binding.before is None:
        return
    table = past.binding.before["table"]
    before = _record_before(table)
    if before is None:
        yield "is-unsure", say("page.record.before.unreachable", table=table)
    elif before.binding is None:
        yield "is-wrong", say("page.record.wrong.before", table=table)
    elif wrong := binding_faults(past.binding, before.binding):
        yield from (("is-wrong", say(fault.key, **fault.fields)) for fault in wrong)
    else:
        yield "is-fine", say("page.record.fine.before", table=table)


def _record_before(code: str) -> FinishedRecord | None:
    """The record of this table, or None if it is not available: deleted, damaged, hidden or not built yet."""
    earlier = service().readable(code)
    try:
        return service().records.get(earlier) if earlier else None
    except ApiError:
        return None


def _compared(typed: str | None, story: Story) -> tuple[str, int] | None:
    """How the typed fingerprint compares with the chain, and how many entries came after it."""
    if typed is None:
        return None
    found, since = noted_head({"entries": [{"head": head} for head in story.heads]}, typed)
    return found, len(since)


class _Replay:
    """The steps of a story as the templates show them, in one language."""

    def __init__(self, story: Story, localizer: Localizer) -> None:
        self._story, self._localizer = story, localizer
        self._places = localizer.game.places(story.starts[0].options)
        self._cached = LastDrawing()

    def line(self, line: StoryLine) -> dict[str, Any]:
        """One entry. Its `label` says how far the game is: steps are counted from the deal on."""
        item, localizer = line.item, self._localizer
        sealed = item["sealed"]["fields"] if "sealed" in item else {}
        return {
            "n": item["n"],
            "label": self._label(item["n"]),
            "by": localizer.name(item["seat"]) if item["seat"] in (*localizer.names, HOST) else "",
            "texts": [(localizer.news(told.news), told.n in line.gone) for told in line.told],
            "became": line.became,
            "head": item["head"],
            "commitment": item["commitment"] or "",
            "sealed": list(Forms(localizer, places=self._places).entered(sealed)),
        }

    def _label(self, n: int) -> str:
        dealt = self._story.dealt
        if n <= dealt:
            return say("page.record.deal" if n == dealt else "page.record.before")
        return say("page.record.step", n=n - dealt, of=len(self._story) - dealt)

    def shown(self, step: StoryStep) -> dict[str, Any]:
        """One entry, and the open table after it: `table` is the game's own drawing of it, if it has one."""
        localizer, game = self._localizer, self._localizer.game
        views = views_of(step, localizer)
        return {
            "step": self.line(step.line),
            "page": {
                "view": views[""],
                "views": views,
                "hidden": step.hidden(),
                "localizer": localizer,
                "sketch": sketch_of(step.match.seen_by()),
                "cached": self._cached,
                "phone": game_macros(game.id, "phone.html"),
                "board": game_macros(game.id, "table.html"),
            },
            "open": game_macros(game.id, "open.html"),
        }

    def sent(self, step: StoryStep) -> dict[str, Any]:
        """The same for the page's script."""
        shown = self.shown(step)
        parts = {part: render_template(f"record/{part}.html", **shown) for part in ("picture", "said")}
        return {name: shown["step"][name] for name in ("n", "label", "head", "commitment")} | parts

    def entered(self) -> list[dict[str, Any]]:
        """The latest secrets of each seat, to be compared with the real cards."""
        return [
            {
                "seat": seat,
                "secrets": [{**self.line(line), "what": self._what(line)} for line in lines],
                "more": len(lines) == LATEST,
            }
            for seat in self._localizer.names
            for lines in [self._story.sealed.get(seat, ())]
        ]

    def _what(self, line: StoryLine) -> str:
        if line.item["type"] == "asks":
            return say("page.record.correction")
        return Forms(self._localizer).do(line.item["type"])


def views_of(step: StoryStep, localizer: Localizer) -> dict[str, dict[str, Any]]:
    """The public view after a step (key `""`), and each seat's view."""
    seats: tuple[Seat | None, ...] = (None, *step.match.seats)
    there = step.match.seats
    return {seat or "": view(step.match.seen_by(seat), localizer.words, there) for seat in seats}
