"""The log: one line per record, whatever was sent, and a limited number of them."""

import io
import logging

import pytest

from tests.support.fixtures import Start
from tests.support.web.raw_sockets import socket_to
from web.server.logs import MOST, LogRateLimit, SafeFormatter, write_to_stderr


def logged(*said: str, now: list[float] | None = None) -> str:
    written, clock = io.StringIO(), now or [0.0]
    out = logging.StreamHandler(written)
    out.setFormatter(SafeFormatter("%(levelname)s: %(message)s"))
    out.addFilter(LogRateLimit(lambda: clock.pop(0) if len(clock) > 1 else clock[0]))
    log = logging.Logger("test")
    log.addHandler(out)
    for text in said:
        log.error("%s", text, exc_info=ValueError(text))
    return written.getvalue()


def test_control_characters_in_log_messages_are_escaped() -> None:
    text = logged("a\nERROR: all is lost\x1b[2J\r\u202e\x9b")
    assert text.startswith("ERROR: a\\nERROR: all is lost\\x1b[2J\\r\\u202e\\x9b\nValueError: a\n")
    assert not set(text) & set("\x1b\r\u202e\x9b")


def test_a_flood_is_cut_short_and_says_so() -> None:
    text = logged(*["x"] * (MOST + 50))
    assert text.count("ERROR: x") == MOST
    assert text.endswith("ERROR: too many log records: the rest of this minute is left out\n")


def test_logging_resumes_in_the_next_minute() -> None:
    first = [0.0] * (MOST + 5)
    text = logged(*["x"] * (MOST + 5), "later", now=[*first, 61.0])
    assert "ERROR: later" in text


def test_malformed_requests_are_not_logged(start: Start) -> None:
    server = start()
    for sent in (
        b"\x16\x03\x01\r\n\r\n",
        b"GET / HTTP/9\r\n\r\n",
        b"CONNECT a:1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ):
        for _ in range(20):
            with socket_to(server.port, sent) as line:
                line.recv(12)
    upgrade = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
    with socket_to(server.port, upgrade) as line:
        assert line.recv(12) == b"HTTP/1.1 400"
    hostile = server.client.with_(User_Agent="\x1b[2Jx", Referer="http://a\tb").get("/t/%0AERROR")
    assert hostile.status in (400, 404)
    server.stop()
    assert server.said() == ""


def test_exception_messages_of_any_logger_are_redacted(capsys: pytest.CaptureFixture[str]) -> None:
    before = logging.root.handlers[:]
    try:
        write_to_stderr()
        logging.getLogger("hardware.printing.printer").error(
            "it failed", exc_info=ValueError("seven of hearts")
        )
    finally:
        logging.root.handlers[:] = before
    said = capsys.readouterr().err
    assert "ERROR: it failed" in said and "ValueError" in said and "hearts" not in said
