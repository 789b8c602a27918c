"""Pages of questions and rematches, when forms send what no button would."""

import re

from tests.support.fixtures import Start
from tests.support.waiting import eventually
from tests.support.web.http_client import Phone, Table
from tests.support.web.questions import answers, asks


def stop(playing: dict[str, Phone]) -> None:
    assert playing["target"].sends_form(ask="abandon", version="4").status == 303
    assert playing["mask"].sends_form(accept="yes", version="5").status == 303


def test_what_cannot_be_asked_is_said_on_the_page(playing: dict[str, Phone], table: Table) -> None:
    before = table.view()
    cases: list[tuple[int, dict[str, str]]] = [
        (404, {"ask": "reissue", "of": "dealer", "version": "4"}),
        (400, {"ask": "dance", "version": "4"}),
        (400, {"ask": "undo", "version": "x"}),
        (400, {"accept": "yes"}),
        (409, {"ask": "undo", "version": "3"}),
        (409, {"accept": "yes", "version": "4"}),
    ]
    for status, form in cases:
        answer = playing["target"].sends_form(**form)
        assert (answer.status, answer.kind) == (status, "text/html"), form
    assert table.view() == before


def test_a_form_sent_twice_asks_once(playing: dict[str, Phone], table: Table) -> None:
    for _ in range(2):
        assert playing["target"].sends_form(ask="undo", version="4", nonce="n").status == 303
    assert table.view()["version"] == 5


def key_of(phone: Phone) -> str:
    """By this mark a page knows that a half-filled form is still good."""
    page = phone.browser.get(f"/t/{phone.table.code}/s/{phone.seat}").content.decode()
    found = re.search(r'id="decision"[^>]* data-key="(\w+)"', page)
    assert found
    return found[1]


def told_to(phone: Phone) -> str:
    """The latest news on a seat's page."""
    page = phone.browser.get(f"/t/{phone.table.code}/s/{phone.seat}").content.decode()
    return page.partition('id="latest"')[2].partition("</div>")[0]


def test_how_a_question_was_settled_stands_on_every_phone(playing: dict[str, Phone]) -> None:
    ana, bo = playing["target"], playing["mask"]
    n = next(item["n"] for item in ana.view()["news"] if item["kind"] == "hidden")
    for accept, told in ((False, "no. Nothing changes"), (True, "A secret has been corrected")):
        asks(ana, "correct", ana.table, n=n, fields={"houses": [4, 7, 1]})
        assert answers(bo, accept=accept).status == 200
        assert told in told_to(ana) and told in told_to(bo)
    ana.moves("attack_from_hand", card=9, house=1)
    assert "A secret has been corrected" not in told_to(ana)


def test_a_form_from_before_a_correction_does_not_stay(playing: dict[str, Phone]) -> None:
    """It reads the same, but what it sends would be refused as too old."""
    ana = playing["target"]
    before = key_of(ana)
    asks(ana, "undo", ana.table)
    answers(playing["mask"], accept=False)
    assert key_of(ana) == before
    n = next(item["n"] for item in ana.view()["news"] if item["kind"] == "hidden")
    asks(ana, "correct", ana.table, n=n, fields={"houses": [4, 7, 1]})
    assert answers(playing["mask"]).status == 200
    assert key_of(ana) != before


def test_only_ones_own_secrets_have_a_form(playing: dict[str, Phone]) -> None:
    for n, is_form in (("4", True), ("5", False), ("99", False), ("x", False)):
        page = playing["target"].browser.get(f"/t/{playing['target'].table.code}/s/target?correct={n}")
        assert page.status == 200
        assert (f'action="?correct={n}"' in page.content.decode()) == is_form


def test_an_impossible_correction_is_refused_before_it_is_asked(
    playing: dict[str, Phone], table: Table
) -> None:
    form = {"type": "hide", "version": "4", "check": "1"}
    fields = {f"field.houses.{n}": "7" for n in (1, 2, 3)}
    path = f"/t/{table.code}/s/target?correct=4"
    assert playing["target"].sends_form(path, **form, **fields).status == 422
    assert table.view()["question"] is None


def test_a_table_stopped_before_all_were_there_has_its_pages(table: Table) -> None:
    phone = table.join("mask", "Bo")
    assert phone.sends_form(ask="abandon", version="1").status == 303
    for path in (f"/t/{table.code}", f"/t/{table.code}/s/mask", f"/t/{table.code}/sheet"):
        assert phone.browser.get(path).status == 200, path


