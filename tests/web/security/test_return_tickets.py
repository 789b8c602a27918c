"""Return tickets that restore a seat at another address, and a clock that a phone sets."""

import asyncio
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
from tests.support.web.random_player import hide
from tests.support.web.seated_table import SeatedTable
from tests.support.web.table_service import HERE
from web.clock import Clock
from web.output.dates import day, spoken
from web.service import questions, returning
from web.service.presence import AWAY
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
    assert view["news"][-1]["text"].startswith("Ana now plays from another address")
    assert stranger.post_form(path).status == 401, "it is used up"
    assert playing["target"].client.get(f"{table.path}/me").status == 401, "the old token is dead"
    page = playing["target"].browser.get(f"/t/{table.code}/s/target")
    assert page.status == 401 and "Ana’s seat is held by another phone" in page.content.decode()
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


def test_a_returned_host_stays_host_of_the_rematch(playing: dict[str, Phone], table: Table) -> None:
    """The token that the host had before is still valid at the earlier table, and at no later one."""
    ask = {"version": table.view()["version"], "kind": "abandon", "show": True}
    assert table.client.bearing(table.host).post(f"{table.path}/ask", ask).status == 200
    for phone in playing.values():
        phone.client.post(f"{table.path}/answer", {"accept": True})
    code = table.client.bearing(table.host).post(f"{table.path}/rematch", {}).json["table"]
    old = table.client.with_(Cookie=f"host_{code}={table.host}; host_{table.code}={table.host}")
    new = table.client.post_form(way_back(old, f"/t/{code}")).cookies[f"host_{code}"]
    device = table.client.with_(Cookie=f"host_{code}={new}; host_{table.code}={table.host}")
    followed = device.get(f"/t/{table.code}/next")
    assert followed.status == 303 and f"host_{code}" not in followed.cookies


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
    assert not table.is_away("mask") and not table.is_away(HOST) and table.is_away("target")
    table.leave(page)
    page.loop.close()
    clock.now += AWAY - 1
    assert not table.is_away("mask") and not table.is_away(HOST)
    with pytest.raises(ApiError, match="seat-taken"):
        returning.check(service, table, {"mask": returning.ticket_of(table, "mask")}, HERE)
    clock.now += 1
    returning.check(service, table, {"mask": returning.ticket_of(table, "mask")}, HERE)
    service.seat(table, at.people["mask"])
    assert AWAY == 30 and not table.is_away("mask"), "a call counts too"


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
            opens = asyncio.create_task(questions.rematch(service, at.code, body, at.host))
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
    for told in (spoken, day):
        assert told("1970-01-01T00:03:00+00:00", "fr") == "date incertaine"
        assert told("1970-01-01T00:03:00+00:00", "en") == "date unsure"
        assert "2026" in told("2026-12-24T20:00:00+00:00", "en")


@pytest.mark.parametrize("body", [{}, {"now": "noon"}, {"now": -1}, {"now": True}, {"now": 10**13}, []])
def test_what_is_no_time(client: Client, body: object) -> None:
    assert client.post("/api/clock", body).code == "malformed"


def test_a_server_that_knows_the_time_says_so(client: Client) -> None:
    assert client.post("/api/clock", {"now": 0}).json == {"sure": True}
