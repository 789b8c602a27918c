"""The stage fits every television: each step of each game, with the longest names, in both languages."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Page

from referee.games import GAMES
from referee.presentation.words import LANGUAGES
from tests.support.browser.layout import LONG_NAMES, STAGES, check_stage, sizes
from tests.support.browser.windows import TV, Window
from tests.support.web.http_client import Table
from tests.support.web.random_player import picked
from tests.support.web.server_process import Running
from web.security.caller import LANGUAGE_COOKIE

LONGEST = 60  # moves; a game that goes on is met in all its steps by then


@pytest.mark.parametrize(
    ("game", "options"), [*((game, {}) for game in GAMES), ("agent_avenue", {"players": 4})]
)
def test_each_step_fits_every_screen(
    window: Window, server: Running, game: str, options: dict[str, Any]
) -> None:
    table = server.client.open_table(game=game, options=options, desk=None)
    page = window(TV)
    for n, _ in enumerate(_steps(table)):
        _speak(page, LANGUAGES[n % len(LANGUAGES)], server.url)
        page.goto(f"/t/{table.code}")
        for _ in sizes(page, *STAGES):
            check_stage(page)


def _speak(page: Page, language: str, url: str) -> None:
    page.context.add_cookies([{"name": LANGUAGE_COOKIE, "value": language, "url": url}])


def _steps(table: Table) -> Iterator[str]:
    """Play at random; a stop at each new step of the game, each new kind of answer, and the end."""
    phones = {seat: table.join(seat, LONG_NAMES[n % 2]) for n, seat in enumerate(table.keys)}
    dice, met, view = Random(1), set[str](), table.view()
    for _ in range(LONGEST):
        last = view["news"][-2]["kind"] if len(view["news"]) > 1 else ""
        step = f"{view['status']} {view['public']['step']} {last}"
        if step not in met:
            met.add(step)
            yield step
        if view["status"] != "playing":
            return
        phone = phones[dice.choice(view["waiting_for"])]
        mine = phone.view()
        choices = [each for each in mine["me"]["choices"] if each["type"] != "guess"]
        move = picked(choices, dice)
        phone.moves(move.pop("type"), mine["version"], **move)
        view = table.view()