def test_playing_again_brings_the_tokens_along(playing: dict[str, Phone], table: Table) -> None:
    stop(playing)
    led = playing["target"].sends_form(f"/t/{table.code}/again", seat="target")
    code = table.view()["next"]
    assert (led.status, led.headers["Location"]) == (303, f"/t/{code}/s/target")
    assert led.cookies == {f"seat_{code}_target": playing["target"].token}
    followed = playing["mask"].browser.get(f"/t/{table.code}/next?seat=mask")
    assert (followed.status, followed.headers["Location"]) == (303, f"/t/{code}/s/mask")
    stranger = table.client.get(f"/t/{table.code}/next?seat=mask")
    assert (stranger.headers["Location"], stranger.headers["Set-Cookie"]) == (f"/t/{code}", None)


def test_nobody_plays_again_before_the_end_and_no_stranger_ever(
    playing: dict[str, Phone], table: Table
) -> None:
    path = f"/t/{table.code}/again"
    assert playing["target"].sends_form(path).status == 403
    assert playing["target"].browser.get(f"/t/{table.code}/next").headers["Location"] == f"/t/{table.code}"
    stop(playing)
    assert table.client.call("POST", path).status == 401
    assert table.view()["next"] is None


def test_a_rematch_of_a_rematch_is_followed_to_its_end(playing: dict[str, Phone], table: Table) -> None:
    stop(playing)
    playing["target"].sends_form(f"/t/{table.code}/again")
    second = Table(table.client, {"table": table.view()["next"], "host": table.host, "seats": []})
    target, mask = (Phone(second, seat, playing[seat].token) for seat in ("target", "mask"))
    target.sends_form(ask="abandon", version=str(second.view()["version"]))
    mask.sends_form(accept="yes", version=str(second.view()["version"]))
    target.sends_form(f"/t/{second.code}/again")
    third = second.view()["next"]
    followed = playing["mask"].browser.get(f"/t/{table.code}/next?seat=mask")
    assert followed.headers["Location"] == f"/t/{third}/s/mask"
    assert followed.cookies == {f"seat_{third}_mask": playing["mask"].token}
    host = table.host_browser.get(f"/t/{table.code}/next")
    assert (host.headers["Location"], host.cookies) == (
        f"/t/{third}",
        {f"host_{third}": table.host},
    )


# ---- the host's screen


def test_the_host_asks_and_withdraws(playing: dict[str, Phone], table: Table) -> None:
    path = f"/t/{table.code}"
    assert table.host_browser.post_form(path, ask="undo", version="4").status == 303
    assert table.view()["question"]["by"] == "host"
    assert table.host_browser.post_form(path, accept="yes", version="5").status == 403
    assert table.host_browser.post_form(path, accept="no", version="5").status == 303
    assert table.view()["question"] is None
    assert table.host_browser.post_form(path, ask="undo", version="3").status == 409
    assert table.host_browser.post_form(path, ask="undo", version="x").status == 400


def test_nobody_else_asks_from_the_screen(playing: dict[str, Phone], table: Table) -> None:
    for client in (table.client, playing["target"].browser):
        assert client.post_form(f"/t/{table.code}", ask="abandon", version="4").status == 403
    assert table.view()["question"] is None


def test_a_seat_that_is_freed_while_joining_shows_its_code_to_the_host_alone(table: Table) -> None:
    table.join("target", "Ana")
    assert (
        table.host_browser.post_form(f"/t/{table.code}", ask="reissue", of="target", version="1").status
        == 303
    )
    link = f"/j/{table.code}/target/"
    assert link in table.host_browser.get(f"/t/{table.code}").content.decode()
    assert link not in table.client.get(f"/t/{table.code}").content.decode()


def test_an_empty_table_is_stopped_by_its_host(table: Table) -> None:
    assert table.host_browser.post_form(f"/t/{table.code}", ask="abandon", version="0").status == 303
    assert table.view()["outcome"]["reason"] == "abandoned"


# ---- lost phones


