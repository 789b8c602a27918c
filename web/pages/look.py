"""One look at a table: what all of its pages show of it alike."""

from typing import Any

from referee.match import Seen
from referee.views import Voice
from web import room
from web.api import house
from web.pages.aloud import last_words, said
from web.pages.page import and_list, fragment, sketch_of
from web.table import LiveTable


def look(table: LiveTable, seen: Seen, voice: Voice) -> dict[str, Any]:
    """The table as it was seen: others go on playing meanwhile, so all of a page comes from one moment."""
    view = table.shown(seen, voice.words.language)
    news = table.renderer(voice.words.language).once(view["news"], lambda: said(seen, voice, view))
    return {
        "code": table.code,
        "view": view,
        "sketch": sketch_of(seen),
        "voice": voice,
        "news": news,
        "aloud": last_words(news),
        "waiting": and_list([voice.name(seat) for seat in seen.waiting_for]),
        "room": room.few_left(table.match, house().settings.limits),
        "table_fragment": fragment(seen.game.id, "table.html"),
    }
