"""One phone for several seats: a curtain between turns, and nothing of a seat before its person opens it."""

import re
from random import Random
from typing import Any
from urllib.parse import urlencode

import pytest

from referee.core.options import AIDS
from referee.games import GAMES
from tests.support.waiting import eventually
from tests.support.web.http_client import Answer, Client, Phone, Table
from tests.support.web.random_player import hide, picked, play_on

OF_A_SEAT = ("secret-inside", 'class="move"', "data-mine", "/me/events")
MOVES = 12


class Shared:
    """A browser that keeps its cookies, with all seats of a table."""

    def __init__(self, client: Client, table: Table, phones: dict[str, Phone]) -> None:
        self._client, self._code = client, table.code
        self.jar = {f"seat_{table.code}_{seat}": phone.token for seat, phone in phones.items()}

    def call(self, method: str, path: str, body: bytes | None = None) -> Answer:
        sent = "; ".join(f"{name}={value}" for name, value in self.jar.items())
        kind = "application/x-www-form-urlencoded"
        answer = self._client.with_(Cookie=sent, Content_Type=kind).call(method, path, body)
        self.jar |= answer.cookies
        return answer

    def page(self, seat: str, more: str = "") -> str:
        answer = self.call("GET", f"/t/{self._code}/s/{seat}{more}")
        while answer.status == 303:
            answer = self.call("GET", answer.headers["Location"])
        assert answer.status == 200, answer.content
        return answer.content.decode()

    def posts(self, path: str, **form: str) -> Answer:
        return self.call("POST", f"/t/{self._code}{path}", urlencode(form).encode())

    def is_drawn(self, seat: str) -> bool:
        page = self.page(seat)
        is_drawn = 'data-curtain="1"' in page
        assert not is_drawn or not [part for part in OF_A_SEAT if part in page], seat
        assert is_drawn or f'/s/{seat}/live"' in page, seat
        return is_drawn

    def opens(self, seat: str) -> None:
        assert self.posts(f"/s/{seat}/curtain").status == 303
        assert not self.is_drawn(seat)


@pytest.fixture
def shared(client: Client, table: Table, phones: dict[str, Phone]) -> Shared:
    return Shared(client, table, phones)


@pytest.mark.parametrize("game", GAMES)
def test_at_any_time_one_seat_at_most_is_open(client: Client, game: str) -> None:
    table, dice = client.open_table(game=game, desk=None), Random(game)
    phones = table.everybody()
    phone = Shared(client, table, phones)
    for _ in range(MOVES):
        view = table.view()
        if view["status"] == "over":
            break
        seat = view["waiting_for"][0]
        assert phone.is_drawn(seat) or seat in phone.jar.get(f"curtain_{table.code}", "")
        phone.opens(seat)
        assert all(phone.is_drawn(other) for other in phones if other != seat)
        mine = phones[seat].view()
        move = picked(mine["me"]["choices"], dice)
        phones[seat].moves(move.pop("type"), mine["version"], **move)
        now = table.view()
        is_next = seat in now["waiting_for"] or now["status"] == "over"
        assert phone.is_drawn(seat) is not is_next


def test_the_curtain_asks_for_whoever_is_to_act(shared: Shared, phones: dict[str, Phone]) -> None:
    shared.opens("target")
    phones["target"].moves("hide", houses=[1, 2, 3])
    page = shared.page("target")
    assert "Pass the phone to Bo" in page and "I am Bo" in page and "I am Ana" in page


def test_whoever_acted_may_look_once_more_until_something_happens(
    shared: Shared, phones: dict[str, Phone]
) -> None:
    phones["target"].moves("hide", houses=[1, 2, 3])
    shared.opens("target")
    assert "Hide my screen" in shared.page("target")
    phones["mask"].moves("hide", houses=[4, 5, 6])
    assert not shared.is_drawn("target"), "it is her turn"
    phones["target"].moves("attack_from_hand", card=0, house=1)
    assert shared.is_drawn("target")
    shared.opens("target")
    assert shared.posts("/s/target/curtain", close="1").status == 303
    assert shared.is_drawn("target")


def test_no_form_of_a_hidden_seat_is_taken(shared: Shared, table: Table) -> None:
    form = {f"field.houses.{n}": str(n) for n in (1, 2, 3)}
    for more in ({"check": "1"}, {}):
        sent = shared.posts("/s/mask?do=hide&case=0", type="hide", version="2", **form, **more)
        assert sent.status == 303 and "draft_" not in str(sent.headers)
    assert table.view()["version"] == 2


