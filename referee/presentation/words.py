"""Message catalogues: gettext .po files, parsed directly without compilation.

For each language there is one file with the words that all games share, and one in the folder of each game
with the game's own: its keys begin with `ID.` or `page.ID.`, so no game can change the words of another.
French and English are complete. A third language is one more file; messages it lacks are shown in English.
"""

import ast
import gettext
import json
import re
import string
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import resources
from typing import Any

from referee.presentation.game_folders import folders, game_file

COMPLETE = ("fr", "en")
DEFAULT = COMPLETE[0]
PEOPLE = ("name", "names", "by", "seat", "side")  # placeholders of the shared words that name people
FALLBACK = "en"  # for messages that a third language lacks


def _catalogues() -> Iterator[str]:
    """The languages that have a catalogue file."""
    for file in sorted(resources.files("referee").joinpath("words").iterdir(), key=lambda file: file.name):
        if found := re.fullmatch(r"([a-z]{2,3})\.po", file.name):
            yield found[1]


LANGUAGES = tuple(dict.fromkeys((*COMPLETE, *_catalogues())))


@dataclass(frozen=True)
class Words:
    """The messages of one language, by key. A message may have plural forms, selected by its field `n`."""

    language: str
    messages: Mapping[str, tuple[str, ...]]
    plural: Callable[[int], int]
    fallback: "Words | None" = None  # for keys that this catalogue lacks

    def __contains__(self, key: str) -> bool:
        return key in self.messages or (self.fallback is not None and key in self.fallback)

    def has_variant(self, key: str, variant: str) -> bool:
        """Whether the catalogue that says `key` has this variant of it: no sentence changes its language."""
        if self.fallback and key not in self.messages:
            return self.fallback.has_variant(key, variant)
        return variant in self.messages

    def fields(self, key: str) -> frozenset[str]:
        """The names of the fields that the message uses, for its text or to select the plural form."""
        if self.fallback and key not in self.messages:
            return self.fallback.fields(key)
        return _fields_of(self.messages[key])

    @cached_property
    def somebody(self) -> str:
        """The placeholder for a deleted person. Cached: every sentence is checked for it."""
        return self.say("somebody")

    def say(self, key: str, fields: Mapping[str, Any] | None = None, names: Collection[str] = PEOPLE) -> str:
        """The message of this key with its fields filled in. `names` are the fields that name people."""
        fields = fields or {}
        if self.fallback and key not in self.messages:
            return self.fallback.say(key, fields, names)
        forms = self.messages[key]
        form = forms[self.plural(fields["n"])] if len(forms) > 1 else forms[0]
        if self.language == "fr" and "de {" in form:
            form = elided(form, fields, names)
        return form.format_map(fields)


@cache
def words(language: str) -> Words:
    """The catalogue of a language, or French if it has none."""
    if language not in LANGUAGES:
        return words(DEFAULT)
    own = with_games(shared_words(language))
    return own if language in COMPLETE else with_fallback(own, words(FALLBACK))


def shared_words(language: str) -> Words:
    """The words that all games share."""
    text = resources.files("referee").joinpath("words", f"{language}.po").read_text(encoding="utf-8")
    return read_po(language, text)


def with_games(shared: Words) -> Words:
    """The shared words together with those of all games."""
    messages = dict(shared.messages)
    for game in folders():
        messages |= words_of_game(game, shared.language).messages
    return replace(shared, messages=messages)


def words_of_game(game: str, language: str) -> Words:
    """A game's own words. Raises ValueError for a key that belongs to others, or that stands there twice."""
    file = game_file(game, "words", f"{language}.po")
    own = read_po(language, file.read_text(encoding="utf-8") if file else "")
    for key in own.messages:
        if not key.startswith((f"{game}.", f"page.{game}.")):
            raise ValueError(f"{language}.po of {game} has {key!r}, which does not begin with {game}.")
    return own


