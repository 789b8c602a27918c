"""What the stage of a table screen shows beside the board: the last answer as a scene, its tune, the moves
before it, and how the game ended. All of it from public news."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from referee.core.game import News
from referee.core.match import PlayerView
from referee.presentation.cues import CUES, Note, counting, timeline
from referee.presentation.views import Localizer
from web.pages.news_items import NewsItem

MOVES = 5  # earlier moves that stay in view
NOT_MOVES = frozenset(
    [
        *("joined", "began", "turn", "over", "closed", "desk_taken", "seat_returned", "reissued"),
        *("asked", "agreed", "declined", "taken_back", "corrected", "restated", "abandoned"),
    ]
)
WHO = ("by", "side", "owner")  # fields of news that name whose move it was


@dataclass(frozen=True)
class Line:
    """An earlier move in a few words, and the number of the side that made it (0: unknown)."""

    number: int
    text: str


def scene(latest: Sequence[NewsItem], seen: PlayerView) -> dict[str, Any] | None:
    """The scene of the last move, if one of its news is shown as one: the drawing, the seconds of darkness
    before it, and how long it stays."""
    cues = [seen.game.cue(News(item.kind, item.fields)) for item in latest]
    shown = [(each, at) for each, at in zip(cues, timeline(cues), strict=True) if each and each.sign]
    if not shown or not shown[0][0].delay:
        return None
    first, begins = shown[0]
    ends = max(at + each.lasts for each, at in shown)
    return {"n": latest[0].n, "sign": first.sign, "delay": first.delay, "lasts": round(ends - begins, 1)}


def tune(latest: Sequence[NewsItem], seen: PlayerView) -> str:
    """The tunes of the last move, one after the other, from the moment when its scene is revealed. Without
    the fanfare of the end, which sounds with the winner."""
    cues = [seen.game.cue(News(item.kind, item.fields)) for item in latest]
    breath = next((each.delay for each in cues if each and each.sign), 0.0)
    notes: list[Note] = []
    for item, each, at in zip(latest, cues, timeline(cues), strict=True):
        if each and item.kind != "over":
            rest = at - breath - sum(seconds for _, seconds in notes)
            notes += [("", rest)] if rest > 0 else []
            notes += counting([*item.fields[each.counts].values()])[1] if each.counts else each.tune
    return written(notes)


def written(notes: Iterable[Note]) -> str:
    """A tune for the page's script: `C5:120` is a note of 120 milliseconds, `:120` a rest."""
    return " ".join(f"{name}:{round(seconds * 1000)}" for name, seconds in notes)


def fanfare() -> str:
    return written(CUES["over"].tune)


def earlier_moves(
    news: Sequence[NewsItem], latest: Sequence[NewsItem], seen: PlayerView, localizer: Localizer
) -> list[Line]:
    """The moves before the last one, newest first, each by what it told first. Without those taken back."""
    last = latest[0].entry if latest else None
    told = [item for item in news if item.kind not in NOT_MOVES and not item.gone and item.entry != last]
    first = {item.entry: item for item in reversed(told)}
    return [_line(item, seen, localizer) for item in list(first.values())[:MOVES]]


def _line(item: NewsItem, seen: PlayerView, localizer: Localizer) -> Line:
    """In the game's brief words, if it has some for this kind of news or the kinds that it is a case of."""
    told = next((item.fields[name] for name in WHO if item.fields.get(name)), None)
    sides = localizer.sides()
    is_known = isinstance(told, str) and (told in sides or any(told in team for team in sides.values()))
    brief = next(
        (key for key in _brief_keys(seen, item) if key in localizer.words),
        None,
    )
    return Line(
        localizer.number(told) if is_known and told else 0,
        localizer.say(brief, item.fields) if brief else item.text,
    )


def _brief_keys(seen: PlayerView, item: NewsItem) -> Iterator[str]:
    key = seen.game.key(News(item.kind, item.fields))
    while key:
        yield f"page.{seen.game.id}.brief.{key}"
        key = key.rpartition(".")[0]


def ending(seen: PlayerView, view: Any, localizer: Localizer, over: News) -> dict[str, Any]:
    """Who won and why, each score with the parts that it is the sum of, and what the scores mean."""
    parts = seen.game.score_parts(view["public"]) if seen.slice and not is_abandoned(seen) else {}
    told = over.fields
    meaning = seen.game.score_meaning(view["public"]) if parts else None
    return {
        "names": " & ".join(localizer.name(seat) for seat in told["winners"]),
        "count": len(told["winners"]),
        "number": localizer.number(told["winners"][0]) if told["winners"] else 0,
        "is_abandoned": is_abandoned(seen),
        "reason": "" if is_abandoned(seen) else localizer.why(told),
        "meaning": localizer.of_game(meaning.key, meaning.fields) if meaning else "",
        "ties": list(localizer.tie_breaks(told.get("tie_break") or {})),
        "parts": {
            side: [(localizer.of_game(f"part.{part.say.key}", part.say.fields), part.points) for part in own]
            for side, own in parts.items()
        },
    }


def is_abandoned(seen: PlayerView) -> bool:
    return seen.outcome is not None and seen.outcome.is_abandoned
