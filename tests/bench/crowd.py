"""The load generator by pages, in its own process: tables of one game, two phones and a screen at each.

    python -m tests.bench.crowd URL play GAME TABLES WARM SECONDS PID
    python -m tests.bench.crowd URL hold GAME TABLES

It waits for a line on standard input, then plays rounds of three parts, which are timed separately. First,
one player at each table taps until a form is filled in. Then all tables send their forms at the same moment,
until all phones and screens show the move. Last, every phone taps its answer away.
"""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeVar

from tests.bench.phones import Phone
from tests.bench.reading import Follow, Send, answer_in, any_step
from tests.support.web.http_client import Client
from web.security.caller import host_cookie, seat_cookie

T = TypeVar("T")
AT_ONCE = 16  # tables that are set up at the same time
TIMEOUT = 20.0  # seconds in which a part of a round must be over
ASTRAY = 60  # taps after which a phone has lost its way
NAMES = ("Ana", "Ben")


class Table:
    """Two phones and a screen."""

    def __init__(self, phones: Sequence[Phone], screen: Phone, dice: Random) -> None:
        self.phones, self.screen, self.dice = phones, screen, dice
        self.all = [*phones, screen]
        self.mover, self.other = phones
        self._form: Send | None = None
        self._weighed = [0] * len(self.all)

    async def prepare(self) -> bool:
        """Somebody who may move goes as far as a form that is filled in; false where nobody may any more."""
        for phone, other in self.dice.sample([self.phones, self.phones[::-1]], 2):
            if any_step(phone.html, self.dice):
                self.mover, self.other = phone, other
                self._form = await self._on_the_way(phone)
                return True
        return False

    async def _on_the_way(self, phone: Phone) -> Send:
        for _ in range(ASTRAY):
            match any_step(phone.html, self.dice):
                case Send(decides=True) as form:
                    return form
                case Send(action, fields):
                    await phone.send(action, fields)
                case Follow(address):
                    await phone.tap(address)
                case None:
                    await phone.tap("?")
        raise AssertionError(f"no form was found: {phone.html}")

    async def move(self) -> float | None:
        """Milliseconds until the other phone shows the move; nothing if it was refused."""
        assert self._form
        next_version = self.mover.version + 1
        began = time.perf_counter()
        told = asyncio.ensure_future(_when(self.other.until(next_version)))
        if not await self.mover.send(self._form.action, self._form.fields):
            told.cancel()
            return None
        took = (await told - began) * 1000
        for phone in self.all:
            await phone.until(next_version)
        return took

    async def read(self) -> None:
        """Every answer is read and tapped away."""
        for phone in self.phones:
            while link := answer_in(phone.html):
                await phone.tap(link)

    def weigh(self) -> dict[Phone, int]:
        """The bytes of each since this was asked before."""
        before, self._weighed = self._weighed, [phone.weight for phone in self.all]
        return {phone: now - then for phone, now, then in zip(self.all, self._weighed, before, strict=True)}

    def requests(self) -> int:
        return sum(phone.requests for phone in self.all)

    def close(self) -> None:
        for phone in self.all:
            phone.close()


async def _when(done: Awaitable[None]) -> float:
    await done
    return time.perf_counter()


@dataclass
class Part:
    """Of one part of all rounds: seconds, seconds of the server's processor, requests."""

    seconds: float = 0.0
    processor: float = 0.0
    requests: int = 0


@dataclass
class Played:
    """What was measured: the times of moves, their bytes for each kind of device, the parts of the rounds."""

    times: list[float] = field(default_factory=list)
    refused: int = 0
    mover: list[int] = field(default_factory=list)
    other: list[int] = field(default_factory=list)
    screen: list[int] = field(default_factory=list)
    mover_before: list[int] = field(default_factory=list)  # on the way to the form
    way: Part = field(default_factory=Part)
    told: Part = field(default_factory=Part)
    read: Part = field(default_factory=Part)

    def add(self, table: Table, took: float | None, *weights: dict[Phone, int]) -> None:
        if took is None:
            self.refused += 1
            return
        way, told, read = weights
        self.times.append(took)
        self.mover_before.append(way[table.mover])
        for phone, kind in (
            (table.mover, self.mover),
            (table.other, self.other),
            (table.screen, self.screen),
        ):
            kind.append(told[phone] + read[phone])

    def wire(self) -> dict[str, Any]:
        return {**vars(self), **{name: vars(getattr(self, name)) for name in ("way", "told", "read")}}


