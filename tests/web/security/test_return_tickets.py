"""Return tickets that restore a seat at another address, and a clock that a phone sets."""

import asyncio
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

import pytest

from referee import RELEASED
from referee.core.questions import HOST
from referee.fairness.verify import verify
from tests.support.fixtures import Start
from tests.support.web.event_loops import let_others_run
from tests.support.web.held_store import writer_held
from tests.support.web.http_client import Client, Phone, Table
from tests.support.web.journal import rows
from tests.support.web.questions import answers, asks, host, moved_to, next_table
from tests.support.web.random_player import hide
from tests.support.web.seated_table import SeatedTable
from tests.support.web.table_service import HERE
from web.clock import Clock
from web.output.dates import date_and_time, day
from web.service import returning
from web.service.presence import AWAY
from web.service.rematch import open_rematch
from web.service.tables import TableService
from web.streams.subscribers import Subscriber
from web.wire.errors import ApiError

# ---- tickets


@pytest.fixture
def playing(start: Start) -> dict[str, Phone]:
    """Both have hidden, at a server where whoever closed a page counts as away at once."""
    client = start(modifications=["absent"]).client.with_(Accept_Language="en")
    phones = client.open_table(desk=None, options={"first": "target"}).everybody()
    hide(phones)
    return phones


@pytest.fixture
def table(playing: dict[str, Phone]) -> Table:
    return playing["target"].table


def way_back(client: Client, page: str) -> str:
    """The path of the ticket on a page."""
    text = client.get(page).content.decode()
    return text.partition('data-recovery="')[2].partition('"')[0]


def test_a_ticket_takes_the_seat_along_once(playing: dict[str, Phone], table: Table) -> None:
    path = way_back(playing["target"].browser, f"/t/{table.code}/s/target")
    version, stranger, old = table.view()["version"], table.client, playing["target"].token
    looked = stranger.get(path)
    assert looked.status == 200 and not looked.cookies and table.view()["version"] == version
    taken = stranger.post_form(path)
    assert (taken.status, taken.headers["Location"]) == (303, f"/t/{table.code}/s/target")
    [(name, token)] = taken.cookies.items()
    assert name == f"seat_{table.code}_target" and token != old
    view = Phone(table, "target", token).view()
    assert view["me"]["seat"] == "target" and view["me"]["hand"]["houses"]
    assert (view["version"], view["news"][-1]["kind"]) == (version + 1, "seat_returned")
    assert view["news"][-1]["text"].startswith("Ana is now playing from another address")
    assert stranger.post_form(path).status == 401, "it is used up"
    assert playing["target"].client.get(f"{table.path}/me").status == 401, "the old token is dead"
    page = playing["target"].browser.get(f"/t/{table.code}/s/target")
    assert page.status == 401 and "Ana’s seat has moved to another phone" in page.content.decode()
    other = way_back(Phone(table, "target", token).browser, f"/t/{table.code}/s/target")
    assert other not in ("", path), "the new page has a ticket of its own"


def test_an_answer_that_was_lost_is_given_again(playing: dict[str, Phone], table: Table) -> None:
    path = way_back(playing["target"].browser, f"/t/{table.code}/s/target")
    first = table.client.post_form(path, nonce="once")
    again = table.client.post_form(path, nonce="once")
    assert first.cookies == again.cookies and first.status == again.status == 303
    assert [news["kind"] for news in table.view()["news"]].count("seat_returned") == 1
    assert table.client.post_form(path, nonce="other").status == 401


def test_a_ticket_is_refused_while_its_page_is_open(playing: dict[str, Phone], table: Table) -> None:
    path = way_back(playing["target"].browser, f"/t/{table.code}/s/target")
    before = table.view()
    with playing["target"].browser.follow(f"/t/{table.code}/s/target/live") as stream:
        stream.first("regions")
        for sent in (table.client.get(path), table.client.post_form(path)):
            assert sent.status == 409 and "wait half a minute" in sent.content.decode()
    assert table.view()["version"] == before["version"]
    assert playing["target"].view()["me"]["seat"] == "target"


def test_a_device_takes_all_it_holds_along(playing: dict[str, Phone], table: Table) -> None:
    held = {f"seat_{table.code}_{seat}": phone.token for seat, phone in playing.items()}
    held[f"host_{table.code}"] = table.host
    device = table.client.with_(Cookie="; ".join(f"{name}={token}" for name, token in held.items()))
    taken = table.client.post_form(way_back(device, f"/t/{table.code}")).cookies
    assert taken.keys() == held.keys() and not set(taken.values()) & set(held.values())
    ask = {"version": table.view()["version"], "kind": "abandon"}
    assert table.client.bearing(table.host).post(f"{table.path}/ask", ask).status == 401
    ask["version"] = table.view()["version"]
    assert table.client.bearing(taken[f"host_{table.code}"]).post(f"{table.path}/ask", ask).status == 200


def test_no_ticket_on_a_page_of_nobody(playing: dict[str, Phone], table: Table) -> None:
    assert way_back(table.client, f"/t/{table.code}") == ""


