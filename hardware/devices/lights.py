"""The lights: result, seat and status lamps on GPIO pins, which play patterns in a worker thread."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Any

from hardware.devices.health import Health, Notice
from hardware.devices.inbox import Inbox
from hardware.devices.pins import open_devices
from hardware.devices.worker import Worker
from referee.presentation.cues import LAMPS, RESULT_LAMPS, SEAT_LAMPS, STATES, STATUS_LAMP
from referee.program import settings

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Flash:
    """Play a pattern (seconds on, off, on, …) on these lamps; with `stays` they then stay lit."""

    lamps: tuple[str, ...]
    pattern: tuple[float, ...]
    stays: bool


@dataclass(frozen=True)
class SeatLamps:
    """Light exactly these seat lamps, without a pattern."""

    lamps: tuple[str, ...]


@dataclass(frozen=True)
class Dark:
    """Switch all lamps off, except the status lamp."""


@dataclass(frozen=True)
class Status:
    """Repeat the pattern of this state on the status lamp."""

    state: str


Order = Flash | SeatLamps | Dark | Status


class Lamps:
    """Computes which lamp is lit when. Patterns on different lamps play in parallel."""

    def __init__(self) -> None:
        self._resting: set[str] = set()
        self._edges: dict[str, tuple[float, ...]] = {}  # when each playing lamp turns on, off, on, …
        self._cycle: tuple[float, tuple[float, ...]] = (0.0, (0.0,))  # the status lamp's start and pattern

    def take(self, order: Order, now: float) -> None:
        match order:
            case Flash(lamps, pattern, stays):
                self._make_room(lamps, stays)
                if pattern:  # without one, a pattern that is playing ends first
                    self._edges.update(dict.fromkeys(lamps, tuple(accumulate(pattern, initial=now))))
                if stays:
                    self._resting.update(lamps)
            case SeatLamps(lamps):
                self._resting = self._resting.difference(SEAT_LAMPS).union(lamps)
            case Dark():
                self._resting.clear()
                self._edges.clear()
            case Status(state) if STATES[state] != self._cycle[1]:  # the same state again does not restart it
                self._cycle = now, STATES[state]

    def _make_room(self, lamps: tuple[str, ...], stays: bool) -> None:
        """A new result ends the previous one; a new turn ends the previous one."""
        if not set(lamps).isdisjoint(RESULT_LAMPS):
            self._resting.difference_update(RESULT_LAMPS)
            for other in RESULT_LAMPS:
                self._edges.pop(other, None)
        elif stays:
            self._resting.difference_update(SEAT_LAMPS)

    def is_lit(self, lamp: str, now: float) -> bool:
        if lamp == STATUS_LAMP:
            return self._status_edges(now)[0]
        edges = self._edges.get(lamp, ())
        passed = sum(edge <= now for edge in edges)
        return passed % 2 == 1 if passed < len(edges) else lamp in self._resting

    def next_change(self, now: float) -> float | None:
        """When a pattern changes a lamp next; None: never."""
        edges = (edge for edges in self._edges.values() for edge in edges if edge > now)
        return min((*edges, *self._status_edges(now)[1]), default=None)

    def _status_edges(self, now: float) -> tuple[bool, tuple[float, ...]]:
        """Whether the status lamp is lit now, and when it changes next, if ever."""
        since, pattern = self._cycle
        if not sum(pattern):
            return not pattern, ()
        begins = since + (now - since) // sum(pattern) * sum(pattern)
        edges = tuple(accumulate(pattern, initial=begins))
        passed = sum(edge <= now for edge in edges)
        if passed == len(edges):  # a rounding error short of the next cycle
            return True, (edges[-1] + pattern[0],)
        return passed % 2 == 1, (edges[passed],)


class Lights(Worker[Order]):
    """The lamps on their pins, switched by a worker thread."""

    def __init__(
        self,
        pins: settings.LightSettings,
        factory: Any | None,
        notice: Notice,
        inbox: Inbox[Order] | None = None,
    ) -> None:
        super().__init__("lights", inbox or Inbox(capacity=32))
        self._lamps = Lamps()
        self._notice = notice
        numbers = {lamp: getattr(pins, lamp) for lamp in (*LAMPS, STATUS_LAMP)}
        self._leds, self._health = open_devices(numbers, factory, partial(_led, pins.active_high, factory))
        notice(self._health)
        self._worker.start()

    def play(self, lamps: Iterable[str], pattern: tuple[float, ...], stays: bool) -> None:
        if known := tuple(lamp for lamp in lamps if lamp in LAMPS):
            self._inbox.put(Flash(known, pattern, stays))

    def turn(self, lamps: Iterable[str]) -> None:
        """Light these seats' lamps, and no other seat's, without a cue."""
        self._inbox.put(SeatLamps(tuple(lamp for lamp in lamps if lamp in SEAT_LAMPS)))

    def darken(self) -> None:
        self._inbox.put(Dark())

    def status(self, state: str) -> None:
        self._inbox.put(Status(state))

    def _work(self) -> None:
        while not self._inbox.closed:
            change = self._lamps.next_change(self._inbox.now())
            order = self._inbox.get(None if change is None else max(0.0, change - self._inbox.now()))
            if order is not None:
                self._lamps.take(order, self._inbox.now())
            self._show(self._inbox.now())
        for led in self._leds.values():
            led.close()

    def _show(self, now: float) -> None:
        try:
            for lamp, led in self._leds.items():
                led.value = self._lamps.is_lit(lamp, now)
        except Exception:
            log.exception("A lamp could not be switched.")
            self._notice(Health(False, "gpio-error"))
        else:
            self._notice(self._health)


def _led(active_high: bool, factory: Any, _lamp: str, number: int) -> Any:
    from gpiozero import LED  # slow, and only a desk with pins needs it

    return LED(number, active_high=active_high, pin_factory=factory)
