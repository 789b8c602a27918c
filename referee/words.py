"""Words for people: one catalogue a language, in gettext's .po format, read as it is."""

import gettext
import json
import re
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
            entry[name] = entry.get(name, "") + json.loads(found[2])
        elif line and not line.startswith("#"):
            raise ValueError(f"a line that does not belong there in a .po file: {line!r}")
    if name.startswith("msgstr"):
        yield entry


_LINE = re.compile(r'(?:(msgid|msgid_plural|msgstr|msgstr\[\d])\s+)?(".*")')
