"""The OpenAPI description is complete and exact, and the server keeps to it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from referee.games import GAMES
from tests.support.soak import LONG
from tests.support.web.http_client import Client, Phone, Table
from tests.support.web.random_player import hide
from tests.support.web.server_process import ROOT, Running
from web.api.openapi import DESCRIPTION, PATHS
from web.api.schemas import SCHEMAS
from web.wire.errors import STATUS


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in PATHS.items():
        for method in item.keys() & {"get", "post", "delete"}:
            yield method, path, item[method]


def test_it_is_served(client: Client) -> None:
    answer = client.get("/api/openapi.json")
    assert (answer.status, answer.kind) == (200, "application/json")
    assert answer.json == DESCRIPTION
    assert answer.json["openapi"].startswith("3.1")


def test_every_call_of_the_contract_is_there() -> None:
    assert {(method, path) for method, path, _ in operations()} == {
        ("get", "/healthz"),
        ("get", "/api/games"),
        ("post", "/api/tables"),
        ("post", "/api/clock"),
        ("post", "/api/tables/{table}/seats/{seat}"),
        ("post", "/api/tables/{table}/join"),
        ("get", "/api/tables/{table}"),
        ("get", "/api/tables/{table}/me"),
        ("get", "/api/tables/{table}/events"),
        ("get", "/api/tables/{table}/me/events"),
        ("post", "/api/tables/{table}/moves"),
        *(("post", f"/api/tables/{{table}}/{verb}") for verb in ("ask", "answer", "rematch")),
        ("get", "/api/tables/{table}/record"),
        *(("get", f"/api/tables/{{table}}/sheet.{form}") for form in ("txt", "html", "png", "pdf")),
        ("post", "/api/tables/{table}/print"),
        ("get", "/api/desks/{desk}/events"),
        ("post", "/api/desks/{desk}/jobs/{job}"),
        ("post", "/api/desks/{desk}/health"),
        ("post", "/api/desks/{desk}/sound"),
        ("post", "/api/desks/{desk}/end"),
        *((method, "/api/shelf/{game}/{option}") for method in ("get", "post")),
        ("delete", "/api/shelf/{game}/{option}/{name}"),
        ("get", "/api/history"),
        ("delete", "/api/history/{table}"),
        ("get", "/api/players"),
        ("delete", "/api/players/{name}"),
    }


def refusals_of(operation: dict[str, Any]) -> set[str]:
    answers = (answer["content"] for status, answer in operation["responses"].items() if int(status) >= 400)
    schemas = (content["application/problem+json"]["schema"] for content in answers)
    return {code for schema in schemas for code in schema["allOf"][1]["properties"]["code"]["enum"]}


def test_every_refusal_stands_at_its_status() -> None:
    told = set()
    for _, _, operation in operations():
        for status, answer in operation["responses"].items():
            if int(status) >= 400:
                codes = answer["content"]["application/problem+json"]["schema"]["allOf"][1]
                assert {STATUS[code] for code in codes["properties"]["code"]["enum"]} == {int(status)}
        told |= refusals_of(operation)
    assert told == set(STATUS) - {"broken", "wrong-method"}  # the one should not be, the other has no call


def test_moves_and_options_are_those_of_the_games() -> None:
    assert {name for name in SCHEMAS if name.startswith("Move_")} == {
        f"Move_{game.id}_{kind}" for game in GAMES.values() for kind in game.moves
    }
    swap = SCHEMAS["Move_agent_hunter_swap"]
    assert swap["required"] == ["version", "type", "house", "card", "decoy"]
    assert SCHEMAS["Move_agent_hunter_hide"]["properties"]["houses"] == {
        "type": "array",
        "items": {"type": "integer"},
    }


# ---- whatever it is sent

CONFIG = """
seed = 1
max-stream-events = 1
continue-on-failure = true

[generation]
max-examples = {examples}
database = "none"

[phases]
examples.enabled = false
stateful.enabled = false

[checks]  # paper is rationed, whoever asks for it: 429
positive_data_acceptance.expected-statuses = ["2xx", "401", "403", "404", "409", "422", "429"]

[warnings]
enabled = false
"""

OPERATION = """
[[operations]]
include-operation-id = {names}
headers = {{ Authorization = "Bearer {token}" }}
parameters = {{ {parameters} }}
"""


def as_(names: list[str], token: str, **parameters: str | int) -> str:
    """These operations are called with this token and these parameters."""
    given = ", ".join(f'"path.{name}" = {value!r}' for name, value in parameters.items())
    return OPERATION.format(names=names, token=token, parameters=given)


def prepared(server: Running) -> tuple[str, Phone]:
    """Tables in every state for the calls that need one; who moves."""
    client = server.client
    finished = client.open_table(desk=None, options={"first": "target", "turn_cap": 2})
    phones = finished.everybody()
    hide(phones)
    for phone in phones.values():
        phone.moves("attack_from_hand", card=0, house=1)
    waiting: Table = client.open_table(desk=None)
    early = waiting.join("target")
    playing = client.open_table(game="agent_double", desk=None, options={"first": "red"})
    players = playing.everybody()  # of a game with moves of every form, free text among them
    for player in players.values():
        player.moves("assign_loyalty", tokens=[1, 2, 2, 3, 4, 5])
    asking = client.open_table(desk=None, options={"first": "target"})
    askers = asking.everybody()
    job = client.bearing(waiting.host).post(f"{waiting.path}/print", {"what": "join"}).json["job"]
    key = server.desk_key()
    rules = [
        as_(["table", "events", "join"], "none", table=waiting.code, seat="mask"),
        as_(["me", "my_events"], early.token, table=waiting.code),
        as_(["move"], players["red"].token, table=playing.code),
        as_(["sheet_txt", "sheet_html", "sheet_png", "sheet_pdf"], "none", table=finished.code),
        as_(["record"], "none", table=finished.code),
        as_(["rematch"], finished.host, table=finished.code),
        as_(["ask", "answer"], askers["mask"].token, table=asking.code),
        as_(["print"], finished.host, table=finished.code),
        as_(["desk_events", "desk_health", "desk_sound"], key, desk="main"),
        as_(["job_done"], key, desk="main", job=job),
    ]
    return "".join(rules), players["red"]


def test_it_keeps_to_its_description_whatever_it_is_sent(own_server: Running, tmp_path: Path) -> None:
    rules, mover = prepared(own_server)
    config = tmp_path / "schemathesis.toml"
    config.write_text(CONFIG.format(examples=8 * LONG) + rules)
    ran = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(config), "run"),
            *("--checks", "all", "--no-color", f"{own_server.url}/api/openapi.json"),
        ],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "SCHEMATHESIS_HOOKS": "tests.support.web.schemathesis_hooks",
            "REFEREE_URL": own_server.url,
            "REFEREE_TOKEN": mover.token,
        },
        text=True,
        capture_output=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    calls = len(list(operations()))
    assert f"{calls} selected" in ran.stdout or f"{calls} passed" in ran.stdout, ran.stdout
    assert mover.view()["version"] > 4, "no move was legal"
    own_server.stop()
    assert "Traceback" not in own_server.said()
