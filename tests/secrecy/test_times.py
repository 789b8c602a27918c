"""Time does not tell a world from its twin: what others are shown takes as long, whatever is hidden.

The processor time of the same calls is measured in both worlds in turns. The fastest of some runs counts, so
that other work on this machine does not.
"""

import gc
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from referee.core.dice import Dice
from referee.core.entries import Entry, Joined, Moved
from referee.core.game import Game
from referee.core.match import Match, PlayerView
from referee.core.moves import Seat
from referee.core.options import AIDS
from referee.games import GAMES
from referee.program.simulate import random_options
from tests.support.secrecy.twin_plans import Twins, find_twins
from tests.support.web.table_service import HERE, table_service
from web.security.caller import Caller, seat_cookie
from web.server.flask_app import create_app
from web.service.desks import Desks
from web.service.live_table import LiveTable
from web.wire.requests import OpenTableRequest

RUNS = 4  # of each call, of which the fastest counts
LONGEST = 6  # entries of a game after which the calls are measured
MOST = 1.1  # times as long as in the other world, either way
AGAIN = 4  # measurements that must all tell the worlds apart
TABLES = 4  # tables in which a twin is looked for

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())
Call = Callable[[], object]


class World:
    """A referee in this process, with one table."""

    def __init__(self, folder: Path, running: ExitStack) -> None:
        folder.mkdir()
        self.service = running.enter_context(table_service(folder))
        desks = Desks(self.service, folder, lambda: "http://localhost")
        self.browser: FlaskClient = create_app(self.service, desks).test_client()
        self.people: dict[Seat, Caller] = {}

    def open(self, game: Game[Any, Any], n: int) -> Match:
        """Open a table; the same in both worlds."""
        options = {**random_options(game.options, Dice(f"times/{n}")), "language": "en"}
        options |= {AIDS.name: True} if AIDS in game.options else {}
        self.code, self.people = f"AAAA{n + 2}", {}
        self.service.free_code = lambda: self.code  # type: ignore[method-assign]
        self.keys = self.service.wait(self.service.open(OpenTableRequest(game.id, options), HERE)).keys
        return self.table.match

    @property
    def table(self) -> LiveTable:
        return self.service.find(self.code, HERE)

    def enter(self, entry: Entry, observer: Seat) -> None:
        match entry:
            case Joined(seat, name):
                who = {"key": self.keys[seat], "name": name}
                token = self.service.wait(self.service.join(self.code, seat, who, HERE))
                self.people[seat] = Caller("127.0.0.1", token)
                if seat == observer:
                    self.browser.set_cookie(seat_cookie(self.code, seat), token)
            case Moved(seat, move):
                body = {"version": self.table.match.version, "type": move.type, **move.fields}
                self.service.wait(self.service.move(self.code, body, self.people[seat], "en"))

    def calls(self, observer: Seat) -> dict[str, Call]:
        """What those who must not know the secret may ask."""
        api, page = f"/api/tables/{self.code}", f"/t/{self.code}"
        return {
            "public view": partial(self._get, api),
            "view of a seat": partial(self._get, f"{api}/me"),
            "screen": partial(self._get, page),
            "page of a seat": partial(self._get, f"{page}/s/{observer}"),
        }

    def _get(self, path: str) -> None:
        assert self.browser.get(path).status_code == 200


@contextmanager
def worlds(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[World, World]]:
    monkeypatch.setattr(secrets, "token_hex", lambda n=32: "a7" * n)  # the seeds and salts are the same
    with ExitStack() as running:
        yield World(folder / "true", running), World(folder / "twin", running)


def open_twins(both: tuple[World, World], game: Game[Any, Any]) -> Twins:
    found = []
    for n in range(TABLES):
        opened, other = (world.open(game, n) for world in both)
        assert opened == other
        if twins := find_twins(opened, opened.seats[-1]):
            found.append((twins.length, n, twins))
            if twins.length >= LONGEST:
                break
    _, n, twins = max(found, key=lambda one: one[0])
    for world in both:
        world.code = f"AAAA{n + 2}"
        world.keys = world.table.free_keys()
    return twins


def apart(both: tuple[World, World], twins: Twins) -> dict[str, list[float]]:
    """How many times as long each call takes in the true world, in each of some measurements."""
    times: dict[str, list[list[int]]] = {}
    true, twin = twins.plans
    for n, entries in enumerate(zip(true.entries, twin.entries, strict=True)):
        is_measured = twins.first <= n < twins.first + LONGEST
        if is_measured:
            before = [world.table.match for world in both]
            folds = [partial(match.after, entry) for match, entry in zip(before, entries, strict=True)]
            _measure(times, "fold", folds)
        for world, entry in zip(both, entries, strict=True):
            world.enter(entry, twins.observer)
        if is_measured:
            one, two = (world.calls(twins.observer) for world in both)
            for what in one:
                _measure(times, what, [one[what], two[what]])
    return {what: [_ratio(pairs[part::AGAIN]) for part in range(AGAIN)] for what, pairs in times.items()}


def _measure(times: dict[str, list[list[int]]], what: str, pair: Sequence[Call]) -> None:
    for call in pair:
        call()  # once before: what is kept at hand is at hand from now on
    for _ in range(AGAIN):
        runs = [[_time(call) for call in pair] for _ in range(RUNS)]
        times.setdefault(what, []).append([min(column) for column in zip(*runs, strict=True)])


def _time(call: Call) -> int:
    begun = time.thread_time_ns()
    call()
    return time.thread_time_ns() - begun


def _ratio(pairs: list[list[int]]) -> float:
    return sum(true for true, _ in pairs) / sum(twin for _, twin in pairs)


def told_apart(ratios: dict[str, list[float]]) -> dict[str, list[float]]:
    """The calls that every measurement tells apart."""
    return {
        what: of
        for what, of in ratios.items()
        if all(each > MOST for each in of) or all(each < 1 / MOST for each in of)
    }


@pytest.fixture
def calm() -> Iterator[None]:
    """No garbage is collected while time is measured."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@every_game
def test_no_time_tells_a_world_from_its_twin(
    game: Game[Any, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calm: None
) -> None:
    with worlds(tmp_path, monkeypatch) as both:
        ratios = apart(both, open_twins(both, game))
    assert {"fold", "public view", "view of a seat", "screen", "page of a seat"} == ratios.keys()
    assert told_apart(ratios) == {}


@every_game
def test_time_that_depends_on_a_secret_is_noticed(
    game: Game[Any, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calm: None
) -> None:
    """In one of the worlds, each view takes longer from the first secret on that differs."""
    seen_by = Match.seen_by
    with worlds(tmp_path, monkeypatch) as both:
        twins = open_twins(both, game)
        twin = twins.plans[1].end
        made = twins.first - len(twin.seats)  # all have joined before

        def slower(match: Match, *of: Any) -> PlayerView:
            if match.made[made:] and match.made[made].entry.move == twin.made[made].entry.move:
                for _ in range(20_000):
                    hash(match.code)
            return seen_by(match, *of)

        monkeypatch.setattr(Match, "seen_by", slower)
        assert told_apart(apart(both, twins))
