"""The table screen as regions: pieces of HTML that live pages replace one by one. See `seat_regions`."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from markupsafe import Markup

from referee.core.match import Match
from referee.core.questions import HOST
from referee.presentation.views import Localizer
from web.output import qr
from web.output.wifi import network
from web.pages.device import Device
from web.pages.play import question_sheets
from web.pages.play.join import invitations, table_invitation
from web.pages.rendering import desk_troubles, render_regions, say
from web.pages.rules import passage_now
from web.pages.screens import stage
from web.pages.table_context import table_context
from web.request_context import desks, service
from web.service.live_table import LiveTable

Context = dict[str, Any]

FOLDS = ("repair", "history")
MOST_ON_SCREEN = 4  # lines of things to do that fit
CODES = 16  # drawn QR codes of record pages that are kept


def context(
    table: LiveTable,
    match: Match,
    localizer: Localizer,
    device: Device,
    desk: str = "",
    shows_keys: bool = False,
) -> Context:
    """The template context of a screen, from one snapshot of the match. `desk`: it follows that desk and has
    no forms."""
    seen, is_host = table.public(match), device.is_host
    shows_keys = shows_keys or is_host
    looked = table_context(table, seen, localizer)
    is_playing = seen.status == "playing"
    keys = table.free_keys(HOST if is_host else None)
    free = invitations(table, keys, localizer) if shows_keys else []
    by = HOST if is_host else None
    question_part = question_sheets.questions_context(
        table, match, seen, by, localizer, looked["news"], device.args
    )
    return {
        **looked,
        **question_part,
        "MOST_ON_SCREEN": MOST_ON_SCREEN,
        "scene": stage.scene(looked["latest"], seen),
        "tune": stage.tune(looked["latest"], seen),
        "fanfare": stage.fanfare(),
        "replay": replay_code(table) if (looked["view"]["outcome"] or {}).get("debrief") else "",
        "moves": stage.earlier_moves(looked["news"], looked["latest"], seen, localizer),
        "ending": stage.ending(seen, looked["view"], localizer, looked["over"]) if looked["over"] else None,
        "put_right_now": any(item.kind == "restated" for item in looked["latest"]),
        "follows": desk,
        "mine": list(device.held),
        "is_host": is_host,
        "cached": device.drawings,
        "joins": free,
        "free_joins": [join for join in free if match.names[join["seat"]] is None],
        "invitation": table_invitation(table) if shows_keys else None,
        "keys": free if is_host and is_playing else [],
        "handed": list(keys) if is_host and is_playing else [],
        "wifi": wifi_card() if free else None,
        "rules": passage_now(seen, None),
        "spoken_kinds": match.game.speaks(),
        "troubles": desk_troubles(table.row.desk) if shows_keys else [],
        "has_menu": question_part["may_repair"] and question_sheets.has_menu(match, HOST),
    }


def page_state(ctx: Context) -> Mapping[str, Any]:
    """The page-wide state that is sent to live pages beside the regions."""
    view, code = ctx["view"], ctx["code"]
    return {
        "title": f"{code} · {ctx['localizer'].of_game('name')}",
        "kind": f"screen {view['status']}{_size(ctx)}",
        "follow": f"/t/{code}/next" if view["next"] and not ctx["follows"] else "",
        "place": service().at_desk.get(ctx["follows"]) or "" if ctx["follows"] else "",
        "folds": [name for name in FOLDS if name != "repair" or ctx["has_menu"]],
    }


def _size(ctx: Context) -> str:
    """The CSS class for the length of the text: `words-1` to `words-3` shrink it to fit."""
    if ctx["view"]["status"] != "playing":
        return ""
    length = sum(len(item.text) for item in ctx["latest"]) + sum(map(len, ctx["view"]["todo"]))
    return next((f" words-{n}" for n, most in ((3, 340), (2, 230), (1, 130)) if length > most), "")


def regions(ctx: Context) -> dict[str, str]:
    """The non-empty regions of a screen, without its folds."""
    view, status = ctx["view"], ctx["view"]["status"]
    needed = {
        "desk-trouble": ctx["troubles"],
        "new-code": ctx["lost"],
        "room": ctx["room"] is not None,
        "asked-before": view["asked_before"] and ctx["before"],
        "keys": ctx["keys"],
        "now": True,
        "todo": (status == "playing" or ctx["put_right_now"]) and not ctx["question"] and view["todo"],
        "board": True,
        "moves": status == "playing" and ctx["moves"],
        "ends": status == "over",
        "rules": ctx["rules"],
        "people": ctx["is_host"] and status == "playing",
        "clock": status == "playing" and ctx["clock_since"],
        "player": status != "over" and not (ctx["is_host"] or ctx["mine"] or ctx["follows"]),
    }
    return render_regions("screen", [name for name, is_there in needed.items() if is_there], ctx)


def folds(
    ctx: Context, localizer: Localizer, match: Match, device: Device, names: Iterable[str] = FOLDS
) -> dict[str, str]:
    """Those of these folds that the page has."""
    wanted = [name for name in names if name in page_state(ctx)["folds"]]
    if "repair" in wanted:
        ctx = {**ctx, "menu": question_sheets.menu(match, HOST, localizer, device.args)}
    return render_regions("screen", wanted, ctx)


def replay_code(table: LiveTable) -> Markup:
    """The QR code of the record page. Callers must check that there is one."""
    return _drawn_code(f"{desks().base()}/t/{table.code}/record", say("page.stage.replay"))


_drawn_code = lru_cache(maxsize=CODES)(qr.svg)


def wifi_card() -> dict[str, str] | None:
    """The Wi-Fi for guests, with its QR code. It includes the password, so only host screens may show it."""
    wifi = network(service().settings.wifi)
    if wifi is None:
        return None
    code = qr.svg(wifi.code, say("page.wifi.code", ssid=wifi.ssid))
    return {"ssid": wifi.ssid, "password": wifi.password, "code": code}
