"""Tracebacks in the log without exception messages: a message may contain a secret, such as a hidden card."""

import logging
import traceback


class RedactMessages(logging.Filter):
    """Passes every record, with exception messages removed from its traceback.

    Messages of OSError and of the exception types given here stay: they are only about files and the disk.
    """

    def __init__(self, *safe: type[Exception]) -> None:
        super().__init__()
        self._safe: tuple[type[Exception], ...] = (OSError, *safe)

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and record.exc_info[1]:
            record.exc_text = redacted_traceback(record.exc_info[1], self._safe)
        return True


def redacted_traceback(error: BaseException, safe: tuple[type[Exception], ...]) -> str:
    """The traceback of an exception, after those of its causes; messages only of the types in `safe`."""
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    causes = f"{redacted_traceback(cause, safe)}\nwhich led to\n" if cause else ""
    where = "".join(traceback.format_tb(error.__traceback__))
    message = f": {error}" if isinstance(error, safe) else ""
    return f"{causes}Traceback (most recent call last):\n{where}{type(error).__qualname__}{message}"
