"""The log: whatever stands in a record it is one line, and no flood of records fills the disk."""

import logging
import re
import time
from collections.abc import Callable
from types import TracebackType

from web.faults import without_words

MOST = 100  # records a minute
LONGEST = 4000  # characters of one
UNSEEN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def visible(text: str) -> str:
    """The text with what a terminal would obey written out."""
    return UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def shortened(text: str) -> str:
    """How it begins and how it ends: a traceback tells most at its end."""
    if len(text) <= LONGEST:
        return text
    begins, ends = text[: LONGEST // 4], text[-LONGEST * 3 // 4 :]
    return f"{begins}\n… {len(text) - LONGEST} characters are left out …\n{ends}"


class Plain(logging.Formatter):
    """Nobody forges a line or colours the screen of whoever reads the log."""

    def format(self, record: logging.LogRecord) -> str:
        return shortened(super().format(record))

    def formatMessage(self, record: logging.LogRecord) -> str:
        return visible(super().formatMessage(record)).replace("\n", "\\n")

    def formatException(self, ei: ExcInfo) -> str:
        return visible(super().formatException(ei))


class Quiet(logging.Filter):
    """So many records a minute; the next one says that the rest are left out."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._since, self._count = clock(), 0

    def filter(self, record: logging.LogRecord) -> bool:
        if self._clock() - self._since >= 60:
            self._since, self._count = self._clock(), 0
        self._count += 1
        if self._count == MOST + 1:
            record.msg, record.args = "too much to tell: the rest of this minute is left out", ()
            record.exc_info = record.exc_text = record.stack_info = None
        return self._count <= MOST + 1


def write_to_stderr() -> None:
    """Send everything that is logged here, once and in this form."""
    handler = logging.StreamHandler()
    handler.setFormatter(Plain("%(levelname)s: %(message)s"))
    handler.addFilter(without_words)
    handler.addFilter(Quiet())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
