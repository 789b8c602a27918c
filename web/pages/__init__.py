"""The HTML pages as one Flask blueprint, with their template globals and filters.

Pages are rendered on the server and work without JavaScript.
"""

from flask import Blueprint

from referee.fairness.commitments import grouped
from referee.presentation.words import own_name
from web.pages import generic_drawing, home, rendering, rules
from web.pages.admin import cleanup, damaged, overview, presets, stick
from web.pages.archive import history, people, record, seal, sheet
from web.pages.play import address_change, aid, curtain, join, my_secrets, my_tables, rematch, seat
from web.pages.screens import desk, kiosk, screen

pages = Blueprint("pages", __name__)
pages.app_context_processor(rendering.context)
pages.app_template_global("say")(rendering.say)
pages.app_template_global("own_name")(own_name)
pages.app_template_filter("number")(rendering.format_number)
pages.app_template_filter("day")(rendering.format_day)
pages.app_template_global("game_files")(rendering.game_files)
pages.app_template_global("sign_of")(rendering.sign_of)
pages.app_template_global("hand_parts")(generic_drawing.hand_parts)
pages.app_template_global("public_parts")(generic_drawing.public_parts)
pages.app_template_global("screen_files")(rendering.screen_files)
pages.app_template_global("drawn_once")(rendering.drawn_once)
for drawing in ("emblem", "icon", "sign"):
    pages.app_template_global(drawing)(rendering.small_drawing(drawing))
pages.app_template_global("portrait")(rendering.small_drawing("portrait", "avatars.html"))
pages.app_template_global("error_links")(my_tables.error_links)
pages.app_template_global("seat_links")(my_tables.seat_links)
pages.app_template_global("clock_is_right")(rendering.clock_is_right)
pages.app_template_filter("no_break")(rendering.no_break)
pages.app_template_filter("stamp")(rendering.stamp)
pages.app_template_filter("grouped")(grouped)
pages.before_request(rendering.redirect_to_capitals)
for part in (
    home.home,
    screen.screen,
    join.join,
    seat.seat,
    curtain.curtain,
    address_change.address_change,
    aid.aid,
    rules.rules,
    rematch.rematches,
    my_secrets.my_secrets,
    sheet.sheet,
    record.record,
    seal.seal,
    desk.desk,
    kiosk.kiosk,
    presets.presets,
    history.history,
    people.people,
    overview.overview,
    cleanup.cleanup,
    damaged.damaged,
    stick.stick,
):
    pages.register_blueprint(part)