def test_nobody_waits_for_a_phone_that_has_gone_since(playing: dict[str, Phone], table: Table) -> None:
    with playing["mask"].events() as stream:
        stream.view(4)
        eventually(lambda: bool(table.view()["seats"]["mask"]["connected"]))
        assert playing["target"].sends_form(ask="reissue", of="mask", version="4").status == 303
        assert table.view()["question"]["of"] == ["mask"]
    eventually(lambda: not table.view()["seats"]["mask"]["connected"])
    assert playing["target"].sends_form(again="1", of="mask", version="5").status == 303
    assert table.view()["question"] is None
    assert "mask" in playing["target"].view()["me"]["keys"]
    assert playing["target"].sends_form(again="1", of="mask", version="6").status == 409


def test_a_question_asked_again_by_a_form_sent_twice_is_still_asked(
    playing: dict[str, Phone], table: Table
) -> None:
    path = f"/t/{table.code}"
    with playing["mask"].events() as stream:
        stream.view(4)
        eventually(lambda: bool(table.view()["seats"]["mask"]["connected"]))
        assert table.host_browser.post_form(path, ask="reissue", of="mask", version="4").status == 303
    eventually(lambda: not table.view()["seats"]["mask"]["connected"])
    for _ in range(2):
        assert table.host_browser.post_form(path, again="1", of="mask", version="5", nonce="n").status == 303
        assert table.view()["question"]["of"] == ["target"]
    assert table.view()["version"] == 7
    other = table.host_browser.post_form(path, again="1", of="mask", version="5", nonce="another")
    assert (other.status, table.view()["version"]) == (409, 7), "it was not this question that was seen"
    for of in ("target", "nobody"):
        assert table.host_browser.post_form(path, again="1", of=of, version="7").status == 400
    assert table.view()["version"] == 7, "what is refused takes nothing back"


def test_asking_again_takes_back_nothing_that_it_cannot_ask_anew(
    playing: dict[str, Phone], table: Table
) -> None:
    """A form without a seat once closed somebody's open question, then was refused."""
    target = playing["target"]
    asks(target, "abandon", table)
    before = table.view()
    assert target.sends_form(again="1", ask="", version=str(before["version"])).status == 400
    assert table.view()["question"] == before["question"]
    assert table.view()["version"] == before["version"]


def test_a_phone_that_lost_its_seat_is_told_so_in_both_languages(
    playing: dict[str, Phone], table: Table
) -> None:
    playing["mask"].goes_away()
    playing["target"].sends_form(ask="reissue", of="mask", version="4")
    old = playing["mask"].browser
    for language, words in (
        ("fr", "Cette place a un nouveau téléphone"),
        ("en", "This seat has a new phone"),
    ):
        page = old.with_(Accept_Language=language).get(f"/t/{table.code}/s/mask")
        assert page.status == 401
        assert words in page.content.decode()
        assert f'href="/t/{table.code}"' in page.content.decode()
    never = table.client.get(f"/t/{table.code}/s/mask")
    assert never.status == 401
    assert "This seat has a new phone" not in never.content.decode()


def test_only_a_seat_somebody_sits_in_can_have_lost_its_phone(table: Table) -> None:
    ana = table.join("target", "Ana").browser
    for seat, may_ask in (("mask", False), ("target", True), ("nobody", False)):
        page = ana.get(f"/t/{table.code}/s/target?lost={seat}")
        assert page.status == 200
        assert (b'value="reissue"' in page.content) == may_ask


# ---- a game left unfinished is found again


def test_unfinished_games_are_found_after_a_restart(start: Start) -> None:
    first = start()
    table = first.client.open_table()
    phones = table.everybody()
    first.stop()
    with first.again() as second:
        mine = second.client.with_(Cookie=f"seat_{table.code}_mask={phones['mask'].token}")
        host = second.client.with_(Cookie=f"host_{table.code}={table.host}")
        seat_link, screen_link = f'href="/t/{table.code}/s/mask"', f'href="/t/{table.code}"'
        assert seat_link in mine.get("/").content.decode()
        assert screen_link in host.get("/").content.decode()
        assert table.code not in second.client.get("/").content.decode()
        for client, path in ((mine, "/s/mask"), (host, ""), (second.client, "")):
            led = client.get(f"/join?code={table.code.lower()}")
            assert (led.status, led.headers["Location"]) == (303, f"/t/{table.code}{path}")


