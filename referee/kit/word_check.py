"""What is wrong with the words of a game: missing, unused, different from one language to the other."""

import ast
import re
import string
from collections.abc import Iterator, Mapping
from importlib.resources.abc import Traversable
from typing import Any

from referee.core.game import Game
from referee.core.options import Data
from referee.kit.declared import Fault, each_count
from referee.presentation.game_folders import folders
from referee.presentation.words import COMPLETE, Words, words, words_of_game

SOURCES = (".py", ".html", ".js", ".svg")
# Page words that are looked up by the names of moves, fields, news, steps and lessons.
FORMS = re.compile(
    r"(do|hint|title|submit|sentence|case|ask|name|value|position|shout|means|lesson|presets|step)\..+"
)


class Heard(Mapping[str, tuple[str, ...]]):
    """The messages of a language, which notes what it is asked for, and what of that it lacks."""

    def __init__(self, messages: Mapping[str, tuple[str, ...]]) -> None:
        self._messages = messages
        self.asked = dict[str, None]()
        self.missing = dict[str, None]()

    def __getitem__(self, key: str) -> tuple[str, ...]:
        self.asked[key] = None
        if key not in self._messages:
            self.missing[key] = None
            return (f"[{key}]",)
        return self._messages[key]

    def __contains__(self, key: object) -> bool:
        return key in self._messages

    def __iter__(self) -> Iterator[str]:
        return iter(self._messages)

    def __len__(self) -> int:
        return len(self._messages)


def hearing(language: str) -> tuple[Words, Heard]:
    """The words of a language with a note of what they are asked for."""
    all_words = words(language)
    heard = Heard(all_words.messages)
    return Words(language, heard, all_words.plural), heard


def catalogue_faults(game: Game[Any, Any]) -> Iterator[Fault]:
    """What is wrong with the files themselves."""
    own: dict[str, Words] = {}
    for language in COMPLETE:
        try:
            own[language] = words_of_game(game.id, language)
        except (ValueError, SyntaxError) as error:
            yield f"the words cannot be read: {error}"
            return
    first, second = COMPLETE
    for key in own[first].messages:
        if key not in own[second].messages:
            yield f"{second}.po lacks {key}"
    for key in own[second].messages:
        if key not in own[first].messages:
            yield f"{first}.po lacks {key}"
    for key in own[first].messages.keys() & own[second].messages.keys():
        fields = [_fields(own[language].messages[key]) for language in COMPLETE]
        if None in fields:
            yield f"{key} has a brace that is no placeholder"
        elif fields[0] != fields[1]:
            yield f"{key} has other placeholders in {second}.po than in {first}.po"
    for language, each in own.items():
        forms = {each.plural(n) for n in range(200)}
        for key, said in each.messages.items():
            if len(said) not in (1, len(forms)):
                yield f"{language}.po: {key} has {len(said)} plural forms, not {len(forms)}"


def _fields(forms: tuple[str, ...]) -> set[str] | None:
    try:
        parts = [part for form in forms for part in string.Formatter().parse(form)]
    except ValueError:
        return None
    return {name for _, name, _, _ in parts if name is not None}


def needed(game: Game[Any, Any]) -> Iterator[str]:
    """The keys that every game must have, whatever is played."""
    yield from (f"{game.id}.name", f"{game.id}.tagline")
    for seat in dict.fromkeys(seat for options in each_count(game) for seat in game.seats(options)):
        yield f"{game.id}.seat.{seat}"
    shared = words(COMPLETE[0])
    for option in game.options:
        if f"page.option.{option.name}" not in shared:
            yield f"{game.id}.option.{option.name}"
        if isinstance(option, Data):
            yield from (f"{game.id}.option.{option.name}.{name}" for name in ("default", *option.ready))
    if game.guide:
        yield from (f"page.{game.id}.lesson.{key}" for key in game.guide.sections)


def unused(game: Game[Any, Any], asked: Mapping[str, None]) -> Iterator[str]:
    """The keys of the game that nothing asked for, and that no source of it names."""
    texts = _texts(game.id)
    wanted = set(needed(game))
    for key in words_of_game(game.id, COMPLETE[0]).messages:
        plain = re.sub(r"\.for_\w+$", "", key)
        if plain in asked or key in asked or key in wanted or any(plain in text for text in texts):
            continue
        is_page = key.startswith("page.")
        rest = plain.removeprefix(f"page.{game.id}.").removeprefix(f"{game.id}.")
        if is_page and (FORMS.fullmatch(rest) or any(_begins(key, text) for text in texts)):
            continue
        if not is_page and _is_literal(rest, texts):
            continue
        yield key


def _begins(key: str, text: str) -> bool:
    """A page may build the end of a key: `"page.ID.part." ~ part`."""
    parts = key.split(".")
    return any(f'"{".".join(parts[:n])}.' in text for n in range(3, len(parts)))


def _is_literal(rest: str, texts: tuple[str, ...]) -> bool:
    """Whether the end of a key stands in the code as a string: `why.too_low` for `Say("too_low")`. Values of
    options and variants are data: for them the first part counts."""
    part, _, what = rest.partition(".")
    names = (what, what.partition(".")[0], what.rpartition(".")[2]) if part != "seat" else (what,)
    return any(f'"{name}"' in text for name in names if name for text in texts)


def _texts(game: str) -> tuple[str, ...]:
    return tuple(_read(folders()[game]))


def _read(folder: Traversable) -> Iterator[str]:
    for each in folder.iterdir():
        if each.is_dir():
            yield from _read(each)
        elif each.name.endswith(SOURCES):
            text = each.read_text(encoding="utf-8")
            yield _with_double_quotes(text) if each.name.endswith(".py") else text


def _with_double_quotes(source: str) -> str:
    """All strings of a source, one in a line, in double quotes."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return ""
    found = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return "\n".join(f'"{text}"' for text in found if isinstance(text, str))
