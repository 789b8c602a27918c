"""Parts of a seat's page that its script requests for a tap: they complete what the page shows already."""

import re
from random import Random
from typing import Any

import pytest

from referee.games import GAMES
from tests.support.web.http_client import Client, Phone
from tests.support.web.random_player import play_on
from web.pages.play.seat_regions import TAPPED

LINK = re.compile(r'href="(\?(?!seen)[^"]*)"')
MOVES = (0, 3, 9, 17)  # random moves after which everybody taps all that there is


def requested(phone: Phone, query: str = "", shown: int | None = None) -> dict[str, Any]:
    """What the page's script gets; `shown` is the version that its page shows."""
    path = f"/t/{phone.table.code}/s/{phone.seat}{query}"
    headers = {"Accept": "application/json"} | ({"X_Shown_Version": str(shown)} if shown is not None else {})
    found: dict[str, Any] = phone.browser.with_(**headers).get(path).json
    return found


def links(regions: dict[str, str]) -> set[str]:
    return {link.replace("&amp;", "&") for text in regions.values() for link in LINK.findall(text)}


@pytest.mark.parametrize("game", GAMES)
def test_a_tap_brings_all_that_it_changes(client: Client, game: str) -> None:
    phones = client.open_table(game=game, desk=None).everybody()
    dice, tapped = Random(game), 0
    for moves in MOVES:
        play_on(phones, dice, moves)
        for phone in phones.values():
            shown = requested(phone)
            for link in sorted({*links(shown["regions"]), "?lost=nobody", "?"}):
                whole, part = requested(phone, link), requested(phone, link, shown["v"])
                assert "part" not in whole and part["part"] and set(part["regions"]) == set(TAPPED)
                assert {k: v for k, v in {**shown["regions"], **part["regions"]}.items() if v} == whole[
                    "regions"
                ]
                assert (part["v"], part["page"]) == (whole["v"], whole["page"])
                tapped += 1
    assert tapped > 2 * len(MOVES) * len(phones)


@pytest.mark.parametrize("shown", ["3", "5", "", "x", "-1", "9" * 30])
def test_a_page_that_shows_another_version_gets_all(client: Client, shown: str) -> None:
    phone = client.open_table(desk=None).everybody()["target"]
    path = f"/t/{phone.table.code}/s/{phone.seat}"
    asked = phone.browser.with_(Accept="application/json", X_Shown_Version=shown).get(path).json
    assert "part" not in asked and set(asked["regions"]) > {"decision", "people"}
