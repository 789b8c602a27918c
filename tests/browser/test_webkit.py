"""The pages in WebKit, since iPhones are at every table: a whole game on one phone, a turn of every other."""

from collections.abc import Iterator
from random import Random

import pytest

from referee.games import GAMES
from tests.support.browser.next_control import IS_DONE, TAKE
from tests.support.browser.webkit_driver import Driver, Window, webkit
from tests.support.web.http_client import Phone, Table
from tests.support.web.random_player import play_on
from tests.support.web.server_process import Running

TAPS = 40  # after which a hand that taps whatever is next should have made a move


@pytest.fixture(scope="module")
def driver() -> Iterator[Driver]:
    with webkit() as driver:
        yield driver


@pytest.fixture(scope="module")
def phone(driver: Driver) -> Iterator[Window]:
    with driver.window() as window:
        yield window


def test_a_whole_game_on_a_phone(phone: Window, server: Running) -> None:
    """Joined, hidden, attacked, answered; reloaded; alive; a secret held to be seen; the record checked."""
    table = server.client.open_table(options={"first": "target"})
    ben = table.join("mask", "Ben")
    ana = _sits(phone, table, server.url, "target")
    for card in (4, 7, 0):
        phone.taps(f"[data-card='{card}']")
    phone.taps("button[name=check]")
    phone.taps("button.seal")
    phone.sees("h1", "On attend Ben")
    ben.moves("hide", houses=[3, 8, 5])
    phone.sees("#decision h1", "À vous de jouer")  # by the stream

    _shows_its_secret_while_held(phone)
    phone.taps("a.action[href='?do=attack_from_hand']")
    for field, value in (("card", 2), ("house", 1)):
        phone.taps(f"input[name='field.{field}'][value='{value}']")
    phone.taps("form.move button.button")
    phone.sees(".answer h1", "PLUS")
    phone.reload()
    phone.sees(".answer h1", "PLUS")
    phone.taps(".answer a.button")
    phone.sees("#decision h1", "On attend Ben")

    play_on({"target": ana, "mask": ben}, Random(1))
    phone.waits_until("document.body.classList.contains('over')")  # by the stream
    phone.open(f"{server.url}/t/{table.code}/record")
    phone.waits_until("!!document.querySelector('.verdict.is-fine')")
    assert phone.asks("document.querySelectorAll('.checks .is-wrong').length") == 0


@pytest.mark.parametrize("game", [game for game in GAMES if game != "agent_hunter"])
def test_a_turn_of_every_game(phone: Window, server: Running, game: str) -> None:
    table = server.client.open_table(game=game, desk=None)
    phones = table.everybody()
    seat = table.view()["waiting_for"][0]
    phone.open(server.url)
    phone.holds_cookie(f"seat_{table.code}_{seat}", phones[seat].token)
    phone.open(f"{server.url}/t/{table.code}/s/{seat}")
    before = table.view()["version"]
    for _ in range(TAPS):
        if table.view()["version"] > before:
            break
        phone.uses(TAKE)
        phone.waits_until(IS_DONE)
    phone.waits_until(f"document.body.dataset.stamp === '{table.code}:{before + 1}'")


def _sits(phone: Window, table: Table, url: str, seat: str) -> Phone:
    phone.open(f"{url}/j/{table.code}/{seat}/{table.keys[seat]}")
    phone.types("#name", "Ana")
    phone.taps("form.sit > .button")
    phone.sees("h1", "Cachez vos espions")
    return Phone(table, seat, phone.cookie(f"seat_{table.code}_{seat}"))


def _shows_its_secret_while_held(phone: Window) -> None:
    assert phone.text(".secret-inside") == ""
    phone.holds(".secret summary")
    assert "4" in phone.text(".secret-inside")
    phone.lets_go()
    assert phone.text(".secret-inside") == ""
