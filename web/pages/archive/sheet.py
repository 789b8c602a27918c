"""The page with the score sheet of a finished game, and the picture of its result that people share."""

from collections.abc import Iterator

from flask import Blueprint, Response, request
from markupsafe import Markup

from referee.core.game import Outcome
from referee.presentation.papers import finished
from referee.presentation.views import Localizer, ending_news
from referee.presentation.words import words
from web.output.dates import day
from web.output.paper import as_html
from web.output.result_picture import Result, Side, as_png
from web.pages.archive import bgstats
from web.pages.play import rematch
from web.pages.rendering import (
    format_number,
    held,
    host_token,
    language,
    localizer_of,
    nonce,
    print_notice,
    render_page,
    say,
    table_of,
    use_table_language,
)
from web.request_context import desks
from web.wire.errors import ApiError

sheet = Blueprint("sheet", __name__)


@sheet.get("/t/<code>/sheet")
@sheet.get("/api/tables/<code>/sheet.html")
def score(code: str) -> Response:
    table = table_of(code)
    seen = table.seen()
    if seen.outcome is None:
        raise ApiError("not-over")
    if not held(table):
        use_table_language(table)
    when = desks().finished(table)
    blocks = desks().sheet(table, words(language()))
    desk = table.row.desk
    return render_page(
        "sheet.html",
        code=code,
        view=table.shown(seen, language()),
        localizer=localizer_of(seen),
        paper=Markup(as_html(blocks)),  # as_html escapes every text that it writes
        bgstats=bgstats.link(table, localizer_of(seen), when),
        may_print=bool(held(table) or host_token(table)),
        mine=held(table),
        rematch_asker=rematch.rematch_asker(table, localizer_of(seen)),
        stream=f"/api/tables/{code}/events?beats=1",
        printed=print_notice(desk) if "printed" in request.args else None,
        nonce=nonce(),
        back=f"/t/{code}/sheet",
    )


@sheet.get("/t/<code>/picture.png")
def picture(code: str) -> Response:
    """The result as a picture. What stays hidden after a game that was stopped is not on it."""
    table = table_of(code)
    seen = table.seen()
    if seen.outcome is None:
        raise ApiError("not-over")
    localizer = localizer_of(seen)
    over = ending_news(seen)
    is_shown = seen.slice and seen.debrief and not seen.outcome.is_abandoned
    result = Result(
        game=localizer.of_game("name"),
        when=day(desks().finished(table), language()),
        ending=localizer.ending(over.fields) if over else "",
        table=say("page.picture.table", code=code),
        sides=tuple(_sides(seen.outcome, localizer)),
        position=tuple(seen.game.poster(finished(seen, localizer))) if is_shown else (),
        colours=seen.game.colours,
    )
    return Response(as_png(result), mimetype="image/png")


def _sides(outcome: Outcome, localizer: Localizer) -> Iterator[Side]:
    for number, (side, team) in enumerate(localizer.sides().items(), 1):
        score = outcome.scores.get(side)
        won = any(seat in outcome.winners for seat in (side, *team))
        yield Side(number, localizer.name(side), "" if score is None else format_number(score), won)
