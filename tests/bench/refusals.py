"""Times refusals, two of a kind in turns: the time must not tell how close a guess was."""

import math
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from referee.core.game import Game
from referee.games import GAMES
from tests.support.secrecy.played_world import World
from tests.support.secrecy.twin_plans import Guessed, guesses
from tests.support.secrecy.twin_servers import open_twins, worlds
from tests.support.web.http_client import Client, Phone, Table
from tests.support.web.random_player import play_on
from tests.support.web.server_process import Running

ROUNDS = 400
MOST = 1.1  # times as long as the other, either way
PIN = "KTQ7Z3MHX5VBN2TR"
GAME = next(iter(GAMES))

Try = Callable[[], int]  # something that is refused, and with which status
Guess = Callable[[str], int]


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        with Running(Path(folder) / "data", f'server.host_pin = "{PIN}"') as server:
            near = {what: ratio(*nearly(guess, secret)) for what, guess, secret in secrets(server)}
            told = {what: ratio(*pair) for what, pair in answered_otherwise(server)}
        right = {game.id: opponents(game, Path(folder) / game.id) for game in GAMES.values()}
    for what, times in near.items():
        print(f"{what}: nearly right takes {times:.3f} times as long as all wrong")
    for game, times in right.items():
        print(f"{game}: a guess at a hidden thing, right takes {times:.3f} times as long as wrong")
    for what, times in told.items():
        print(f"{what}: {times:.3f} times as long (the answers differ as well)")
    good = all(1 / MOST < times < MOST for times in (*near.values(), *right.values()))
    print("good" if good else "IT TELLS")
    return 0 if good else 1


# ---- codes, keys, tokens and PINs


def secrets(server: Running) -> Iterator[tuple[str, Guess, str]]:
    """All that can be guessed: its name, how, and what would be right."""
    client = server.client
    table = _table(client)
    seat, other, *_ = table.keys
    join = f"{table.path}/seats/{seat}"
    yield "a code", lambda code: client.get(f"/api/tables/{code}").status, table.code
    yield "a key", lambda key: client.post(join, {"key": key, "name": "Eve"}).status, table.keys[seat]
    token = table.join(other).token
    yield "a token", lambda token: client.bearing(token).get(f"{table.path}/me").status, token
    yield "the pin", lambda pin: client.with_(X_Host_Pin=pin).post("/api/tables", {"game": GAME}).status, PIN
    health = "/api/desks/main/health"
    yield "the desk's key", lambda key: client.bearing(key).post(health, {}).status, server.desk_key()


def nearly(guess: Guess, secret: str) -> tuple[Try, Try]:
    """The secret with its last letter wrong, and with all of them wrong."""
    near = secret[:-1] + ("A" if secret[-1] != "A" else "B")
    far = "".join("A" if letter != "A" else "B" for letter in secret)
    return partial(guess, near), partial(guess, far)


# ---- refusals that differ in what they say


def answered_otherwise(server: Running) -> Iterator[tuple[str, tuple[Try, Try]]]:
    """Right and wrong, both refused: the answer tells which, and the clock should not tell more."""
    client = server.client
    table = _table(client)
    join, key, wrong = (
        partial(_join, table, next(iter(table.keys))),
        next(iter(table.keys.values())),
        "A" * 12,
    )
    phones = table.everybody()
    yield "the key of a taken seat, beside a wrong one", (partial(join, key), partial(join, wrong))
    phone = _able(phones)
    now = phone.view()["version"]
    illegal, stale = partial(_illegal, phone, now), partial(_illegal, phone, 0)
    yield "an illegal move, beside a stale one", (illegal, stale)
    stranger = Phone(table, phone.seat, "A" * 32)
    yield "an illegal move, beside a wrong token", (illegal, partial(_illegal, stranger, now))
    unknown = f"/api/tables/{'A' * 5}/me"
    yield (
        "a table without a token, beside a wrong code",
        (lambda: client.get(f"{table.path}/me").status, lambda: client.get(unknown).status),
    )
    odd = {"game": GAME, "options": {"?": 1}}
    asks = [partial(client.with_(X_Host_Pin=pin).post, "/api/tables", odd) for pin in (PIN, "A" * len(PIN))]
    yield "impossible options, beside a wrong pin", (lambda: asks[0]().status, lambda: asks[1]().status)


def _table(client: Client) -> Table:
    return client.with_(X_Host_Pin=PIN).open_table(game=GAME, options={"language": "en"})


def _join(table: Table, seat: str, key: str) -> int:
    return table.client.post(f"{table.path}/seats/{seat}", {"key": key, "name": "Eve"}).status


def _able(phones: dict[str, Phone]) -> Phone:
    """Whoever may do something after a few moves."""
    view = play_on(phones, Random(1), moves=4)
    return phones[view["waiting_for"][0]]


def _illegal(phone: Phone, version: int) -> int:
    """A move that is offered to nobody."""
    body = {"version": version, "type": "nothing"}
    return phone.client.post(f"{phone.table.path}/moves", body).status


# ---- what is hidden in a game


def opponents(game: Game[Any, Any], folder: Path) -> float:
    """Two guesses at two tables that differ in what is guessed at alone: each is right at one of them.

    What is other about a server or about a guess stands on both sides, and so is cancelled out. The worst of
    all ways to guess.
    """
    folder.mkdir()
    with ExitStack() as listening, worlds(folder) as both:
        found = open_twins(both, game, -1)
        for world, plan in zip(both, found.plans, strict=True):
            world.play(plan, found.observer, listening)
        ways = list(zip(*(guesses(found, plan) for plan in found.plans), strict=True))
        return max((_told_by(both, pair, found.observer) for pair in ways), key=lambda t: max(t, 1 / t))


def _told_by(both: tuple[World, World], pair: tuple[Guessed, Guessed], observer: str) -> float:
    """How long right guesses take beside wrong ones."""
    tries = [partial(_guess, w.phones[observer], w.api, *guess) for guess in pair for w in both]
    first_right, first_wrong, second_wrong, second_right = medians(tries)
    return math.sqrt(first_right * second_right / (first_wrong * second_wrong))


def _guess(phone: Client, api: str, path: str, body: dict[str, Any]) -> int:
    return phone.post(f"{api}/{path}", body).status


# ---- the clock


def ratio(one: Try, two: Try) -> float:
    """How long one takes beside the other."""
    first, second = medians([one, two])
    return first / second


def medians(tries: Sequence[Try]) -> list[float]:
    """How long each takes: the median of many, all of them in turns, each as often before the others."""
    times: list[list[float]] = [[] for _ in tries]
    for turn in range(ROUNDS):
        for n in sorted(range(len(tries)), key=lambda n: (n + turn) % len(tries)):
            times[n].append(_seconds(tries[n]))
    return [statistics.median(taken) for taken in times]


def _seconds(call: Try) -> float:
    began = time.perf_counter()
    status = call()
    taken = time.perf_counter() - began
    assert 400 <= status < 500, status
    return taken


if __name__ == "__main__":
    sys.exit(main())
