"""Refusals take the same steps whatever a guess is near to: no clock has to be asked, the calls are counted.

`make bench` asks the clock as well.
"""

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from referee.core.dice import Dice
from referee.core.errors import IllegalMove
from referee.core.game import Game
from referee.core.match import Match, open_match
from referee.core.moves import Move, freeze
from referee.core.questions import question
from referee.games import GAMES
from referee.program.settings import ServerSettings, Settings
from referee.program.simulate import opened, random_options, steps
from tests.support.secrecy.played_world import ODD
from tests.support.secrecy.twin_plans import Guessed, Twins, find_twins, guesses
from tests.support.web.server_process import ROOT
from web.security.caller import Caller
from web.server.flask_app import create_app
from web.service.desks import Desks
from web.service.tables import TableService
from web.wire.requests import OpenTableRequest

ProfileFunction = Callable[[FrameType, str, Any], object]
HERE = Caller("127.0.0.1")
PIN = "KTQ7Z3MHX5VBN2TR"
GAME = next(iter(GAMES))
OURS = tuple(str(ROOT / folder) for folder in ("web", "referee"))
TABLES = 3  # tables of a game in which a twin is looked for
LONGEST = 24  # entries of a game that are looked at
LISTS = [odd for odd in ODD.values() if isinstance(odd, list)]
every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())


@dataclass(frozen=True)
class Went:
    """What came of a call: its answer, and every function of ours that it went through, in order."""

    answer: Any
    steps: tuple[str, ...]