def with_fallback(own: Words, fallback: Words) -> Words:
    """An incomplete language over its fallback. Messages with a wrong number of plural forms, or with fields
    that the fallback does not have, are dropped."""
    forms = {own.plural(n) for n in range(200)}
    fit = {
        key: said
        for key, said in own.messages.items()
        if key in fallback.messages
        and len(said) in (1, len(forms))
        and _placeholders(said) <= _placeholders(fallback.messages[key])
    }
    return Words(own.language, fit, own.plural, fallback)


@cache
def _fields_of(forms: tuple[str, ...]) -> frozenset[str]:
    return frozenset(_placeholders(forms) | ({"n"} if len(forms) > 1 else set()))


def _placeholders(forms: Iterable[str]) -> set[str]:
    """The placeholder names of a message. A malformed message gives {""}, which matches no other."""
    try:
        parts = [part for form in forms for part in string.Formatter().parse(form)]
    except ValueError:
        return {""}
    return {name for _, name, _, _ in parts if name is not None}


def elided(form: str, fields: Mapping[str, Any], names: Collection[str]) -> str:
    """A French message with « de » elided to « d’ » before a name that begins with a vowel."""

    def of_somebody(found: re.Match[str]) -> str:
        field = found[1]
        return "d’" if field in names and _VOWEL.match(_bare(str(fields[field]))) else found[0]

    return _OF.sub(of_somebody, form)


def _bare(name: str) -> str:
    return unicodedata.normalize("NFKD", name).casefold()


def own_name(language: str) -> str:
    """The name of a language in that language."""
    return words(language).messages.get("language.name", (language.upper(),))[0]


def number(figure: int, language: str) -> str:
    """A number with the language's thousands separator (taken from the message for 1234) and a minus sign."""
    apart = words(language).say("number.1234")[1:-3]
    return f"{figure:,}".replace(",", apart).replace("-", "−")


def read_po(language: str, text: str) -> Words:
    """Parse a .po file: the plural rule of the header, and every translated, non-fuzzy message."""
    messages: dict[str, tuple[str, ...]] = {}
    header = ""
    for entry in _entries(text):
        forms = tuple(value for name, value in sorted(entry.items()) if name.startswith("msgstr"))
        if entry["msgid"] == "":
            header = forms[0]
        elif entry["msgid"] in messages:
            raise ValueError(f"{language}.po has {entry['msgid']} twice")
        elif all(forms) and "fuzzy" not in entry:
            messages[entry["msgid"]] = forms
    found = re.search(r"^Plural-Forms:.*\bplural=([^;]+)", header, re.MULTILINE)
    return Words(language, messages, gettext.c2py(found[1] if found else "n != 1"))


def _entries(text: str) -> Iterator[dict[str, str]]:
    """The entries of a .po file, each a mapping from msgid, msgstr, msgstr[0]… to its text."""
    entry: dict[str, str] = {}
    name = ""  # the field to which the next string belongs
    for line in map(str.strip, text.split("\n")):
        found = _LINE.fullmatch(line)
        if name.startswith("msgstr") and (line.startswith("#") or (found and found[1] == "msgid")):
            yield entry
            entry, name = {}, ""
        if line.startswith("#,") and "fuzzy" in line:
            entry["fuzzy"] = line
        elif found and found[1] not in entry and (found[1] or name):
            name = found[1] or name
            entry[name] = entry.get(name, "") + _text(found[2])
        elif line and not line.startswith("#"):
            raise ValueError(f"unexpected line in a .po file: {line!r}")
    if name.startswith("msgstr"):
        yield entry


def _text(quoted: str) -> str:
    """Decode a quoted string. Those with C escapes are rare, and slower to parse."""
    return str(ast.literal_eval(quoted)) if "\\" in quoted else str(json.loads(quoted, strict=False))


_OF = re.compile(r"\bde (?=\{(\w+)\})")
_VOWEL = re.compile(r"[aeiouœæ]|y[^aeiou]")  # d’Yves, but de Yann
_LINE = re.compile(r'(?:(msgid|msgid_plural|msgstr|msgstr\[\d])\s+)?(".*")')
