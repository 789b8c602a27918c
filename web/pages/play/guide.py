"""The lessons of a guided first game: which of them a seat's page shows."""

from collections.abc import Callable, Mapping
from typing import Any

from markupsafe import Markup

from referee.core.game import Game
from referee.core.match import PlayerView
from referee.core.options import GUIDE
from referee.presentation.views import Localizer
from web.pages.device import Device
from web.pages.rendering import game_macros, say
from web.pages.rules import rules_path

ALL_LESSONS = "all"  # in place of the lessons read: the player needs no guide


def lessons(seen: PlayerView, localizer: Localizer, device: Device) -> list[Mapping[str, Any]]:
    """The lessons that matter to this seat now. An open page with script hides those that were read by
    itself; for other pages they are left out here."""
    guide = seen.game.guide
    if guide is None or not seen.options.get(GUIDE.name) or seen.slice is None or seen.outcome:
        return []
    keys = guide.now(seen.slice)
    if not device.is_live:
        keys = () if ALL_LESSONS in device.learnt else tuple(key for key in keys if key not in device.learnt)
    return [_lesson(key, guide.sections[key], seen, localizer) for key in dict.fromkeys(keys)]


def _lesson(key: str, section: str, seen: PlayerView, localizer: Localizer) -> Mapping[str, Any]:
    about = f"page.{localizer.game.id}.lesson.{key}"
    return {
        "key": key,
        "title": say(about),
        "text": say(f"{about}.text"),
        "drawing": drawing(localizer.game.id, section),
        "rules": rules_path(seen.code, section),
    }


def is_lesson(game: Game[Any, Any], key: str) -> bool:
    return game.guide is not None and (key in game.guide.sections or key == ALL_LESSONS)


def drawing(game: str, section: str) -> Markup:
    """The drawing of a section of the rules page; empty if it has none."""
    sketch: Callable[[str], str] = vars(game_macros(game, "sketches.html"))["sketch"]
    return Markup(sketch(section))
