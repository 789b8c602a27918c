"""Questions to the other players on the pages: the menu that asks them, and the open one in words."""

from collections.abc import Mapping
from typing import Any

from referee.core.corrections import own_secrets
from referee.core.match import Match, PlayerView
from referee.core.moves import Seat
from referee.core.questions import HOST, Question, question
from referee.presentation.views import Localizer
from web.pages.news_items import NewsItem
from web.pages.play.corrections import LATEST, labelled, may_correct, wanted_secret
from web.pages.play.rematch import rematch_asker
from web.pages.rendering import (
    and_list,
    say,
)
from web.service.live_table import LiveTable


def questions_context(
    table: LiveTable,
    match: Match,
    seen: PlayerView,
    by: Seat | None,
    localizer: Localizer,
    news: list[NewsItem],
    args: Mapping[str, str],
) -> dict[str, Any]:
    """The template context of questions. `by` is a seat, the host, or None for a viewer who may not ask."""
    return {
        "question": sheet(seen, localizer, news, by, table),
        "may_repair": by is not None and may_correct(table, match),
        "lost": _lost_phone(table, match, by, localizer, args.get("lost", "")) if by else None,
        "rematch_asker": rematch_asker(table, localizer),
        "before": table.before,
    }


def has_menu(match: Match, by: Seat) -> bool:
    """Whether the menu of a seat or the host has any entry, if asking is possible at all."""
    return match.outcome is None or bool(own_secrets(match, by))


def menu(match: Match, by: Seat, localizer: Localizer, args: Mapping[str, str]) -> dict[str, Any]:
    """The entries of the menu of a seat or the host."""
    own, wanted, goes_on = own_secrets(match, by), wanted_secret(match, by, args), match.outcome is None
    latest = own[-LATEST:]
    shown = [wanted, *latest] if wanted and wanted not in latest else latest
    return {
        "joining": match.state is None,
        "undo": goes_on and bool(match.made),
        "secrets": labelled(match, shown, localizer),
        "entered": f"/t/{match.code}/s/{by}/entered" if len(own) > LATEST else "",
        "seats": [(seat, localizer.name(seat)) for seat in match.taken if seat != by] if goes_on else [],
        "own": by if by != HOST and goes_on else "",
        "abandon": goes_on,
    }


def _lost_phone(
    table: LiveTable, match: Match, by: Seat, localizer: Localizer, seat: Seat
) -> dict[str, Any] | None:
    """The dialog about a new code for a seat: who must agree, and whether its phone is connected."""
    if match.outcome or match.question or seat not in match.taken:
        return None
    there, is_deserted = table.connected(), table.is_deserted()
    of = question(match, by, "reissue", {"seat": seat}, match.version, there, is_deserted).of
    return {
        "seat": seat,
        "name": localizer.name(seat),
        "own": seat == by,
        "asks": and_list([localizer.name(other) for other in of]),
        "is_there": seat in of,
        "is_deserted": is_deserted and by == HOST,
        "may_wait": by == HOST and bool(of) and there.isdisjoint(match.names),
    }


def sheet(
    seen: PlayerView, localizer: Localizer, news: list[NewsItem], by: Seat | None, table: LiveTable
) -> dict[str, Any] | None:
    """The open question in words: who asks what, what a yes would do and reveal, and who has not answered."""
    asked = seen.question
    if asked is None:
        return None
    waits = [seat for seat in asked.of if seat not in asked.accepted]
    lost = next((seat for seat in waits if seat == asked.about.get("seat")), None)
    return {
        "title": _to(by, localizer).say(
            f"news.asked.{asked.kind}", {"by": asked.by, **asked.about, **_counted(asked)}
        ),
        "what": _what(asked, localizer),
        "move": _move(asked, localizer, news),
        "commitment": asked.commitment,
        "reveals": asked.reveals,
        "reopens": asked.reopens,
        "since": asked.since,
        "mine": asked.by == by,
        "asked": by in waits,
        "waits": and_list([localizer.name(seat) for seat in waits]),
        "lost": lost,
        "lost_name": localizer.name(lost) if lost else "",
        "is_there": lost in table.connected(),
    }


def _to(by: Seat | None, localizer: Localizer) -> Localizer:
    """The localizer that speaks to a player; a host's screen is read by everyone."""
    return localizer if by is None or by == HOST else localizer.speaking_to(by)


def _move(asked: Question, localizer: Localizer, news: list[NewsItem]) -> str:
    """The move that a question is about, as its public news text.

    If another news item has the same text, the item just before is prepended to distinguish them.
    """
    n = asked.about.get("n")
    if asked.quotes is None or n is None:
        return next((item.text for item in news if item.n == n), "")
    quoted = localizer.plain(asked.quotes)
    if all(item.n == n for item in news if item.text == quoted):
        return quoted
    before = [item.text for item in news if item.n < n and item.kind not in ("turn", "began")]
    return " ".join((*before[-1:], quoted))


def _counted(asked: Question) -> dict[str, int]:
    """How many moves an undo is about."""
    return {"n": len(asked.about["moves"])} if "moves" in asked.about else {}


def _what(asked: Question, localizer: Localizer) -> str:
    """What a yes would do."""
    own = ".own" if asked.about.get("seat") == asked.by else ""
    done = say(f"page.question.{asked.kind}{own}", by=localizer.name(asked.by), **_counted(asked))
    if asked.kind != "abandon":
        return done
    return f"{done} {say('page.question.abandon.' + ('show' if asked.about['show'] else 'hide'))}"
