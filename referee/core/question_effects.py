"""Applies questions to a match: opens one, counts the answers, and makes the change that all agreed to."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from referee.core.append_only import AppendOnlyList
from referee.core.corrections import corrected_move, replay_corrected
from referee.core.entries import Answered, Asked
from referee.core.frozen import replaced
from referee.core.game import ABANDONED, News, Outcome, Restated
from referee.core.moves import Choices, Seat
from referee.core.questions import Question
from referee.core.replay import (
    ReplayResult,
    place,
    played,
    replay_without,
    secret_moves_by_seat,
    state_before,
)
from referee.core.restatements import CORRECTED, TAKEN_BACK, Repair
from referee.fairness.commitments import commitment

if TYPE_CHECKING:
    from referee.core.match import Match


def asked(match: "Match", entry: Asked) -> "Match":
    """The match with this question open, or already applied if nobody has to agree."""
    bound = None
    if entry.kind == "correct":
        bound = commitment(entry.salt, match.code, match.next_news, entry.by, corrected_move(match, entry))
    public = {name: value for name, value in entry.fields.items() if name != "fields"}
    moves = {"moves": list(_taken_by(match, entry))} if entry.kind == "undo" else {}
    opened = Question(
        kind=entry.kind,
        by=entry.by,
        of=entry.of,
        about={**public, **moves},
        reveals=_reveals(match, entry),
        reopens=_reopens(match, entry),
        since=match.version + 1,
        commitment=bound,
        quotes=_told_then(match, entry.fields["n"]) if entry.kind == "correct" else None,
    )
    of = {"of": entry.fields["n"]} if "n" in entry.fields else public
    what = {"what": news_to_json(opened.quotes)} if opened.quotes else {}
    said = (News("asked", {"by": entry.by, "question": entry.kind, **of, **moves, **what}),)
    link = {**public, "question": entry.kind, "of": list(entry.of)}
    match = replaced(match, salts=match.with_salt(entry.by, entry.salt)) if bound else match
    if opened.settled:
        return _applied(match, entry, opened, (entry.by, "asks", link), said, bound)
    return match.with_entry((entry.by, "asks", link), said, bound, question=opened, asking=entry)


def answered(match: "Match", entry: Answered) -> "Match":
    """The match after an answer. One no closes the question; it is applied when all have agreed."""
    assert match.question is not None and match.asking is not None
    link = (entry.seat, "answers", {"accept": entry.accept})
    if not entry.accept:
        how = "withdrawn" if entry.seat == match.question.by else "refused"
        said = (News("declined", {"by": entry.seat, "question": match.question.kind, "how": how}),)
        return match.with_entry(link, said, question=None, asking=None)
    opened = replaced(match.question, accepted=(*match.question.accepted, entry.seat))
    if opened.settled:
        return _applied(match, match.asking, opened, link, ())
    return match.with_entry(link, (News("agreed", {"by": entry.seat}),), question=opened)


Link = tuple[Seat, str, Mapping[str, Any]]


def _applied(
    match: "Match",
    entry: Asked,
    settled: Question,
    link: Link,
    said: tuple[News, ...],
    bound: str | None = None,
) -> "Match":
    """Apply a question that all agreed to, and announce it with all restatements."""
    first = match.next_news + len(said) + 1  # the number of the first restatement, after the change itself
    match entry.kind:
        case "undo":
            changes, told = _undo(match, entry, first)
        case "correct":
            changes, told = _correct(match, entry, first)
        case "reissue":
            changes, told = _reissue(match, settled)
        case _:
            nothing: dict[Seat, Choices] = dict.fromkeys(match.choices, ())
            ended = Outcome((), ABANDONED)
            changes = {"ended": ended, "shown": entry.fields["show"], "choices": nothing}
            told = News("abandoned")
    restated = changes["repair"].restated if "repair" in changes else ()
    said = (*said, told, *map(_restated, restated))
    return match.with_entry(link, said, bound, question=None, asking=None, **changes)


def _restated(difference: Restated) -> News:
    """A restatement as news."""
    was, now = (news_to_json(news) if news else None for news in (difference.was, difference.now))
    return News("restated", {"of": difference.of, "was": was, "now": now, "ago": difference.ago})


def news_to_json(news: News) -> dict[str, Any]:
    """A piece of news as JSON inside another one."""
    return {"kind": news.kind, "fields": dict(news.fields)}


def _reissue(match: "Match", settled: Question) -> tuple[dict[str, Any], News]:
    """A seat gets a new key. If the seat was not asked, the score sheet will say so."""
    seat, how = settled.about["seat"], _how_reissued(match, settled)
    unasked = {} if how == "agreed" else {"unasked": (*match.unasked, seat)}
    return unasked, News("reissued", {"seat": seat, "how": how})


def _how_reissued(match: "Match", settled: Question) -> str:
    """Whether the player of the seat agreed, or was not asked: their phone, or every phone, was offline."""
    seat = settled.about["seat"]
    if seat in (settled.by, *settled.of):
        return "agreed"
    others = match.taken.keys() - {seat, settled.by}
    return "nobody_there" if others and not settled.of else "away"


def _taken_by(match: "Match", entry: Asked) -> tuple[int, ...]:
    """The numbers of the moves that an undo takes back: a move and all since, or one's own move alone if
    nobody has to agree."""
    n = entry.fields["n"]
    if not entry.of:
        return (n,)
    return tuple(made.n for made in match.made[place(match, n) :])


def _undo(match: "Match", entry: Asked, first: int) -> tuple[dict[str, Any], News]:
    n, moves = entry.fields["n"], _taken_by(match, entry)
    at = place(match, n)
    if len(moves) == len(match.made) - at:
        replay = ReplayResult(state_before(match, at), AppendOnlyList(match.made[:at]), ())
    else:
        replay = replay_without(match, at, first)
    acted = match.made[at].entry.seat
    return _replay_changes(match, replay, acted, TAKEN_BACK), News(
        TAKEN_BACK, {"of": n, "moves": list(moves)}
    )


def _replay_changes(match: "Match", replay: ReplayResult, acted: Seat, kind: str) -> dict[str, Any]:
    """The fields of `Match` that change when the game is replaced by this replay."""
    assert match.state is not None
    return {
        **match.state_changes(replay.state, acted),
        "made": replay.made,
        "secret_moves": secret_moves_by_seat(match, replay.made),
        "repair": Repair(kind, match.state, replay.restated),
    }


def _correct(match: "Match", entry: Asked, first: int) -> tuple[dict[str, Any], News]:
    n = entry.fields["n"]
    replay = replay_corrected(match, n, corrected_move(match, entry), first)
    changes = _replay_changes(match, replay, entry.by, CORRECTED)
    changes["amended"] = match.amended + (match.outcome is not None)
    return changes, News(CORRECTED, {"of": n, "changes": len(replay.restated)})


def _reopens(match: "Match", entry: Asked) -> bool:
    """Whether the game is over and would not be after this correction."""
    if entry.kind != "correct" or match.outcome is None:
        return False
    replay = replay_corrected(match, entry.fields["n"], corrected_move(match, entry))
    return replay.state.table.outcome is None


def _told_then(match: "Match", n: int) -> News:
    """The first news of a standing move, as announced to everyone."""
    at = place(match, n)
    first: News = played(match, state_before(match, at), match.made[at]).table.said[0]
    return first


def _reveals(match: "Match", entry: Asked) -> bool:
    """Whether the moves that would be taken back or replayed have revealed hidden state."""
    if entry.kind not in ("undo", "correct"):
        return False
    return any(made.reveals for made in match.made[place(match, entry.fields["n"]) :])
