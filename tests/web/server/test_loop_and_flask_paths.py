"""The loop answers moves, Flask answers questions. What is refused for the same reason reads the same, in
status, headers and words."""

from typing import Any

import pytest

from tests.support.web.http_client import Answer, Client, Phone, Table

IN_LOOP, BY_FLASK = "moves", "answer"
OURS = (
    "content-type",
    "cache-control",
    "content-security-policy",
    "x-content-type-options",
    "referrer-policy",
)
ELSEWHERE = ({"Origin": "http://elsewhere.example"}, {"Sec_Fetch_Site": "cross-site"})
BODIES: dict[str, Any] = {
    "not JSON": None,
    "a list": [],
    "too long": {"note": "x" * 17_000},
}


def refused_alike(client: Client, table: Table, body: Any) -> Answer:
    one, other = (client.post(f"{table.path}/{path}", body) for path in (IN_LOOP, BY_FLASK))
    assert one.status >= 400 and (one.status, one.json) == (other.status, other.json)
    assert [one.headers[name] for name in OURS] == [other.headers[name] for name in OURS]
    return one


@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.parametrize("token", [None, "nobody's"])
def test_whoever_holds_no_seat_is_told_the_same(table: Table, token: str | None, language: str) -> None:
    client = table.client.bearing(token) if token else table.client
    assert refused_alike(client.with_(Accept_Language=language), table, {}).status == 401


@pytest.mark.parametrize("headers", ELSEWHERE)
def test_a_page_of_another_site_changes_nothing_either_way(
    playing: dict[str, Phone], table: Table, headers: dict[str, str]
) -> None:
    answer = refused_alike(playing["target"].client.with_(**headers), table, {})
    assert answer.code == "not-allowed" and table.view()["version"] == 4


def test_a_foreign_host_is_refused_either_way(playing: dict[str, Phone], table: Table) -> None:
    client = playing["target"].client.with_(Host="elsewhere.example")
    assert refused_alike(client, table, {}).code == "not-allowed"


@pytest.mark.parametrize("path", ["live", "s/target/live"])
def test_a_page_of_a_refusal_names_the_method_that_is_allowed(table: Table, path: str) -> None:
    answer = table.client.post_form(f"/t/{table.code}/{path}")
    assert (answer.status, answer.kind, answer.headers["Allow"]) == (405, "text/html", "GET")


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_body_that_is_none_is_told_the_same(playing: dict[str, Phone], table: Table, body: Any) -> None:
    asks = {"version": 4, "kind": "undo"}
    playing["target"].client.post(f"{table.path}/ask", asks)
    refused_alike(playing["mask"].client, table, body)
