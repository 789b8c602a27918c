"""Restoring seats after the server's address changed.

Browsers do not send cookies to the new address. An open page therefore holds a link with a return ticket: the
encrypted token of each seat that the device holds.
"""

from flask import Blueprint, Response, request

from referee.core.questions import HOST
from web.output.address import named_url
from web.pages.rendering import (
    and_list,
    held,
    host_token,
    localizer_of,
    redirect_to,
    render_page,
    seat_caller,
    set_cookie,
    table_of,
)
from web.request_context import caller, desks, service
from web.security.caller import host_cookie, seat_cookie
from web.service.live_table import LiveTable

address_change = Blueprint("address_change", __name__)


@address_change.route("/back/<code>/<people>/<tickets>", methods=["GET", "POST"])
def restore(code: str, people: str, tickets: str) -> Response:
    """GET asks for confirmation and changes nothing. POST sets the cookies for this address."""
    service().rate_limits.failures.check(caller().address)
    table, who = table_of(code), people.split("+")
    page = f"/t/{code}" if who[0] == HOST else f"/t/{code}/s/{who[0]}"
    if who[0] in held(table) or (who[0] == HOST and host_token(table)):
        return redirect_to(page)
    tokens = {
        each: _token(table, each, ticket) for each, ticket in zip(who, tickets.split("."), strict=False)
    }
    if len(tokens) < len(who) or None in tokens.values():
        raise service().count_failure(caller(), "bad-token")
    if request.method == "GET":
        names = and_list([localizer_of(table.seen()).name(seat) for seat in who if seat != HOST])
        return render_page("address_change.html", code=code, names=names)
    response = redirect_to(page)
    for each, token in tokens.items():
        set_cookie(response, host_cookie(code) if each == HOST else seat_cookie(code, each), str(token))
    return response


def _token(table: LiveTable, who: str, ticket: str) -> str | None:
    """The token in a return ticket, if it is still valid for this seat or the host; else None."""
    token = desks().tickets.open(ticket, f"{table.code} {who}")
    is_good = table.is_host(token) if who == HOST else who in table.seats and table.seat_of(token) == who
    return token if is_good else None


def recovery_link(table: LiveTable, first: str) -> dict[str, str] | None:
    """The path that restores all tokens this device holds at the table, and this machine's `.local` name.

    None if the settings fix the server's address: then it does not change.
    """
    if service().settings.server.address:
        return None
    tokens = {seat: str(seat_caller(table, seat).token) for seat in held(table)}
    if hosts := host_token(table):
        tokens[HOST] = hosts
    who = [first, *(each for each in tokens if each != first)]
    sealed = ".".join(desks().tickets.seal(tokens[each], f"{table.code} {each}") for each in who)
    path = f"/back/{table.code}/{'+'.join(who)}/{sealed}"
    return {"path": path, "name": named_url(desks().base()).partition("//")[2]}
