"""Return tickets that restore a seat at another address, and a clock that a phone sets."""

from datetime import UTC, datetime, timedelta

import pytest

from referee import RELEASED
from tests.support.web.http_client import Client, Phone, Table
from web.clock import Clock
from web.output.dates import day, spoken
from web.security.return_tickets import ReturnTickets

# ---- tickets


def way_back(client: Client, page: str) -> str:
    """The path of the ticket on a page."""
    text = client.get(page).content.decode()
    return text.partition('data-recovery="')[2].partition('"')[0]


def test_a_ticket_takes_the_seat_along_and_changes_nothing(playing: dict[str, Phone], table: Table) -> None:
    path = way_back(playing["target"].browser, f"/t/{table.code}/s/target")
    version, stranger = table.view()["version"], table.client
    looked = stranger.get(path)
    assert looked.status == 200 and not looked.cookies
    taken = stranger.post_form(path)
    assert (taken.status, taken.headers["Location"]) == (303, f"/t/{table.code}/s/target")
    assert taken.cookies == {f"seat_{table.code}_target": playing["target"].token}
    assert table.view()["version"] == version
    assert playing["target"].view()["me"]["seat"] == "target", "where it was, it still holds its seat"


def test_a_device_takes_all_it_holds_along(playing: dict[str, Phone], table: Table) -> None:
    held = {f"seat_{table.code}_{seat}": phone.token for seat, phone in playing.items()}
    held[f"host_{table.code}"] = table.host
    device = table.client.with_(Cookie="; ".join(f"{name}={token}" for name, token in held.items()))
    path = way_back(device, f"/t/{table.code}")
    assert table.client.post_form(path).cookies == held


def test_no_ticket_on_a_page_of_nobody(playing: dict[str, Phone], table: Table) -> None:
    assert way_back(table.client, f"/t/{table.code}") == ""


def test_a_ticket_for_one_seat_opens_no_other(playing: dict[str, Phone], table: Table) -> None:
    path = way_back(playing["target"].browser, f"/t/{table.code}/s/target")
    for wrong in (
        path.replace("target", "mask"),
        path.replace("target", "host"),
        path[:-4] + "AAA=",
        path + ".",
    ):
        assert table.client.post_form(wrong).status == (303 if wrong == path + "." else 401), wrong


def test_a_ticket_dies_with_its_token(playing: dict[str, Phone], table: Table) -> None:
    path = way_back(playing["target"].browser, f"/t/{table.code}/s/target")
    ask = {"version": 4, "kind": "reissue", "seat": "target"}
    playing["target"].goes_away()
    assert playing["mask"].client.post(f"{table.path}/ask", ask).status == 200
    assert table.client.post_form(path).status == 401


@pytest.mark.parametrize("ticket", ["", "=", "é", "A" * 300, "AAAA"])
def test_what_is_no_ticket(ticket: str) -> None:
    assert ReturnTickets("key").open(ticket, "KX7QF mask") is None


def test_a_ticket_is_read_by_whoever_sealed_it() -> None:
    sealed = ReturnTickets("key").seal("token", "KX7QF mask")
    assert "token" not in sealed
    assert ReturnTickets("key").open(sealed, "KX7QF mask") == "token"
    assert ReturnTickets("key").open(sealed, "KX7QF target") is None
    assert ReturnTickets("another").open(sealed, "KX7QF mask") is None


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
    assert not clock.learn(evening + timedelta(days=1)), "the second phone is not asked"


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