class Crowd:
    """All tables. One whose game is over is cleared for another."""

    def __init__(self, url: str, game: str, pid: int) -> None:
        self._url, self._game, self._pid = url, game, pid
        self._opened = 0
        self._tables: list[Table] = []

    async def fill(self, count: int) -> None:
        self._tables = await together(self._open() for _ in range(count))

    async def play(self, seconds: float) -> Played:
        """Rounds until the moves have taken so long."""
        found = Played()
        while found.told.seconds < seconds:
            ready = await self._part(found.way, [table.prepare() for table in self._tables])
            for place in (n for n, is_ready in enumerate(ready) if not is_ready):
                self._tables[place].close()
                self._tables[place] = await self._open()
                await self._tables[place].prepare()
            way = [table.weigh() for table in self._tables]
            took = await self._part(found.told, [table.move() for table in self._tables])
            told = [table.weigh() for table in self._tables]
            await self._part(found.read, [table.read() for table in self._tables])
            read = [table.weigh() for table in self._tables]
            for each in zip(self._tables, took, way, told, read, strict=True):
                found.add(*each)
        return found

    async def _part(self, part: Part, work: Sequence[Awaitable[T]]) -> list[T]:
        asked = sum(table.requests() for table in self._tables)
        processor, began = processor_seconds(self._pid), time.perf_counter()
        async with asyncio.timeout(TIMEOUT):
            done = await asyncio.gather(*work)
        part.seconds += time.perf_counter() - began
        part.processor += processor_seconds(self._pid) - processor
        part.requests += sum(table.requests() for table in self._tables) - asked
        return list(done)

    async def _open(self) -> Table:
        self._opened += 1
        dice = Random(f"{self._game}/{self._opened}")
        seated = await asyncio.to_thread(seat_people, self._url, self._game)
        screen = Phone(self._url, f"/t/{seated.code}", {host_cookie(seated.code): seated.host})
        table = Table(seated.phones(self._url), screen, dice)
        await opened(table.all)
        table.weigh()
        return table


async def together(work: Iterable[Awaitable[T]]) -> list[T]:
    """Some at a time."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(each: Awaitable[T]) -> T:
        async with gate:
            return await each

    return await asyncio.gather(*map(one, work))


async def opened(phones: Sequence[Phone]) -> None:
    """Until all pages of a table are open and show the same."""
    for phone in phones:
        await phone.open()
    newest = max(phone.version for phone in phones)
    for phone in phones:
        await phone.until(newest)


def processor_seconds(pid: int) -> float:
    """Of all threads of a process so far, finely: the clock that Linux keeps for every process."""
    return time.clock_gettime((~pid << 3) | 2)


@dataclass(frozen=True)
class Seated:
    """A table where everybody sits: its code, the host's token, and each seat with its own."""

    code: str
    host: str
    tokens: dict[str, str]

    def phones(self, url: str) -> list[Phone]:
        return [
            Phone(url, f"/t/{self.code}/s/{seat}", {seat_cookie(self.code, seat): token})
            for seat, token in self.tokens.items()
        ]


def seat_people(url: str, game: str) -> Seated:
    table = Client(url).open_table(game=game, desk=None)
    phones = [table.join(seat, name) for seat, name in zip(table.keys, NAMES, strict=True)]
    return Seated(table.code, table.host, {phone.seat: phone.token for phone in phones})


async def play(url: str, game: str, tables: str, warm: str, seconds: str, pid: str) -> None:
    crowd = Crowd(url, game, int(pid))
    await crowd.fill(int(tables))
    await crowd.play(float(warm))
    busy, began = time.process_time(), time.perf_counter()
    found = await crowd.play(float(seconds))
    busy = (time.process_time() - busy) / (time.perf_counter() - began)
    print(json.dumps({**found.wire(), "load_busy": busy}))


async def hold(url: str, game: str, count: str) -> None:
    """People sit down at tables. Each time it is asked, every seat's page is opened on one more phone, until
    only the streams are left of their connections."""
    tables = await together(asyncio.to_thread(seat_people, url, game) for _ in range(int(count)))
    print("seated", flush=True)
    held = []
    while True:
        await asyncio.to_thread(sys.stdin.readline)
        phones = [table.phones(url) for table in tables]
        await together(map(opened, phones))
        held += phones
        await asyncio.gather(*(phone.until_idle() for table in phones for phone in table))
        print("open", flush=True)


if __name__ == "__main__":
    url, what, *figures = sys.argv[1:]
    sys.stdin.readline()
    asyncio.run(play(url, *figures) if what == "play" else hold(url, *figures))
