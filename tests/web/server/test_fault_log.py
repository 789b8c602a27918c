"""The log of an unexpected error: where it happened and its type, not its message."""

import io
import logging

import pytest

from web.server.fault_log import RedactMessages
from web.store.engine import DatabaseError

CANARY = "canary-5c1f"


def stumble(error: Exception) -> None:
    raise error


def logged(error: Exception, before: Exception) -> str:
    """An error that came of another, as a log with our filter writes it."""
    written, log = io.StringIO(), logging.Logger("test")
    log.addHandler(logging.StreamHandler(written))
    log.addFilter(RedactMessages(DatabaseError))
    with pytest.raises(type(error)) as raised:
        try:
            stumble(before)
        except (KeyError, OSError, DatabaseError) as first:
            raise error from first
    log.error("something failed", exc_info=raised.value)
    return written.getvalue()


def test_it_tells_where_and_of_which_kind_and_what_led_to_it() -> None:
    text = logged(ValueError("no"), KeyError("key"))
    assert text.startswith("something failed\nTraceback (most recent call last):\n")
    assert text.index("KeyError\nwhich led to\nTraceback") < text.index("ValueError")
    assert "in stumble" in text
    assert __file__ in text


def test_it_does_not_tell_what_the_error_said() -> None:
    assert CANARY not in logged(ValueError(f"no place for {CANARY}"), KeyError(CANARY))


def test_messages_of_disk_errors_are_logged() -> None:
    assert "OSError: [Errno 28] Full\n" in logged(ValueError(CANARY), OSError(28, "Full"))
    assert "Error: disk I/O error\n" in logged(ValueError(CANARY), DatabaseError("disk I/O error"))
