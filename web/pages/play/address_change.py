"""Restoring seats after the server's address changed.

Browsers do not send cookies to the new address. An open page therefore holds a link with the return ticket of
each seat that the device holds.
"""

from flask import Blueprint, Response, request

from referee.core.questions import HOST
from web.output.address import named_url
from web.pages.rendering import (
    and_list,
    held,
    host_token,
    localizer_of,
    nonce,
    redirect_to,
    render_page,
    set_cookie,
    table_of,
)
from web.request_context import caller, desks, service
from web.security.caller import host_cookie, seat_cookie
from web.service import returning
from web.service.live_table import LiveTable

address_change = Blueprint("address_change", __name__)


@address_change.route("/back/<code>/<people>/<tickets>", methods=["GET", "POST"])
def restore(code: str, people: str, tickets: str) -> Response:
    """GET asks for confirmation and changes nothing. POST uses the tickets and sets the cookies for this
    address."""
    who = people.split("+")
    given = dict(zip(who, tickets.split("."), strict=False))
    found = service().table(code)
    table = table_of(code, trusted=found is not None and returning.are_valid(found, given))
    page = f"/t/{code}" if who[0] == HOST else f"/t/{code}/s/{who[0]}"
    if who[0] in held(table) or (who[0] == HOST and host_token(table)):
        return redirect_to(page)
    service().guesses.check_key(caller(), len(given) == len(who), "bad-token")
    if request.method == "GET":
        returning.check(service(), table, given, caller())
        names = and_list([localizer_of(table.seen()).name(seat) for seat in who if seat != HOST])
        return render_page("address_change.html", code=code, names=names, nonce=nonce())
    mark = request.form.get("nonce", "")[:64] or nonce()
    tokens = service().wait(returning.redeem(service(), table, given, mark, caller()))
    response = redirect_to(page)
    for each, token in tokens.items():
        set_cookie(response, host_cookie(code) if each == HOST else seat_cookie(code, each), token)
    return response


def recovery_link(table: LiveTable, first: str) -> dict[str, str] | None:
    """The path that restores all seats this device holds at the table, and this machine's `.local` name.

    None if the settings fix the server's address: then it does not change.
    """
    if service().settings.server.address:
        return None
    others = [each for each in (*held(table), *([HOST] if host_token(table) else [])) if each != first]
    who = [first, *others]
    tickets = ".".join(returning.ticket_of(table, each) for each in who)
    path = f"/back/{table.code}/{'+'.join(who)}/{tickets}"
    return {"path": path, "name": named_url(desks().base()).partition("//")[2]}
