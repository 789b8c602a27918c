"""How tests ask and answer questions over HTTP."""

from collections.abc import Mapping
from typing import Any

from tests.support.web.http_client import Answer, Client, Phone, Table


def asks(who: Phone | Client, kind: str, table: Table, version: int | None = None, **fields: Any) -> Answer:
    client = who.client if isinstance(who, Phone) else who
    at = table.view()["version"] if version is None else version
    return client.post(f"{table.path}/ask", {"version": at, "kind": kind, **fields})


def answers(phone: Phone, accept: bool = True) -> Answer:
    return phone.client.post(f"{phone.table.path}/answer", {"accept": accept})


def host(table: Table) -> Client:
    return table.client.bearing(table.host)


def kinds(answer: Answer) -> list[str]:
    assert answer.status == 200, answer.content
    return [news["kind"] for news in answer.json["news"]]


def next_table(table: Table, code: str) -> Table:
    return Table(table.client, {"table": code, "host": table.host, "seats": []})


def moved_to(phones: Mapping[str, Phone], table: Table) -> dict[str, Phone]:
    return {seat: Phone(table, seat, phone.token) for seat, phone in phones.items()}
