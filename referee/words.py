"""Words for people: one catalogue a language, in gettext's .po format, read as it is.

French and English are complete. A third language is one more file; what it lacks is said in English.
"""

import ast
import gettext
import json
import re
import string
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Any

COMPLETE = ("fr", "en")
DEFAULT = COMPLETE[0]
BENEATH = "en"  # speaks where a third language has no word


def _there() -> Iterator[str]:
    """The languages that have a catalogue, by the names of their files."""
    for file in sorted(resources.files("referee").joinpath("words").iterdir(), key=lambda file: file.name):
        if found := re.fullmatch(r"([a-z]{2,3})\.po", file.name):
            yield found[1]


LANGUAGES = tuple(dict.fromkeys((*COMPLETE, *_there())))


@dataclass(frozen=True)
class Words:
    """The sentences of one language, by key. A key may have several forms, chosen by its field `n`."""

    language: str
    messages: Mapping[str, tuple[str, ...]]
    plural: Callable[[int], int]
    beneath: "Words | None" = None  # says what this one lacks

    def __contains__(self, key: str) -> bool:
        return key in self.messages or (self.beneath is not None and key in self.beneath)

    def asks(self, key: str) -> frozenset[str]:
        """The fields that the sentence of this key is filled in with, or its form chosen by."""
        if self.beneath and key not in self.messages:
            return self.beneath.asks(key)
        return _asked(self.messages[key])

    @cached_property
    def somebody(self) -> str:
        """How a person is called who was deleted: every sentence might begin so."""
        return self.say("somebody")

    def say(self, key: str, fields: Mapping[str, Any] | None = None) -> str:
        """The sentence of this key with its fields filled in."""
        fields = fields or {}
        if self.beneath and key not in self.messages:
            return self.beneath.say(key, fields)
        forms = self.messages[key]
        form = forms[self.plural(fields["n"])] if len(forms) > 1 else forms[0]
        if self.language == "fr" and "de {" in form:
            form = elided(form, fields)
        return form.format_map(fields)


@cache
def words(language: str) -> Words:
    """The catalogue of a language; French for one that has none."""
    if language not in LANGUAGES:
        return words(DEFAULT)
    text = resources.files("referee").joinpath("words", f"{language}.po").read_text(encoding="utf-8")
    own = read_po(language, text)
    return own if language in COMPLETE else over(own, words(BENEATH))


def over(own: Words, beneath: Words) -> Words:
    """A language that may lack words; it lacks, too, what cannot be filled in like the sentence beneath."""
    forms = {own.plural(n) for n in range(200)}
    fit = {
        key: said
        for key, said in own.messages.items()
        if key in beneath.messages
        and len(said) in (1, len(forms))
        and _fields(said) <= _fields(beneath.messages[key])
    }
    return Words(own.language, fit, own.plural, beneath)


@cache
def _asked(forms: tuple[str, ...]) -> frozenset[str]:
    return frozenset(_fields(forms) | ({"n"} if len(forms) > 1 else set()))


def _fields(forms: Iterable[str]) -> set[str]:
    """What is filled in; a form that is none fits nowhere."""
    try:
        parts = [part for form in forms for part in string.Formatter().parse(form)]
    except ValueError:
        return {""}
    return {name for _, name, _, _ in parts if name is not None}


def elided(form: str, fields: Mapping[str, Any]) -> str:
    """A French sentence in which « de » loses its e before a person whose name begins with a vowel."""
    return _OF_SOMEBODY.sub(lambda of: "d’" if _VOWEL.match(_bare(str(fields[of[1]]))) else of[0], form)


def _bare(name: str) -> str:
    return unicodedata.normalize("NFKD", name).casefold()


def own_name(language: str) -> str:
    """What a language calls itself."""
    return words(language).messages.get("language.name", (language.upper(),))[0]


def number(figure: int, language: str) -> str:
    """A number with its thousands apart, as the catalogue shows it for 1234, and a real minus."""
    apart = words(language).say("number.1234")[1:-3]
    return f"{figure:,}".replace(",", apart).replace("-", "−")


def read_po(language: str, text: str) -> Words:
    """Read a .po file: the header's plural rule, then every message that is translated."""
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
    name = ""  # of what the next string belongs to
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
            raise ValueError(f"a line that does not belong there in a .po file: {line!r}")
    if name.startswith("msgstr"):
        yield entry


def _text(quoted: str) -> str:
    """A string of a .po file; those with escapes of C are rare, and slower to read."""
    return str(ast.literal_eval(quoted)) if "\\" in quoted else str(json.loads(quoted, strict=False))


_OF_SOMEBODY = re.compile(r"\bde (?=\{(by|names?|owner|seat|side)\})")
_VOWEL = re.compile(r"[aeiouœæ]|y[^aeiou]")  # d’Yves, but de Yann
_LINE = re.compile(r'(?:(msgid|msgid_plural|msgstr|msgstr\[\d])\s+)?(".*")')
