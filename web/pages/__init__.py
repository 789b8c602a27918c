"""The pages, rendered on the server; they work without JavaScript."""

from flask import Blueprint

from referee.fairness import short, spelled
from referee.words import own_name
from web.pages import (
    aid,
    back,
    curtain,
    damaged,
    desk,
    entered,
    evening,
    history,
    home,
    join,
    kiosk,
    mend,
    moved,
    page,
    people,
    record,
    rules,
    screen,
    seat,
    sheet,
    shelf,
    tidy,
)

pages = Blueprint("pages", __name__)
pages.app_context_processor(page.context)
pages.app_template_global("say")(page.say)
pages.app_template_global("own_name")(own_name)
pages.app_template_filter("number")(page.figure)
pages.app_template_filter("day")(page.on_day)
pages.app_template_global("game_files")(page.game_files)
pages.app_template_global("drawn_once")(page.drawn_once)
pages.app_template_global("ways_out")(back.ways_out)
pages.app_template_global("ways_to_seat")(back.ways_to_seat)
pages.app_template_global("clock_is_sure")(page.clock_is_sure)
pages.app_template_filter("tidy")(page.tidy)
pages.app_template_filter("stamp")(page.stamp)
pages.app_template_filter("short")(short)
pages.app_template_filter("spelled")(spelled)
pages.before_request(page.in_capitals)
for part in (
    home.home,
    screen.screen,
    join.join,
    seat.seat,
    curtain.curtain,
    moved.moved,
    aid.aid,
    rules.rules,
    mend.mend,
    entered.entered,
    sheet.sheet,
    record.record,
    desk.desk,
    kiosk.kiosk,
    shelf.shelf,
    history.history,
    people.people,
    evening.evening,
    tidy.tidy,
    damaged.damaged,
):
    pages.register_blueprint(part)
