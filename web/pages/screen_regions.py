"""The table screen as regions: pieces of HTML that live pages replace one by one; see `seat_regions`."""

from collections.abc import Iterable, Mapping
from typing import Any

from referee.cues import SPOKEN
from referee.match import Match
from referee.questions import HOST
from referee.views import Voice
from web import qr
from web.api import house
from web.pages import mend
from web.pages.device import Device
from web.pages.join import invitations
from web.pages.look import look
from web.pages.page import desk_troubles, pieces, say
from web.pages.rules import passage_now
from web.table import LiveTable
from web.wifi import network

Context = dict[str, Any]

FOLDS = ("mend", "history")
MOST_ON_SCREEN = 4  # things to do that fit beside the rest


def context(
    table: LiveTable, match: Match, voice: Voice, device: Device, desk: str = "", shows_keys: bool = False
) -> Context:
    """All that a screen shows of this moment. One that follows a desk shows no forms."""
    seen, is_host = table.public(match), device.is_host
    shows_keys = shows_keys or is_host
    looked = look(table, seen, voice)
    free = invitations(table, table.free_keys(), voice) if shows_keys else []
    by = HOST if is_host else None
    mending = mend.part(table, match, seen, by, voice, looked["news"], device.args)
    return {
        **looked,
        **mending,
        "MOST_ON_SCREEN": MOST_ON_SCREEN,
        "put_right_now": any(item.kind == "restated" for item in looked["aloud"]),
        "follows": desk,
        "mine": list(device.held),
        "is_host": is_host,
        "joins": free,
        "keys": free if is_host and seen.status == "playing" else [],
        "wifi": wifi_card() if free else None,
        "rules": passage_now(seen, None),
        "spoken_kinds": SPOKEN,
        "troubles": desk_troubles(table.row.desk) if shows_keys else [],
        "has_menu": mending["may_mend"] and mend.has_menu(match, HOST),
    }


def page_state(ctx: Context) -> Mapping[str, Any]:
    """What live pages are told of the page as a whole."""
    view, code = ctx["view"], ctx["code"]
    return {
        "title": f"{code} · {ctx['voice'].of_game('name')}",
        "kind": f"screen {view['status']}{_size(ctx)}",
        "follow": f"/t/{code}/next" if view["next"] and not ctx["follows"] else "",
        "place": house().at_desk.get(ctx["follows"]) or "" if ctx["follows"] else "",
        "folds": [name for name in FOLDS if name != "mend" or ctx["has_menu"]],
    }


def _size(ctx: Context) -> str:
    """Text is as large as its length allows: `words-1` to `words-3` make room for more of it."""
    if ctx["view"]["status"] != "playing":
        return ""
    length = sum(len(item.text) for item in ctx["aloud"]) + sum(map(len, ctx["view"]["todo"]))
    return next((f" words-{n}" for n, most in ((3, 340), (2, 230), (1, 130)) if length > most), "")


def regions(ctx: Context) -> dict[str, str]:
    """The regions of a screen, without its folds; those that are not named are empty."""
    view, status = ctx["view"], ctx["view"]["status"]
    needed = {
        "chain": True,
        "desk-trouble": ctx["troubles"],
        "new-code": ctx["lost"],
        "room": ctx["room"] is not None,
        "asked-before": view["asked_before"] and ctx["before"],
        "keys": ctx["keys"],
        "now": True,
        "todo": (status == "playing" or ctx["put_right_now"]) and not ctx["question"] and view["todo"],
        "board": True,
        "ends": status == "over",
        "rules": ctx["rules"],
        "people": ctx["is_host"] and status == "playing",
        "player": status != "over" and not (ctx["is_host"] or ctx["mine"] or ctx["follows"]),
    }
    return pieces("screen", [name for name, is_there in needed.items() if is_there], ctx)


def folds(
    ctx: Context, voice: Voice, match: Match, device: Device, names: Iterable[str] = FOLDS
) -> dict[str, str]:
    """These folds of a page, as far as it has them."""
    wanted = [name for name in names if name in page_state(ctx)["folds"]]
    if "mend" in wanted:
        ctx = {**ctx, "menu": mend.menu(match, HOST, voice, device.args)}
    return pieces("screen", wanted, ctx)


def wifi_card() -> dict[str, str] | None:
    """The Wi-Fi that phones join first, with its code. Only for the host's screen: it has the password."""
    wifi = network(house().settings.wifi)
    if wifi is None:
        return None
    code = qr.svg(wifi.code, say("page.wifi.code", ssid=wifi.ssid))
    return {"ssid": wifi.ssid, "password": wifi.password, "code": code}
