"""The buttons: presses, short and long, told from the bouncing of real contacts."""

import logging
from collections.abc import Callable
from threading import Thread
from typing import Any

from hardware.health import Health, Notice
from hardware.inbox import Inbox
from referee import settings
from referee.settings import BUTTON_PINS

log = logging.getLogger(__name__)

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


class Buttons:
    """The buttons of the desk on their pins. What a press means is told to `act`, which must not wait."""

    def __init__(
        self,
        buttons: settings.Buttons,
        factory: Any | None,
        act: Callable[[str], None],
        notice: Notice,
        inbox: Inbox[Contact] | None = None,
    ) -> None:
        self._settings, self._act = buttons, act
        self._inbox = inbox or Inbox(room=256)
        self._health = Health(True, "virtual")
        numbers = {name: getattr(buttons, name) for name in BUTTON_PINS}
        self._devices = self._open({name: pin for name, pin in numbers.items() if pin is not None}, factory)
        self._presses = {name: Press(device.is_active) for name, device in self._devices.items()}
        notice(self._health)
        self._worker = Thread(target=self._work, name="buttons", daemon=True)
        self._worker.start()

    @property
    def is_alive(self) -> bool:
        return self._worker.is_alive()

    def close(self) -> None:
        self._inbox.close()
        self._worker.join(0.3)

    def _open(self, numbers: dict[str, int], factory: Any | None) -> dict[str, Any]:
        if numbers and factory is None:
            self._health = Health(True, "no-gpio")
        if not numbers or factory is None:
            return {}
        self._health = Health(True, "ready")
        devices = {name: self._device(name, number, factory) for name, number in numbers.items()}
        return {name: device for name, device in devices.items() if device is not None}

    def _device(self, name: str, number: int, factory: Any) -> Any | None:
        from gpiozero import DigitalInputDevice  # slow, and only a desk with pins needs it

        try:
            device = DigitalInputDevice(number, pull_up=self._settings.active_low, pin_factory=factory)
        except Exception:
            log.exception("The pin %s takes no button.", number)
            self._health = Health(False, "pin-refused")
            return None
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
