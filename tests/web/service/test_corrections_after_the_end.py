"""A mistyped secret is found after the end: corrected by consent, with all that follows from it."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from referee.core.game import Say
from referee.fairness.verify import noted_head, verify
from tests.support.fixtures import Start
from tests.support.web.http_client import Client, Phone, Table
from tests.support.web.questions import answers, asks, kinds, moved_to, next_table
from tests.support.web.random_player import hide
from tests.support.web.table_service import HERE, joined
from web.clock import Clock
from web.security.caller import Caller
from web.service.after_the_end import why_closed
from web.service.tables import TableService
from web.wire.requests import OpenTableRequest

Phones = dict[str, Phone]
CARD: dict[str, Any] = {"n": 6, "fields": {"agent": "enforcer"}}


def page(phone: Phone, query: str = "") -> str:
    """A seat's page with single spaces, once all answers were tapped away."""
    code, seat, client = phone.table.code, phone.seat, phone.browser
    cookies = f"{client.headers['Cookie']}; seen_{code}_{seat}=999"
    html = client.with_(Cookie=cookies).get(f"/t/{code}/s/{seat}{query}").content.decode()
    return " ".join(html.replace("\u00a0", " ").replace("\u202f", " ").split())


def plays_to_the_catch(phones: Phones) -> None:
    """Green shows the Mole and hides what she says is the Sidekick: 4 against −3 is a catch."""
    ana, bob = phones["green"], phones["blue"]
    ana.moves("show", agent="mole")
    ana.moves("conceal", agent="sidekick")
    bob.moves("take", card="face_up")


@pytest.fixture
def caught(client: Client) -> Iterator[Phones]:
    """A game of Agent Avenue that green won with a card that was mistyped: it was the Enforcer."""
    phones = client.open_table(game="agent_avenue", options={"first": "green"}, desk=None).everybody()
    plays_to_the_catch(phones)
    assert phones["green"].view()["outcome"]["winners"] == ["green"]
    assert [item["kind"] for item in phones["green"].view()["news"] if item["n"] == CARD["n"]] == [
        "concealed"
    ]
    yield phones


@pytest.fixture
def tied(client: Client) -> Iterator[Phones]:
    """A game of Agent Hunter at its turn cap, nothing destroyed: TARGET won by the cards in her hand."""
    table = client.open_table(desk=None, options={"first": "target", "turn_cap": 2})
    phones = table.everybody()
    hide(phones)
    phones["target"].moves("attack_from_hand", card=0, house=1)
    phones["mask"].moves("attack_from_hand", card=0, house=1)
    assert table.view()["outcome"]["winners"] == ["target"]
    yield phones


HIDDEN: dict[str, Any] = {"n": 4, "fields": {"houses": [7, 8, 9]}}


def listed(client: Client, code: str) -> list[dict[str, Any]]:
    return [game for game in client.get("/api/history").json if game["table"] == code]


# ---- the game goes on


def test_a_game_that_a_mistyped_card_ended_goes_on(caught: Phones, client: Client) -> None:
    ana, bob = caught["green"], caught["blue"]
    table = ana.table
    assert len(listed(client, table.code)) == 1
    asked = asks(ana, "correct", table, **CARD)
    assert asked.status == 200, asked.content
    assert table.view()["question"]["reopens"] is True
    assert table.view()["status"] == "over"
    assert "It would carry on, even though hands have been seen" in page(bob)
    news = answers(bob).json["news"]
    assert [item["kind"] for item in news] == ["corrected"] + ["restated"] * (len(news) - 1)
    assert any(item["was"] and item["was"]["kind"] == "over" and item["now"] is None for item in news[1:])
    view = table.view()
    assert (view["status"], view["outcome"], view["public"]["turn"]) == ("playing", None, "blue")
    assert view["public"]["sides"]["green"]["progress"] == 1
    assert listed(client, table.code) == []
    for path in ("record", "sheet.txt", "sheet.png"):
        assert client.get(f"{table.path}/{path}").code == "not-over"
    bob.moves("show", agent="codebreaker")


def test_it_ends_anew_and_is_remembered_once(caught: Phones, client: Client) -> None:
    ana, bob = caught["green"], caught["blue"]
    table = ana.table
    asks(ana, "correct", table, **CARD)
    answers(bob)
    bob.moves("show", agent="daredevil")
    bob.moves("conceal", agent="saboteur")
    ana.moves("take", card="face_up")
    assert table.view()["outcome"]["winners"] == ["green"]
    (game,) = listed(client, table.code)
    assert [player["won"] for player in game["players"]] == [True, False]
    record = client.get(f"{table.path}/record").json
    assert verify(record) == []
    assert [item["mark"] for item in record["entries"] if "mark" in item] == ["corrected"]
    sheet = client.get(f"{table.path}/sheet.txt").content.decode()
    assert "Corrected after the game ended" in " ".join(sheet.split())


