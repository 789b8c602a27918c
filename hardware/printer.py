"""The printer: puts blocks on paper, and says whether it can."""

import errno
import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from hardware.commands import accents, commands
from hardware.connections import CONNECTIONS, receive, send, wait_for_paper
from hardware.health import Health
from referee import settings
from referee.sheets import Block

RESET_BY_OPENING = ("usb", "serial")

log = logging.getLogger(__name__)


class Trouble(Exception):
    """Why nothing is on paper: `offline`, `cover-open`, `paper-out`, `no-access`, `no-driver`."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The printer does not print: {reason}.")
        self.reason = reason


class HungUp(ConnectionError):
    """The printer ended the connection, in good order."""


class Paper(Protocol):
    """Something that prints."""

    def print(self, blocks: Iterable[Block]) -> Health: ...

    def check(self) -> Health: ...


class VirtualPrinter:
    """No printer: the paper is shown on the desk's page, so all is printed at once.

    For trying things out it can have a fault: then it is as a real printer in that state.
    """

    def __init__(self) -> None:
        self.fault = ""

    def print(self, blocks: Iterable[Block]) -> Health:
        if self.fault:
            raise Trouble(self.fault)
        return self.check()

    def check(self) -> Health:
        return Health(False, self.fault) if self.fault else Health(True, "virtual")


class Printer:
    """A thermal printer. It is opened anew for each job, so that it may come and go."""

    def __init__(self, printer: settings.Printer) -> None:
        self._settings = printer
        self._well: Health | None = None  # how it was when last seen, if it was well
        # Whether it answers questions; None: not known yet. A file is only written.
        self._answers: bool | None = False if printer.connection == "file" else None
        self._fell_silent = False  # after the last job that it was sent as a whole

    def print(self, blocks: Iterable[Block]) -> Health:
        """Put the blocks on paper; `Trouble` when that cannot be."""
        return self._send(list(commands(blocks, self._settings)))  # all of them, before any is on paper

    def print_accents(self) -> Health:
        """A page by which the owner of this printer finds its code page."""
        return self._send([accents(self._settings)])

    def _send(self, pieces: list[bytes]) -> Health:
        self._well = None
        with self._opened() as device:
            self._state(device)
            for piece in pieces:
                send(device, self._settings.connection, piece)
            self._well = Health(True, self._state_afterwards(device))
        return self._well

    def check(self) -> Health:
        """How the printer is, without printing. One on a cable that opening resets is left in peace."""
        if self._settings.connection == "file":
            return _check_file(self._settings.device)
        if self._settings.connection in RESET_BY_OPENING and self._well:
            return self._well
        self._answers = self._answers or None  # one that gave no answers may have learnt to
        try:
            with self._opened() as device:
                self._well = Health(True, self._state(device))
        except Trouble as trouble:
            return Health(False, trouble.reason)
        return self._well

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        device = None
        try:
            device = CONNECTIONS[self._settings.connection](self._settings)
            yield device
        except Trouble:
            raise
        except Exception as error:
            log.info("The printer cannot be reached: %s", error)
            raise Trouble(_reason(error)) from error
        finally:
            if device is not None:
                _close(device)

    def _state(self, device: Any) -> str:
        """`ready`, `paper-low`, or `silent`; anything else is trouble."""
        from escpos import constants  # slow: only once something is printed

        paper = self._ask(device, constants.RT_STATUS_PAPER)
        online = self._ask(device, constants.RT_STATUS_ONLINE)
        if online is not None and online & constants.RT_MASK_ONLINE:
            paper = self._ask(device, constants.RT_STATUS_PAPER)  # it may have run out between the two
        if online is None or paper is None:
            return "silent"
        if paper & constants.RT_MASK_NOPAPER == constants.RT_MASK_NOPAPER:
            raise Trouble("paper-out")
        if online & constants.RT_MASK_ONLINE:
            raise Trouble("cover-open")  # it answers, and has paper: hardly anything else keeps it from work
        return "paper-low" if paper & constants.RT_MASK_LOWPAPER == constants.RT_MASK_LOWPAPER else "ready"

    def _state_afterwards(self, device: Any) -> str:
        """Is it all on paper? A printer that hangs up after its job has done it. One that is not ready, or
        answers no more, may have lost it: rather twice than never, but not for ever."""
        wait_for_paper(device, self._settings.connection)
        try:
            state = self._state(device)
        except HungUp:
            state = "ready"
        except (OSError, Trouble) as error:
            is_known = self._fell_silent
            self._fell_silent = not isinstance(error, Trouble) or error.reason == "offline"
            if not (is_known and self._fell_silent):
                raise
            return "silent"
        self._fell_silent = False
        return state

    def _ask(self, device: Any, question: bytes) -> int | None:
        """The printer's answer. One that gives none is not asked again; one that once did must."""
        if self._answers is False:
            return None
        answer = self._answer(device, question)
        if answer is None and self._answers:
            raise Trouble("offline")
        self._answers = answer is not None
        return answer

    def _answer(self, device: Any, question: bytes) -> int | None:
        try:
            send(device, self._settings.connection, question)
            answer = receive(device, self._settings.connection)
        except OSError as error:
            if isinstance(error, TimeoutError) or error.errno == errno.ETIMEDOUT:
                return None
            raise
        if not answer and self._settings.connection == "network":
            raise HungUp("The printer hung up.")
        return answer[0] if answer else None


def _check_file(path: str) -> Health:
    """By its name: opening it would empty it."""
    if not os.access(path, os.F_OK):
        return Health(False, "offline")
    return Health(True, "silent") if os.access(path, os.W_OK) else Health(False, "no-access")


def _reason(error: BaseException | None) -> str:
    """Looks behind the library's own errors for what the system said."""
    while error is not None:
        if isinstance(error, RuntimeError | ImportError) or type(error).__name__ == "NoBackendError":
            return "no-driver"
        if isinstance(error, OSError) and error.errno in (errno.EACCES, errno.EPERM):
            return "no-access"
        error = error.__context__
    return "offline"


def _close(device: Any) -> None:
    try:
        device.close()
    except OSError:
        device.device = None  # it went away in the middle: nothing is left to close
