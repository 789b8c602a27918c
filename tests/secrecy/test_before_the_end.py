"""Record, debrief and sheet are for the end: before it nobody gets them, whatever they bring, in any game."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from referee.core.game import Game
from referee.games import GAMES
from tests.support.web.http_client import Client, Phone, Table
from tests.support.web.random_player import play_on
from tests.support.web.server_process import Running
from tests.support.web.table_service import table_service
from web.security.caller import Caller
from web.service import questions
from web.service.tables import TableService
from web.wire.errors import ApiError
from web.wire.requests import OpenTableRequest

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())
SHEETS = ("sheet.txt", "sheet.html", "sheet.png", "sheet.pdf")
HERE = Caller("127.0.0.1")


@dataclass(frozen=True)
class Room:
    """A table and everybody who may ask for its papers."""

    server: Running
    table: Table
    phones: dict[str, Phone]
    elsewhere: Phone

    def callers(self) -> dict[str, Client]:
        client = self.table.client
        return {
            "nobody": client,
            "host": client.bearing(self.table.host),
            "desk": client.bearing(self.server.desk_key()),
            "elsewhere": self.elsewhere.client,
            "wrong": client.bearing("wrong"),
            **{seat: phone.client for seat, phone in self.phones.items()},
        }

    def all_is_refused(self) -> None:
        for who, client in self.callers().items():
            for paper in ("record", *SHEETS):
                answer = client.get(f"{self.table.path}/{paper}")
                told = answer.code if answer.kind == "application/problem+json" else ""
                assert (answer.status, told or "not-over") == (403, "not-over"), (who, paper)
            assert client.get(f"/t/{self.table.code}/sheet").status == 403, who
            printing = client.post(f"{self.table.path}/print", {"what": "sheet"})
            no = {"nobody": "no-token", "elsewhere": "bad-token", "wrong": "bad-token"}.get(who, "not-over")
            assert printing.code == no, who
            self._nothing_is_told(client)

    def _nothing_is_told(self, client: Client) -> None:
        for path in ("", "/me"):
            answer = client.get(self.table.path + path)
            assert answer.status in (200, 401, 403)
            assert b"debrief" not in answer.content
            if answer.status == 200:
                assert answer.json["outcome"] is None

    def ask(self, **body: Any) -> None:
        version = self.table.view()["version"]
        asked = self.table.client.bearing(self.table.host).post(
            f"{self.table.path}/ask", {"version": version, **body}
        )
        assert asked.status == 200, asked.content

    def answer(self, accept: bool) -> None:
        """All agree, or the first says no."""
        for phone in list(self.phones.values())[: None if accept else 1]:
            answer = phone.client.post(f"{self.table.path}/answer", {"accept": accept})
            assert answer.status == 200, answer.content


def room(server: Running, game: Game[Any, Any]) -> Room:
    elsewhere = server.client.open_table(game=game.id, desk=None)
    seat = next(iter(elsewhere.keys))
    table = server.client.open_table(game=game.id, options={"language": "en"})
    return Room(server, table, {}, elsewhere.join(seat))


@every_game
def test_before_the_end_there_is_no_record_no_debrief_and_no_sheet(
    server: Running, game: Game[Any, Any]
) -> None:
    here = room(server, game)
    with here.table.events() as screen, here.callers()["desk"].follow("/api/desks/main/events") as desk:
        here.all_is_refused()
        for seat in here.table.keys:
            here.phones[seat] = here.table.join(seat, seat)
            here.all_is_refused()
        here.ask(kind="abandon", show=True)
        here.all_is_refused()
        here.answer(accept=False)
        for n in range(4):
            here.all_is_refused()
            if play_on(here.phones, Random(n), moves=2)["status"] == "over":
                return  # a game as short as this has been looked at long enough
        screen.view(here.table.view()["version"])
        told = json.dumps([event.data for stream in (screen, desk) for event in stream.events])
    assert "debrief" not in told


@every_game
@pytest.mark.parametrize("show", [True, False], ids=["shown", "not shown"])
def test_an_abandoned_game_is_shown_only_where_all_agreed(
    server: Running, game: Game[Any, Any], show: bool
) -> None:
    here = room(server, game)
    here.phones.update({seat: here.table.join(seat, seat) for seat in here.table.keys})
    play_on(here.phones, Random(1), moves=3)
    here.ask(kind="abandon", show=show)
    here.answer(accept=True)
    assert (here.table.view()["outcome"]["debrief"] is not None) is show
    for who, client in here.callers().items():
        record = client.get(f"{here.table.path}/record")
        assert record.status == (200 if show else 403), who
        assert show or record.code == "not-allowed"
        assert [client.get(f"{here.table.path}/{sheet}").status for sheet in SHEETS] == [200] * 4


@pytest.mark.parametrize("show", [True, False], ids=["shown", "not shown"])
def test_later_rules_show_no_more_of_an_abandoned_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, show: bool
) -> None:
    with table_service(tmp_path) as service:
        code = _abandoned(service, show)
    name, game = next(iter(GAMES.items()))
    monkeypatch.setitem(GAMES, name, replace(game, rules=game.rules + 1))
    with table_service(tmp_path) as later:
        table = later.find(code, HERE)
        assert table.seen().outcome
        assert (table.seen().debrief is not None) is show
        if not show:
            with pytest.raises(ApiError, match="not-allowed"):
                later.records.get(table)


def _abandoned(service: TableService, show: bool) -> str:
    opened = service.wait(service.open(OpenTableRequest(next(iter(GAMES))), HERE))
    people = [
        Caller(HERE.address, service.wait(service.join(opened.code, seat, {"key": key, "name": seat}, HERE)))
        for seat, key in opened.keys.items()
    ]
    asked = {"version": len(people), "kind": "abandon", "show": show}
    service.wait(questions.ask(service, opened.code, asked, Caller(HERE.address, opened.host), "en"))
    for who in people:
        service.wait(questions.answer(service, opened.code, {"accept": True}, who, "en"))
    return opened.code
