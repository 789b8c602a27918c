"""The page with the score sheet of a finished game."""

from flask import Blueprint, Response, request
from markupsafe import Markup

from referee.presentation.words import words
from web.output.paper import as_html
from web.pages import bgstats, question_sheets
from web.pages.rendering import (
    held,
    host_token,
    language,
    localizer_of,
    nonce,
    print_notice,
    render_page,
    table_of,
    use_table_language,
)
from web.request_context import desks, service
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
    finished = desks().finished(table)
    blocks = desks().sheet(table, words(language()))
    desk = table.row.desk
    return render_page(
        "sheet.html",
        code=code,
        view=table.shown(seen, language()),
        localizer=localizer_of(seen),
        paper=Markup(as_html(blocks)),  # as_html escapes every text that it writes
        bgstats=bgstats.link(service(), table, localizer_of(seen), finished),
        may_print=bool(held(table) or host_token(table)),
        mine=held(table),
        rematch_asker=question_sheets.rematch_asker(table, localizer_of(seen)),
        stream=f"/api/tables/{code}/events?beats=1",
        printed=print_notice(desk) if "printed" in request.args else None,
        nonce=nonce(),
        back=f"/t/{code}/sheet",
    )
