"""Pages of games that were stopped early: what is missing is drawn as nothing."""

import re

import pytest

from referee.games import GAMES
from tests.support.web.http_client import Client, Phone
from web.pages.assets import asset


@pytest.fixture(params=GAMES)
def stopped(client: Client, request: pytest.FixtureRequest) -> Phone:
    """Somebody of a game that was stopped, and shown, before anybody did anything."""
    table = client.open_table(desk=None, game=request.param)
    ask, *others = table.everybody().values()
    assert ask.sends_form(ask="abandon", show="1", version=str(table.view()["version"])).status == 303
    for other in others:
        assert other.sends_form(accept="yes", version=str(table.view()["version"])).status == 303
    assert table.view()["outcome"]["debrief"]
    return ask


def test_a_game_stopped_at_once_has_all_its_pages(stopped: Phone) -> None:
    code, entries = stopped.table.code, stopped.table.view()["version"]
    steps = [f"/record?step={n}" for n in range(1, entries + 2)]
    for page in ("", f"/s/{stopped.seat}", "/sheet", *steps):
        answer = stopped.browser.get(f"/t/{code}{page}")
        assert (answer.status, answer.kind) == (200, "text/html"), page


def test_a_page_that_draws_a_game_has_its_style(stopped: Phone) -> None:
    game = stopped.table.view()["game"]
    has_style = asset(f"games/{game}.css") is not None
    for page in ("", f"/s/{stopped.seat}", "/record"):
        content = stopped.browser.get(f"/t/{stopped.table.code}{page}").content.decode()
        assert (f"/games/{game}.css" in content) == has_style, page


def test_every_page_that_listens_hears_the_heartbeat(stopped: Phone) -> None:
    """Its script hangs up on a stream that gives no sign of life, and says that the connection is lost."""
    for page in ("", f"/s/{stopped.seat}", "/sheet"):
        content = stopped.browser.get(f"/t/{stopped.table.code}{page}").content.decode()
        (stream,) = re.findall(r'data-stream="([^"]*)"', content)
        assert "beats=1" in stream or stream.endswith("/live"), page
