"""The desk process: follows the public events of its table, and shows, sounds, speaks and prints them."""

import json
import logging
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from threading import Event, Lock, Thread
from types import FrameType
from typing import Any

from hardware.desk.button_actions import ButtonActions
from hardware.desk.reports import Reports
from hardware.desk.server_client import UNREACHABLE, ServerClient, Stream
from hardware.desk.waiting_news import WaitingNews
from hardware.devices.buttons import Buttons
from hardware.devices.buzzer import Buzzer
from hardware.devices.health import Health
from hardware.devices.lights import Lights
from hardware.devices.pins import open_pins
from hardware.devices.voice import Voice
from hardware.printing.jobs import Job, Jobs
from hardware.printing.printer import Printer, VirtualPrinter
from referee.presentation.cues import DONE, REFUSED, SOUNDS, Note
from referee.presentation.sheets import FAULTS, from_wire
from referee.presentation.words import DEFAULT
from referee.program.settings import Settings, pins

log = logging.getLogger(__name__)

ENDS = (signal.SIGTERM, signal.SIGINT)
DEVICES = ("lights", "buzzer", "voice", "buttons", "printer")
UNREADABLE = (ValueError, LookupError, TypeError, AttributeError)


@dataclass(frozen=True)
class Pace:
    """Seconds between attempts."""

    reconnect: tuple[float, ...] = (0.5, 1.0, 2.0, 5.0)  # the last one repeats
    retry: float = 3.0  # a print job that failed
    idle: float = 20.0  # between status checks of an idle printer


def run_desk(
    server_url: str,
    key: str,
    settings: Settings,
    interval: float | None = None,
    keep_alive: Callable[[], None] = lambda: None,
) -> None:
    """Run the desk until SIGTERM or Ctrl-C. While all workers live, call `keep_alive` every `interval` s."""
    for sign in ENDS:
        signal.signal(sign, _end)
    settings = with_absolute_device(settings)
    with _temporary_directory():
        factory = open_pins() if has_pins(settings) else None
        with closing(Desk(ServerClient(server_url, settings.desk.name, key), settings, factory)) as desk:
            while not desk.wait(interval):
                if desk.is_alive:
                    keep_alive()


def has_pins(settings: Settings) -> bool:
    return bool(pins(settings))


def with_absolute_device(settings: Settings) -> Settings:
    """The settings with an absolute path of the printer's device: lgpio changes the working directory."""
    device = settings.printer.device and str(Path(settings.printer.device).absolute())
    return replace(settings, printer=replace(settings.printer, device=device))


def _end(_signal: int, _frame: FrameType | None) -> None:
    for sign in ENDS:
        signal.signal(sign, signal.SIG_IGN)  # ignore further signals
    sys.exit(0)


@contextmanager
def _temporary_directory() -> Iterator[None]:
    """A temporary directory for files that libraries leave behind: lgpio's pipes, python-escpos' tables."""
    with tempfile.TemporaryDirectory(prefix="desk-", ignore_cleanup_errors=True) as directory:
        os.environ.setdefault("LG_WD", directory)
        tempfile.tempdir = directory
        yield