def test_no_link_gets_past_the_curtain(shared: Shared) -> None:
    for more in ("?do=hide", "?do=hide&case=0&check=1", "?seen=3", "?correct=1", "?lost=mask"):
        assert 'data-curtain="1"' in shared.page("mask", more)


def test_a_question_is_answered_by_whom_it_is_asked(shared: Shared, playing: dict[str, Phone]) -> None:
    shared.opens("target")
    playing["target"].moves("attack_from_hand", card=0, house=1)
    shared.opens("mask")
    body = {"version": 5, "kind": "undo"}
    assert playing["mask"].client.post(f"{playing['mask'].table.path}/ask", body).status == 200
    assert "Pass the phone to Ana" in shared.page("mask")
    shared.opens("target")
    assert shared.posts("/s/target", accept="yes", version="6").status == 303
    assert not shared.is_drawn("target"), "her move again"


def test_what_was_told_on_the_curtain_is_not_told_again(shared: Shared, playing: dict[str, Phone]) -> None:
    shared.opens("target")
    playing["target"].moves("attack_from_hand", card=0, house=1)
    assert "said--" in shared.page("target")
    shared.opens("mask")
    assert 'class="answer' not in shared.page("mask")


def test_a_phone_with_one_seat_has_no_curtain(client: Client, phones: dict[str, Phone], table: Table) -> None:
    alone = Shared(client, table, {"mask": phones["mask"]})
    assert not alone.is_drawn("mask")
    assert alone.posts("/s/target/curtain").status == 403


def test_when_it_is_over_nothing_is_hidden(shared: Shared, playing: dict[str, Phone], table: Table) -> None:
    body: dict[str, Any] = {"version": 4, "kind": "abandon", "show": False}
    playing["target"].client.post(f"{table.path}/ask", body)
    playing["mask"].client.post(f"{table.path}/answer", {"accept": True})
    assert not shared.is_drawn("target") and not shared.is_drawn("mask")


def test_on_a_shared_phone_the_winner_is_named(client: Client) -> None:
    table = client.open_table(game="agent_avenue", desk=None)
    phones = table.everybody()
    play_on(phones, Random(2))
    (winner,) = table.view()["outcome"]["winners"]
    name = table.view()["seats"][winner]["name"]
    phone = Shared(client, table, phones)
    assert all(f">{name} wins!</h1>" in phone.page(seat, "?seen=9999") for seat in phones)
    loser = next(seat for seat in phones if seat != winner)
    alone = Shared(client, table, {loser: phones[loser]})
    assert 'class="ending ending--lost' in alone.page(loser, "?seen=9999")


# ---- who is there


def there(table: Table) -> set[str]:
    return {seat for seat, who in table.view()["seats"].items() if who["connected"]}


def leave(table: Table, phones: dict[str, Phone]) -> None:
    for phone in phones.values():
        phone.goes_away()
    assert not there(table)


def test_a_page_of_a_shared_phone_tells_that_all_are_there(
    shared: Shared, table: Table, phones: dict[str, Phone]
) -> None:
    leave(table, phones)
    assert shared.is_drawn("target")
    assert there(table) == set(phones)
    leave(table, phones)
    shared.opens("target")
    assert there(table) == set(phones)


def test_behind_an_open_curtain_page_all_are_there_and_nobody_is_shown(
    shared: Shared, client: Client, table: Table, phones: dict[str, Phone]
) -> None:
    found = re.search(r'data-stream="([^"]+)"', shared.page("target"))
    assert found
    path = found[1].replace("&amp;", "&")
    leave(table, phones)
    sent = "; ".join(f"{name}={value}" for name, value in shared.jar.items())
    with client.with_(Cookie=sent).follow(path) as stream:
        shown = stream.first("regions").json
        assert shown["page"]["curtain"] and not {"decision", "hand"} & shown["regions"].keys()
        eventually(lambda: there(table) == set(phones))
        ask = {"version": table.view()["version"], "kind": "reissue", "seat": "mask"}
        phones["target"].client.post(f"{table.path}/ask", ask)
        phones["mask"].client.post(f"{table.path}/answer", {"accept": True})
        assert there(table) == {"target"}, "her token is no longer good"
    eventually(lambda: not there(table))


