"""A third language is one file: it is chosen, offered, and what it lacks is said in English."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from referee.games import GAMES
from referee.presentation.rulebook import rulebook
from referee.presentation.words import COMPLETE, read_po, with_fallback, words
from tests.support.web.server_process import ROOT

GERMAN = r"""
msgid ""
msgstr ""
"Language: de\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"

msgid "language.name"
msgstr "Deutsch"

msgid "page.home.title"
msgstr "Was spielt ihr?"

msgid "page.to_table"
msgstr "Bildschirm von {kode}"

msgid "page.to_home"
msgstr "ein halber {"

msgid "page.no_such_key"
msgstr "Unsinn"

msgid "date.month.11"
msgstr "November"

msgid "date.day"
msgstr "{day}. {month} {year}"

msgid "number.1234"
msgstr "1.234"
"""

ASKING = """
import json
from pathlib import Path
from tempfile import mkdtemp
from referee.games import GAMES
from referee.program.settings import Settings
from referee.presentation.words import LANGUAGES, number
from web.server.flask_app import create_app
from web.store.backups import open_store
from web.output.dates import day
from web.service.desks import Desks
from web.service.tables import TableService

folder = Path(mkdtemp())
store = open_store(folder / "referee.db")
service = TableService(store, Settings())
app = create_app(service, Desks(service, folder, lambda: "http://127.0.0.1"))
phone = app.test_client()
ask = lambda path, **headers: phone.get(path, headers=headers).get_data(as_text=True)
german = {"Accept-Language": "de-AT,de;q=0.9,fr;q=0.8"}
told = {
    "languages": LANGUAGES,
    "german": ask("/", **german),
    "french": ask("/", **{"Accept-Language": "fr"}),
    "rules": ask(f"/rules/{next(iter(GAMES))}", **german),
    "date": day("2026-11-17T12:00:00+00:00", "de"),
    "number": number(1234567, "de"),
    "option": [option.options for option in next(iter(GAMES.values())).options if option.name == "language"],
}
phone.set_cookie("language", "de", domain="localhost")
told["switched"] = ask("/", **{"Accept-Language": "fr"})
store.close()
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What a referee says that has one file more than this one."""
    folder = tmp_path_factory.mktemp("third")
    for package in ("referee", "web", "hardware"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "referee" / "words" / "de.po").write_text(GERMAN, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-W", "error", "-c", ASKING]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


def test_it_is_chosen_by_the_phone_and_by_the_switch(told: dict[str, object]) -> None:
    assert told["languages"] == ["fr", "en", "de"]
    for page in (told["german"], told["switched"]):
        assert '<html lang="de"' in str(page)
        assert "Was spielt ihr?" in str(page)
    assert 'value="de" lang="de" aria-label="Deutsch"' in str(told["french"])
    assert told["option"] == [["fr", "en", "de"]]


def test_what_it_lacks_is_said_in_english(told: dict[str, object]) -> None:
    assert words("en").say("page.home.lead") in str(told["german"])
    assert words("fr").say("page.home.lead") not in str(told["german"])


def test_missing_rules_are_shown_in_english_and_marked_as_such(told: dict[str, object]) -> None:
    page, english = str(told["rules"]), rulebook(next(iter(GAMES)), "en")
    assert all(f">{section.title}</h2>" in page for section in english.sections[1:])
    assert page.count('<section id="') - 1 == page.count('tabindex="-1" lang="en">')


def test_it_writes_dates_and_numbers_its_own_way(told: dict[str, object]) -> None:
    assert (told["date"], told["number"]) == ("17. November 2026", "1.234.567")


def test_a_slip_of_a_translator_is_as_good_as_nothing() -> None:
    german = with_fallback(read_po("de", GERMAN), words("en"))
    assert german.say("page.to_table", {"code": "KX7QF"}) == words("en").say(
        "page.to_table", {"code": "KX7QF"}
    )
    assert german.say("page.to_home") == words("en").say("page.to_home")
    assert "page.no_such_key" not in german
    assert "page.home.lead" in german


def test_french_and_english_are_complete() -> None:
    french, english = (words(language) for language in COMPLETE)
    assert french.messages.keys() == english.messages.keys()
    assert french.fallback is None
    assert english.fallback is None
