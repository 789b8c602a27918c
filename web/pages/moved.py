"""Coming back when the referee's address changed: cookies stay behind, a ticket brings the seat along."""

from flask import Blueprint, Response, request

from referee.questions import HOST
from web.address import named_url
from web.api import caller, desks, house
from web.caller import host_cookie, seat_cookie
from web.pages.page import and_list, go, held, host_token, keep, seat_caller, show, speech, table_of
from web.table import LiveTable

moved = Blueprint("moved", __name__)


@moved.route("/back/<code>/<people>/<tickets>", methods=["GET", "POST"])
def come_back(code: str, people: str, tickets: str) -> Response:
    """Looking at it changes nothing; the button keeps the tokens for this address."""
    house().door.failures.check(caller().address)
    table, who = table_of(code), people.split("+")
    page = f"/t/{code}" if who[0] == HOST else f"/t/{code}/s/{who[0]}"
    if who[0] in held(table) or (who[0] == HOST and host_token(table)):
        return go(page)
    tokens = {
        each: _token(table, each, ticket) for each, ticket in zip(who, tickets.split("."), strict=False)
    }
    if len(tokens) < len(who) or None in tokens.values():
        raise house().failed(caller(), "bad-token")
    if request.method == "GET":
        names = and_list([speech(table.seen()).name(seat) for seat in who if seat != HOST])
        return show("moved.html", code=code, names=names)
    response = go(page)
    for each, token in tokens.items():
        keep(response, host_cookie(code) if each == HOST else seat_cookie(code, each), str(token))
    return response


def _token(table: LiveTable, who: str, ticket: str) -> str | None:
    """The token in a ticket, if it still holds this seat or is the host's."""
    token = desks().tickets.open(ticket, f"{table.code} {who}")
    is_good = table.is_host(token) if who == HOST else who in table.seats and table.seat_of(token) == who
    return token if is_good else None


def way_back(table: LiveTable, first: str) -> dict[str, str] | None:
    """Where a page finds the referee again by its name, with all that this device holds at the table;
    nowhere if the address is settled."""
    if house().settings.server.address:
        return None
    tokens = {seat: str(seat_caller(table, seat).token) for seat in held(table)}
    if hosts := host_token(table):
        tokens[HOST] = hosts
    who = [first, *(each for each in tokens if each != first)]
    sealed = ".".join(desks().tickets.seal(tokens[each], f"{table.code} {each}") for each in who)
    path = f"/back/{table.code}/{'+'.join(who)}/{sealed}"
    return {"path": path, "name": named_url(desks().base()).partition("//")[2]}
