"""Finished games, and what the history tells of them."""

from random import Random
from typing import Any

from tests.support.web.http_client import Client, Phone, Table
from tests.support.web.random_player import play_on


def finished(client: Client, *names: str, game: str = "agent_hunter", seed: int = 1, **options: Any) -> Table:
    """A short game between these people, played to its end."""
    table = client.open_table(game=game, desk=None, options=options)
    phones = {seat: table.join(seat, name) for seat, name in zip(table.keys, names, strict=True)}
    assert play_on(phones, Random(seed))["status"] == "over"
    return table


def stop(table: Table, phones: dict[str, Phone]) -> None:
    """The two at this table agree to end the game."""
    one, other = phones.values()
    one.client.post(f"{table.path}/ask", {"version": table.view()["version"], "kind": "abandon"})
    other.client.post(f"{table.path}/answer", {"accept": True})
    assert table.view()["status"] == "over"


def history(client: Client, query: str = "") -> list[dict[str, Any]]:
    answer = client.get(f"/api/history{query}")
    assert answer.status == 200, answer.content
    return list(answer.json)


def page(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status == 200, (path, answer.content)
    return answer.content.decode()
