"""A board of mock pins that records every change, and an inbox with simulated time."""

import math
from collections import deque
from threading import Condition
from typing import Any, TypeVar

from gpiozero.pins.mock import MockFactory, MockPWMPin

from hardware.devices.inbox import Inbox, drop_late
from hardware.devices.worker import Worker
from tests.support.hardware.escpos_receiver import WAIT
from tests.support.waiting import eventually

T = TypeVar("T")

STATUS = 26  # the pin of the status lamp, which is lit whenever all is well
LONGEST_FLASH = 0.6  # seconds: longer than the status lamp is lit in any pattern that blinks
UNHEARD = 100  # the frequency at which gpiozero opens a PWM pin, without a sound


class Board:
    """Pins whose changes are written down with the time: (seconds of the script, BCM number, state)."""

    def __init__(self, script: Inbox[Any] | None = None) -> None:
        self.lights: list[tuple[float, int, bool]] = []
        self.status: list[tuple[float, int, bool]] = []
        self.tones: list[tuple[float, float | None]] = []
        self._script = script
        self._changed = Condition()
        self.factory: Any = MockFactory(pin_class=self._pin_class())

    def _pin_class(self) -> type:
        board = self

        class Pin(MockPWMPin):  # type: ignore[misc]
            def _change_state(self, value: float) -> bool:
                changed: bool = super()._change_state(value)
                if changed and self._function == "output" and self._frequency is None:
                    number = int(self.info.name.removeprefix("GPIO"))
                    board._note(board.status if number == STATUS else board.lights, (number, bool(value)))
                return changed

            def _set_frequency(self, value: float | None) -> None:
                if value != self._frequency and UNHEARD not in (value, self._frequency):
                    board._note(board.tones, (value and round(value),))
                super()._set_frequency(value)

        return Pin

    def _note(self, where: list[Any], what: tuple[Any, ...]) -> None:
        """A script's board tells what happened until it ended, not that all goes out then."""
        if self._script and self._script.closed:
            return
        with self._changed:
            where.append((round(self._script.now() if self._script else 0.0, 3), *what))
            self._changed.notify_all()

    def hold(self, number: int) -> None:
        """A button that is held down before anybody looks at its pin."""
        pin = self.factory.pin(number)
        pin._set_pull = lambda pull: setattr(pin, "_pull", pull)  # the contact is stronger than the pull
        pin.drive_low()

    def is_lit(self, number: int) -> bool:
        return bool(self.factory.pin(number).state)

    def await_lit(self, *numbers: int) -> None:
        """Wait until exactly these pins are lit, the status lamp apart."""
        with self._changed:
            done = self._changed.wait_for(lambda: self._lit() == set(numbers), WAIT)
        assert done, f"lit are {self._lit()}"

    def await_status(self, *lit: bool) -> None:
        """Wait until the status lamp has last done this."""
        with self._changed:
            done = self._changed.wait_for(lambda: self._last_status(len(lit)) == lit, WAIT)
        assert done, f"the status lamp did {self.status}"

    def await_steady_status(self) -> None:
        """Wait until the status lamp is lit for longer than in any pattern that blinks."""
        with self._changed:
            went_out = True
            while went_out:
                assert self._changed.wait_for(lambda: self.is_lit(STATUS), WAIT), "the status lamp is dark"
                went_out = self._changed.wait_for(lambda: not self.is_lit(STATUS), LONGEST_FLASH)

    def _last_status(self, count: int) -> tuple[bool, ...]:
        return tuple(is_lit for _, _, is_lit in self.status[-count:])

    def await_tones(self, count: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.tones) >= count, WAIT)

    def _lit(self) -> set[int]:
        lamps = (number for number in range(2, 28) if number != STATUS)
        return {number for number in lamps if self._is_output(number) and self.is_lit(number)}

    def _is_output(self, number: int) -> bool:
        pin = self.factory.pin(number)
        return pin.function == "output" and pin.frequency is None


class Script(Inbox[T]):
    """An inbox whose items arrive at set times, in which time passes at once; it closes after the last."""

    def __init__(self, *arrivals: tuple[float, T], late: float = math.inf) -> None:
        super().__init__(capacity=1, late=late)
        self._arrivals = deque(arrivals)
        self._time = 0.0

    def now(self) -> float:
        return self._time

    def get(self, seconds: float | None) -> T | None:
        until = math.inf if seconds is None else self._time + seconds
        drop_late(self._arrivals, self._time, self._late)
        if self._arrivals and self._arrivals[0][0] <= until:
            arrives, item = self._arrivals.popleft()
            self._time = max(self._time, arrives)
            return item
        if seconds is None:
            self.close()
        else:
            self._time = until
        return None

    def pause(self, seconds: float) -> None:
        self._time += seconds


def run_to_end(device: Worker[Any]) -> None:
    """Wait until a device has done all that is in its script."""
    eventually(lambda: not device.is_alive)
