"""The buzzer: plays tunes on a PWM pin, in a worker thread."""

import logging
from functools import partial
from typing import Any

from hardware.devices.health import Health, Notice
from hardware.devices.inbox import Inbox
from hardware.devices.pins import open_devices
from hardware.devices.worker import Worker
from referee.presentation.cues import Note

log = logging.getLogger(__name__)

Tune = tuple[Note, ...]

GAP = 0.015  # seconds of silence after each note, to separate equal ones
OCTAVES = 3  # around A4
LATE = 0.5  # seconds after which a waiting tune is skipped for a newer one, so that bursts do not pile up
QUIET_DUTY = 0.02  # PWM duty cycle when quiet; it is 0.5 when loud


class Buzzer(Worker[Tune]):
    """Plays tunes in order. One that has waited too long is skipped if a newer one is queued."""

    def __init__(
        self,
        pin: int | None,
        factory: Any | None,
        mute: bool,
        notice: Notice,
        inbox: Inbox[Tune] | None = None,
    ) -> None:
        super().__init__("buzzer", inbox or Inbox(capacity=16, late=LATE))
        self._notice = notice
        self._volume = "loud"
        made, health = open_devices({"buzzer": pin}, None if mute else factory, partial(_buzzer, factory))
        self._buzzer = made.get("buzzer")
        self._health = Health(True, "muted") if mute and pin is not None else health
        notice(self._health)
        self._worker.start()

    def play(self, tune: Tune) -> None:
        if tune and self._buzzer is not None and self._volume != "off":
            self._inbox.put(tune)

    @property
    def volume(self) -> str:
        return self._volume

    @volume.setter
    def volume(self, volume: str) -> None:
        """`loud`, `quiet` or `off`, from the next note on."""
        self._volume = volume
        if self._buzzer is not None:
            self._health = Health(True, {"off": "muted", "quiet": "quiet"}.get(volume, "ready"))
            self._notice(self._health)

    def _work(self) -> None:
        while not self._inbox.closed:
            for name, seconds in self._inbox.get(None) or ():
                self._sound(name)
                self._inbox.pause(seconds - GAP)
                self._sound("")
                self._inbox.pause(GAP)
        if self._buzzer is not None:
            self._buzzer.close()

    def _sound(self, name: str) -> None:
        """Start a note; an empty name is silence."""
        if self._buzzer is None or self._inbox.closed:
            return
        try:
            self._buzzer.play((self._volume != "off" and name) or None)
            if self._volume == "quiet" and name:
                self._buzzer.pwm_device.value = QUIET_DUTY
        except Exception:
            log.exception("The buzzer cannot play %r.", name)
            self._notice(Health(False, "gpio-error"))
        else:
            self._notice(self._health)


def _buzzer(factory: Any, _name: str, pin: int) -> Any:
    from gpiozero import TonalBuzzer  # slow, and only a desk with pins needs it

    return TonalBuzzer(pin, octaves=OCTAVES, pin_factory=factory)
