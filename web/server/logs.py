"""Logging to stderr: control characters are escaped, records are cut to length and rate-limited."""

import logging
import re
import time
from collections.abc import Callable
from types import TracebackType

from web.server.fault_log import RedactMessages

MOST = 100  # records a minute
LONGEST = 4000  # characters of a record
UNSEEN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def visible(text: str) -> str:
    """The text with control, bidi and zero-width characters escaped."""
    return UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def shortened(text: str) -> str:
    """The first quarter and the last three quarters of the limit: the end of a traceback matters most."""
    if len(text) <= LONGEST:
        return text
    begins, ends = text[: LONGEST // 4], text[-LONGEST * 3 // 4 :]
    return f"{begins}\n… {len(text) - LONGEST} characters are left out …\n{ends}"


class SafeFormatter(logging.Formatter):
    """Prevents forged log lines and terminal escape sequences."""

    def format(self, record: logging.LogRecord) -> str:
        return shortened(super().format(record))

    def formatMessage(self, record: logging.LogRecord) -> str:
        return visible(super().formatMessage(record)).replace("\n", "\\n")

    def formatException(self, ei: ExcInfo) -> str:
        return visible(super().formatException(ei))


class LogRateLimit(logging.Filter):
    """Passes `MOST` records a minute, and one more that says that the rest are left out."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._since, self._count = clock(), 0

    def filter(self, record: logging.LogRecord) -> bool:
        if self._clock() - self._since >= 60:
            self._since, self._count = self._clock(), 0
        self._count += 1
        if self._count == MOST + 1:
            record.msg, record.args = "too many log records: the rest of this minute is left out", ()
            record.exc_info = record.exc_text = record.stack_info = None
        return self._count <= MOST + 1


def write_to_stderr(*safe: type[Exception]) -> None:
    """Send all log records to stderr in this form, with the messages of these exception types."""
    handler = logging.StreamHandler()
    handler.setFormatter(SafeFormatter("%(levelname)s: %(message)s"))
    handler.addFilter(RedactMessages(*safe))
    handler.addFilter(LogRateLimit())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
