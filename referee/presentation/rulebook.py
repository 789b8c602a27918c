"""Rules pages: parses the rules of a game, one file per language, into sections.

A file is a small subset of Markdown: `# title`, `## heading {#id}`, paragraphs and `- ` lists with a blank
line between them, `**bold**`. A paragraph or item that begins with `[option=value]` or `[option!=value]` is
shown only at tables where that holds. `{option}` is replaced by the table's value.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from typing import Any

from referee.core.moves import canonical
from referee.presentation.game_folders import game_file
from referee.presentation.words import FALLBACK

HEADING = re.compile(r"## (.+) \{#([a-z0-9-]+)\}")
CONDITION = re.compile(r"\[(\w+)(!?=)(\S*)\] ")
FILL = re.compile(r"\{(\w+)\}")
BOLD = re.compile(r"\*\*(.+?)\*\*")

Run = tuple[str, bool]  # text, and whether it is bold


@dataclass(frozen=True)
class Block:
    """A paragraph or a list item. With a condition, it is shown only at tables that meet it."""

    text: str
    is_item: bool
    condition: tuple[str, str, str] | None = None

    def holds(self, options: Mapping[str, Any]) -> bool:
        if self.condition is None:
            return True
        name, sign, wanted = self.condition
        value = options.get(name)
        return ((value if isinstance(value, str) else canonical(value)) == wanted) == (sign == "=")

    def runs(self, options: Mapping[str, Any]) -> tuple[Run, ...]:
        """The text with the table's values filled in, split into bold and plain runs."""
        text = FILL.sub(lambda found: str(options[found[1]]), self.text)
        return tuple((run, n % 2 == 1) for n, run in enumerate(BOLD.split(text)) if run)


@dataclass(frozen=True)
class Section:
    id: str
    title: str
    blocks: tuple[Block, ...]

    def at(self, options: Mapping[str, Any]) -> list[tuple[bool, list[tuple[Run, ...]]]]:
        """The blocks shown at a table with these options: (is a list, its blocks). Adjacent items form one
        list; a paragraph stands alone."""
        shown = [block for block in self.blocks if block.holds(options)]
        groups = groupby(enumerate(shown), key=lambda each: -1 if each[1].is_item else each[0])
        return [(key == -1, [block.runs(options) for _, block in group]) for key, group in groups]


@dataclass(frozen=True)
class Rulebook:
    title: str
    sections: tuple[Section, ...]  # the first one has no id: the text before all headings
    language: str = ""  # the language of the text, which may be the fallback

    def ids(self) -> tuple[str, ...]:
        return tuple(section.id for section in self.sections[1:])


@cache
def rulebook(game: str, language: str) -> Rulebook:
    """The rules of a game in this language, or in the fallback language if there is no translation."""
    file = game_file(game, f"rules.{language}.md")
    if file is None:
        return rulebook(game, FALLBACK)
    return replace(read_rules(file.read_text(encoding="utf-8")), language=language)


def read_rules(text: str) -> Rulebook:
    title, *lines = [line for line in text.splitlines() if line]
    if not title.startswith("# "):
        raise ValueError(f"rules must begin with a title, # …, not {title!r}")
    return Rulebook(title.removeprefix("# "), tuple(_sections(lines)))


def _sections(lines: list[str]) -> Iterator[Section]:
    id_, title, blocks = "", "", list[Block]()
    for line in lines:
        if not line.startswith("#"):
            blocks.append(_block(line))
            continue
        found = HEADING.fullmatch(line)
        if found is None:
            raise ValueError(f"a heading must be ## Title {{#id}}, not {line!r}")
        yield Section(id_, title, tuple(blocks))
        title, id_, blocks = found[1], found[2], []
    yield Section(id_, title, tuple(blocks))


def _block(line: str) -> Block:
    is_item = line.startswith("- ")
    text = line.removeprefix("- ")
    found = CONDITION.match(text)
    condition = (found[1], found[2], found[3]) if found else None
    return Block(text[found.end() :] if found else text, is_item, condition)
