"""Refusals run the same lines of our code, whatever a guess is near to. This needs no clock.

Lines are counted, not instructions: what a single line does in C, such as comparing two texts, is not seen
here. `make bench` measures the time as well.
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
from referee.core.moves import Move, freeze, offered
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

TraceFunction = Callable[[FrameType, str, Any], Any]
HERE = Caller("127.0.0.1")
PIN = "KTQ7Z3MHX5VBN2TR"
GAME = next(iter(GAMES))
OURS = (*(str(ROOT / folder) for folder in ("web", "referee")), __file__)
TABLES = 3  # tables of a game in which a twin is looked for
LONGEST = 24  # entries of a game that are looked at
LISTS = [odd for odd in ODD.values() if isinstance(odd, list)]
every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())


@dataclass(frozen=True)
class Trace:
    """A call's answer, and every line of ours that it ran, in order."""

    answer: Any
    lines: tuple[str, ...]


def traced(call: Callable[[], Any], loop: asyncio.AbstractEventLoop | None = None) -> Trace:
    """Trace a call in this thread, and what it runs in the loop meanwhile."""
    lines: list[str] = []

    def note(frame: FrameType, _event: str, _about: Any) -> TraceFunction | None:
        if not frame.f_code.co_filename.startswith(OURS):
            return None
        lines.append(f"{frame.f_code.co_filename}:{frame.f_code.co_qualname}:{frame.f_lineno}")
        return note

    call()  # once before, so that caches are filled
    with tracing(note), loop_tracing(loop, note) if loop else nullcontext():
        answer = call()
    assert lines
    return Trace(answer, tuple(lines))


@contextmanager
def tracing(note: TraceFunction) -> Iterator[None]:
    sys.settrace(note)
    try:
        yield
    finally:
        sys.settrace(None)


@contextmanager
def loop_tracing(loop: asyncio.AbstractEventLoop, note: TraceFunction) -> Iterator[None]:
    """The same in the thread of a loop."""

    async def trace(by: TraceFunction | None) -> None:
        sys.settrace(by)

    asyncio.run_coroutine_threadsafe(trace(note), loop).result()
    try:
        yield
    finally:
        asyncio.run_coroutine_threadsafe(trace(None), loop).result()


# ---- guesses at codes, keys and tokens


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


def test_no_line_depends_on_how_near_a_guess_came(
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
        tries = {traced(partial(sent, send, guess), service.loop) for guess in wrong(secret)}
        assert len(tries) == 1, (what, tries)
        functions = {line.split(":")[1] for one in tries for line in one.lines}
        assert ("TableService.join" in functions) is (what == "key"), "what runs in the loop is traced too"


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
def test_no_line_depends_on_whether_a_guess_at_a_secret_is_right(game: Game[Any, Any]) -> None:
    """The same guess where it is right and where it is wrong, by a seat that cannot tell the two apart."""
    ways = set()
    for found in twins_of(game):
        for guess in (guess for plan in found.plans for guess in guesses(found, plan)):
            one, two = (traced(partial(tried, world.end, found.observer, guess)) for world in found.plans)
            assert one == two, guess
            ways.add(guess[0])
    assert "ask" in ways


@every_game
def test_a_stale_move_is_refused_alike_whether_or_not_it_would_be_legal(game: Game[Any, Any]) -> None:
    """A legal move and illegal ones like it, in every position: in time they differ, too late they do not."""
    compared = set[str]()
    for step in islice(steps(opened(game, "late"), "late"), LONGEST):
        match = step.match
        for seat, choice in ((seat, choice) for seat, some in match.choices.items() for choice in some):
            legal = choice.pick(Dice("late"))
            illegal = [move for move in altered(game, legal) if not offered(match.choices[seat], move)]
            if not match.changed.get(seat) or not illegal:
                continue
            match.check(seat, legal, match.version)
            for move in illegal:
                assert refusal(match, seat, move, match.version)[0] != "stale"
            late = match.changed[seat] - 1
            assert len({traced(partial(refusal, match, seat, move, late)) for move in (legal, *illegal)}) == 1
            assert refusal(match, seat, legal, late)[0] == "stale"
            compared.add(legal.type)
    assert compared


def altered(game: Game[Any, Any], move: Move) -> Iterator[Move]:
    """The move with another value of the right type in one field."""
    for name, value in move.fields.items():
        odd = ODD.get(game.moves[move.type].fields[name])
        if odd is not None:  # a list keeps its length, which the caller knows anyway
            yield Move(move.type, {**move.fields, name: freeze(odd * len(value) if odd in LISTS else odd)})


def refusal(match: Match, seat: str, move: Move, version: int) -> tuple[str, Any]:
    with pytest.raises(IllegalMove) as refused:
        match.check(seat, move, version)
    return refused.value.code, refused.value.why


def test_a_comparison_letter_by_letter_is_noticed() -> None:
    def is_right(guess: str) -> bool:
        at = 0
        while at < len(PIN) and guess[at] == PIN[at]:
            at += 1
        return at == len(PIN)

    first, other, last = f"A{PIN[1:]}", f"B{PIN[1:]}", f"{PIN[:-1]}A"
    assert traced(partial(is_right, first)) == traced(partial(is_right, other))
    assert traced(partial(is_right, first)) != traced(partial(is_right, last))
