"""Open pages: what they are sent equals what a fresh page shows, only what changed, and nothing to the wrong one."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from random import Random

import pytest

from referee.games import GAMES
from tests.web.asking import answers, asks
from tests.web.client import Client, Phone, Table, eventually
from tests.web.open_pages import READ_APART, OpenPage, opened
from tests.web.play import picked, play_on

MOVES = 24  # of a random game
AT_ONCE = 40  # entries of a table whose seats move at once


@pytest.fixture
def pages() -> Iterator[ExitStack]:
    """Closes the pages that a test opens in it."""
    with ExitStack() as until_done:
        yield until_done


def is_up_to_date(page: OpenPage, version: int) -> None:
    """What it was sent is what a fresh page shows."""
    assert page.at(version).page == page.fresh()


def all_open(pages: ExitStack, table: Table, phones: dict[str, Phone]) -> list[OpenPage]:
    """The pages of all seats and a screen, once each shows that everybody is there."""
    watching = [pages.enter_context(opened(who)) for who in (*phones.values(), table)]
    for page in watching:
        eventually(lambda page=page: page.now().page == page.fresh())  # type: ignore[misc]
    return watching


def something_happens(table: Table, phones: dict[str, Phone], dice: Random) -> None:
    """A random move; now and then a question instead, and its answer."""
    asked = table.view()["question"]
    if asked:
        seat = next(iter(set(phones) - {asked["by"]}))
        assert answers(phones[seat], accept=dice.random() < 0.6).status == 200
    elif dice.random() < 0.2:
        asks(phones[dice.choice(list(phones))], "undo", table)  # refused where there is nothing to take back
    else:
        play_on(phones, dice, moves=1)


# ---- the same as a fresh page


@pytest.mark.parametrize("game", GAMES)
def test_after_every_event_an_open_page_shows_what_a_fresh_one_does(
    client: Client, pages: ExitStack, game: str
) -> None:
    table, dice = client.open_table(game=game, desk=None), Random(f"live {game}")
    phones = table.everybody()
    watching = all_open(pages, table, phones)
    for _ in range(MOVES):
        something_happens(table, phones, dice)
        version = table.view()["version"]
        for page in watching:
            is_up_to_date(page, version)
    for page in watching:
        assert set(page.now().idle) <= {READ_APART}, "sent, though it was shown already"


@pytest.mark.parametrize("who", ["mask", "screen"])
def test_a_page_that_was_loaded_again_loses_what_is_gone(
    playing: dict[str, Phone], table: Table, pages: ExitStack, who: str
) -> None:
    """Its stream begins anew while nothing has happened; then a question comes, and is settled."""
    pages.enter_context(opened(playing["target"])).at(4)
    playing["target"].moves("attack_from_hand", card=0, house=1)
    whose = playing.get(who, table)
    for version, happens in (
        (5, lambda: asks(playing["mask"], "undo", table)),
        (6, lambda: answers(playing["target"])),
    ):
        with opened(whose) as page:
            before = page.at(version).page
        eventually(lambda: who == "screen" or not table.view()["seats"][who]["connected"])
        page.fresh()
        with opened(whose) as page:
            assert page.at(version).page == before
            assert happens().status == 200
            is_up_to_date(page, version + 1)


def test_two_phones_of_one_seat_one_of_which_came_late(
    playing: dict[str, Phone], table: Table, pages: ExitStack
) -> None:
    dice = Random("late")
    first, *_ = all_open(pages, table, playing)
    for _ in range(4):
        something_happens(table, playing, dice)
    late = pages.enter_context(opened(playing["target"]))
    for _ in range(6):
        something_happens(table, playing, dice)
        version = table.view()["version"]
        is_up_to_date(first, version)
        is_up_to_date(late, version)
    news = [event.get("new") for event in late.told()]
    assert news[:2] == [1, 1], "the dictionary began anew for both"
    assert not any(news[2:]), "and was kept from then on"
