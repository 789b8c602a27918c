"""Events about news for desks: each with its cue and the numbers of the seat lamps, so desks need no game."""

from collections.abc import Sequence
from typing import Any

from referee.core.game import News, each_alone
from referee.core.match import NewsEntry
from referee.core.moves import Seat, Side
from referee.presentation.cues import Cue, counting, timeline
from web.service.live_table import LiveTable
from web.streams.subscribers import event
from web.wire.json_bytes import json_bytes


def desk_news(table: LiveTable, told: Sequence[NewsEntry]) -> list[bytes]:
    """News events for the desk, with cues, the numbers of the seat lamps, and the seconds that the desk
    waits, so that it is in step with the scene on the table screen."""
    names, renderer = table.match.names, table.renderer(table.match.options["language"])
    localizer = renderer.localizer(table.match.game, names)
    sides = {**each_alone(tuple(names)), **localizer.sides()}
    lamps = {seat: number for number, seat in enumerate(names, 1)}
    waits = timeline(table.match.game.cue(each.news) for each in told)
    return [
        event("news", json_bytes({**item, **_desk_fields(table, each.news, sides, lamps), "wait": wait}))
        for each, item, wait in zip(told, renderer.news(localizer, told), waits, strict=True)
    ]


def _desk_fields(
    table: LiveTable, news: News, sides: dict[Side, tuple[Seat, ...]], lamps: dict[Seat, int]
) -> dict[str, Any]:
    """The fields of a news event that only desks get: the table, the cue and its key, the lamps it is about,
    and whether it is spoken."""
    game = table.match.game
    cue = game.cue(news)
    about = (news.fields.get(name) for name in (cue or Cue()).about)
    seats = next((sides[side] for side in about if side in sides), ())
    counted = {}
    if cue and cue.counts:
        seats = tuple(news.fields[cue.counts])
        patterns, tune = counting(list(news.fields[cue.counts].values()))
        counted = {"counted": {"patterns": patterns, "tune": tune}}
    return {
        "table": table.code,
        "key": game.key(news),
        "cue": _wire(cue) if cue else None,
        "spoken": news.kind in game.speaks(),
        "seat_lamps": [lamps[seat] for seat in seats],
        **counted,
    }


def _wire(cue: Cue) -> dict[str, Any]:
    """The part of a cue that a desk plays."""
    return {"lamp": cue.lamp, "pattern": cue.pattern, "stays": cue.stays, "tune": cue.tune}
