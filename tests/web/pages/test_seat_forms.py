"""The forms of a seat's page: what a script is answered, what a browser without one is shown."""

import base64
import json
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode

import pytest

from tests.support.web.http_client import Answer, Phone, Table
from tests.support.web.questions import answers, asks

ATTACK = {"type": "attack_from_hand", "version": "4", "field.card": "0", "field.house": "1"}
SWAP = {"type": "swap", "version": "4", "field.house": "1", "field.card": "9", "field.decoy": "2"}
FORM = "application/x-www-form-urlencoded"
PICKED = re.compile(r'name="field.card" value="2"[^>]* checked')


def path(phone: Phone, query: str = "") -> str:
    return f"/t/{phone.table.code}/s/{phone.seat}{query}"


def by_script(phone: Phone, form: Mapping[str, str], query: str = "", **headers: str) -> Answer:
    """A form as the page's script sends it."""
    client = phone.browser.with_(Accept="application/json", Content_Type=FORM).with_(**headers)
    return client.call("POST", path(phone, query), urlencode(form).encode())


def tap(form: Mapping[str, str], nonce: str) -> dict[str, str]:
    return {**form, "nonce": nonce}


def is_accepted(sent: Answer, version: int) -> bool:
    return (sent.status, sent.content, sent.headers["ETag"]) == (204, b"", f'"{version}"')


def version(table: Table) -> int:
    return int(table.view()["version"])


# ---- with a script


def test_a_move_is_answered_with_the_new_version_and_no_more(playing: dict[str, Phone], table: Table) -> None:
    sent = by_script(playing["target"], tap(ATTACK, "1"))
    assert is_accepted(sent, 5) and version(table) == 5
    assert not sent.cookies


def test_a_secret_is_kept_on_its_phone_until_it_was_read_once_more(
    playing: dict[str, Phone], table: Table
) -> None:
    target = playing["target"]
    sent = by_script(target, {**SWAP, "check": "1"}, "?do=swap&case=0")
    assert (sent.status, list(sent.json), version(table)) == (200, ["go"], 4)
    ((name, draft),) = sent.cookies.items()
    kept = json.loads(base64.urlsafe_b64decode(draft.strip('"')))
    assert kept == {"type": "swap", "version": 4, "fields": {"house": 1, "card": 9, "decoy": 2}}
    assert f"Path={path(target)}" in sent.headers["Set-Cookie"] and "HttpOnly" in sent.headers["Set-Cookie"]

    held = f"{target.browser.headers['Cookie']}; {name}={draft}"
    asked = target.browser.with_(Cookie=held, Accept="application/json").get(path(target, sent.json["go"]))
    assert 'class="button seal"' in asked.json["regions"]["decision"]
    sealed = by_script(target, tap(SWAP, "1"), "?do=swap&case=0", Cookie=held)
    assert is_accepted(sealed, 5)
    assert sealed.cookies == {name: ""}, "what was sealed is no draft any more"


def test_a_refused_form_is_answered_with_its_page_and_the_reason(
    playing: dict[str, Phone], table: Table
) -> None:
    own = {**ATTACK, "field.card": "2"}  # stands in her own house
    sent = by_script(playing["target"], tap(own, "1"), "?do=attack_from_hand&case=0")
    assert (sent.status, sent.json["v"], version(table)) == (422, 4, 4)
    assert 'role="alert"' in sent.json["regions"]["problem"]
    assert PICKED.search(sent.json["regions"]["decision"]), "what was picked stays"
    assert sent.json["page"]["mine"] == 1


def test_a_form_with_an_open_question_is_told_so(playing: dict[str, Phone], table: Table) -> None:
    half = {name: value for name, value in ATTACK.items() if name != "field.house"}
    sent = by_script(playing["target"], half, "?do=attack_from_hand&case=0")
    assert sent.status == 422 and version(table) == 4
    assert 'role="alert"' in sent.json["regions"]["problem"]


def test_one_tap_counts_once_though_it_is_sent_twice(playing: dict[str, Phone], table: Table) -> None:
    with ThreadPoolExecutor(4) as at_once:
        sent = list(at_once.map(lambda _: by_script(playing["target"], tap(ATTACK, "1")), range(4)))
    assert [answer.status for answer in sent] == [204] * 4
    assert version(table) == 5


def test_a_second_tap_on_an_old_form_is_told_that_it_is_old(playing: dict[str, Phone], table: Table) -> None:
    assert by_script(playing["target"], tap(ATTACK, "1")).status == 204
    playing["mask"].moves("attack_from_hand", card=0, house=1)
    for form in (ATTACK, {**ATTACK, "field.card": "9"}):
        sent = by_script(playing["target"], tap(form, "2"))
        assert (sent.status, sent.json["v"], version(table)) == (409, 6, 6)
        assert "in the meantime" in sent.json["regions"]["problem"]


