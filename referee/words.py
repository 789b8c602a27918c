"""Words for people: one catalogue a language, in gettext's .po format, read as it is."""

import ast
import gettext
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

LANGUAGES = ("fr", "en")
DEFAULT = LANGUAGES[0]


@dataclass(frozen=True)
class Words:
    """The sentences of one language, by key. A key may have several forms, chosen by its field `n`."""

    language: str
    messages: Mapping[str, tuple[str, ...]]
    plural: Callable[[int], int]

    def __contains__(self, key: str) -> bool:
        return key in self.messages

    def say(self, key: str, fields: Mapping[str, Any] | None = None) -> str:
        """The sentence of this key with its fields filled in."""
        fields = fields or {}
        forms = self.messages[key]
        form = forms[self.plural(fields["n"])] if len(forms) > 1 else forms[0]
        return form.format_map(fields)


@cache
def words(language: str) -> Words:
    """The catalogue of a language; French for one that has none."""
    if language not in LANGUAGES:
        return words(DEFAULT)
    text = resources.files("referee").joinpath("words", f"{language}.po").read_text(encoding="utf-8")
    return read_po(language, text)


def read_po(language: str, text: str) -> Words:
    """Read a .po file: the header's plural rule, then every message that is translated."""
    messages: dict[str, tuple[str, ...]] = {}
    for entry in _entries(text):
        forms = tuple(value for name, value in sorted(entry.items()) if name.startswith("msgstr"))
        if entry.get("msgid") and all(forms):
            messages[entry["msgid"]] = forms
        elif entry.get("msgid") == "":
            header = forms[0]
    rule = next(line for line in header.splitlines() if line.startswith("Plural-Forms:"))
    formula = rule.split("plural=")[1].rstrip("; ")
    return Words(language, messages, gettext.c2py(formula))


def _entries(text: str) -> Iterator[dict[str, str]]:
    """The entries of a .po file, each a mapping from msgid, msgstr, msgstr[0]… to its text."""
    for paragraph in text.split("\n\n"):
        entry: dict[str, str] = {}
        for line in paragraph.splitlines():
            if line.startswith("msg"):
                name, quoted = line.split(" ", 1)
                entry[name] = ast.literal_eval(quoted)
            elif line.startswith('"'):
                entry[name] += ast.literal_eval(line)
        if entry:
            yield entry
