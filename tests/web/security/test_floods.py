"""Floods: the work for one request is bounded, however much it sends."""

import io
import json
import logging
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from werkzeug.http import parse_accept_header

from referee.core.moves import normalized_text
from tests.support.web.http_client import Client
from web import request_context
from web.pages.rendering import language
from web.security import caller
from web.server.fault_log import RedactMessages
from web.server.flask_app import create_app
from web.server.logs import LONGEST, SafeFormatter
from web.wire.names import clean_name, person_key

MARKS = "a" + "".join(mark * 2600 for mark in "\u0345\u0315\u0300\u0316")  # in the order that is slowest


@pytest.fixture
def normalized(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The lengths of all texts that are put into a normal form."""
    lengths: list[int] = []
    really = unicodedata.normalize

    def measured(form: Any, text: str) -> str:
        lengths.append(len(text))
        return really(form, text)

    monkeypatch.setattr(unicodedata, "normalize", measured)
    yield lengths


# ---- long texts


@pytest.mark.parametrize("read", [person_key, clean_name, normalized_text])
def test_a_long_text_is_cut_before_its_accents_are_sorted(
    read: Callable[[str], str], normalized: list[int]
) -> None:
    assert read(MARKS)[:1] == "a"
    assert 0 < max(normalized) <= 1000


def test_the_languages_a_phone_asks_for_are_read_once_and_not_to_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read, asked = list[int](), list[str | None]()
    nobody: Any = None
    app = create_app(nobody, nobody)

    def parsed(text: str, kind: Any) -> Any:
        read.append(len(text))
        return parse_accept_header(text, kind)

    def found(headers: caller.Headers, cookies: dict[str, str]) -> str:
        asked.append(headers.get("accept-language"))
        return caller.language(headers, cookies)

    monkeypatch.setattr(caller, "parse_accept_header", parsed)
    monkeypatch.setattr(request_context, "language", found)
    with app.test_request_context("/", headers={"Accept-Language": "en," + "x," * 30_000}):
        assert [language() for _ in range(9)] == ["en"] * 9
    assert (read, len(asked)) == ([200], 1)


# ---- presets


DECK = "/presets/agent_double/deck"
ZEROS = "[" + ",".join("0" * 8000) + "]"
DEEP = "value" + ".a" * 1200


@pytest.mark.parametrize(
    "fields",
    [
        [("value.cards", ZEROS)],
        [("value.cards:all", "[0,0,0,0,0,0,0,0,0,0]")] * 20,
        [("value.cards.0.effect", ZEROS)],
        [("value.cards:each", "1")] * 100,
        [(f"value.cards.{n}.back:text", "0") for n in range(100)],
        [("value.cards", '{"a":' * 100 + "0" + "}" * 100)],
        [(DEEP, "1")],
    ],
    ids=["list", "lists", "list below", "fields", "numbers", "braces", "steps"],
)
def test_a_drawing_larger_than_any_is_refused(client: Client, fields: list[tuple[str, str]]) -> None:
    assert client.get(f"{DECK}?{urlencode(fields)}").status in (400, 431)
    form = client.with_(Content_Type="application/x-www-form-urlencoded")
    assert form.call("POST", DECK, urlencode(fields).encode()).status == 400


def test_a_file_with_a_drawing_larger_than_any_is_refused(client: Client) -> None:
    cards = [0] * 5000
    content = json.dumps({"referee": "deck", "game": "agent_double", "name": "x", "value": {"cards": cards}})
    parts = f'--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n{content}\r\n--x--\r\n'
    answer = client.with_(Content_Type="multipart/form-data; boundary=x").call("POST", DECK, parts.encode())
    assert (answer.status, len(answer.content) < 300_000) == (400, True)


def test_rows_have_an_end(client: Client) -> None:
    many = {"value.cards": '[{"effect":[0,0,0,0,0,0,0,0]}%s]' % (',{"effect":[0,0,0,0,0,0,0,0]}' * 49)}
    page = client.get(f"{DECK}?{urlencode(many)}").content
    assert page.count(b"data-card-of-deck") <= 30
    assert page.count(b".effect:all") <= 30 * 6


# ---- the log


def test_a_deep_traceback_is_logged_in_short() -> None:
    written = io.StringIO()
    out = logging.StreamHandler(written)
    out.setFormatter(SafeFormatter("%(levelname)s: %(message)s"))
    log = logging.Logger("test")
    log.addHandler(out)
    log.addFilter(RedactMessages())

    def one(left: int) -> None:
        other(left - 1)

    def other(left: int) -> None:
        one(left if left else 1 // left)

    try:
        one(400)
    except ZeroDivisionError:
        log.exception("GET %s failed", "x" * 10_000)
    text = written.getvalue()
    assert len(text) <= LONGEST + 100
    assert text.startswith("ERROR: GET x")
    assert text.endswith("ZeroDivisionError\n")
