"""The table screen, for a TV, tablet or laptop in the room. It shows public information only."""

from dataclasses import replace
from typing import Any

from flask import Blueprint, Response, g, make_response, request

from referee.core.questions import HOST
from web.output import qr
from web.pages.device import this_device
from web.pages.play import address_change, question_forms
from web.pages.rendering import (
    host_token,
    language,
    localizer_of,
    may_print,
    nonce,
    print_notice,
    redirect_to,
    render_page,
    render_with_error,
    retry,
    say,
    set_cookie,
    table_of,
    use_table_language,
    wants_regions,
)
from web.pages.screens import host_keys
from web.pages.screens.screen_regions import context, folds, page_state, regions
from web.request_context import caller, desks, service
from web.security.caller import host_cookie
from web.service.live_table import LiveTable
from web.wire.errors import ApiError

screen = Blueprint("screen", __name__)
host_keys.add_to(screen)


@screen.get("/t/<code>")
def table(code: str) -> Response:
    return _page(table_of(code))


@screen.post("/t/<code>")
def ask(code: str) -> Response:
    """Ask a question as the host, or withdraw one."""
    found = table_of(code)
    token = host_token(found)
    if token is None:
        raise ApiError("not-allowed")
    try:
        service().wait(question_forms.send(service(), found, caller(token), language(), request.form))
    except ApiError as refusal:
        return _page(found, refusal)
    return redirect_to(request.path)


@screen.post("/t/<code>/print")
def print_paper(code: str) -> Response:
    """Queue a paper at the desk. Needs a seat's or the host's token."""
    found = table_of(code)
    what = request.form.get("what")
    token = may_print(found, str(what))
    if what not in ("sheet", "join") or token is None:
        raise ApiError("not-allowed")
    service().wait(desks().print(found, what, token, retry(what)))
    return redirect_to(f"/t/{code}/sheet?printed=1" if what == "sheet" else f"/t/{code}?printed=1")


@screen.route("/t/<code>/host", methods=["GET", "POST"])
def claim(code: str) -> Response:
    """Make this a host's screen with the key typed on it."""
    found = table_of(code)
    if request.method == "GET":
        return redirect_to(f"/t/{code}")
    g.back = f"/t/{code}"
    try:
        token = host_keys.host_keys().token(found, request.form.get("key", ""))
    except ApiError as refusal:
        return _page(found, refusal)
    return set_cookie(redirect_to(f"/t/{code}"), host_cookie(code), token)


@screen.route("/t/<code>/host/<key>", methods=["GET", "POST"])
def claim_by_link(code: str, key: str) -> Response:
    """Make this a host's screen by its link. GET asks for confirmation and changes nothing; POST does it."""
    found = table_of(code)
    use_table_language(found)
    if host_token(found):
        return redirect_to(f"/t/{code}")
    token = host_keys.host_keys().token(found, key)
    if request.method == "GET":
        return render_page("claim.html", code=code)
    return set_cookie(redirect_to(f"/t/{code}"), host_cookie(code), token)


def screen_of(table: LiveTable, desk: str, shows_keys: bool) -> Response:
    """The screen that follows a desk. Nobody taps it, so it has no forms. `shows_keys`: with QR codes."""
    return _page(table, None, desk, shows_keys)


def _page(
    table: LiveTable, refusal: ApiError | None = None, desk: str = "", shows_keys: bool = False
) -> Response:
    use_table_language(table)
    match, token = table.match, None if desk else host_token(table)
    localizer, device = localizer_of(match.seen_by()), this_device(table)
    if desk:
        device = replace(device, held=(), is_host=False)
    about = context(table, match, localizer, device, desk, shows_keys)
    if wants_regions():
        wanted = request.args.get("fold")
        pieces = folds(about, localizer, match, device, [wanted]) if wanted else regions(about)
        return make_response({"v": match.version, "page": page_state(about), "regions": pieces})
    return render_with_error(
        "screen.html",
        refusal,
        **about,
        regions=regions(about),
        folds=folds(about, localizer, match, device),
        state=page_state(about),
        host=_hand_over(table, token) if token and match.state is None else None,
        nonce=nonce(),
        stream=f"/t/{table.code}/live" + (f"?desk={desk}" if desk else ""),
        printed=_printed(table),
        recovery=address_change.recovery_link(table, HOST) if token else None,
    )


def _hand_over(table: LiveTable, token: str) -> dict[str, Any]:
    key = host_keys.host_keys().key(table, token)
    link = f"{desks().base()}/t/{table.code}/host/{key}"
    return {"key": key, "link": link, "code": qr.svg(link, say("page.host.code"))}


def _printed(table: LiveTable) -> str | None:
    """What happens to the paper that was just queued; None if there is none."""
    if "printed" not in request.args:
        return None
    return print_notice(table.row.desk)