def test_a_ticket_for_one_seat_opens_no_other(playing: dict[str, Phone], table: Table) -> None:
    path = way_back(playing["target"].browser, f"/t/{table.code}/s/target")
    ticket = path.rpartition("/")[2]
    wrong = (
        path.replace("target", "mask"),
        path.replace("target", "host"),
        path.replace("target", "nobody"),
        path.replace("target", "target+mask"),
        path.replace("target", "target+mask") + "." + ticket,
        path[:-4] + "AAA=",
        path.replace(ticket, "é"),
    )
    for each in wrong:
        assert table.client.post_form(quote(each, safe="/+=")).status == 401, each
    assert playing["target"].view()["me"]["seat"] == "target"


def test_a_ticket_dies_with_its_token(playing: dict[str, Phone], table: Table) -> None:
    path = way_back(playing["target"].browser, f"/t/{table.code}/s/target")
    ask = {"version": 4, "kind": "reissue", "seat": "target"}
    playing["target"].goes_away()
    assert playing["mask"].client.post(f"{table.path}/ask", ask).status == 200
    assert table.client.post_form(path).status == 401


def test_a_game_with_a_return_verifies_to_its_end(playing: dict[str, Phone], table: Table) -> None:
    path = way_back(playing["mask"].browser, f"/t/{table.code}/s/mask")
    back = Phone(table, "mask", table.client.post_form(path).cookies[f"seat_{table.code}_mask"])
    for house, card in ((1, 4), (2, 5), (3, 6)):
        playing["target"].moves("attack_from_hand", card=card, house=house)
        if house < 3:
            back.moves("attack_from_hand", card=9, house=1)
    record = table.client.get(f"{table.path}/record").json
    assert verify(record) == [] and record["entries"][4]["type"] == "returns"


# ---- rematches have the tokens of the table before


def plays_again(playing: dict[str, Phone], table: Table) -> Table:
    """The rematch, after the first game was abandoned."""
    asks(host(table), "abandon", table, show=True)
    for phone in playing.values():
        answers(phone)
    return next_table(table, host(table).post(f"{table.path}/rematch", {}).json["table"])


def kinds_told(table: Table) -> list[str]:
    return [news["kind"] for news in table.view()["news"]]


def test_a_ticket_of_the_first_game_changes_the_token_at_every_rematch(
    playing: dict[str, Phone], table: Table
) -> None:
    path, old = way_back(playing["target"].browser, f"/t/{table.code}/s/target"), playing["target"]
    second = plays_again(playing, table)
    third = plays_again(moved_to(playing, second), second)
    tickets = [
        way_back(Phone(t, "target", old.token).browser, f"/t/{t.code}/s/target") for t in (second, third)
    ]
    with third.events() as screen:
        screen.first("view")
        taken = table.client.post_form(path)
        screen.wait(lambda event: event.kind == "view" and event.json["news"][-1]["kind"] == "seat_returned")
    new = taken.cookies[f"seat_{table.code}_target"]
    for where in (table, second, third):
        assert Phone(where, "target", old.token).client.get(f"{where.path}/me").status == 401, where.code
        assert Phone(where, "target", new).view()["me"]["seat"] == "target"
        assert Phone(where, "mask", playing["mask"].token).view()["me"]["seat"] == "mask"
    assert [kinds_told(where)[-1] for where in (table, second, third)] == [
        "seat_returned",
        "abandoned",  # it is over, and nobody used a ticket of it
        "seat_returned",
    ]
    assert [table.client.post_form(each).status for each in (path, *tickets)] == [401, 401, 401]
    followed = Phone(table, "target", new).browser.get(f"/t/{table.code}/next?seat=target")
    assert followed.cookies == {f"seat_{third.code}_target": new}


def test_a_ticket_of_the_rematch_changes_the_token_at_the_game_before(
    playing: dict[str, Phone], table: Table
) -> None:
    """Or the old one could still ask there for a correction, by which that game goes on."""
    again, old = plays_again(playing, table), playing["mask"].token
    path = way_back(Phone(again, "mask", old).browser, f"/t/{again.code}/s/mask")
    new = table.client.post_form(path).cookies[f"seat_{again.code}_mask"]
    assert playing["mask"].client.get(f"{table.path}/me").status == 401
    assert Phone(table, "mask", new).view()["me"]["seat"] == "mask"


def test_a_ticket_of_the_first_game_is_refused_while_the_page_of_the_rematch_is_open(
    playing: dict[str, Phone], table: Table
) -> None:
    path = way_back(playing["target"].browser, f"/t/{table.code}/s/target")
    again = plays_again(playing, table)
    mine = Phone(again, "target", playing["target"].token)
    with mine.browser.follow(f"/t/{again.code}/s/target/live") as stream:
        stream.first("regions")
        assert [table.client.get(path).status, table.client.post_form(path).status] == [409, 409]
    assert mine.view()["me"]["seat"] == "target"
    assert table.client.post_form(path).status == 303