def test_what_was_reopened_outlives_a_power_cut(start: Start) -> None:
    server = start()
    table = server.client.open_table(game="agent_avenue", options={"first": "green"}, desk=None)
    phones = table.everybody()
    plays_to_the_catch(phones)
    asks(phones["green"], "correct", table, **CARD)
    assert answers(phones["blue"]).status == 200
    server.kill()
    with server.again() as later:
        blue = phones["blue"].at(later.url)
        assert blue.view()["status"] == "playing"
        blue.moves("show", agent="codebreaker")


# ---- the result changes


def test_a_result_that_changes_is_told_everywhere(tied: Phones, client: Client) -> None:
    ana, bob = tied["target"], tied["mask"]
    table, before = ana.table, ana.view()["head"]
    assert asks(ana, "correct", table, **HIDDEN).status == 200
    assert table.view()["question"]["reopens"] is False
    (corrected, restated) = answers(bob).json["news"]
    assert (corrected["kind"], corrected["changes"]) == ("corrected", 1)
    assert (restated["was"]["fields"]["winners"], restated["now"]["fields"]["winners"]) == (
        ["target"],
        ["mask"],
    )
    view = table.view()
    assert (view["status"], view["outcome"]["winners"]) == ("over", ["mask"])
    (game,) = listed(client, table.code)
    assert [(player["seat"], player["won"]) for player in game["players"]] == [
        ("target", False),
        ("mask", True),
    ]
    sheet = " ".join(client.get(f"{table.path}/sheet.txt").content.decode().split())
    assert "1 secret was corrected." in sheet
    assert "This sheet replaces any earlier one" in sheet
    record = client.get(f"{table.path}/record").json
    assert verify(record) == []
    how, since = noted_head(record, before)
    assert (how, [item["type"] for item in since]) == ("earlier", ["asks", "answers"])
    assert noted_head(record, view["head"]) == ("same", [])


def test_a_no_leaves_the_result_as_it_is(tied: Phones, client: Client) -> None:
    ana, bob = tied["target"], tied["mask"]
    asks(ana, "correct", ana.table, **HIDDEN)
    assert kinds(answers(bob, accept=False)) == ["declined"]
    assert ana.table.view()["outcome"]["winners"] == ["target"]
    assert "Corrected" not in client.get(f"{ana.table.path}/sheet.txt").content.decode()


def test_only_a_correction_is_left(tied: Phones) -> None:
    ana = tied["target"]
    for kind, fields in (("undo", {}), ("undo", {"n": 4}), ("abandon", {}), ("reissue", {"seat": "mask"})):
        refused = asks(ana, kind, ana.table, **fields)
        assert (refused.status, refused.code) == (422, "illegal-move"), kind


def test_an_abandoned_game_is_not_corrected(playing: Phones, table: Table) -> None:
    asks(playing["target"], "abandon", table, show=True)
    answers(playing["mask"])
    assert asks(playing["target"], "correct", table, **HIDDEN).code == "illegal-move"


# ---- until when


def test_an_untouched_rematch_closes_and_leads_back(caught: Phones, client: Client) -> None:
    ana, bob = caught["green"], caught["blue"]
    table = ana.table
    code = ana.client.post(f"{table.path}/rematch", {}).json["table"]
    new = next_table(table, code)
    with new.events() as screen:
        screen.first("view")
        asks(ana, "correct", table, **CARD)
        assert answers(bob).status == 200
        screen.wait(lambda event: event.kind == "view" and event.json["next"] == table.code)
    assert table.view()["next"] is None
    assert (new.view()["status"], new.view()["outcome"]["reason"]) == ("over", "abandoned")
    assert listed(client, code) == []
    phones = moved_to(caught, new)["blue"].browser
    led = phones.get(f"/t/{code}/next?seat=blue")
    assert (led.status, led.headers["Location"]) == (303, f"/t/{table.code}/s/blue")
    bob.moves("show", agent="codebreaker")


def test_a_rematch_may_be_opened_again_later(caught: Phones) -> None:
    ana, bob = caught["green"], caught["blue"]
    table = ana.table
    first = ana.client.post(f"{table.path}/rematch", {}).json["table"]
    asks(ana, "correct", table, **CARD)
    answers(bob)
    assert ana.client.post(f"{table.path}/rematch", {}).code == "not-over"
    asks(ana, "abandon", table)
    answers(bob)
    second = ana.client.post(f"{table.path}/rematch", {}).json["table"]
    assert second not in (first, table.code)


def test_the_first_move_of_the_rematch_closes_the_game_before(caught: Phones) -> None:
    ana, bob = caught["green"], caught["blue"]
    table = ana.table
    again = moved_to(caught, next_table(table, ana.client.post(f"{table.path}/rematch", {}).json["table"]))
    assert asks(ana, "correct", table, **CARD).status == 200
    starts = again["green"].view()["public"]["turn"]
    again[starts].moves("show", agent="sentinel")
    late = answers(bob)
    assert (late.status, late.code) == (422, "illegal-move")
    assert "The rematch has begun" in late.json["detail"]
    assert table.view()["outcome"]["winners"] == ["green"]
    assert kinds(answers(bob, accept=False)) == ["declined"]
    refused = asks(ana, "correct", table, **CARD)
    assert (refused.status, refused.json["detail"]) == (422, late.json["detail"])
    assert "?correct=" not in page(ana)


