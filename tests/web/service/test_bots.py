"""Bots: demonstrations of every game are played to the end, stored, and not counted in statistics."""

import sqlite3
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from referee.core.dice import Dice
from referee.core.match import PlayerView
from referee.core.moves import Choice, One, Seat, Text
from referee.core.options import OneOf
from referee.games import GAMES
from tests.support.fixtures import Start
from tests.support.waiting import eventually
from tests.support.web.http_client import Client, Phone, Table
from tests.support.web.journal import journal
from tests.support.web.random_player import picked
from tests.support.web.server_process import Running
from tests.support.web.table_service import HERE
from web.security.caller import Caller
from web.service import questions
from web.service.bots import WRITES, Bots, decide
from web.service.live_table import LiveTable
from web.service.rematch import open_rematch
from web.service.tables import TableService
from web.store import engine
from web.store.statements import Change
from web.wire.requests import OpenTableRequest

AT_ONCE, NEVER = "[bots]\npause = 0", "[bots]\npause = 60000"


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server whose bots play without a pause."""
    with Running(tmp_path_factory.mktemp("bots") / "data", AT_ONCE, modifications=["nosync"]) as running:
        yield running
        assert "Traceback" not in running.said()


def alone(client: Client, game: str = "agent_hunter", **options: Any) -> Phone:
    """Somebody at a table with bots everywhere else."""
    seats = next(g["seats"] for g in client.get("/api/games").json if g["game"] == game)
    table = client.open_table(game=game, desk=None, options=options, bots=seats[1:])
    assert list(table.keys) == seats[:1], "no key of a bot's seat is handed out"
    return table.join(seats[0], "Ana")


def is_mine(view: dict[str, Any]) -> bool:
    return bool(view["me"]["choices"]) or view["status"] == "over"


def play(phone: Phone, dice: Random, moves: int = 1000) -> dict[str, Any]:
    """Play so many moves whenever the bots wait for it, or to the end."""
    with phone.events() as stream:
        view = dict(stream.wait(lambda e: e.kind == "view" and is_mine(e.json)).json)
        while moves and view["status"] == "playing":
            move, moves = picked(view["me"]["choices"], dice), moves - 1
            version = phone.moves(move.pop("type"), view["version"], **move)["version"]
            view = dict(stream.wait(lambda e, v=version: e.id and int(e.id) >= v and is_mine(e.json)).json)  # type: ignore[misc]
    return view


@pytest.mark.parametrize("game", GAMES)
def test_every_game_can_be_tried_alone_to_its_end(quick: Running, game: str) -> None:
    phone = alone(quick.client, game)
    view = play(phone, Random(game))
    assert view["status"] == "over" and view["demo"]
    assert [who["bot"] for who in view["seats"].values()] == [False, *[True] * (len(view["seats"]) - 1)]
    assert quick.client.get(f"{phone.table.path}/record").status == 200
    assert b"bgstats" not in quick.client.get(f"/t/{phone.table.code}/sheet").content
    assert phone.table.code not in str(quick.client.get("/api/history").json)
    assert "Démonstration" in quick.client.get(f"{phone.table.path}/sheet.txt").content.decode()


def test_bots_hold_their_seats_and_are_there(quick: Running) -> None:
    view = alone(quick.client).view()
    robot = {"name": "Robot", "joined": True, "connected": True, "bot": True, "avatar": "robot"}
    assert view["seats"]["mask"] == robot
    assert view["status"] == "playing"


def with_more_seats() -> Iterator[tuple[str, dict[str, Any]]]:
    """The games that more than two may play, with the options that make it so."""
    for game in GAMES.values():
        defaults = {option.name: option.default for option in game.options}
        for option in (option for option in game.options if isinstance(option, OneOf)):
            chosen = ({option.name: value} for value in option.options)
            yield from ((game.id, c) for c in chosen if len(game.seats({**defaults, **c})) > 2)


def test_several_bots_are_told_apart(quick: Running) -> None:
    game, options = next(with_more_seats())
    seats = GAMES[game].seats({**{o.name: o.default for o in GAMES[game].options}, **options})
    table = quick.client.open_table(
        game=game, desk=None, options={**options, "language": "en"}, bots=list(seats[1:])
    )
    names = [who["name"] for who in table.view()["seats"].values()]
    assert names == [None, *(f"Robot {n}" for n in range(1, len(seats)))]
    assert play(table.join(seats[0]), Random("four"))["status"] == "over"


def test_a_bot_says_yes_to_every_question(quick: Running) -> None:
    phone = alone(quick.client, first="target")
    with phone.events() as stream:
        stream.wait(lambda e: e.kind == "view" and "hide" in str(e.json["me"]["choices"]))
        phone.moves("hide", houses=[1, 2, 3])
        view = stream.wait(lambda e: e.kind == "view" and e.json["public"]["step"] == "act").json
        told = next(int(n) for n in view["me"]["salts"])
        fields = {"houses": [3, 2, 1]}
        body = {"version": view["version"], "kind": "correct", "n": told, "fields": fields}
        assert phone.client.post(f"{phone.table.path}/ask", body).status == 200
        stream.wait(lambda e: e.kind == "view" and any(x["kind"] == "corrected" for x in e.json["news"]))
    assert phone.view()["me"]["hand"]["houses"] == {"1": 3, "2": 2, "3": 1}


def test_whoever_takes_over_a_bots_seat_plays_it(quick: Running) -> None:
    phone = alone(quick.client, first="target")
    with phone.events() as stream:
        stream.wait(lambda e: e.kind == "view" and e.json["waiting_for"] == ["target"])
        ask = {"version": phone.view()["version"], "kind": "reissue", "seat": "mask"}
        phone.client.post(f"{phone.table.path}/ask", ask)
        key = stream.wait(lambda e: e.kind == "view" and e.json["me"]["keys"]).json["me"]["keys"]["mask"]
    table = Table(quick.client, {"table": phone.table.code, "host": phone.table.host, "seats": []})
    table.keys["mask"] = key
    friend = table.join("mask", "Bo")
    phone.moves("hide", houses=[1, 2, 3])
    view = phone.moves("attack_from_hand", card=0, house=1) and friend.view()
    assert view["waiting_for"] == ["mask"] and not view["seats"]["mask"]["bot"]
    assert view["demo"], "it began with bots"


def test_the_overview_labels_a_demonstration_and_counts_it_separately(start: Start) -> None:
    client = start(NEVER).client.with_(Accept_Language="en")
    code = alone(client).table.code
    evening = client.get("/overview").content.decode()
    assert code in evening and "0 open tables and 1 demo<" in evening and ">Demo<" in evening
    client.open_table(desk=None)
    assert "1 open table and 1 demo<" in client.get("/overview").content.decode()


def test_nobody_is_asked_whether_a_bot_laid_another_card(quick: Running) -> None:
    """It has no real card that could be another one than it said."""
    phone = alone(quick.client, "agent_avenue", first="green")
    device = phone.client.with_(Cookie=f"seat_{phone.table.code}_green={phone.token}")
    secret, version = False, 0
    while phone.view()["status"] == "playing":
        play(phone, Random(version), moves=1)
        page = device.get(f"/t/{phone.table.code}/s/green").content.decode()
        assert "other_card=" not in page and "too-late" not in page
        secret, version = secret or "correct=" in page, version + 1
    assert secret, "one's own can still be corrected"


def test_a_bot_plays_again(quick: Running) -> None:
    phone = alone(quick.client)
    play(phone, Random("again"))
    code = phone.client.post(f"{phone.table.path}/rematch", {}).json["table"]
    again = Table(quick.client, {"table": code, "host": phone.table.host, "seats": []})
    view = play(Phone(again, phone.seat, phone.token), Random("and again"), moves=3)
    assert view["demo"] and view["version"] > 3


def test_bots_go_on_after_a_power_cut(start: Start) -> None:
    server = start(NEVER)
    phone = alone(server.client, first="target")
    phone.moves("hide", houses=[1, 2, 3])
    before = journal(server, phone.table.code)
    server.kill()
    with Running(server.data, AT_ONCE) as later:
        there = phone.at(later.url)
        with there.events() as stream:
            stream.wait(lambda e: e.kind == "view" and e.json["waiting_for"] == ["target"])
        assert journal(later, phone.table.code)[: len(before)] == before


@pytest.mark.parametrize("bots", [["nobody"], ["target", "mask"], ["mask", "mask"]])
def test_seats_that_cannot_be_bots(client: Client, bots: list[str]) -> None:
    answer = client.post("/api/tables", {"game": "agent_hunter", "bots": bots})
    assert (answer.status, answer.code) == (422, "bad-options")


def test_a_bot_writes_plainly_and_picks_what_is_offered() -> None:
    choices = (Choice("act", (Text("name", 24), One("card", (1, 2)))),)
    moves = [decide(choices, Dice(str(n))) for n in range(20)]
    assert {move["card"] for move in moves} == {1, 2}
    assert {move["name"] for move in moves} == {WRITES}


class Alone:
    """Ana at a short game against a bot, in a house without a server."""

    def __init__(self, service: TableService) -> None:
        wish = OpenTableRequest("agent_hunter", {"first": "target", "turn_cap": 1}, None, ("mask",))
        opened = service.wait(service.open(wish, HERE))
        sits = {"key": opened.keys["target"], "name": "Ana"}
        self.service, self.code = service, opened.code
        self.ana = Caller(HERE.address, service.wait(service.join(self.code, "target", sits, HERE)))
        self.table = service.find(self.code, HERE)

    def moves(self, code: str, **move: Any) -> None:
        version = self.service.find(code, HERE).match.version
        self.service.wait(self.service.move(code, {"version": version, **move}, self.ana, "en"))

    def bot_has_hidden(self) -> bool:
        return any(made.entry.seat == "mask" for made in self.table.match.made)


def test_a_bot_says_no_where_it_is_too_late(service: TableService) -> None:
    """Ana asks to correct a secret after the end, then plays in the rematch before the bot answers."""
    alone = Alone(service)
    table, ana = alone.table, alone.ana
    Bots(service, 0)
    alone.moves(alone.code, type="hide", houses=[1, 2, 3])
    eventually(alone.bot_has_hidden)
    for listeners in (service.on_change, service.on_load):
        listeners.clear()  # the bots hear of nothing from now on
    alone.moves(alone.code, type="attack_from_hand", card=9, house=1)
    n = next(made.n for made in table.match.made if made.entry.seat == "target")
    correct = {"kind": "correct", "version": table.match.version, "n": n, "fields": {"houses": [4, 5, 6]}}
    service.wait(questions.ask(service, alone.code, correct, ana, "en"))
    rematch = service.wait(open_rematch(service, alone.code, {}, ana))
    alone.moves(rematch, type="hide", houses=[1, 2, 3])
    Bots(service, 0)
    service.wait(service.notify(table))
    eventually(lambda: table.match.question is None)
    assert table.match.news[-1].news.kind == "declined"


def test_a_bot_whose_move_could_not_be_saved_tries_again(
    service: TableService, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    alone, write, failures = Alone(service), engine._transact, [1, 2]

    def fails_at_first(db: sqlite3.Connection, groups: list[list[Change]]) -> list[int]:
        if failures:
            raise sqlite3.OperationalError(f"disk is full, {failures.pop()}")
        return write(db, groups)

    monkeypatch.setattr("web.service.bots.RETRY_PAUSE", 0)
    monkeypatch.setattr(engine, "_transact", fails_at_first)
    Bots(service, 0)
    service.wait(service.notify(alone.table))
    eventually(alone.bot_has_hidden)
    assert caplog.text.count(f"a bot at table {alone.code} will try again: not-saved") == 2
    assert [row for row in service.store.journal(alone.code) if row.line.startswith("mask hide")]


def test_a_bot_that_fails_leaves_the_other_tables_their_bots(
    service: TableService, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    broken, fine, seen = Alone(service), Alone(service), LiveTable.seen

    def fails_at_one(table: LiveTable, seat: Seat | None = None) -> PlayerView:
        if table is broken.table:
            raise KeyError("a card that was lost")
        return seen(table, seat)

    monkeypatch.setattr(LiveTable, "seen", fails_at_one)
    Bots(service, 0)
    for alone in (broken, fine):
        service.wait(service.notify(alone.table))
    eventually(fine.bot_has_hidden)
    assert f"a bot at table {broken.code} gave up" in caplog.text
    assert not broken.bot_has_hidden()