def test_a_host_who_returns_is_host_of_every_game_of_the_row(playing: dict[str, Phone], table: Table) -> None:
    path = way_back(table.host_browser, f"/t/{table.code}")
    again = plays_again(playing, table)
    new = table.client.post_form(path).cookies[f"host_{table.code}"]
    assert asks(host(again), "abandon", again).status == 401
    assert asks(again.client.bearing(new), "abandon", again).status == 200
    assert way_back(again.client.with_(Cookie=f"host_{again.code}={new}"), f"/t/{again.code}")


def test_a_damaged_rematch_is_in_no_tickets_way(start: Start) -> None:
    server = start(modifications=["absent"])
    table = server.client.open_table(desk=None, options={"first": "target"})
    phones = table.everybody()
    path, again = way_back(phones["target"].browser, f"/t/{table.code}/s/target"), plays_again(phones, table)
    server.stop()
    with closing(sqlite3.connect(server.data / "referee.db")) as db, db:
        db.execute("UPDATE journal SET line = 'x' WHERE code = ?", (again.code,))
    with server.again() as later:
        assert later.client.post_form(path).status == 303
    held = rows(server, "SELECT DISTINCT token FROM seats WHERE seat = 'target'")
    assert len(held) == 1, "when it is restored, the old token is not valid there"


class Seconds:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Seconds:
    return Seconds()


def test_a_seat_is_away_half_a_minute_after_its_page(service: TableService, clock: Seconds) -> None:
    at = SeatedTable(service)
    table, page = at.table, Subscriber("mask", "en", asyncio.new_event_loop(), is_host=True)
    table.pages.add(page)
    clock.now += 1000
    assert table.is_here("mask") and table.is_here(HOST) and not table.is_here("target")
    table.leave(page)
    page.loop.close()
    clock.now += AWAY - 1
    assert table.is_here("mask") and table.is_here(HOST)
    with pytest.raises(ApiError, match="seat-taken"):
        returning.check(service, table, {"mask": returning.ticket_of(table, "mask")}, HERE)
    clock.now += 1
    returning.check(service, table, {"mask": returning.ticket_of(table, "mask")}, HERE)
    service.seat(table, at.people["mask"])
    assert AWAY == 30 and table.is_here("mask"), "a call counts too"


def test_a_return_of_the_host_while_a_rematch_is_opened_keeps_the_way_there(
    service: TableService, clock: Seconds
) -> None:
    at = SeatedTable(service)
    at.agrees("abandon")
    clock.now += AWAY
    body = {"nonce": "0" * 32}

    async def story() -> str:
        table = at.table
        with writer_held(service.store.path):
            opens = asyncio.create_task(open_rematch(service, at.code, body, at.host))
            await let_others_run()
            given = returning.redeem(service, table, {HOST: returning.ticket_of(table, HOST)}, "once", HERE)
            returns = asyncio.create_task(given)
            await let_others_run()
        await returns
        return await opens

    opened = service.wait(story())
    assert at.table.row.next == opened and not at.table.is_host(at.host.token)


# ---- the clock

NEW_YEAR_1970 = datetime(1970, 1, 1, tzinfo=UTC)


def test_a_clock_that_cannot_be_right_is_set_by_the_first_phone() -> None:
    seconds = [0]
    clock = Clock(lambda: NEW_YEAR_1970 + timedelta(seconds=seconds[0]))
    evening = RELEASED + timedelta(days=20)
    assert not clock.is_sure()
    assert clock.learn(evening) and clock.is_sure()
    seconds[0] = 60
    assert clock.now() == evening + timedelta(seconds=60)


@pytest.mark.parametrize("told", [NEW_YEAR_1970, RELEASED - timedelta(1), RELEASED + timedelta(days=99_999)])
def test_a_phone_that_cannot_be_right_either_is_not_believed(told: datetime) -> None:
    clock = Clock(lambda: NEW_YEAR_1970)
    assert not clock.learn(told) and not clock.is_sure()


def test_a_clock_that_can_be_right_is_left_alone() -> None:
    clock = Clock(lambda: RELEASED)
    assert not clock.learn(RELEASED + timedelta(days=1)) and clock.now() == RELEASED


def test_a_date_of_a_clock_that_was_not_set_is_unsure() -> None:
    for told in (date_and_time, day):
        assert told("1970-01-01T00:03:00+00:00", "fr") == "date incertaine"
        assert told("1970-01-01T00:03:00+00:00", "en") == "date uncertain"
        assert "2026" in told("2026-12-24T20:00:00+00:00", "en")


@pytest.mark.parametrize("body", [{}, {"now": "noon"}, {"now": -1}, {"now": True}, {"now": 10**13}, []])
def test_what_is_no_time(client: Client, body: object) -> None:
    assert client.post("/api/clock", body).code == "malformed"


def test_a_server_that_knows_the_time_says_so(client: Client) -> None:
    assert client.post("/api/clock", {"now": 0}).json == {"sure": True}
