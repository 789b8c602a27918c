"""In every registered game: no token, key, salt, seed or sealed move comes to anyone but its owner."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import accumulate, islice
from pathlib import Path
from typing import Any

import pytest

from referee.core.entries import Entry, Joined, Moved, read
from referee.core.game import Game
from referee.core.match import Match, open_match
from referee.core.moves import Seat, canonical
from referee.games import GAMES
from referee.program.simulate import steps
from tests.support.secrecy.recording_client import RecordingClient
from tests.support.secrecy.secret_search import Secret, leaks, received
from tests.support.web.http_client import Client
from tests.support.web.journal import journal, rows
from tests.support.web.server_process import Running

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())
LONGEST = 20  # entries of a random game that are played


class Table:
    """A table of any game where everyone listens: each seat, the host, a stranger and the desk."""

    def __init__(self, server: Running, game: Game[Any, Any]) -> None:
        self.server = server
        self.host, self.stranger = (
            RecordingClient("host", server.url),
            RecordingClient("stranger", server.url),
        )
        self.desk = RecordingClient("desk", server.url, server.desk_key())
        self.opened = self.host.post("/api/tables", {"game": game.id}).json
        self.code, self.api = self.opened["table"], f"/api/tables/{self.opened['table']}"
        self.keys = {free["seat"]: free["key"] for free in self.opened["seats"]}
        self.phones = {seat: RecordingClient(seat, server.url) for seat in self.keys}
        ((options, seed),) = rows(server, "SELECT options, seed FROM tables WHERE code = ?", self.code)
        self.match = open_match(self.code, game, json.loads(options), seed)

    @property
    def taps(self) -> list[RecordingClient]:
        return [*self.phones.values(), self.host, self.stranger, self.desk]

    def play(self) -> None:
        """A random game, as far as it goes without ending."""
        with ExitStack() as listening:
            listening.enter_context(self.stranger.follow(f"{self.api}/events"))
            listening.enter_context(self.stranger.follow(f"/t/{self.code}/live"))
            listening.enter_context(self.desk.follow("/api/desks/main/events"))
            for step in islice(steps(self.match, self.match.seed), LONGEST):
                if step.match.outcome:
                    break
                self._enter(step.entry, step.match.version - 1, listening)
                if step.match.version % 5 == 0:
                    self._look()

    def _enter(self, entry: Entry, version: int, listening: ExitStack) -> None:
        match entry:
            case Joined(seat, name):
                phone, page = self.phones[seat], f"/j/{self.code}/{seat}/{self.keys[seat]}"
                phone.get(page)
                assert phone.post_form(page, name=name).status == 303
                listening.enter_context(phone.follow(f"{self.api}/me/events"))
                listening.enter_context(phone.follow(f"/t/{self.code}/s/{seat}/live"))
            case Moved(seat, move):
                body = {"version": version, "type": move.type, **move.fields}
                assert self.phones[seat].post(f"{self.api}/moves", body).status == 200

    def _look(self) -> None:
        pages = [f"/t/{self.code}", *(f"/t/{self.code}/s/{seat}" for seat in self.phones)]
        for tap in self.taps:
            for path in (self.api, f"{self.api}/me", f"{self.api}/record", f"{self.api}/sheet.txt", *pages):
                tap.get(path)

    def end(self) -> None:
        """All agree to stop and to show what was hidden."""
        version = self.stranger.get(self.api).json["version"]
        host = Client(self.server.url).bearing(self.opened["host"])
        asked = host.post(f"{self.api}/ask", {"version": version, "kind": "abandon", "show": True})
        assert asked.status == 200, asked.content
        for phone in self.phones.values():
            assert phone.post(f"{self.api}/answer", {"accept": True}).status == 200
        self._look()

    def secrets(self) -> Iterator[Secret]:
        host = frozenset({"host"})
        yield Secret("a seed", self.match.seed)
        yield Secret("the key of the desk", self.server.desk_key(), frozenset({"desk"}))
        yield Secret("the token of the host", self.opened["host"], host)
        for seat, phone in self.phones.items():
            token = phone.cookies[f"seat_{self.code}_{seat}"]
            yield Secret(f"the key of {seat}", self.keys[seat], host | {seat})
            yield Secret(f"the token of {seat}", token, frozenset({seat}))
        yield from self._sealed()

    def _sealed(self) -> Iterator[Secret]:
        """The salt of each secret move, and the move as it was sealed."""
        entries = [read(line) for line in journal(self.server, self.code)]
        before = accumulate(entries, Match.after, initial=self.match)
        for match, entry in zip(before, entries, strict=False):
            if isinstance(entry, Moved) and entry.salt:
                yield Secret(f"a salt of {entry.seat}", entry.salt, frozenset({entry.seat}))
                yield Secret(f"a sealed move of {entry.seat}", _sealed(match, entry.seat, entry))


def _sealed(match: Match, seat: Seat, entry: Moved) -> str:
    sealed = {"table": match.code, "n": match.next_news, "seat": seat}
    return canonical({**sealed, "type": entry.move.type, "fields": dict(entry.move.fields)})


@every_game
def test_nothing_that_is_ones_own_comes_to_another(server: Running, game: Game[Any, Any]) -> None:
    table = Table(server, game)
    table.play()
    secrets = list(table.secrets())
    assert list(leaks(secrets, table.taps)) == []
    for seat, phone in table.phones.items():
        own = [secret for secret in secrets if secret.known_to == {seat}]
        assert all(received(secret, phone) for secret in own), "the search does not see what its owner got"
    table.end()
    lasting = [secret for secret in secrets if secret.what.startswith("the ")]
    assert list(leaks(lasting, table.taps)) == [], "keys and tokens are nobody else's even when all is shown"
    assert {leak.what for leak in leaks(secrets, [table.stranger])} >= {"a seed"}, "the record holds it now"
    tap = RecordingClient("log", server.url)
    tap.keep("log", server.said().encode())
    tap.keep("command line", Path(f"/proc/{server.process.pid}/cmdline").read_bytes())
    assert list(leaks(secrets, [tap])) == []
