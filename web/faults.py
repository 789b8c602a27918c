"""Faults of ours in the log: where and of which kind, not in the words of an error, which may name a card."""

import logging
import traceback

from web.store.engine import Failed

SPEAKS = (OSError, Failed)  # these speak of files and of the disk alone


def without_words(record: logging.LogRecord) -> bool:
    """A filter that lets every record pass, with its traceback as `fault` tells it."""
    if record.exc_info and record.exc_info[1]:
        record.exc_text = fault(record.exc_info[1])
    return True


def fault(error: BaseException) -> str:
    """The traceback of an error, and before it that of what led to it."""
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    led = f"{fault(before)}\nwhich led to\n" if before else ""
    where = "".join(traceback.format_tb(error.__traceback__))
    said = f": {error}" if isinstance(error, SPEAKS) else ""
    return f"{led}Traceback (most recent call last):\n{where}{type(error).__qualname__}{said}"
