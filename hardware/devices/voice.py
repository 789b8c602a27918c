"""The voice: speaks public news with espeak-ng, if it is installed and the settings ask for it."""

import logging
import shutil
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired
from threading import Lock

from hardware.devices.health import Health, Notice
from hardware.devices.inbox import Inbox
from hardware.devices.worker import Worker
from referee.presentation.words import DEFAULT, LANGUAGES

log = logging.getLogger(__name__)

Spoken = tuple[str, str]  # a sentence and its language

PROGRAM = "espeak-ng"
CAPACITY = 8  # queued sentences; when full, the oldest is dropped
LATE = 10.0  # seconds after which a waiting sentence is skipped in favour of a newer one
LONGEST = 25.0  # seconds that a sentence may take
MOST = 400  # characters of a sentence
AMPLITUDE = {"loud": "100", "quiet": "25"}
PHONEMES = "[["  # starts phoneme input in espeak-ng


def speakable(text: str) -> str:
    """A sentence that is safe to pass to espeak-ng: no control characters, no phonemes, bounded length."""
    shown = "".join(char if char.isprintable() else " " for char in text[:MOST])
    while PHONEMES in shown:
        shown = shown.replace(PHONEMES, "[ [")
    return shown


def start_program(program: str, language: str, volume: str) -> Popen[bytes]:
    """Start the program. It reads the sentence from stdin, so that no name is taken for an option."""
    command = (program, "-v", language, "-a", AMPLITUDE[volume], "-b", "1", "--stdin")
    return Popen(command, stdin=PIPE, stdout=DEVNULL, stderr=PIPE)


def speak(speaking: Popen[bytes], text: str) -> str:
    """Speak a sentence to its end; the fault code, or an empty string.

    Without a sound card the program exits with 0, but writes an error to stderr.
    """
    try:
        _, errors = speaking.communicate(speakable(text).encode(), timeout=LONGEST)
    except TimeoutExpired:
        speaking.kill()
        speaking.communicate()
        return "no-sound"
    silenced = speaking.returncode < 0
    return "no-sound" if not silenced and (speaking.returncode or b"error:" in errors) else ""


class Voice(Worker[Spoken]):
    """Speaks sentences in order, at the desk's volume. Outdated ones are skipped if a newer one is queued."""

    def __init__(self, wanted: bool, notice: Notice, inbox: Inbox[Spoken] | None = None) -> None:
        super().__init__("voice", inbox or Inbox(capacity=CAPACITY, late=LATE))
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
            self._silence()
        self._tell()

    def close(self) -> None:
        self._inbox.close()  # first, so that no further sentence begins
        self._silence()
        super().close()

    def _tell(self) -> None:
        fine = {"off": "muted", "quiet": "quiet"}.get(self._volume, "ready") if self._wanted else "unwanted"
        self._notice(Health(not self._fault, self._fault or fine))

    def _silence(self) -> None:
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
                self._speaking = start_program(str(self._program), language, self._volume)
            self._fault = speak(self._speaking, text)
        except OSError:
            log.exception("espeak-ng cannot be started.")
            self._fault = "no-espeak"
        finally:
            with self._lock:
                self._speaking = None
        self._tell()