def test_after_a_day_it_is_too_late(service: TableService) -> None:
    now = datetime(2027, 1, 1, 20, tzinfo=UTC)
    service.clock = Clock(lambda: now)
    table = service.wait(
        service.open(OpenTableRequest("agent_hunter", {"turn_cap": 1, "first": "target"}), HERE)
    )
    people = joined(service, table)
    live = service.find(table.code, HERE)
    finish(service, table.code, people)
    assert why_closed(service, live) is None
    now += timedelta(hours=24)
    assert why_closed(service, live) is None
    now += timedelta(seconds=1)
    assert why_closed(service, live) == Say("refusal.too_late")


def finish(service: TableService, code: str, people: dict[str, Caller]) -> None:
    moves: list[tuple[str, dict[str, Any]]] = [
        ("target", {"type": "hide", "houses": [1, 2, 3]}),
        ("mask", {"type": "hide", "houses": [4, 5, 6]}),
        ("target", {"type": "attack_from_hand", "card": 0, "house": 1}),
    ]
    for version, (seat, move) in enumerate(moves, start=2):
        service.wait(service.move(code, {"version": version, **move}, people[seat], "en"))


# ---- on the pages


def test_the_last_page_offers_to_correct_ones_own_secret(caught: Phones) -> None:
    ana, bob = caught["green"], caught["blue"]
    assert f'href="?correct={CARD["n"]}">Wasn’t that your hidden card?' in page(ana)
    assert "Wasn’t that Ana’s hidden card?" in page(bob)
    assert 'value="abandon"' not in page(ana)
    assert 'name="field.agent"' in page(ana, f"?correct={CARD['n']}")


def test_what_was_put_right_is_large_and_the_newest_comes_first(caught: Phones) -> None:
    ana, bob = caught["green"], caught["blue"]
    asks(ana, "correct", ana.table, **CARD)
    answers(bob)
    for phone in (ana, bob):
        client, code = phone.browser, phone.table.code
        large = client.get(f"/t/{code}/s/{phone.seat}").content.decode()
        assert '<section class="answer answer--told' in large
        assert "CORRECTED" in large
        right = re.findall(r"<li>(.*?)</li>", large.partition('class="put-right"')[2].partition("</ul>")[0])
        told = [item for item in phone.view()["news"] if item["kind"] == "restated"]
        assert len(right) == len(told) > 1
        assert "It’s Bo’s turn." in right[0], "the newest state comes first"
        shown = page(phone)
        assert "(no longer true)" in shown


def test_the_table_screen_shows_the_latest_and_counts_the_others(playing: Phones, table: Table) -> None:
    ana, bo = playing["target"], playing["mask"]
    for _ in range(6):
        ana.moves("attack_from_hand", card=7, house=1)
        bo.moves("attack_from_hand", card=9, house=1)
    asks(bo, "correct", table, n=5, fields={"houses": [8, 5, 6]})
    assert answers(ana).status == 200
    shown = table.client.get(f"/t/{table.code}").content.decode()
    now = shown.partition('id="now"')[2].partition('id="todo"')[0]
    assert len(re.findall("<li>", now.partition('class="put-right"')[2])) == 4
    assert "et 2 autres annonces" in now
    todo = shown.partition('id="todo"')[2].partition('id="board"')[0]
    assert len(re.findall("<li>", todo)) <= 4


def test_a_question_reaches_phones_that_went_on_to_the_rematch(caught: Phones) -> None:
    ana, bob = caught["green"], caught["blue"]
    table = ana.table
    new = next_table(table, ana.client.post(f"{table.path}/rematch", {}).json["table"])
    there = moved_to(caught, new)["blue"]
    with there.events() as stream:
        stream.first("view")
        asks(ana, "correct", table, **CARD)
        stream.wait(lambda event: event.kind == "view" and event.json["asked_before"])
        assert f'href="/t/{table.code}/s/blue"' in page(there)
        assert "Someone wants to correct the previous game." in page(there)
        answers(bob, accept=False)
        stream.wait(lambda event: event.kind == "view" and not event.json["asked_before"])
    assert "A correction is asked for" not in page(there)


def test_a_closed_rematch_tells_why_and_asks_for_nothing(caught: Phones) -> None:
    ana, bob = caught["green"], caught["blue"]
    new = next_table(ana.table, ana.client.post(f"{ana.table.path}/rematch", {}).json["table"])
    asks(ana, "correct", ana.table, **CARD)
    answers(bob)
    view = moved_to(caught, new)["blue"].view()
    assert view["news"][-1]["text"] == "The previous game is back on, so this rematch is closed."
    assert view["me"]["todo"] == []
