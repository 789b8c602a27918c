"""The part of the template context that all pages of a table share."""

from typing import Any

from referee.core.match import PlayerView
from referee.presentation.views import Localizer, ending_news
from web.pages.news_items import latest_news, news_items
from web.pages.rendering import and_list, game_macros
from web.request_context import service
from web.service import journal_cap
from web.service.live_table import LiveTable


def table_context(table: LiveTable, seen: PlayerView, localizer: Localizer) -> dict[str, Any]:
    """The context from one view: players may move while a page is rendered, so all uses one snapshot."""
    view = table.shown(seen, localizer.words.language)
    renderer = table.renderer(localizer.words.language)
    news = renderer.once(view["news"], localizer, lambda before: news_items(seen, localizer, view, before))
    return {
        "code": table.code,
        "view": view,
        "sketch": table.sketch(seen),
        "localizer": localizer,
        "called": {seat: localizer.name(seat) for seat in view["seats"]},
        "news": news,
        "latest": latest_news(news),
        "over": ending_news(seen),
        "waiting": and_list([localizer.name(seat) for seat in seen.waiting_for]),
        "clock_since": round(table.waits_since, 3) if table.notes.has_clock else None,
        "room": journal_cap.entries_left_to_warn_of(table.match, service().settings.limits),
        "board": game_macros(seen.game.id, "table.html"),
    }
