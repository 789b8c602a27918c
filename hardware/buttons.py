"""The buttons: presses, short and long, told from the bouncing of real contacts."""

from collections.abc import Callable
from functools import partial
from typing import Any

from hardware.health import Notice
from hardware.inbox import Inbox
from hardware.pins import wired
from hardware.worker import Worker
from referee import settings
from referee.settings import BUTTON_PINS

SETTLE = 0.03  # seconds a contact must keep still to be believed
LONG = 2.0  # seconds after which a press is a long one, while it still lasts

Contact = tuple[str, bool]  # which button, and whether its contact is closed


class Press:
    """One button. A press that began before we looked counts as none: nobody is shut down by a stuck one."""

    def __init__(self, is_down: bool = False) -> None:
        self._closed = self._down = is_down
        self._since = 0.0  # when the contact last moved
        self._began: float | None = None  # when the press began that is neither short nor long yet

    def contact(self, is_closed: bool, now: float) -> None:
        self._closed, self._since = is_closed, now

    def next_look(self) -> float | None:
        """When there is something to tell, if nothing moves before."""
        if self._closed != self._down:
            return self._since + SETTLE
        return None if self._began is None else self._began + LONG

    def told(self, now: float) -> str:
        """`short`, `long`, or nothing yet."""
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
    """The buttons of the desk on their pins. What a press means is told to `act`, which must not wait."""

    def __init__(
        self,
        buttons: settings.Buttons,
        factory: Any | None,
        act: Callable[[str], None],
        notice: Notice,
        inbox: Inbox[Contact] | None = None,
    ) -> None:
        super().__init__("buttons", inbox or Inbox(room=256))
        self._settings, self._act = buttons, act
        numbers = {name: getattr(buttons, name) for name in BUTTON_PINS}
        self._devices, health = wired(numbers, factory, partial(self._button, factory))
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
            looks = [look for press in self._presses.values() if (look := press.next_look()) is not None]
            wait = max(0.0, min(looks) - self._inbox.now()) if looks else None
            if (moved := self._inbox.get(wait)) is not None:
                self._presses[moved[0]].contact(moved[1], self._inbox.now())
            for name, press in self._presses.items():
                self._tell(name, press.told(self._inbox.now()))
        for device in self._devices.values():
            device.close()

    def _tell(self, name: str, how: str) -> None:
        if how and (function := getattr(self._settings, f"{name}_{how}")):
            self._act(function)
