"""The lessons of a guided game on a seat's page, with and without the page's script."""

import re

import pytest

from referee.games import GAMES
from tests.support.web.http_client import Client, Phone, Table
from tests.support.web.page_stream import opened

TITLE = re.compile(r'<h1 id="lesson-(\w+)"')


def guided(client: Client, game: str = "agent_hunter", **options: object) -> Table:
    return client.open_table(game=game, desk=None, options={"guide": True, **options})


def page(phone: Phone, cookie: str = "") -> str:
    held = "; ".join(filter(None, (phone.browser.headers["Cookie"], cookie)))
    return phone.browser.with_(Cookie=held).get(f"/t/{phone.table.code}/s/{phone.seat}").content.decode()


def test_each_first_step_is_explained(client: Client) -> None:
    table = guided(client, first="target")
    ana, ben = table.everybody().values()
    assert TITLE.findall(page(ana)) == TITLE.findall(page(ben)) == ["hide"]
    ana.moves("hide", houses=[1, 2, 3])
    assert (TITLE.findall(page(ana)), TITLE.findall(page(ben))) == (["wait"], ["hide"])
    ben.moves("hide", houses=[8, 5, 6])
    assert (TITLE.findall(page(ana)), TITLE.findall(page(ben))) == (["turn"], [])
    ana.moves("attack_from_hand", card=4, house=1)
    assert TITLE.findall(page(ana)) == ["answer"], "beneath the answer, which is shown first"
    assert TITLE.findall(page(ben)) == ["attacked", "turn"]


def test_a_table_that_did_not_ask_for_it_has_none(client: Client) -> None:
    table = client.open_table(desk=None)
    ana, _ = table.everybody().values()
    assert not TITLE.findall(page(ana))


@pytest.mark.parametrize("game", GAMES)
def test_a_lesson_has_a_drawing_and_leads_to_the_rule(client: Client, game: str) -> None:
    table = guided(client, game)
    phones = table.everybody()
    shown = page(phones[table.view()["waiting_for"][0]])
    lesson = shown.split('<section class="lesson"')[1].split("</section>")[0]
    assert 'class="sketch"' in lesson
    assert re.search(rf'href="/t/{table.code}/rules#[a-z-]+"', lesson)


def test_without_script_a_lesson_that_was_read_is_not_shown_again(client: Client) -> None:
    table = guided(client)
    ana, _ = table.everybody().values()
    path = f"/t/{table.code}/s/{ana.seat}"
    answer = ana.browser.get(f"{path}?learnt=hide")
    assert (answer.status, answer.headers["Location"]) == (303, path)
    cookie = answer.headers["Set-Cookie"].split(";")[0]
    assert cookie == f"learnt_{table.code}_{ana.seat}=hide"
    assert not TITLE.findall(page(ana, cookie=cookie))
    ana.moves("hide", houses=[1, 2, 3])
    assert TITLE.findall(page(ana, cookie=cookie)) == ["wait"]
    assert not TITLE.findall(page(ana, cookie=f"{cookie}.all"))


def test_an_unknown_lesson_is_not_noted(client: Client) -> None:
    table = guided(client)
    ana, _ = table.everybody().values()
    answer = ana.browser.get(f"/t/{table.code}/s/{ana.seat}?learnt=nonsense")
    assert answer.status == 200
    assert "learnt_" not in answer.headers.get("Set-Cookie", "")


def test_the_lessons_of_an_open_page_arrive_with_the_move(client: Client) -> None:
    table = guided(client, first="target")
    ana, ben = table.everybody().values()
    with opened(ben) as shown:
        assert TITLE.findall(shown.at(table.view()["version"]).regions["guide"]) == ["hide"]
        ben.moves("hide", houses=[8, 5, 6])
        assert TITLE.findall(shown.at(table.view()["version"]).regions["guide"]) == ["wait"]
        ana.moves("hide", houses=[1, 2, 3])
        assert shown.at(table.view()["version"]).regions.get("guide", "") == ""
