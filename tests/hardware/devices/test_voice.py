"""The voice, with a stub of espeak-ng that records what it is given."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hardware.desk.doctor import examine_voice
from hardware.desk.process import Desk, Pace
from hardware.desk.server_client import ServerClient
from hardware.devices.health import Health
from hardware.devices.voice import CAPACITY, MOST, Voice, speakable
from referee.presentation.cues import SPOKEN
from referee.program import settings
from referee.program.settings import NO_BUTTONS, NO_LIGHTS, Settings
from tests.support.hardware.stub_server import KEY, StubServer
from tests.support.waiting import eventually

SCRIPT = """#!/bin/sh
sentence=$(cat; echo .)
: >"{folder}/begun"
while [ -e "{folder}/hold" ]; do :; done
words=$(for word in "$@"; do printf '%s ' "$word"; done; echo .)
printf '%s| %s\\n' "${{words%.}}" "${{sentence%.}}" >>"{folder}/said"
[ ! -e "{folder}/grumble" ] || echo "error: no card" >&2
"""


class Mouth:
    """What the program that stands in for espeak-ng was given: its arguments and its sentence."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        program = folder / "espeak-ng"
        program.write_text(SCRIPT.format(folder=folder))
        program.chmod(0o755)
        self.holds = folder / "hold"
        self.grumbles = folder / "grumble"

    def said(self) -> list[str]:
        file = self._folder / "said"
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []

    def sentences(self) -> list[str]:
        return [line.partition("| ")[2] for line in self.said()]

    def has_begun(self) -> bool:
        return (self._folder / "begun").exists()


@pytest.fixture
def mouth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mouth:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return Mouth(tmp_path)


Opened = tuple[Voice, list[Health]]


@pytest.fixture
def opened(mouth: Mouth) -> Iterator[Opened]:
    told: list[Health] = []
    with closing(Voice(True, told.append)) as voice:
        yield voice, told
        mouth.holds.unlink(missing_ok=True)


def test_a_sentence_is_said_in_its_language(mouth: Mouth, opened: Opened) -> None:
    voice, told = opened
    voice.say("À Ana de jouer.", "fr")
    voice.say("Ben to play.", "en")
    eventually(lambda: len(mouth.said()) == 2)
    assert mouth.said() == [
        "-v fr -a 100 -b 1 --stdin | À Ana de jouer.",
        "-v en -a 100 -b 1 --stdin | Ben to play.",
    ]
    assert told[-1] == Health(True, "ready")


HOSTILE = ("-w /tmp/x", "--help", "<speak>x</speak>", "[[h@'loU]]", "a\x01b\x1b\n-f /etc/passwd", "x" * 9000)


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_becomes_an_option_a_command_or_a_second_line(
    mouth: Mouth, opened: Opened, name: str
) -> None:
    opened[0].say(name, "--version")
    eventually(lambda: len(mouth.said()) == 1)
    (line,) = mouth.said()
    assert line.startswith("-v fr -a 100 -b 1 --stdin | "), "a language that is none of ours is French"
    sentence = line.partition("| ")[2]
    assert sentence == speakable(name)
    assert "[[" not in sentence and sentence.isprintable() and len(sentence) <= MOST


def test_night_mode_is_quieter_and_mute_says_nothing(mouth: Mouth, opened: Opened) -> None:
    voice, told = opened
    voice.volume = "quiet"
    voice.say("un", "fr")
    eventually(lambda: len(mouth.said()) == 1)
    assert told[-1] == Health(True, "quiet")
    voice.volume = "off"
    voice.say("deux", "fr")
    assert told[-1] == Health(True, "muted")
    voice.volume = "loud"
    voice.say("trois", "fr")
    eventually(lambda: len(mouth.said()) == 2)
    assert mouth.said() == ["-v fr -a 25 -b 1 --stdin | un", "-v fr -a 100 -b 1 --stdin | trois"]


def test_muted_in_the_middle_of_a_sentence_it_stops(mouth: Mouth, opened: Opened) -> None:
    voice, _ = opened
    mouth.holds.touch()
    voice.say("un très long discours", "fr")
    eventually(mouth.has_begun)
    voice.volume = "off"
    mouth.holds.unlink()
    voice.volume = "loud"
    voice.say("deux", "fr")
    eventually(lambda: bool(mouth.said()))
    assert mouth.said() == ["-v fr -a 100 -b 1 --stdin | deux"], "the first was cut short"


def test_sentences_do_not_pile_up(mouth: Mouth, opened: Opened) -> None:
    voice, _ = opened
    mouth.holds.touch()
    voice.say("first", "en")
    eventually(mouth.has_begun)
    for n in range(3 * CAPACITY):
        voice.say(f"number {n}", "en")
    mouth.holds.unlink()
    latest = [f"number {n}" for n in range(2 * CAPACITY, 3 * CAPACITY)]
    eventually(lambda: mouth.sentences() == ["first", *latest])


def test_what_is_wrong_is_told_and_the_next_sentence_is_tried(mouth: Mouth, opened: Opened) -> None:
    voice, told = opened
    mouth.grumbles.touch()
    voice.say("un", "fr")
    eventually(lambda: told[-1] == Health(False, "no-sound"))
    mouth.grumbles.unlink()
    voice.say("deux", "fr")
    eventually(lambda: told[-1] == Health(True, "ready"))
    assert mouth.sentences() == ["un", "deux"]


def test_where_it_is_not_installed_that_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    told: list[Health] = []
    with closing(Voice(True, told.append)) as voice:
        voice.say("un", "fr")
        assert told == [Health(False, "no-espeak")]
    assert examine_voice().key == "no-espeak"


def test_the_doctor_tests_the_voice(mouth: Mouth) -> None:
    assert examine_voice().key == "voice"
    assert mouth.sentences() == ["1, 2, 3"]
    mouth.grumbles.touch()
    assert examine_voice().key == "no-sound"


def test_unasked_it_says_nothing(mouth: Mouth) -> None:
    told: list[Health] = []
    with closing(Voice(False, told.append)) as voice:
        voice.say("un", "fr")
    assert told == [Health(True, "unwanted")]
    assert mouth.said() == []


def test_the_desk_says_the_public_news_and_is_muted_with_its_sound(mouth: Mouth) -> None:
    chosen = Settings(desk=settings.DeskSettings(voice=True), lights=NO_LIGHTS, buttons=NO_BUTTONS)
    with StubServer() as server, closing(Desk(ServerClient(server.url, "main", KEY), chosen, None, Pace())):
        assert server.await_report("health")["voice"] == {"ok": True, "detail": "ready"}
        stream = server.await_stream()
        stream.view("mask", options={"language": "en"})
        stream.news("attack.plus.hand", text="Ana attacks: HIGHER.")
        stream.news("hidden", text="nobody says this aloud")
        stream.news("destroyed", text="House 1 is destroyed.")
        eventually(lambda: len(mouth.said()) == 2)
        stream.event("sound", {"sound": "off"})
        while server.await_report("health")["voice"]["detail"] != "muted":
            pass
        stream.news("turn", text="silence")
        stream.event("sound", {"sound": "quiet"})
        while server.await_report("health")["voice"]["detail"] != "quiet":
            pass
        stream.news("turn", text="Ben to play.")
        eventually(lambda: len(mouth.said()) == 3)
    assert mouth.sentences() == ["Ana attacks: HIGHER.", "House 1 is destroyed.", "Ben to play."]
    assert mouth.said()[0].startswith("-v en -a 100")
    assert mouth.said()[2].startswith("-v en -a 25")
    assert "hidden" not in SPOKEN