def went(call: Callable[[], Any], loop: asyncio.AbstractEventLoop | None = None) -> Went:
    """What comes of a call that this thread makes, which waits for what it asks of the loop."""
    made: list[str] = []

    def note(frame: FrameType, event: str, _about: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(OURS):
            made.append(f"{frame.f_code.co_filename}:{frame.f_code.co_qualname}")

    call()  # once before: what is kept at hand is at hand from now on
    with watched(note), loop_watched(loop, note) if loop else nullcontext():
        answer = call()
    assert made
    return Went(answer, tuple(made))


@contextmanager
def watched(note: ProfileFunction) -> Iterator[None]:
    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(None)


@contextmanager
def loop_watched(loop: asyncio.AbstractEventLoop, note: ProfileFunction) -> Iterator[None]:
    """The same in the thread of a loop."""

    async def watch(by: ProfileFunction | None) -> None:
        sys.setprofile(by)

    asyncio.run_coroutine_threadsafe(watch(note), loop).result()
    try:
        yield
    finally:
        asyncio.run_coroutine_threadsafe(watch(None), loop).result()


# ---- the door


@pytest.fixture
def settings() -> Settings:
    return Settings(server=ServerSettings(host_pin=PIN))


@pytest.fixture
def phone(service: TableService, tmp_path: Path) -> FlaskClient:
    return create_app(service, Desks(service, tmp_path, lambda: "http://localhost")).test_client(
        use_cookies=False
    )


def wrong(secret: str) -> Iterator[str]:
    """All wrong, and wrong in one letter alone, anywhere."""
    yield "".join("A" if letter != "A" else "B" for letter in secret)
    for n, letter in enumerate(secret):
        yield secret[:n] + ("A" if letter != "A" else "B") + secret[n + 1 :]


def test_no_step_tells_how_near_a_guess_came(
    service: TableService, phone: FlaskClient, tmp_path: Path
) -> None:
    opened_here = service.wait(service.open(OpenTableRequest(GAME), HERE))
    code, (seat, other) = opened_here.code, tuple(opened_here.keys)[:2]
    token = service.wait(service.join(code, other, {"key": opened_here.keys[other], "name": "Ana"}, HERE))
    host_key = phone.application.extensions["host_keys"].key(service.table(code), opened_here.host)
    api = f"/api/tables/{code}"
    ways: dict[str, tuple[str, Callable[[str], TestResponse]]] = {
        "code": (code, lambda guess: phone.get(f"/api/tables/{guess}")),
        "key": (
            opened_here.keys[seat],
            lambda guess: phone.post(f"{api}/seats/{seat}", json={"key": guess, "name": "Eve"}),
        ),
        "key on a page": (opened_here.keys[seat], lambda guess: phone.get(f"/j/{code}/{seat}/{guess}")),
        "token": (token, lambda guess: phone.get(f"{api}/me", headers=_bearing(guess))),
        "host": (
            opened_here.host,
            lambda guess: phone.post(f"{api}/ask", json={}, headers=_bearing(guess)),
        ),
        "host screen": (host_key, lambda guess: phone.post(f"/t/{code}/host/{guess}")),
        "pin": (
            PIN,
            lambda guess: phone.post("/api/tables", json={"game": GAME}, headers={"X-Host-Pin": guess}),
        ),
        "desk": (
            (tmp_path / "desk-main.key").read_text(),
            lambda guess: phone.post("/api/desks/main/health", json={}, headers=_bearing(guess)),
        ),
    }
    for what, (secret, send) in ways.items():
        tries = {went(partial(sent, send, guess), service.loop) for guess in wrong(secret)}
        assert len(tries) == 1, (what, tries)
        steps_made = {step.partition(":")[2] for one in tries for step in one.steps}
        assert ("TableService.join" in steps_made) is (what == "key"), (
            "what happens in the loop is counted too"
        )


def sent(send: Callable[[str], TestResponse], guess: str) -> tuple[int, bytes]:
    """How this guess is refused; a page may repeat it, in the address to come back to."""
    response = send(guess)
    assert 400 <= response.status_code < 500
    return response.status_code, response.data.replace(guess.encode(), b"#" * len(guess))


def _bearing(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


# ---- what is hidden in a game


def tried(match: Match, seat: str, guess: Guessed) -> tuple[str, Any]:
    """How this guess is refused."""
    where, body = guess[0], {name: freeze(value) for name, value in guess[1].items()}
    version, kind = body.pop("version"), body.pop("kind" if where == "ask" else "type")
    with pytest.raises(IllegalMove) as refused:
        if where == "ask":
            question(match, seat, kind, body, version)
        else:
            match.check(seat, Move(kind, body), version)
    return refused.value.code, refused.value.why


def twins_of(game: Game[Any, Any]) -> Iterator[Twins]:
    for n in range(TABLES):
        options = random_options(game.options, Dice(f"steps/{n}"))
        table = open_match("AAAAA", game, options, f"{n:064x}")
        yield from (found for seat in table.seats if (found := find_twins(table, seat)))


@every_game
def test_no_step_tells_whether_a_guess_at_a_hidden_thing_is_right(game: Game[Any, Any]) -> None:
    """The same guess where it is right and where it is wrong, by a seat that cannot tell the two apart."""
    ways = set()
    for found in twins_of(game):
        for guess in (guess for plan in found.plans for guess in guesses(found, plan)):
            one, two = (went(partial(tried, world.end, found.observer, guess)) for world in found.plans)
            assert one == two, guess
            ways.add(guess[0])
    assert "ask" in ways


@every_game
def test_what_comes_too_late_is_refused_before_anyone_looks_whether_it_was_legal(
    game: Game[Any, Any],
) -> None:
    """A stale move that would be legal, and the same with other things in it: the same steps and words."""
    compared = 0
    for step in islice(steps(opened(game, "late"), "late"), LONGEST):
        for seat, choices in step.match.choices.items():
            if choices and step.match.changed.get(seat):
                moves = [choices[0].pick(Dice("late")), *bent(game, choices[0].pick(Dice("late")))]
                assert len({went(partial(late, step.match, seat, move)) for move in moves}) == 1
                compared += len(moves) - 1
    assert compared


def bent(game: Game[Any, Any], move: Move) -> Iterator[Move]:
    """The move with one thing in it that is not offered, though of the right form."""
    for name, value in move.fields.items():
        odd = ODD.get(game.moves[move.type].fields[name])
        if odd is not None:  # a list stays as long as it was: that is the caller's own doing
            yield Move(move.type, {**move.fields, name: freeze(odd * len(value) if odd in LISTS else odd)})


def late(match: Match, seat: str, move: Move) -> str:
    with pytest.raises(IllegalMove) as refused:
        match.check(seat, move, match.changed[seat] - 1)
    assert refused.value.code == "stale"
    return refused.value.code


def test_another_step_is_noticed() -> None:
    """A comparison that looks at one letter after the other goes through other steps."""
    match = open_match("AAAAA", GAMES[GAME], {}, "0" * 64)
    assert went(match.seen_by) != went(lambda: (match.seen_by(), match.seen_by()))
