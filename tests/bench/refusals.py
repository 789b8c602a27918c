"""How long refusals take: a guess that is nearly right beside one that is all wrong, in turns."""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from referee.games import GAMES
from tests.web.server import Running

ROUNDS = 400
MOST = 1.1  # times as long as the other, either way
PIN = "KTQ7Z3MHX5VBN2TR"
GAME = next(iter(GAMES))

Guess = Callable[[str], int]


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        server = Running(Path(folder) / "data", f'server.host_pin = "{PIN}"')
        with server:
            measured = {what: ratio(guess, secret) for what, guess, secret in guesses(server)}
    for what, times in measured.items():
        print(f"{what}: nearly right takes {times:.3f} times as long as all wrong")
    good = all(1 / MOST < times < MOST for times in measured.values())
    print("good" if good else "IT TELLS")
    return 0 if good else 1


def guesses(server: Running) -> Iterator[tuple[str, Guess, str]]:
    """All that can be guessed: its name, how, and what would be right."""
    client = server.client
    table = client.with_(X_Host_Pin=PIN).open_table(game=GAME)
    seat, other, *_ = table.keys
    join = f"{table.path}/seats/{seat}"
    yield "a key", lambda key: client.post(join, {"key": key, "name": "Eve"}).status, table.keys[seat]
    yield (
        "a token",
        lambda token: client.bearing(token).get(f"{table.path}/me").status,
        table.join(other).token,
    )
    yield "the pin", lambda pin: client.with_(X_Host_Pin=pin).post("/api/tables", {"game": GAME}).status, PIN
    health = "/api/desks/main/health"
    yield "the desk's key", lambda key: client.bearing(key).post(health, {}).status, server.desk_key()


def ratio(guess: Guess, secret: str) -> float:
    """How long one takes beside the other when nothing disturbs: the lower quarters of many, in turns."""
    near = secret[:-1] + ("A" if secret[-1] != "A" else "B")
    far = "".join("A" if letter != "A" else "B" for letter in secret)
    times: dict[str, list[float]] = {near: [], far: []}
    for turn in range(ROUNDS):
        for wrong in (near, far) if turn % 2 else (far, near):
            times[wrong].append(_seconds(partial(guess, wrong)))
    quarter = partial(statistics.quantiles, n=4)
    return quarter(times[near])[0] / quarter(times[far])[0]


def _seconds(call: Callable[[], int]) -> float:
    began = time.perf_counter()
    status = call()
    taken = time.perf_counter() - began
    assert status in (401, 403), status
    return taken


if __name__ == "__main__":
    sys.exit(main())
