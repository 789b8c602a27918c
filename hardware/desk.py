"""The desk: follows what everyone at its table may know, and lets its devices show, sound and print it."""

import json
import logging
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from threading import Event, Lock, Thread
from types import FrameType
from typing import Any

from hardware.buttons import Buttons
from hardware.buzzer import Buzzer
from hardware.errands import Errands
from hardware.health import Health
from hardware.jobs import Job, Jobs
from hardware.lights import Lights
from hardware.pins import open_pins
from hardware.printer import Printer, VirtualPrinter
from hardware.reports import Reports
from hardware.server import GONE, Server, Stream
from hardware.voice import Voice
from referee.cues import DONE, REFUSED, SOUNDS, SPOKEN, counting, cue
from referee.settings import Settings, pins
from referee.sheets import FAULTS, from_wire
from referee.words import DEFAULT

log = logging.getLogger(__name__)

ENDS = (signal.SIGTERM, signal.SIGINT)
DEVICES = ("lights", "buzzer", "voice", "buttons", "printer")
UNREADABLE = (ValueError, LookupError, TypeError, AttributeError)


@dataclass(frozen=True)
class Pace:
    """Seconds between tries."""

    reconnect: tuple[float, ...] = (0.5, 1.0, 2.0, 5.0)  # the last one over and over
    retry: float = 3.0  # a print job that failed
    idle: float = 20.0  # a look at a printer that has nothing to print


def run_desk(
    server_url: str,
    key: str,
    settings: Settings,
    every: float | None = None,
    well: Callable[[], None] = lambda: None,
) -> None:
    """Be the desk until told to end (SIGTERM, Ctrl-C); say every so many seconds that all workers live."""
    for sign in ENDS:
        signal.signal(sign, _end)
    settings = rooted(settings)
    with _scratch():
        factory = open_pins() if has_pins(settings) else None
        with closing(Desk(Server(server_url, settings.desk.name, key), settings, factory)) as desk:
            while not desk.wait(every):
                if desk.is_alive:
                    well()


def has_pins(settings: Settings) -> bool:
    return bool(pins(settings))


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
        self._ending = False
        self._stream: Stream | None = None
        self._lost = False  # the server was there and is gone, or has been away for a while
        self._is_heard = False  # whether the server has told us anything over this stream
        self._table: str | None = None
        self._language = DEFAULT  # of the table
        self._reports = Reports(server, pace.reconnect[-1])
        self._lights = Lights(settings.lights, factory, partial(self._notice, "lights"))
        self._buzzer = Buzzer(
            settings.lights.buzzer, factory, settings.desk.mute, partial(self._notice, "buzzer")
        )
        self._voice = Voice(settings.desk.voice and not settings.desk.mute, partial(self._notice, "voice"))
        self._lights.status("starting")
        has_printer = settings.printer.connection != "none"
        self._printer = Printer(settings.printer) if has_printer else VirtualPrinter()
        self._jobs = Jobs(
            self._printer, self._report, partial(self._notice, "printer"), pace.retry, pace.idle
        )
        self._errands = Errands(server, has_printer, self._answer)
        self._buttons = Buttons(settings.buttons, factory, self._pressed, partial(self._notice, "buttons"))
        self._follower = Thread(target=self._follow, name="stream", daemon=True)
        self._follower.start()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the desk is closed; False when it is not by then."""
        return self._closed.wait(seconds)

    @property
    def is_alive(self) -> bool:
        devices = (self._lights, self._buzzer, self._voice, self._buttons, self._jobs)
        parts = (*devices, self._errands, self._reports)
        return self._follower.is_alive() and all(part.is_alive for part in parts)

    def close(self) -> None:
        """Hang up, put everything out, and tell what is left to tell: well within a second."""
        self._closed.set()
        if stream := self._stream:
            stream.hang_up()
        self._buttons.close()
        self._errands.close()
        self._lights.close()
        self._buzzer.close()
        self._voice.close()
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
            if len(self._health) < len(DEVICES):
                return
            self._reports.send("health", {device: asdict(self._health[device]) for device in DEVICES})
        self._tell_status()

    def _tell_status(self) -> None:
        """By the status lamp: an evening that ends, a device or a server that fails, or all well."""
        well = self._is_heard and all(health.ok for health in self._health.copy().values())
        if self._ending or self._is_heard or self._lost:
            self._lights.status("ending" if self._ending else "ready" if well else "trouble")

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
            self._lost = self._lost or self._is_heard or tries >= len(self._pace.reconnect)
            self._is_heard = False
            self._tell_status()
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
                if not self._is_heard:
                    self._is_heard = True
                    self._tell_status()
        finally:
            stream.close()

    def _hear(self, name: str, data: str) -> None:
        hears = {"view": self._view, "news": self._news, "job": self._job}
        hears |= {"sound": self._sound, "fault": self._fault, "screen": self._screen}
        try:
            if name in hears:  # a later server may tell more
                hears[name](json.loads(data))
        except UNREADABLE:
            log.exception("The desk does not understand this %s.", name)

    def _view(self, view: Mapping[str, Any] | None) -> None:
        """Whose turn it is, shown without a cue. Another table, or none: all lamps out first."""
        self._errands.at(view)
        table = view["table"] if view is not None else None
        if table != self._table:
            self._table = table
            self._lights.darken()
        if view is not None:
            self._language = view["options"]["language"]
            self._lights.turn(_lamps_of_turn(view))

    def _news(self, news: Mapping[str, Any]) -> None:
        if news["kind"] in SPOKEN:
            self._voice.say(news["text"], self._language)
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

    def _sound(self, told: Mapping[str, Any]) -> None:
        if told["sound"] in SOUNDS:
            self._buzzer.volume = self._voice.volume = told["sound"]

    def _fault(self, told: Mapping[str, Any]) -> None:
        """Only a virtual printer can be told to have one."""
        if isinstance(self._printer, VirtualPrinter) and told["fault"] in FAULTS:
            self._printer.fault = told["fault"]
            self._jobs.nudge()

    def _screen(self, told: Mapping[str, Any]) -> None:
        self._errands.has_screen = bool(told["shown"])

    def _pressed(self, function: str) -> None:
        """A button: the sound changes here at once, the rest is the server's to do."""
        if function == "sound":
            after = SOUNDS.index(self._buzzer.volume) + 1
            self._buzzer.volume = self._voice.volume = SOUNDS[after % len(SOUNDS)]
            self._reports.send("sound", {"sound": self._buzzer.volume})
            self._answer(function, True)
            return
        if function == "shutdown":
            self._ending = True
            self._tell_status()
        self._errands.run(function)

    def _answer(self, function: str, is_done: bool) -> None:
        if function == "shutdown" and not is_done:
            self._ending = False
            self._tell_status()
        self._buzzer.play(DONE if is_done else REFUSED)

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