def test_a_rematch_stands_once_among_the_unfinished(playing: dict[str, Phone], table: Table) -> None:
    stop(playing)
    code = playing["target"].sends_form(f"/t/{table.code}/again").cookies
    both = table.client.with_(
        Cookie="; ".join(f"{name}={playing['target'].token}" for name in (f"seat_{table.code}_target", *code))
    )
    new = table.view()["next"]
    page = both.get("/").content.decode()
    assert page.count(f'href="/t/{new}/s/target"') == 1
    assert f"/t/{table.code}" not in page
    left = playing["mask"].browser.get("/").content.decode()
    assert f'href="/t/{table.code}/next?seat=mask"' in left


def test_a_seat_that_was_lost_is_not_offered_again(playing: dict[str, Phone], table: Table) -> None:
    playing["mask"].goes_away()
    playing["target"].sends_form(ask="reissue", of="mask", version="4")
    assert table.code not in playing["mask"].browser.get("/").content.decode()


def test_who_plays_again_from_their_seat_is_called_by_name_though_they_opened_the_table(
    playing: dict[str, Phone], table: Table
) -> None:
    stop(playing)
    names = {seat: str(who["name"]) for seat, who in table.view()["seats"].items()}
    both = "; ".join(client.headers["Cookie"] for client in (table.host_browser, playing["target"].browser))
    phone = table.client.with_(Cookie=both)
    assert phone.post_form(f"/t/{table.code}/again", seat="target").status == 303
    shown = playing["mask"].browser.get(f"/t/{table.code}/s/mask").content.decode()
    assert f"{names['target']} wants to play again" in shown
    assert "The host wants" not in shown


def test_where_a_new_code_is_shown_nobody_is_asked_whether_the_phone_is_lost(
    playing: dict[str, Phone], table: Table
) -> None:
    asked, page = 'href="?lost=mask">Lost phone', f"/t/{table.code}/s/target"
    playing["mask"].goes_away()
    assert asked in playing["target"].browser.get(page).content.decode()
    assert playing["target"].sends_form(ask="reissue", of="mask", version="4").status == 303
    shown = playing["target"].browser.get(page).content.decode()
    assert "new-key" in shown
    assert asked not in shown


def test_where_later_moves_depend_on_a_secret_all_since_can_be_taken_back(playing: dict[str, Phone]) -> None:
    """Bo attacks with the 9; that his house 1 held it cannot be corrected in place."""
    ana, bo = playing["target"], playing["mask"]
    ana.moves("attack_from_hand", card=9, house=1)
    bo.moves("attack_from_hand", card=9, house=1)
    n = next(item["n"] for item in bo.view()["news"] if item["kind"] == "hidden" and item["by"] == "mask")
    path = f"/t/{bo.table.code}/s/mask"
    version = str(bo.view()["version"])
    wrong = {"type": "hide", "version": version, "field.houses": "[9,5,6]", "check": "1"}
    refused = bo.sends_form(f"{path}?correct={n}", **wrong)
    page = " ".join(refused.content.decode().split())
    assert refused.status == 422
    assert f"Ask to take back move no. {n} and everything since" in page
    assert "Take back this move and everything since" in page
    sent = bo.sends_form(path, ask="undo", n=str(n), version=version)
    assert sent.status == 303
    asked = bo.view()["question"]
    assert (asked["kind"], asked["about"]["n"], len(asked["about"]["moves"])) == ("undo", n, 3)
    shown = ana.browser.get(f"/t/{ana.table.code}/s/target").content.decode()
    assert "the last 3 moves" in shown
    assert answers(ana).status == 200
    assert bo.view()["me"]["choices"][0]["type"] == "hide"


def test_a_correction_of_a_move_that_was_then_taken_back_is_no_answer(playing: dict[str, Phone]) -> None:
    ana, bo = playing["target"], playing["mask"]
    ana.moves("attack_from_hand", card=7, house=1)
    n = next(item["n"] for item in bo.view()["news"] if item["kind"] == "hidden" and item["by"] == "mask")
    asks(bo, "correct", bo.table, n=n, fields={"houses": [8, 5, 6]})
    answers(ana)
    large = ana.browser.get(f"/t/{ana.table.code}/s/target").content.decode()
    assert 'class="answer answer--told sign--corrected"' in large
    asks(bo, "undo", bo.table)
    answers(ana)
    after = ana.browser.get(f"/t/{ana.table.code}/s/target").content.decode()
    assert 'class="answer' not in after
    assert "The last move has been taken back." in after
