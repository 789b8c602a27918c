"""The buttons: debounces contacts and detects short and long presses."""

from collections.abc import Callable
from functools import partial
from typing import Any

from hardware.devices.health import Notice
from hardware.devices.inbox import Inbox
from hardware.devices.pins import open_devices
from hardware.devices.worker import Worker
from referee.program import settings
from referee.program.settings import BUTTON_PINS

SETTLE = 0.03  # seconds a contact must be stable (debouncing)
LONG = 2.0  # seconds after which a press counts as long, while it is still held

Contact = tuple[str, bool]  # which button, and whether its contact is closed


class Press:
    """The state of one button. One that is closed at the start is ignored until released: it may be stuck."""

    def __init__(self, is_down: bool = False) -> None:
        self._closed = self._down = is_down
        self._since = 0.0  # when the contact last changed
        self._began: float | None = None  # start of a press not yet reported as short or long

    def contact(self, is_closed: bool, now: float) -> None:
        self._closed, self._since = is_closed, now

    def next_check(self) -> float | None:
        """When to call `poll` next, if the contact does not change before; None: not at all."""
        if self._closed != self._down:
            return self._since + SETTLE
        return None if self._began is None else self._began + LONG

    def poll(self, now: float) -> str:
        """`short`, `long`, or an empty string if there is nothing to report."""
        if self._closed != self._down and now >= self._since + SETTLE:
            return self._settled()
        if self._began is not None and now >= self._began + LONG:
            self._began = None
            return "long"
        return ""

    def _settled(self) -> str:
        self._down = self._closed
        was_short = not self._down and self._began is not None
        self._began = self._since if self._down else None
        return "short" if was_short else ""


class Buttons(Worker[Contact]):
    """The buttons on their pins. Calls `act` with the function of each press; `act` must not block."""

    def __init__(
        self,
        buttons: settings.ButtonSettings,
        factory: Any | None,
        act: Callable[[str], None],
        notice: Notice,
        inbox: Inbox[Contact] | None = None,
    ) -> None:
        super().__init__("buttons", inbox or Inbox(capacity=256))
        self._settings, self._act = buttons, act
        numbers = {name: getattr(buttons, name) for name in BUTTON_PINS}
        self._devices, health = open_devices(numbers, factory, partial(self._button, factory))
        self._presses = {name: Press(device.is_active) for name, device in self._devices.items()}
        notice(health)
        self._worker.start()

    def _button(self, factory: Any, name: str, number: int) -> Any:
        from gpiozero import DigitalInputDevice  # slow, and only a desk with pins needs it

        device = DigitalInputDevice(number, pull_up=self._settings.active_low, pin_factory=factory)
        device.when_activated = lambda: self._inbox.put((name, True))
        device.when_deactivated = lambda: self._inbox.put((name, False))
        return device

    def _work(self) -> None:
        while not self._inbox.closed:
            checks = [check for press in self._presses.values() if (check := press.next_check()) is not None]
            wait = max(0.0, min(checks) - self._inbox.now()) if checks else None
            if (moved := self._inbox.get(wait)) is not None:
                self._presses[moved[0]].contact(moved[1], self._inbox.now())
            for name, press in self._presses.items():
                self._tell(name, press.poll(self._inbox.now()))
        for device in self._devices.values():
            device.close()

    def _tell(self, name: str, how: str) -> None:
        if how and (function := getattr(self._settings, f"{name}_{how}")):
            self._act(function)
