"""The server is killed in every phase of every game: all pages come back by themselves to the same view."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

from playwright.sync_api import Page, expect

from referee.games import GAMES
from referee.program.simulate import NAMES
from tests.support.browser.agent_hunter import seated
from tests.support.browser.windows import TV, Window, holds
from tests.support.soak import LONG
from tests.support.waiting import eventually
from tests.support.web.forked_server import Forked
from tests.support.web.http_client import Phone, Table
from tests.support.web.random_player import picked
from tests.support.web.server_process import Running, free_port

RETRY = 1600  # milliseconds: a little more than a page waits before it tries again
MOVES = 24 * LONG  # in which new phases are looked for


class Room:
    """A table with a page for its screen and for two of its phones."""

    def __init__(self, window: Window, server: Running, game: str) -> None:
        self.url, self.window, self.dice = server.url, window, Random(game)
        self.table: Table = server.client.open_table(game=game, desk=None)
        self.phones: dict[str, Phone] = {}
        self.pages: list[Page] = []
        self.opens(window(TV, base_url=self.url), f"host_{self.table.code}", self.table.host, "")

    def opens(self, page: Page, cookie: str, token: str, path: str) -> None:
        page.clock.install()
        holds(page, cookie, token, self.url)
        page.goto(f"/t/{self.table.code}{path}")
        self.pages.append(page)

    def sits(self, seat: str, name: str) -> None:
        phone = self.phones[seat] = self.table.join(seat, name)
        if len(self.pages) < 3:
            page = self.window(base_url=self.url)
            self.opens(page, f"seat_{self.table.code}_{seat}", phone.token, f"/s/{seat}")

    def phases(self) -> Iterator[Any]:
        """Play on, pausing in each phase that was not seen before."""
        *seats, last = zip(self.table.keys, NAMES, strict=False)
        for seat, name in seats:
            self.sits(seat, name)
        yield "joining"
        self.sits(*last)
        self.asks()
        yield "question"
        self.all_answer(accept=False)
        yield from self.steps()
        if self.table.view()["status"] != "over":
            self.asks()
            self.all_answer(accept=True)
            yield "abandoned"

    def steps(self) -> Iterator[Any]:
        known = set()
        for _ in range(MOVES):
            view = self.table.view()
            phase = view["status"], view["public"]["step"]
            if phase not in known:
                known.add(phase)
                yield phase
            if view["status"] == "over":
                return
            phone = self.phones[self.dice.choice(view["waiting_for"])]
            move = picked(phone.view()["me"]["choices"], self.dice)
            phone.moves(move.pop("type"), view["version"], **move)

    def asks(self) -> None:
        phone = next(iter(self.phones.values()))
        body = {"version": self.table.view()["version"], "kind": "abandon"}
        assert phone.client.post(f"{self.table.path}/ask", body).status == 200

    def all_answer(self, accept: bool) -> None:
        for phone in list(self.phones.values())[1:]:
            if self.table.view()["question"]:
                assert phone.client.post(f"{self.table.path}/answer", {"accept": accept}).status == 200

    def shown(self) -> list[str]:
        """What all pages show, once they show the table as it is, and that they are there."""
        version = self.table.view()["version"]
        for page in self.pages:
            expect(page.locator("body")).to_have_attribute("data-stamp", re.compile(rf":{version}$"))
        watching = list(self.phones)[: len(self.pages) - 1]
        eventually(lambda: all(self.table.view()["seats"][seat]["connected"] for seat in watching))
        return [_text(page) for page in self.pages]

    def has_lost(self) -> None:
        for page in self.pages:
            page.clock.fast_forward(RETRY)
            page.locator("#lost").wait_for()

    def comes_back(self, before: list[str]) -> None:
        """By itself, to the same view, and it follows the table again."""
        for page in self.pages:
            page.clock.fast_forward(RETRY)
        for page in self.pages:
            page.locator("#lost").wait_for(state="hidden")
        assert self.shown() == before


def _text(page: Page) -> str:
    """What stands on a page, but for who is there or lost: pages learn that one after the other."""
    return str(
        page.evaluate(
            """() => {
            const main = document.querySelector("main").cloneNode(true);
            main.querySelectorAll(".there, #people a[href*='lost=']").forEach((mark) => mark.remove());
            return main.textContent.replace(/\\s+/g, " ");
        }"""
        )
    )


def test_pages_come_back_to_the_same_view_in_every_phase_of_every_game(
    window: Window, tmp_path: Path
) -> None:
    options = ("--host", "127.0.0.1", "--port", str(free_port()))
    with Forked(tmp_path / "data", options=options) as server:
        rooms = [Room(window, server, game) for game in GAMES]
        going = {room.table.code: room.phases() for room in rooms}
        while paused := [room for room in rooms if next(going[room.table.code], None)]:
            before = [room.shown() for room in paused]
            server.kill()
            for room in paused:
                room.has_lost()
            server.again()
            for room, shown in zip(paused, before, strict=True):
                room.comes_back(shown)
        assert "Traceback" not in server.said()


def test_phones_that_saw_more_than_the_journal_has_say_so(window: Window, tmp_path: Path) -> None:
    options = ("--host", "127.0.0.1", "--port", str(free_port()))
    with Forked(tmp_path / "data", options=options) as server:
        game = seated(window, server.client)
        game.look()
        game.hide()
        expect(game.ana.page.locator("body")).to_have_attribute("data-stamp", f"{game.code}:4")
        server.stop()
        with closing(sqlite3.connect(server.data / "referee.db")) as db, db:
            db.execute("DELETE FROM journal WHERE n > 3")
        with server.again():
            for player in (game.ana, game.ben):
                notice = player.page.locator("#cut")
                expect(notice).to_contain_text("étape 4 vue, étape 3 enregistrée")
                expect(player.page.locator("body")).to_have_attribute("data-stamp", f"{game.code}:3")
            game.ana.page.reload()
            expect(game.ana.page.locator("#cut")).to_be_visible()
