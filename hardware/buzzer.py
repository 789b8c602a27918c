"""The buzzer: tunes on a PWM pin."""

import logging
from threading import Thread
from typing import Any

from hardware.health import Health, Notice
from hardware.inbox import Inbox
from referee.cues import Note

log = logging.getLogger(__name__)

Tune = tuple[Note, ...]

BREATH = 0.015  # seconds of silence that end each note, so that two equal ones are two
OCTAVES = 3  # around A4


class Buzzer:
    """Plays tunes one after the other; of too many that wait, the oldest is left out."""

    def __init__(
        self,
        pin: int | None,
        factory: Any | None,
        mute: bool,
        notice: Notice,
        inbox: Inbox[Tune] | None = None,
    ) -> None:
        self._inbox = inbox or Inbox(room=3)
        self._notice = notice
        self._health = Health(True, "virtual")
        self._buzzer = self._open(pin, factory, mute)
        notice(self._health)
        self._worker = Thread(target=self._work, name="buzzer", daemon=True)
        self._worker.start()

    def play(self, tune: Tune) -> None:
        if tune and self._buzzer is not None:
            self._inbox.put(tune)

    def close(self) -> None:
        self._inbox.close()
        self._worker.join(0.3)

    def _open(self, pin: int | None, factory: Any | None, mute: bool) -> Any | None:
        if pin is None or mute or factory is None:
            detail = "virtual" if pin is None else "muted" if mute else "no-gpio"
            self._health = Health(True, detail)
            return None
        from gpiozero import TonalBuzzer  # slow, and only a desk with pins needs it

        try:
            buzzer = TonalBuzzer(pin, octaves=OCTAVES, pin_factory=factory)
        except Exception:
            log.exception("The pin %s takes no buzzer.", pin)
            self._health = Health(False, "pin-refused")
            return None
        self._health = Health(True, "ready")
        return buzzer

    def _work(self) -> None:
        while not self._inbox.closed:
            for name, seconds in self._inbox.get(None) or ():
                self._sound(name)
                self._inbox.pause(seconds - BREATH)
                self._sound("")
                self._inbox.pause(BREATH)
        if self._buzzer is not None:
            self._buzzer.close()

    def _sound(self, name: str) -> None:
        """Sound a note; an empty name is silence."""
        if self._buzzer is None or self._inbox.closed:
            return
        try:
            self._buzzer.play(name or None)
        except Exception:
            log.exception("The buzzer cannot play %r.", name)
            self._notice(Health(False, "gpio-error"))
        else:
            self._notice(self._health)
