"""The desk: follows what everyone at its table may know, and lets its devices show, sound and print it."""

import json
import logging
import os
import signal
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from threading import Event, Lock, Thread
from types import FrameType
from typing import Any

from hardware.buzzer import Buzzer
from hardware.health import Health
from hardware.jobs import Job, Jobs
from hardware.lights import Lights
from hardware.pins import open_pins
from hardware.printer import Printer, VirtualPrinter
from hardware.reports import Reports
from hardware.server import GONE, Server, Stream
from referee.cues import LAMPS, counting, cue
from referee.settings import Settings
from referee.sheets import from_wire

log = logging.getLogger(__name__)

ENDS = (signal.SIGTERM, signal.SIGINT)
DEVICES = ("lights", "buzzer", "printer")
UNREADABLE = (ValueError, LookupError, TypeError, AttributeError)


@dataclass(frozen=True)
class Pace:
    """Seconds between tries."""

    reconnect: tuple[float, ...] = (0.5, 1.0, 2.0, 5.0)  # the last one over and over
    retry: float = 3.0  # a print job that failed
    idle: float = 20.0  # a look at a printer that has nothing to print


def run_desk(server_url: str, key: str, settings: Settings) -> None:
    """Be the desk until told to end (SIGTERM, Ctrl-C)."""
    for sign in ENDS:
        signal.signal(sign, _end)
    settings = rooted(settings)
    with _scratch():
        factory = open_pins() if has_pins(settings) else None
        with closing(Desk(Server(server_url, settings.desk.name, key), settings, factory)) as desk:
            desk.wait()


def has_pins(settings: Settings) -> bool:
    return any(getattr(settings.lights, lamp) is not None for lamp in (*LAMPS, "buzzer"))


def rooted(settings: Settings) -> Settings:
    """The settings with the whole path of the printer's device, for lgpio changes the working directory."""
    device = settings.printer.device and str(Path(settings.printer.device).absolute())
    return replace(settings, printer=replace(settings.printer, device=device))


def _end(_signal: int, _frame: FrameType | None) -> None:
    for sign in ENDS:
        signal.signal(sign, signal.SIG_IGN)  # once is enough
    sys.exit(0)


@contextmanager
def _scratch() -> Iterator[None]:
    """A directory of our own for what libraries leave lying about: lgpio's pipes, python-escpos' tables."""
    with tempfile.TemporaryDirectory(prefix="desk-", ignore_cleanup_errors=True) as directory:
        os.environ.setdefault("LG_WD", directory)
        tempfile.tempdir = directory
        yield


class Desk:
    """The devices of one desk and the stream they follow."""

    def __init__(
        self, server: Server, settings: Settings, factory: Any | None, pace: Pace | None = None
    ) -> None:
        self._server = server
        self._pace = pace = pace or Pace()
        self._health: dict[str, Health] = {}
        self._lock = Lock()
        self._closed = Event()
        self._stream: Stream | None = None
        self._table: str | None = None
        self._reports = Reports(server, pace.reconnect[-1])
        self._lights = Lights(settings.lights, factory, partial(self._notice, "lights"))
        self._buzzer = Buzzer(
            settings.lights.buzzer, factory, settings.desk.mute, partial(self._notice, "buzzer")
        )
        printer = VirtualPrinter() if settings.printer.connection == "none" else Printer(settings.printer)
        self._jobs = Jobs(printer, self._report, partial(self._notice, "printer"), pace.retry, pace.idle)
        self._follower = Thread(target=self._follow, name="stream", daemon=True)
        self._follower.start()

    def wait(self) -> None:
        self._closed.wait()

    def close(self) -> None:
        """Hang up, put everything out, and tell what is left to tell: well within a second."""
        self._closed.set()
        if stream := self._stream:
            stream.hang_up()
        self._lights.close()
        self._buzzer.close()
        self._jobs.close()
        self._reports.close()
        self._follower.join(0.1)

    def _notice(self, device: str, health: Health) -> None:
        with self._lock:
            if self._health.get(device) == health:
                return
            self._health[device] = health
        self._tell_health()

    def _tell_health(self) -> None:
        """Once all devices are known."""
        with self._lock:
            if len(self._health) == len(DEVICES):
                self._reports.send("health", {device: asdict(self._health[device]) for device in DEVICES})

    def _report(self, job: int, body: Mapping[str, Any]) -> None:
        self._reports.send(f"jobs/{job}", body)

    def _follow(self) -> None:
        tries = 0
        while not self._closed.is_set():
            try:
                self._stream = self._server.events()
                tries = 0
                self._listen(self._stream)
            except GONE as trouble:
                log.info("The server is away: %s", trouble)
            except Exception:
                log.exception("The desk cannot follow its server.")
            self._jobs.forget()
            self._closed.wait(self._pace.reconnect[min(tries, len(self._pace.reconnect) - 1)])
            tries += 1

    def _listen(self, stream: Stream) -> None:
        try:
            self._tell_health()
            if self._closed.is_set():  # while the stream was being opened
                return
            for name, data in stream:
                if self._closed.is_set():
                    break
                self._hear(name, data)
        finally:
            stream.close()

    def _hear(self, name: str, data: str) -> None:
        hears = {"view": self._view, "news": self._news, "job": self._job}
        try:
            if name in hears:  # a later server may tell more
                hears[name](json.loads(data))
        except UNREADABLE:
            log.exception("The desk does not understand this %s.", name)

    def _view(self, view: Mapping[str, Any] | None) -> None:
        """Whose turn it is, shown without a cue. Another table, or none: all lamps out first."""
        table = view["table"] if view is not None else None
        if table != self._table:
            self._table = table
            self._lights.darken()
        if view is not None:
            self._lights.turn(_lamps_of_turn(view))

    def _news(self, news: Mapping[str, Any]) -> None:
        if (sign := cue(news["key"])) is None:
            return
        seats = [f"seat_{number}" for number in news["seat_lamps"]]
        if sign.counts:
            self._count(seats, list(news[sign.counts].values()))
            return
        self._lights.play(seats if sign.lamp == "seat" else [sign.lamp], sign.pattern, sign.stays)
        self._buzzer.play(sign.tune)

    def _count(self, seats: list[str], figures: list[int]) -> None:
        """Each seat's figure, one after the other, as flashes and beeps."""
        patterns, tune = counting(figures)
        for lamp, pattern in zip(seats, patterns, strict=False):  # more may sit there than there are lamps
            self._lights.play([lamp], pattern, stays=False)
        self._buzzer.play(tune)

    def _job(self, job: Mapping[str, Any]) -> None:
        try:
            self._jobs.take(Job(job["job"], job["table"], from_wire(job["blocks"])))
        except UNREADABLE:
            self._report(job["job"], {"state": "failed", "reason": "unreadable"})
            raise


def _lamps_of_turn(view: Mapping[str, Any]) -> list[str]:
    """Seats have their lamps in the order in which the view names them; a team has all of its own lit."""
    at_turn = view["sides"].get(view["public"]["turn"], []) if view["status"] == "playing" else []
    return [f"seat_{number}" for number, seat in enumerate(view["seats"], 1) if seat in at_turn]
