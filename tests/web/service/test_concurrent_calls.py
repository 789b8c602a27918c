"""Concurrent calls of all phones of a table have the same result as some order of single calls."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

import pytest

from referee.core.corrections import choices_then, own_secrets
from referee.core.dice import Dice
from referee.core.entries import Joined, read
from referee.core.match import Match, reopen_match
from referee.core.moves import Seat
from referee.games import GAMES
from referee.program.simulate import NAMES, random_options
from tests.support.fixtures import Start
from tests.support.soak import games
from tests.support.waiting import TIMEOUT, eventually
from tests.support.web import sequential_model as sequence
from tests.support.web.http_client import Client
from tests.support.web.journal import journal, rows
from tests.support.web.random_player import picked
from tests.support.web.sequential_model import Call, Heard, Point
from tests.support.web.server_process import Running
from tests.support.web.sse_reader import Stream
from web.wire.requests import ASK_REQUESTS

BURSTS = 60
MOST_BURSTS = 4 * BURSTS  # until every question has been heard
WRONG = "WRONGKEYWRNG"
MOST = 7  # calls in a burst


class AtOnce:
    """A table whose phones all act at the same instant, again and again."""

    def __init__(self, server: Running, game: str, dice: Random) -> None:
        self.server, self.game, self.dice = server, game, dice
        self.streams: dict[Seat | None, Stream] = {}
        self.checked: dict[Seat | None, int] = {}  # how many views of each stream were found right
        self.asked = set[str]()  # the questions that were heard
        options = random_options(GAMES[game].options, Dice(str(dice.random())))
        table = self.client.open_table(game=game, desk=None, options=options)
        self.begins(table.code, Point(self.as_opened(table.code), table.host, {}, table.keys))

    def as_opened(self, code: str) -> Match:
        sql = "SELECT rules, options, seed, before FROM tables WHERE code = ?"
        ((rules, options, seed, before),) = rows(self.server, sql, code)
        earlier = before and json.loads(before)
        return reopen_match(code, GAMES[self.game], rules, json.loads(options), seed, earlier)

    def begins(self, code: str, point: Point) -> None:
        self.hang_up()
        self.code, self.now, self.points = code, point, {point.match.version: point}
        self.follow()

    @property
    def client(self) -> Client:
        return self.server.client.with_(Accept_Language=sequence.LANGUAGE)

    @property
    def path(self) -> str:
        return f"/api/tables/{self.code}"

    def follow(self) -> None:
        """Everyone who sits, and a screen, follows the table, and is there before anything happens."""
        for seat in (None, *self.now.tokens):
            if seat not in self.streams:
                client = self.client.bearing(self.now.tokens[seat]) if seat else self.client
                self.streams[seat] = client.follow(f"{self.path}/{'me/' if seat else ''}events")
                self.checked[seat] = 0
                self.streams[seat].first("view")

    def hang_up(self) -> None:
        for stream in self.streams.values():
            stream.close()
        self.streams.clear()

    # ---- what happens

    def everyone_acts(self) -> None:
        match, makes = self.now.match, [self.looks]
        if len(self.now.tokens) < len(match.seats):
            makes += [self.joins] * 4
        if match.question:
            makes += [self.answers] * 4
        if match.state and not match.outcome:
            makes += [self.moves] * 8
        if match.version:
            makes += [self.asks, self.asks, self.answers, self.moves]
        calls: list[Call] = []
        while len(calls) < 2 or (len(calls) < MOST and self.dice.random() < 0.8):
            is_new = not calls or self.dice.random() < 0.7
            calls.append(self.dice.choice(makes)() if is_new else self.repeats(self.dice.choice(calls)))
        self.burst(_one_new_key(calls))

    def all_play_again(self) -> None:
        """However many ask for it, there is one next table, with the same people. It tells whether a
        question is still open at the last one."""
        is_asked = self.now.match.question is not None
        heard = self.at_once([Call("rematch", self.someone()) for _ in range(4)])
        (code,) = {answer.json["table"] for answer in heard}
        assert {answer.status for answer in heard} == {201}
        assert self.client.get(self.path).json["next"] == code
        match = self.as_opened(code)
        for seat, name in self.now.match.names.items():
            match = match.after(Joined(seat, str(name))) if seat in self.now.tokens else match
        self.begins(code, replace(self.now, match=match, keys={}))
        self.now = self.with_new_keys(self.now)
        self.all_is_told()
        assert self.client.get(self.path).json["asked_before"] is is_asked

    def is_killed(self) -> None:
        """What was answered is there again, and what was refused still is not."""
        lines = journal(self.server, self.code)
        self.hang_up()
        self.server.kill()
        self.server.again()
        assert journal(self.server, self.code) == lines
        self.follow()
        self.all_is_told()

    # ---- calls

    def looks(self) -> Call:
        return Call("me", self.someone())

    def joins(self) -> Call:
        seat = self.dice.choice(self.now.match.seats)
        key = self.dice.choice([*[self.now.keys.get(seat, WRONG)] * 5, WRONG])
        return Call("join", "", {"key": key, "name": self.dice.choice(NAMES)}, seat, self.once())

    def moves(self) -> Call:
        """Mostly something that may be done now; sometimes at an old version, or one that is yet to come."""
        now, old = self.now.match.version, self.dice.randrange(9)
        able = [seat for seat in self.now.tokens if self.now.match.choices.get(seat)]
        if not able:
            return Call("moves", self.someone(), {"version": now, "type": "nothing"})
        seat = self.dice.choice(able)
        move = picked([choice.wire() for choice in self.now.match.choices[seat]], self.dice)
        version = self.dice.choice([*[now] * 6, max(0, now - old), now + 1])
        return Call("moves", self.now.tokens[seat], {"version": version, **move}, once=self.once())

    def asks(self) -> Call:
        """One of all questions; rather one that nobody has been heard with yet."""
        kind = self.dice.choice([*ASK_REQUESTS, *self.unasked() * 3])
        if kind == "correct":
            return self.corrects()
        more: dict[str, Any] = {"reissue": {"seat": self.dice.choice(self.now.match.seats)}}.get(kind, {})
        if kind == "abandon":
            more = {"show": self.dice.random() < 0.5}
        if kind == "undo" and self.now.match.made and self.dice.random() < 0.5:
            more = {"n": self.dice.choice(self.now.match.made[-3:]).n}
        body = {"version": self.now.match.version, "kind": kind, **more}
        return Call("ask", self.someone(), body, once=self.once())

    def unasked(self) -> list[str]:
        return [kind for kind in ASK_REQUESTS if kind not in self.asked]

    def corrects(self) -> Call:
        """Somebody entered a wrong secret: mostly their own, and something they could have entered then."""
        match = self.now.match
        entered = [(seat, made) for seat in self.now.tokens for made in own_secrets(match, seat)]
        if not entered:
            return self.moves()
        seat, made = self.dice.choice(entered[-6:])
        kind = made.entry.move.type
        then = [choice.wire() for choice in choices_then(match, made) if choice.type == kind]
        move, secret = picked(then, self.dice), match.game.moves[kind].secret
        fields = {name: value for name, value in move.items() if name in secret}
        token = self.dice.choice([*[self.now.tokens[seat]] * 6, self.someone()])
        body = {"version": match.version, "kind": "correct", "n": made.n, "fields": fields}
        return Call("ask", token, body, once=self.once())

    def answers(self) -> Call:
        seen = {"version": self.now.match.version} if self.dice.random() < 0.5 else {}
        body = {"accept": self.dice.random() < 0.8, **seen}
        return Call("answer", self.someone(), body, once=self.once())

    def repeats(self, call: Call) -> Call:
        """The same once more, or another body with the same Idempotency-Key."""
        if call.once and "version" in call.body and self.dice.random() < 0.3:
            return replace(call, body={**call.body, "version": call.body["version"] + 1})
        return call

    def someone(self) -> str:
        seats = [token for token in self.now.tokens.values() for _ in range(4)]
        return self.dice.choice([self.now.host, *seats])

    def once(self) -> str | None:
        return f"{self.dice.getrandbits(64):x}" if self.dice.random() < 0.5 else None

    # ---- all at once, and what must come of it

    def burst(self, calls: list[Call]) -> None:
        connected = {seat for seat in self.streams if seat}
        made = list(zip(calls, self.at_once(calls), strict=True))
        points = sequence.in_order(self.now, made, self.joined(), connected)
        last = self.client.get(self.path).json["version"]
        assert points[-1].match.version == last, "something was done that nobody was told"
        self.points |= {point.match.version: point for point in points}
        self.asked |= {c.body["kind"] for c, heard in made if c.what == "ask" and heard.status == 200}
        for call, heard in made:
            if heard.status != 200:
                assert sequence.refused_somewhere(points, call, heard, connected), (call, heard)
            elif call.what == "me":
                self.is_right(_holder(points, call), heard.json)
        self.now = self.with_new_keys(points[-1])
        self.all_is_told()
        self.follow()

    def at_once(self, calls: list[Call]) -> list[Heard]:
        together = threading.Barrier(len(calls))

        def make(call: Call) -> Heard:
            together.wait(TIMEOUT)
            return self.make(call)

        with ThreadPoolExecutor(len(calls)) as pool:
            return list(pool.map(make, calls))

    def make(self, call: Call) -> Heard:
        client = self.client.with_(Idempotency_Key=call.once) if call.once else self.client
        client = client.bearing(call.token) if call.token else client
        path = f"{self.path}/{f'seats/{call.seat}' if call.what == 'join' else call.what}"
        answer = client.get(path) if call.what == "me" else client.post(path, dict(call.body))
        return Heard(answer.status, answer.json)

    def joined(self) -> dict[int, Seat]:
        """At which versions somebody has just sat down: the answers to joins do not tell."""
        begun = self.now.match.version
        entries = enumerate(map(read, journal(self.server, self.code)[begun:]), begun + 1)
        return {version: entry.seat for version, entry in entries if isinstance(entry, Joined)}

    def with_new_keys(self, point: Point) -> Point:
        known = rows(self.server, "SELECT seat, key FROM seats WHERE code = ?", self.code)
        return replace(point, keys={**point.keys, **{seat: key for seat, key in known if key}})

    def is_right(self, seat: Seat | None, shown: dict[str, Any]) -> None:
        assert sequence.comparable(shown) == self.points[shown["version"]].view(seat)

    def all_is_told(self) -> None:
        """Every stream told every version once, each as the model has it; and everyone sees the last."""
        for seat in list(self.streams):
            if seat is None or seat in self.now.tokens:
                self.streams[seat].view(self.now.match.version)
                self.has_told(seat)
            else:
                self.streams[seat].until_end()
                self.has_told(seat)
                self.streams.pop(seat).close()
                eventually(partial(self.has_left, seat))
        for seat, token in self.now.tokens.items():
            shown = self.client.bearing(token).get(f"{self.path}/me").json
            assert shown["version"] == self.now.match.version
            self.is_right(seat, shown)

    def has_told(self, seat: Seat | None) -> None:
        views = self.streams[seat].all("view")
        assert sequence.is_steady([event.json["version"] for event in views])
        for event in views[self.checked[seat] :]:
            assert event.id == str(event.json["version"])
            self.is_right(seat, event.json)
        self.checked[seat] = len(views)

    def has_left(self, seat: Seat) -> bool:
        return not self.client.get(self.path).json["seats"][seat]["connected"]


def _holder(points: list[Point], call: Call) -> Seat:
    return next(seat for point in points for seat, token in point.tokens.items() if token == call.token)


def _one_new_key(calls: list[Call]) -> list[Call]:
    """Only one asks for a new key: whom a second would ask depends on when a stream was seen to end."""
    asking = [call for call in calls if call.body.get("kind") == "reissue"]
    return [call for call in calls if call not in asking or call is asking[0]]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", games(1))
def test_calls_at_once_come_to_what_they_would_have_come_to_one_by_one(
    start: Start, game: str, seed: int
) -> None:
    server = start(modifications=["slow_disk"])
    table = AtOnce(server, game, Random(seed))
    for burst in range(MOST_BURSTS):
        if burst >= BURSTS and not table.unasked():
            break
        if table.now.match.outcome and table.dice.random() < 0.3:
            table.all_play_again()
        table.everyone_acts()
        if burst == BURSTS // 2:
            table.is_killed()
    table.hang_up()
    assert server.stop() == 0
    assert server.said() == ""
    assert table.unasked() == []