class Desk:
    """The devices of one desk, and the event stream that drives them."""

    def __init__(
        self, server: ServerClient, settings: Settings, factory: Any | None, pace: Pace | None = None
    ) -> None:
        self._server = server
        self._pace = pace = pace or Pace()
        self._health: dict[str, Health] = {}
        self._lock = Lock()
        self._closed = Event()
        self._ending = False
        self._stream: Stream | None = None
        self._lost = False  # the connection was lost, or could not be made for a while
        self._is_connected = False  # whether an event has arrived on this stream
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
        self._waiting = WaitingNews(self._play)
        self._actions = ButtonActions(server, has_printer, self._answer)
        self._buttons = Buttons(settings.buttons, factory, self._pressed, partial(self._notice, "buttons"))
        self._follower = Thread(target=self._follow, name="stream", daemon=True)
        self._follower.start()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the desk is closed; False on timeout."""
        return self._closed.wait(seconds)

    @property
    def is_alive(self) -> bool:
        devices = (self._lights, self._buzzer, self._voice, self._buttons, self._jobs)
        parts = (*devices, self._actions, self._reports, self._waiting)
        return self._follower.is_alive() and all(part.is_alive for part in parts)

    def close(self) -> None:
        """Disconnect, switch off all devices and send the remaining reports, in well under a second."""
        self._closed.set()
        if stream := self._stream:
            stream.disconnect()
        self._buttons.close()
        self._actions.close()
        self._waiting.close()
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
        self._report_health()

    def _report_health(self) -> None:
        """Report the health of all devices, once each has reported its own."""
        with self._lock:
            if len(self._health) < len(DEVICES):
                return
            self._reports.send("health", {device: asdict(self._health[device]) for device in DEVICES})
        self._show_status()

    def _show_status(self) -> None:
        """Show on the status lamp: shutting down, a fault of a device or the server, or ready."""
        well = self._is_connected and all(health.ok for health in self._health.copy().values())
        if self._ending or self._is_connected or self._lost:
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
            except UNREACHABLE as trouble:
                log.info("The server cannot be reached: %s", trouble)
            except Exception:
                log.exception("The desk failed while following its server.")
            self._jobs.clear()
            self._lost = self._lost or self._is_connected or tries >= len(self._pace.reconnect)
            self._is_connected = False
            self._show_status()
            self._closed.wait(self._pace.reconnect[min(tries, len(self._pace.reconnect) - 1)])
            tries += 1

    def _listen(self, stream: Stream) -> None:
        try:
            self._report_health()
            if self._closed.is_set():  # closed while the stream was being opened
                return
            for name, data in stream:
                if self._closed.is_set():
                    break
                self._handle(name, data)
                if not self._is_connected:
                    self._is_connected = True
                    self._show_status()
        finally:
            stream.close()

    def _handle(self, name: str, data: str) -> None:
        handlers = {"view": self._view, "news": self._news, "job": self._job}
        handlers |= {"sound": self._sound, "fault": self._fault, "screen": self._screen}
        try:
            if name in handlers:  # a newer server may send other events
                handlers[name](json.loads(data))
        except UNREADABLE:
            log.exception("The desk cannot read this %s event.", name)

    def _view(self, view: Mapping[str, Any] | None) -> None:
        """Show whose turn it is, without a cue. If the table changed, switch all lamps off first."""
        self._waiting.hurry()
        self._actions.at(view)
        table = view["table"] if view is not None else None
        if table != self._table:
            self._table = table
            self._lights.darken()
        if view is not None:
            self._language = view["options"]["language"]
            self._lights.turn(_lamps_of_turn(view))

    def _news(self, news: Mapping[str, Any]) -> None:
        """Play news when the table screen shows it: its scene may begin with a breath."""
        self._waiting.put(dict(news))

    def _play(self, news: Mapping[str, Any]) -> None:
        try:
            self._show(news)
        except UNREADABLE:
            log.exception("The desk cannot read this news event.")

    def _show(self, news: Mapping[str, Any]) -> None:
        if news["spoken"]:
            self._voice.say(news["text"], self._language)
        if (cue := news["cue"]) is None:
            return
        seats = [f"seat_{number}" for number in news["seat_lamps"]]
        if counted := news.get("counted"):
            self._count(seats, counted["patterns"], counted["tune"])
            return
        lamps = seats if cue["lamp"] == "seat" else [cue["lamp"]]
        self._lights.play(lamps, tuple(cue["pattern"]), cue["stays"])
        self._buzzer.play(_notes(cue["tune"]))

    def _count(
        self, seats: list[str], patterns: Sequence[Sequence[float]], tune: Sequence[Sequence[Any]]
    ) -> None:
        """Count out each seat's figure in turn, as flashes and beeps."""
        for lamp, pattern in zip(seats, patterns, strict=False):  # there may be more seats than lamps
            self._lights.play([lamp], tuple(pattern), stays=False)
        self._buzzer.play(_notes(tune))

    def _sound(self, told: Mapping[str, Any]) -> None:
        if told["sound"] in SOUNDS:
            self._buzzer.volume = self._voice.volume = told["sound"]

    def _fault(self, told: Mapping[str, Any]) -> None:
        """Simulate a fault. Only a virtual printer can."""
        if isinstance(self._printer, VirtualPrinter) and told["fault"] in FAULTS:
            self._printer.fault = told["fault"]
            self._jobs.check_now()

    def _screen(self, told: Mapping[str, Any]) -> None:
        self._actions.has_screen = bool(told["shown"])

    def _pressed(self, function: str) -> None:
        """Handle a button: the volume changes at once, other functions run in the worker."""
        if function == "sound":
            after = SOUNDS.index(self._buzzer.volume) + 1
            self._buzzer.volume = self._voice.volume = SOUNDS[after % len(SOUNDS)]
            self._reports.send("sound", {"sound": self._buzzer.volume})
            self._answer(function, True)
            return
        if function == "shutdown":
            self._ending = True
            self._show_status()
        self._actions.run(function)

    def _answer(self, function: str, is_done: bool) -> None:
        if function == "shutdown" and not is_done:
            self._ending = False
            self._show_status()
        self._buzzer.play(DONE if is_done else REFUSED)

    def _job(self, job: Mapping[str, Any]) -> None:
        try:
            self._jobs.take(Job(job["job"], job["table"], from_wire(job["blocks"])))
        except UNREADABLE:
            self._report(job["job"], {"state": "failed", "reason": "unreadable"})
            raise


def _notes(tune: Sequence[Sequence[Any]]) -> tuple[Note, ...]:
    return tuple((str(name), float(seconds)) for name, seconds in tune)


def _lamps_of_turn(view: Mapping[str, Any]) -> list[str]:
    """The lamps of the seats whose turn it is: one, or a team. Lamps follow the view's order of seats."""
    at_turn = view["sides"].get(view["public"]["turn"], []) if view["status"] == "playing" else []
    return [f"seat_{number}" for number, seat in enumerate(view["seats"], 1) if seat in at_turn]
