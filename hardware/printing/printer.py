"""The thermal printer, real or virtual: prints blocks and reports its status."""

import errno
import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from typing import Protocol

from escpos import constants

from hardware.devices.health import Health
from hardware.printing.connections import CONNECTIONS, Connection, ConnectionEnded
from hardware.printing.escpos_commands import accents, commands
from referee.presentation.sheets import Block
from referee.program import settings

RESET_BY_OPENING = ("usb", "serial")
UNSURE = "unsure"  # the reason of a job that may or may not be on paper: somebody has to look

log = logging.getLogger(__name__)


class PrinterError(Exception):
    """Why printing failed: `offline`, `cover-open`, `paper-out`, `no-access`, `no-driver`, `unsure`."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The printer does not print: {reason}.")
        self.reason = reason


class PaperPrinter(Protocol):
    """Something that prints."""

    def print(self, blocks: Iterable[Block]) -> Health: ...

    def check(self) -> Health: ...


class VirtualPrinter:
    """Used without a printer: jobs succeed at once, and the desk's page shows the paper.

    For testing, it can simulate the fault of a real printer.
    """

    def __init__(self) -> None:
        self.fault = ""

    def print(self, blocks: Iterable[Block]) -> Health:
        if self.fault:
            raise PrinterError(self.fault)
        return self.check()

    def check(self) -> Health:
        return Health(False, self.fault) if self.fault else Health(True, "virtual")


class Printer:
    """A thermal printer. It is opened for each job, so that it may be unplugged in between."""

    def __init__(self, printer: settings.PrinterSettings) -> None:
        self._settings = printer
        self._last_working: Health | None = None  # its last known health, if it was working
        self._answers: bool | None = None  # whether it answers status requests; None: not known yet
        self._fell_silent = False  # it stopped answering after the last complete job
        self._broke_off = False  # it broke the connection after the last complete job

    def print(self, blocks: Iterable[Block]) -> Health:
        """Print the blocks; raises `PrinterError` on failure."""
        return self._send(list(commands(blocks, self._settings)))  # build all commands before sending any

    def print_accents(self) -> Health:
        """Print a test page that shows which code page this printer has."""
        return self._send([accents(self._settings)])

    def _send(self, pieces: list[bytes]) -> Health:
        self._last_working = None
        with self._opened() as connection:
            self._state(connection)
            for piece in pieces:
                connection.send(piece)
            self._last_working = Health(True, self._state_afterwards(connection))
        return self._last_working

    def check(self) -> Health:
        """The printer's health, without printing. A working one that opening would reset is not opened."""
        if self._settings.connection == "file":
            return _check_file(self._settings.device)
        if self._settings.connection in RESET_BY_OPENING and self._last_working:
            return self._last_working
        self._answers = self._answers or None  # ask again one that did not answer before
        try:
            with self._opened() as connection:
                self._last_working = Health(True, self._state(connection))
        except PrinterError as trouble:
            return Health(False, trouble.reason)
        return self._last_working

    @contextmanager
    def _opened(self) -> Iterator[Connection]:
        connection = None
        try:
            connection = CONNECTIONS[self._settings.connection](self._settings)
            with closing(connection):
                yield connection
        except PrinterError:
            raise
        except Exception as error:
            if connection is None:
                self._answers = None  # it may be another printer that comes back
            log.info("The printer cannot be reached: %s", error)
            raise PrinterError(_reason(error)) from error

    def _state(self, connection: Connection) -> str:
        """`ready`, `paper-low` or `silent`; raises `PrinterError` for any other state."""
        paper = self._ask(connection, constants.RT_STATUS_PAPER)
        online = self._ask(connection, constants.RT_STATUS_ONLINE)
        if online is not None and online & constants.RT_MASK_ONLINE:
            paper = self._ask(connection, constants.RT_STATUS_PAPER)  # it may have run out between the two
        if online is None or paper is None:
            return "silent"
        if paper & constants.RT_MASK_NOPAPER == constants.RT_MASK_NOPAPER:
            raise PrinterError("paper-out")
        if online & constants.RT_MASK_ONLINE:
            raise PrinterError("cover-open")  # it answers and has paper, so the cover is the likely cause
        return "paper-low" if paper & constants.RT_MASK_LOWPAPER == constants.RT_MASK_LOWPAPER else "ready"

    def _state_afterwards(self, connection: Connection) -> str:
        """Whether the job was printed completely.

        A printer that closes the connection after a job has printed it. One that reports a fault, stops
        answering or breaks the connection may have lost the job, so it is printed again. After the second
        attempt, a job counts as printed if the printer only stopped answering. If it broke the connection
        again, nobody knows: the job is neither printed nor repeated.
        """
        connection.wait_for_paper()
        fell_silent, broke_off = self._fell_silent, self._broke_off
        self._fell_silent = self._broke_off = False
        try:
            return self._state(connection)
        except ConnectionEnded:
            return "ready"
        except OSError as error:
            self._broke_off = True
            if broke_off:
                raise PrinterError(UNSURE) from error
            raise
        except PrinterError as trouble:
            self._fell_silent = trouble.reason == "offline"
            if self._fell_silent and fell_silent:
                return "silent"
            raise

    def _ask(self, connection: Connection, question: bytes) -> int | None:
        """The answer to a status request; None if there is none.

        A printer that does not answer at first is not asked again. One that has answered before is offline.
        """
        if self._answers is False:
            return None
        answer = _answer(connection, question)
        if answer is None and self._answers:
            raise PrinterError("offline")
        self._answers = answer is not None
        return answer


def _answer(connection: Connection, question: bytes) -> int | None:
    try:
        answer = connection.ask(question)
    except OSError as error:
        if isinstance(error, TimeoutError) or error.errno == errno.ETIMEDOUT:
            return None
        raise
    return answer[0] if answer else None


def _check_file(path: str) -> Health:
    """Check a file without opening it, which would truncate it."""
    if not os.access(path, os.F_OK):
        return Health(False, "offline")
    return Health(True, "silent") if os.access(path, os.W_OK) else Health(False, "no-access")


def _reason(error: BaseException | None) -> str:
    """The reason code of an exception, from the system error in its chain of contexts."""
    while error is not None:
        if isinstance(error, RuntimeError | ImportError) or type(error).__name__ == "NoBackendError":
            return "no-driver"
        if isinstance(error, OSError) and error.errno in (errno.EACCES, errno.EPERM):
            return "no-access"
        error = error.__context__
    return "offline"
