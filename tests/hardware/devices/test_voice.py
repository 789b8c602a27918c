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
from referee.program import settings
from referee.program.settings import NO_BUTTONS, NO_LIGHTS, Settings
from tests.support.hardware.stub_server import KEY, StubServer
from tests.support.rules.all_cues import ALL_SPOKEN
from tests.support.waiting import eventually

SCRIPT = """#!/bin/sh
sentence=$(cat; echo .)
: >"{folder}/begun"
while [ -e "{folder}/hang" ]; do :; done
words=$(for word in "$@"; do printf '%s ' "$word"; done; echo .)
printf '%s| %s\\n' "${{words%.}}" "${{sentence%.}}" >>"{folder}/said"
[ ! -e "{folder}/fail" ] || echo "error: no card" >&2
"""


class EspeakStub:
    """A stub of espeak-ng that records its arguments and its sentence; its files make it hang or fail."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        program = folder / "espeak-ng"
        program.write_text(SCRIPT.format(folder=folder))
        program.chmod(0o755)
        self.hangs = folder / "hang"
        self.fails = folder / "fail"

    def said(self) -> list[str]:
        file = self._folder / "said"
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []

    def sentences(self) -> list[str]:
        return [line.partition("| ")[2] for line in self.said()]

    def has_begun(self) -> bool:
        return (self._folder / "begun").exists()


@pytest.fixture
def espeak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> EspeakStub:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return EspeakStub(tmp_path)


Opened = tuple[Voice, list[Health]]


@pytest.fixture
def opened(espeak: EspeakStub) -> Iterator[Opened]:
    told: list[Health] = []
    with closing(Voice(True, told.append)) as voice:
        yield voice, told
        espeak.hangs.unlink(missing_ok=True)


def test_a_sentence_is_said_in_its_language(espeak: EspeakStub, opened: Opened) -> None:
    voice, told = opened
    voice.say("À Ana de jouer.", "fr")
    voice.say("It’s Ben’s turn.", "en")
    eventually(lambda: len(espeak.said()) == 2)
    assert espeak.said() == [
        "-v fr -a 100 -b 1 --stdin | À Ana de jouer.",
        "-v en -a 100 -b 1 --stdin | It’s Ben’s turn.",
    ]
    assert told[-1] == Health(True, "ready")


HOSTILE = ("-w /tmp/x", "--help", "<speak>x</speak>", "[[h@'loU]]", "a\x01b\x1b\n-f /etc/passwd", "x" * 9000)


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_becomes_an_option_a_command_or_a_second_line(
    espeak: EspeakStub, opened: Opened, name: str
) -> None:
    opened[0].say(name, "--version")
    eventually(lambda: len(espeak.said()) == 1)
    (line,) = espeak.said()
    assert line.startswith("-v fr -a 100 -b 1 --stdin | "), "a language that is none of ours is French"
    sentence = line.partition("| ")[2]
    assert sentence == speakable(name)
    assert "[[" not in sentence and sentence.isprintable() and len(sentence) <= MOST


def test_night_mode_is_quieter_and_mute_says_nothing(espeak: EspeakStub, opened: Opened) -> None:
    voice, told = opened
    voice.volume = "quiet"
    voice.say("un", "fr")
    eventually(lambda: len(espeak.said()) == 1)
    assert told[-1] == Health(True, "quiet")
    voice.volume = "off"
    voice.say("deux", "fr")
    assert told[-1] == Health(True, "muted")
    voice.volume = "loud"
    voice.say("trois", "fr")
    eventually(lambda: len(espeak.said()) == 2)
    assert espeak.said() == ["-v fr -a 25 -b 1 --stdin | un", "-v fr -a 100 -b 1 --stdin | trois"]


def test_muted_in_the_middle_of_a_sentence_it_stops(espeak: EspeakStub, opened: Opened) -> None:
    voice, _ = opened
    espeak.hangs.touch()
    voice.say("un très long discours", "fr")
    eventually(espeak.has_begun)
    voice.volume = "off"
    espeak.hangs.unlink()
    voice.volume = "loud"
    voice.say("deux", "fr")
    eventually(lambda: bool(espeak.said()))
    assert espeak.said() == ["-v fr -a 100 -b 1 --stdin | deux"], "the first was cut short"


def test_sentences_do_not_pile_up(espeak: EspeakStub, opened: Opened) -> None:
    voice, _ = opened
    espeak.hangs.touch()
    voice.say("first", "en")
    eventually(espeak.has_begun)
    for n in range(3 * CAPACITY):
        voice.say(f"number {n}", "en")
    espeak.hangs.unlink()
    latest = [f"number {n}" for n in range(2 * CAPACITY, 3 * CAPACITY)]
    eventually(lambda: espeak.sentences() == ["first", *latest])


def test_what_is_wrong_is_told_and_the_next_sentence_is_tried(espeak: EspeakStub, opened: Opened) -> None:
    voice, told = opened
    espeak.fails.touch()
    voice.say("un", "fr")
    eventually(lambda: told[-1] == Health(False, "no-sound"))
    espeak.fails.unlink()
    voice.say("deux", "fr")
    eventually(lambda: told[-1] == Health(True, "ready"))
    assert espeak.sentences() == ["un", "deux"]


def test_where_it_is_not_installed_that_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    told: list[Health] = []
    with closing(Voice(True, told.append)) as voice:
        voice.say("un", "fr")
        assert told == [Health(False, "no-espeak")]
    assert examine_voice().key == "no-espeak"


def test_the_doctor_tests_the_voice(espeak: EspeakStub) -> None:
    assert examine_voice().key == "voice"
    assert espeak.sentences() == ["1, 2, 3"]
    espeak.fails.touch()
    assert examine_voice().key == "no-sound"


def test_unasked_it_says_nothing(espeak: EspeakStub) -> None:
    told: list[Health] = []
    with closing(Voice(False, told.append)) as voice:
        voice.say("un", "fr")
    assert told == [Health(True, "unwanted")]
    assert espeak.said() == []


def test_the_desk_says_the_public_news_and_is_muted_with_its_sound(espeak: EspeakStub) -> None:
    chosen = Settings(desk=settings.DeskSettings(voice=True), lights=NO_LIGHTS, buttons=NO_BUTTONS)
    with StubServer() as server, closing(Desk(ServerClient(server.url, "main", KEY), chosen, None, Pace())):
        assert server.await_report("health")["voice"] == {"ok": True, "detail": "ready"}
        stream = server.await_stream()
        stream.view("mask", options={"language": "en"})
        stream.news("attack.plus.hand", text="Ana attacks: HIGHER.")
        stream.news("hidden", text="nobody says this aloud")
        stream.news("destroyed", text="House 1 is destroyed.")
        eventually(lambda: len(espeak.said()) == 2)
        stream.event("sound", {"sound": "off"})
        while server.await_report("health")["voice"]["detail"] != "muted":
            pass
        stream.news("turn", text="silence")
        stream.event("sound", {"sound": "quiet"})
        while server.await_report("health")["voice"]["detail"] != "quiet":
            pass
        stream.news("turn", text="It’s Ben’s turn.")
        eventually(lambda: len(espeak.said()) == 3)
    assert espeak.sentences() == ["Ana attacks: HIGHER.", "House 1 is destroyed.", "It’s Ben’s turn."]
    assert espeak.said()[0].startswith("-v en -a 100")
    assert espeak.said()[2].startswith("-v en -a 25")
    assert "hidden" not in ALL_SPOKEN
