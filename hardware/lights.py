"""The lights: result lamps and seat lamps, playing patterns on GPIO pins."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Any

from hardware.health import Health, Notice
from hardware.inbox import Inbox
from hardware.pins import wired
from hardware.worker import Worker
from referee import settings
from referee.cues import LAMPS, RESULT_LAMPS, SEAT_LAMPS, STATES, STATUS_LAMP

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Flash:
    """Lamps play a pattern (seconds on, off, on, …) and then perhaps stay lit."""

    lamps: tuple[str, ...]
    pattern: tuple[float, ...]
    stays: bool


@dataclass(frozen=True)
class Turn:
    """Silently, these seats' lamps are the ones that are lit."""

    lamps: tuple[str, ...]


@dataclass(frozen=True)
class Dark:
    """All lamps go out."""


@dataclass(frozen=True)
class Status:
    """The status lamp tells how the desk is, until it is told otherwise."""

    state: str


Order = Flash | Turn | Dark | Status


class Lamps:
    """Which lamp is lit when. Patterns on different lamps play side by side, so none waits for another."""

    def __init__(self) -> None:
        self._resting: set[str] = set()
        self._edges: dict[str, tuple[float, ...]] = {}  # when each playing lamp goes on, off, on, …
        self._cycle: tuple[float, tuple[float, ...]] = (0.0, (0.0,))  # since when the status lamp plays what

    def take(self, order: Order, now: float) -> None:
        match order:
            case Flash(lamps, pattern, stays):
                self._make_room(lamps, stays)
                if pattern:  # a lamp that is merely to stay lit first ends what it plays
                    self._edges.update(dict.fromkeys(lamps, tuple(accumulate(pattern, initial=now))))
                if stays:
                    self._resting.update(lamps)
            case Turn(lamps):
                self._resting = self._resting.difference(SEAT_LAMPS).union(lamps)
            case Dark():
                self._resting.clear()
                self._edges.clear()
            case Status(state) if STATES[state] != self._cycle[1]:  # told again, it goes on as it was
                self._cycle = now, STATES[state]

    def _make_room(self, lamps: tuple[str, ...], stays: bool) -> None:
        """A result ends the result before it; the seat whose turn it is ends the turn before it."""
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
        """When a lamp changes next by itself."""
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
        if passed == len(edges):  # a rounding error away from the next round
            return True, (edges[-1] + pattern[0],)
        return passed % 2 == 1, (edges[passed],)


class Lights(Worker[Order]):
    """The lamps of the desk on their pins, lit by a worker of their own."""

    def __init__(
        self, pins: settings.Lights, factory: Any | None, notice: Notice, inbox: Inbox[Order] | None = None
    ) -> None:
        super().__init__("lights", inbox or Inbox(room=32))
        self._lamps = Lamps()
        self._notice = notice
        numbers = {lamp: getattr(pins, lamp) for lamp in (*LAMPS, STATUS_LAMP)}
        self._leds, self._health = wired(numbers, factory, partial(_led, pins.active_high, factory))
        notice(self._health)
        self._worker.start()

    def play(self, lamps: Iterable[str], pattern: tuple[float, ...], stays: bool) -> None:
        if known := tuple(lamp for lamp in lamps if lamp in LAMPS):
            self._inbox.put(Flash(known, pattern, stays))

    def turn(self, lamps: Iterable[str]) -> None:
        """Light these seats' lamps, and no other seat's, without a cue."""
        self._inbox.put(Turn(tuple(lamp for lamp in lamps if lamp in SEAT_LAMPS)))

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