def test_nobody_is_there_by_a_cookie_that_was_made_up(
    client: Client, table: Table, phones: dict[str, Phone]
) -> None:
    leave(table, phones)
    made_up = client.with_(Cookie=f"seat_{table.code}_mask=x; seat_{table.code}_target=")
    with made_up.follow(f"{table.path}/events?held=1") as stream:
        stream.first("view")
        assert not there(table)


# ---- from the page that a code opens


def keys_in(page: str) -> set[str]:
    return set(re.findall(r"/j/\w{5}/\w+/(\w{12})", page))


def test_the_hosts_device_takes_all_seats_at_once(client: Client, table: Table) -> None:
    phone = Shared(client, table, {})
    phone.jar[f"host_{table.code}"] = table.host
    path = f"/j/{table.code}/target/{table.keys['target']}"
    assert 'name="name.mask"' in phone.call("GET", path).content.decode()
    form = urlencode({"name": "Ana", "name.mask": "Bo", "nonce": "n"}).encode()
    for _ in range(2):
        sent = phone.call("POST", path, form)
        assert (sent.status, sent.headers["Location"]) == (303, f"/t/{table.code}/s/target")
    view = table.view()
    assert view["status"] == "playing" and [who["name"] for who in view["seats"].values()] == ["Ana", "Bo"]
    assert phone.is_drawn("target") and phone.is_drawn("mask")


def test_nobody_sits_where_one_name_is_none(client: Client, table: Table) -> None:
    phone = Shared(client, table, {})
    phone.jar[f"host_{table.code}"] = table.host
    form = urlencode({"name": "Ana", "name.mask": "\u2800.", "nonce": "n"}).encode()
    sent = phone.call("POST", f"/j/{table.code}/target/{table.keys['target']}", form)
    assert sent.status == 400 and 'value="Ana"' in sent.content.decode()
    assert table.view()["version"] == 0


def test_a_long_name_is_told_so_rather_than_cut(client: Client, table: Table) -> None:
    phone, path = Shared(client, table, {}), f"/j/{table.code}/target/{table.keys['target']}"
    long = "Marie-Antoinette de Lorraine"
    sent = phone.call("POST", path, urlencode({"name": long, "nonce": "n"}).encode())
    page = sent.content.decode()
    assert sent.status == 400 and f'value="{long}"' in page and "24 characters at most" in page
    sent = phone.call("POST", path, urlencode({"name": f"  {long[:24]}  ", "nonce": "n"}).encode())
    assert (sent.status, table.view()["seats"]["target"]["name"]) == (303, long[:24])


def test_only_the_hosts_device_learns_of_other_keys(client: Client, table: Table) -> None:
    guest = Shared(client, table, {})
    path = f"/j/{table.code}/target/{table.keys['target']}"
    page = guest.call("GET", path).content.decode()
    assert 'name="name.mask"' not in page and "Scan the other seat" in page
    sent = guest.call("POST", path, urlencode({"name": "Ana", "name.mask": "Bo", "nonce": "n"}).encode())
    assert sent.status == 303
    assert not table.view()["seats"]["mask"]["joined"]
    assert not keys_in(guest.page("target"))
    guest.jar[f"host_{table.code}"] = table.host
    assert keys_in(guest.page("target")) == {table.keys["mask"]}


def test_the_deductions_and_secrets_of_a_seat_are_behind_its_curtain(client: Client) -> None:
    table = client.open_table(desk=None, options={"first": "target", AIDS.name: True})
    phones = table.everybody()
    hide(phones)
    phone = Shared(client, table, phones)
    for page in ("/aid", "/entered"):
        assert 'data-curtain="1"' in phone.page("target", page)
    phone.opens("target")
    for page in ("/aid", "/entered"):
        assert 'data-curtain="1"' not in phone.page("target", page)


def test_a_second_person_on_a_phone_is_asked_for_a_name_of_their_own(client: Client, table: Table) -> None:
    phone = Shared(client, table, {})
    for seat in ("target", "mask"):
        path = f"/j/{table.code}/{seat}/{table.keys[seat]}"
        assert 'id="name" name="name" value=""' in phone.call("GET", path).content.decode()
        phone.call("POST", path, urlencode({"name": "Ana", "nonce": "n"}).encode())
    later = client.open_table(desk=None)
    usual = phone.call("GET", f"/j/{later.code}/mask/{later.keys['mask']}").content.decode()
    assert 'id="name" name="name" value="Ana"' in usual
