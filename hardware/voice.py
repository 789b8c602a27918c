"""The voice: says public news aloud through espeak-ng, where that is installed and wanted."""

import logging
import shutil
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired
from threading import Lock

from hardware.health import Health, Notice
from hardware.inbox import Inbox
from hardware.worker import Worker
from referee.words import DEFAULT, LANGUAGES

log = logging.getLogger(__name__)

Spoken = tuple[str, str]  # a sentence and its language

PROGRAM = "espeak-ng"
ROOM = 8  # sentences that wait; the oldest gives way
LATE = 10.0  # seconds after which a sentence is left out for a newer one
LONGEST = 25.0  # seconds that a sentence may take
MOST = 400  # characters of a sentence
AMPLITUDE = {"loud": "100", "quiet": "25"}
PHONEMES = "[["  # would be read as sounds, not as text


def plain(text: str) -> str:
    """A sentence as it may be handed to the program: no commands for it, no phonemes, no end to it."""
    shown = "".join(char if char.isprintable() else " " for char in text[:MOST])
    while PHONEMES in shown:
        shown = shown.replace(PHONEMES, "[ [")
    return shown


def begun(program: str, language: str, volume: str) -> Popen[bytes]:
    """The program, waiting for its sentence: never an argument, so that no name becomes an option."""
    command = (program, "-v", language, "-a", AMPLITUDE[volume], "-b", "1", "--stdin")
    return Popen(command, stdin=PIPE, stdout=DEVNULL, stderr=PIPE)


def said(speaking: Popen[bytes], text: str) -> str:
    """Say it to the end. What is wrong, if anything: without a sound card it ends well, but grumbles."""
    try:
        _, grumbling = speaking.communicate(plain(text).encode(), timeout=LONGEST)
    except TimeoutExpired:
        speaking.kill()
        speaking.communicate()
        return "no-sound"
    hushed = speaking.returncode < 0
    return "no-sound" if not hushed and (speaking.returncode or b"error:" in grumbling) else ""


class Voice(Worker[Spoken]):
    """Says sentences one after the other, as loud as the desk is; those that waited too long give way."""

    def __init__(self, wanted: bool, notice: Notice, inbox: Inbox[Spoken] | None = None) -> None:
        super().__init__("voice", inbox or Inbox(room=ROOM, late=LATE))
        self._notice = notice
        self._volume = "loud"
        self._program = shutil.which(PROGRAM) if wanted else None
        self._fault = "no-espeak" if wanted and self._program is None else ""
        self._wanted = wanted
        self._lock = Lock()
        self._speaking: Popen[bytes] | None = None
        self._tell()
        self._worker.start()

    def say(self, text: str, language: str) -> None:
        if self._program and self._volume != "off":
            self._inbox.put((text, language if language in LANGUAGES else DEFAULT))

    @property
    def volume(self) -> str:
        return self._volume

    @volume.setter
    def volume(self, volume: str) -> None:
        """`loud` or `quiet` from the next sentence on; `off` at once."""
        with self._lock:
            self._volume = volume
        if volume == "off":
            self._hush()
        self._tell()

    def close(self) -> None:
        self._inbox.close()  # first, so that no other sentence begins
        self._hush()
        super().close()

    def _tell(self) -> None:
        fine = {"off": "muted", "quiet": "quiet"}.get(self._volume, "ready") if self._wanted else "unwanted"
        self._notice(Health(not self._fault, self._fault or fine))

    def _hush(self) -> None:
        with self._lock:
            if self._speaking:
                self._speaking.kill()

    def _work(self) -> None:
        while not self._inbox.closed:
            wanted = self._inbox.get(None)
            if wanted:
                self._speak(*wanted)

    def _speak(self, text: str, language: str) -> None:
        try:
            with self._lock:
                if self._inbox.closed or self._volume not in AMPLITUDE:
                    return
                self._speaking = begun(str(self._program), language, self._volume)
            self._fault = said(self._speaking, text)
        except OSError:
            log.exception("The voice cannot speak.")
            self._fault = "no-espeak"
        finally:
            with self._lock:
                self._speaking = None
        self._tell()
