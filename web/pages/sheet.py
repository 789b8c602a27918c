"""The score sheet of a finished game, on a page."""

from flask import Blueprint, Response, request
from markupsafe import Markup

from referee.words import words
from web import bgstats
from web.api import desks, house
from web.pages import mend
from web.pages.page import held, host_token, language, nonce, print_notice, show, speak_as, speech, table_of
from web.paper import as_html
from web.refusals import Refusal

sheet = Blueprint("sheet", __name__)


@sheet.get("/t/<code>/sheet")
@sheet.get("/api/tables/<code>/sheet.html")
def score(code: str) -> Response:
    table = table_of(code)
    seen = table.seen()
    if seen.outcome is None:
        raise Refusal("not-over")
    if not held(table):
        speak_as(table)
    finished = desks().finished(table)
    blocks = desks().sheet(table, words(language()))
    desk = table.row.desk
    return show(
        "sheet.html",
        code=code,
        view=table.shown(seen, language()),
        voice=speech(seen),
        paper=Markup(as_html(blocks)),  # as_html escapes every text that it writes
        bgstats=bgstats.link(house(), table, speech(seen), finished),
        may_print=bool(held(table) or host_token(table)),
        mine=held(table),
        led_on=mend.led_on(table, speech(seen)),
        stream=f"/api/tables/{code}/events?beats=1",
        printed=print_notice(desk) if "printed" in request.args else None,
        nonce=nonce(),
        back=f"/t/{code}/sheet",
    )