def test_a_nonce_is_no_way_to_send_something_else(playing: dict[str, Phone], table: Table) -> None:
    assert by_script(playing["target"], tap(ATTACK, "1")).status == 204
    sent = by_script(playing["target"], tap({**ATTACK, "field.card": "9"}, "1"))
    assert (sent.status, version(table)) == (409, 5)


def test_questions_and_answers_go_the_same_way(playing: dict[str, Phone], table: Table) -> None:
    assert is_accepted(by_script(playing["target"], {"ask": "undo", "version": "4"}), 5)
    refused = by_script(playing["target"], {"accept": "yes", "version": "5"})
    assert refused.status in (403, 409) and 'role="alert"' in refused.json["regions"]["problem"]
    assert is_accepted(by_script(playing["mask"], {"accept": "yes", "version": "5"}), 6)


# ---- without a script


def test_without_a_script_the_page_comes_again(playing: dict[str, Phone], table: Table) -> None:
    sent = playing["target"].sends_form(**ATTACK)
    assert (sent.status, sent.headers["Location"]) == (303, path(playing["target"]))
    assert version(table) == 5


def test_without_a_script_a_refused_form_comes_again_with_the_reason(
    playing: dict[str, Phone], table: Table
) -> None:
    target = playing["target"]
    own = {**ATTACK, "field.card": "2"}
    sent = target.sends_form(path(target, "?do=attack_from_hand&case=0"), **own)
    page = sent.content.decode()
    assert (sent.status, sent.kind, version(table)) == (422, "text/html", 4)
    assert 'role="alert"' in page and PICKED.search(page)


def test_without_a_script_a_form_sent_twice_counts_once_and_with_another_pick_it_is_old(
    playing: dict[str, Phone], table: Table
) -> None:
    for _ in range(2):
        assert playing["target"].sends_form(**ATTACK).status == 303
    assert playing["target"].sends_form(**{**ATTACK, "field.card": "9"}).status == 409
    assert version(table) == 5


# ---- forms that are refused before they are read


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_a_small_code_leads_to_the_same_form(playing: dict[str, Phone], table: Table, accept: str) -> None:
    small = path(playing["target"], "?do=swap&case=0").replace(table.code, table.code.lower())
    sent = sends_as(playing["target"], small, accept)
    assert (sent.status, sent.headers["Location"]) == (308, path(playing["target"], "?do=swap&case=0"))
    assert version(table) == 4


def sends_as(phone: Phone, where: str, accept: str) -> Answer:
    client = phone.browser.with_(Accept=accept, Content_Type=FORM)
    return client.call("POST", where, urlencode(ATTACK).encode())


def test_no_address_writes_into_the_head_of_an_answer(playing: dict[str, Phone]) -> None:
    sent = sends_as(playing["target"], "/t/abc%0d%0aset-cookie:x=1%0d%0a/s/target", "text/html")
    assert not sent.cookies
    assert sent.status in (308, 404)


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_a_form_from_another_site_is_refused(playing: dict[str, Phone], table: Table, accept: str) -> None:
    foreign = "http://elsewhere.example"
    assert by_script(playing["target"], ATTACK, Origin=foreign, Accept=accept).status == 403
    assert version(table) == 4


def test_nobody_sends_the_form_of_a_seat_that_is_not_theirs(playing: dict[str, Phone], table: Table) -> None:
    stolen = f"seat_{table.code}_mask={playing['target'].token}"
    assert by_script(playing["mask"], ATTACK, Cookie=stolen).status == 403
    assert by_script(playing["mask"], ATTACK, Cookie="").status == 401
    assert version(table) == 4


def test_a_phone_whose_seat_has_moved_is_told_so(playing: dict[str, Phone], table: Table) -> None:
    asks(playing["mask"], "reissue", table, seat="target")
    answers(playing["target"])
    for sent in (by_script(playing["target"], ATTACK), playing["target"].sends_form(**ATTACK)):
        assert (sent.status, sent.kind) == (401, "text/html")
        assert "Ana’s seat has moved to another phone" in sent.content.decode()


def test_the_form_of_a_seat_behind_its_curtain_leads_to_the_curtain(
    playing: dict[str, Phone], table: Table
) -> None:
    both = "; ".join(f"seat_{table.code}_{seat}={phone.token}" for seat, phone in playing.items())
    sent = by_script(playing["target"], ATTACK, Cookie=both)
    assert (sent.status, sent.json, version(table)) == (200, {"curtain": 1}, 4)
