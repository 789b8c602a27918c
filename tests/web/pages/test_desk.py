"""The virtual desk: its status lamp, and figures counted out as on a real one."""

import json
from pathlib import Path

import pytest

from referee.core.match import Match, NewsEntry, PlayerView
from referee.games import GAMES
from referee.presentation.cues import counting
from referee.presentation.views import Localizer
from referee.program.simulate import opened, steps
from tests.support.fixtures import Start
from tests.support.waiting import eventually
from tests.support.web.http_client import Client
from tests.support.web.sse_reader import events_in
from web.pages.rendering import localizer_of
from web.security.caller import Caller
from web.server.flask_app import create_app
from web.service.desk_events import desk_news
from web.service.desks import Desks
from web.service.live_table import LiveTable
from web.service.tables import TableService
from web.store.statements import TableRow
from web.wire.requests import OpenTableRequest

WELL = {device: {"ok": True, "detail": "ready"} for device in ("lights", "printer")}


def status(client: Client) -> str:
    page = client.get("/desk/main").content.decode()
    return page.partition('data-lamp="status" data-state="')[2].partition('"')[0]


def test_the_page_has_the_status_lamp_too(start: Start) -> None:
    server = start()
    client, desk = server.client, server.client.bearing(server.desk_key())
    assert status(client) == ""
    with desk.follow("/api/desks/main/events"):
        eventually(lambda: status(client) == "starting")
        assert desk.post("/api/desks/main/health", WELL).status == 200
        assert status(client) == "ready"
        out = {**WELL, "printer": {"ok": False, "detail": "paper-out"}}
        assert desk.post("/api/desks/main/health", out).status == 200
        assert status(client) == "trouble"
    eventually(lambda: status(client) == "")


def test_whoever_does_not_know_its_name_finds_the_desk(client: Client) -> None:
    found = client.get("/desk")
    assert (found.status, found.headers["Location"]) == (303, "/desk/main")


def test_all_it_shows_of_a_table_is_of_one_moment(
    service: TableService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a page that shows what was before would pass for the newest, and stay."""
    app = create_app(service, Desks(service, tmp_path, lambda: "http://localhost"))
    table = service.wait(service.open(OpenTableRequest("agent_hunter", {}, "main"), Caller("")))
    seat, key = next(iter(table.keys.items()))

    def meanwhile(seen: PlayerView) -> Localizer:
        service.wait(service.join(table.code, seat, {"key": key, "name": "Ana"}, Caller("")))
        return localizer_of(seen)

    monkeypatch.setattr("web.pages.screens.desk.localizer_of", meanwhile)
    page = app.test_client().get("/desk/main").text
    assert "Ana" not in page
    assert f'data-stamp="{table.code}:0"' in page


def counted() -> tuple[Match, NewsEntry, str]:
    """The first news of any game whose figures are counted out, and the field they are in."""
    for game in GAMES.values():
        for step in steps(opened(game, "count"), "count"):
            for told in step.match.told():
                if (sign := game.cue(told.news)) and sign.counts:
                    return step.match, told, sign.counts
    raise AssertionError("no game counts anything out")


def test_figures_come_counted_out_so_that_no_desk_counts_differently() -> None:
    match, told, field = counted()
    row = TableRow(match.code, match.game.id, 1, dict(match.options), "", "", "main", "", "", "", 0)
    [written] = desk_news(LiveTable(row, [], match), [told])
    [event] = events_in(written.decode())
    news = event.json
    patterns, tune = counting(list(news[field].values()))
    assert news["counted"] == json.loads(json.dumps({"patterns": patterns, "tune": tune}))
    assert len(news["seat_lamps"]) == len(patterns)
