"""Builds HTML forms from a seat's legal choices, for any game, one decision at a time.

Texts are looked up by game, type of move and field. Where a game has none, the field's own name is shown.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from referee.core.moves import canonical
from referee.presentation.views import Localizer
from web.pages.play.form_parts import (
    PREFIX,
    TEXT_PREFIX,
    Action,
    Case,
    Fields,
    FormField,
    Group,
    Option,
    implied_by_secrets,
    merged_form,
)
from web.pages.rendering import no_break, say

SIMPLE = (str, int, bool)  # types of values whose options are cached for all tables
MOST_OPTIONS = 4096  # in that cache; then it begins anew

NOTHING: Fields = {}  # implied by an option
_common_options: dict[Any, Option] = {}  # by game, language, field and value


def count_common_options() -> int:
    """How many options are in the cache of all tables."""
    return len(_common_options)


@dataclass(frozen=True)
class Forms:
    """Builds the forms of one game in one language."""

    localizer: Localizer
    faces: Mapping[str, Sequence[Any]] = field(default_factory=dict)  # replaces a field's options
    places: Mapping[str, Sequence[str]] = field(default_factory=dict)  # an arrangement's positions
    known: Fields = field(default_factory=dict)  # fields that are already fixed, for titles
    _options: dict[Any, Option] = field(default_factory=dict, init=False)  # cache

    def actions(self, choices: Sequence[Mapping[str, Any]], filled: Mapping[str, Fields]) -> list[Action]:
        """One action per type of move in `choices`; `filled` is what was picked so far, by type."""
        types = dict.fromkeys(choice["type"] for choice in choices)
        return [self._action(type_, choices, filled.get(type_, {})) for type_ in types]

    def rows(self, case: Case, fields: Fields) -> Iterator[tuple[str, str]]:
        """The picked fields as (name, value) rows, for the confirmation page."""
        for name, value in case.fixed.items():
            yield self._name(name), self._value_text(name, value)
        for asked in case.asked:
            value = fields[asked.name]
            if asked.kind == "arrange":
                yield from ((g.question, self.text(v)) for g, v in zip(asked.groups, value, strict=True))
            else:
                yield self._name(asked.name), self._value_text(asked.name, value)
        for name in dict.fromkeys(name for each in case.implied.values() for name in each):
            yield self._name(name), self.text(fields.get(name, False))

    def entered(self, fields: Fields) -> Iterator[tuple[str, str]]:
        """The fields of a move as (name, value) rows; an arrangement has one per named position."""
        for name, value in fields.items():
            if isinstance(value, list | tuple) and self._key(f"position.{name}") in self.localizer.words:
                for n, item in enumerate(value, 1):
                    yield self._place_name(name, n), self.text(item)
            else:
                yield self._name(name), self._value_text(name, value)

    def label(self, name: str, value: Any) -> str:
        """A field's value with its noun."""
        said = str(value).lower()
        own = self._key(f"value.{name}.{said}")
        if own in self.localizer.words:
            return say(own)
        text = self._value_text(name, value)
        return self._text_or(f"value.{name}", {"value": text}, text)

    def do(self, type_: str) -> str:
        """The name of a type of move."""
        return self._text_or(f"do.{type_}", {}, _plain(type_))

    def _value_text(self, name: str, value: Any) -> str:
        """A field's value as text: free text unchanged, anything else by its name."""
        return str(value) if name in self.localizer.game.texts else self.text(value)

    def text(self, value: Any) -> str:
        """A value without its noun: a seat or card by name, a boolean as yes or no, a list with arrows."""
        if isinstance(value, bool):
            return say(f"page.value.{str(value).lower()}")
        if isinstance(value, list | tuple):
            return " → ".join(self.text(item) for item in value)
        return str(self.localizer.told(value))

    def _action(self, type_: str, choices: Sequence[Mapping[str, Any]], filled: Fields) -> Action:
        same = [choice["fields"] for choice in choices if choice["type"] == type_]
        implied = implied_by_secrets(same)
        if implied:
            same = [merged_form(same)]
        settled = self._settled(type_, same)

        def cases() -> tuple[Case, ...]:
            each = enumerate(same)
            return tuple(self._case(type_, n, fields, filled, settled, implied) for n, fields in each)

        def shared(name: str) -> FormField | None:
            asked = (f for fields in same for f in fields if f["name"] == name and name not in settled)
            most = max(asked, key=lambda each: len(each.get("options", ())), default=None)
            return self._asked(type_, most, filled, implied) if most else None

        return Action(
            type=type_,
            label=self.do(type_),
            hint=self._text_or(f"hint.{type_}", {}, ""),
            asks=any(field["name"] not in settled for fields in same for field in fields),
            word_cases=cases,
            word_question=partial(self._question, type_),
            word_shared=shared,
        )

    def _settled(self, type_: str, cases: Sequence[Sequence[Mapping[str, Any]]]) -> set[str]:
        """Fields with a single option that need no input: they distinguish the cases or are in the title.

        Any other field with a single option is shown preselected.
        """
        single = set.intersection(
            *({f["name"] for f in case if f["kind"] == "one" and len(f["options"]) == 1} for case in cases)
        )
        if len(cases) > 1:
            return single
        title = self.localizer.words.messages.get(self._key(f"title.{type_}"), ("",))[0]
        return {name for name in single if f"{{{name}}}" in title}

    def _case(
        self,
        type_: str,
        number: int,
        fields: Sequence[Mapping[str, Any]],
        filled: Fields,
        settled: set[str],
        implied: Mapping[str, Fields],
    ) -> Case:
        fixed = {f["name"]: f["options"][0] for f in fields if f["name"] in settled}
        labels = [self.label(name, value) for name, value in fixed.items()]

        def asked() -> tuple[FormField, ...]:
            return tuple(self._asked(type_, f, filled, implied) for f in fields if f["name"] not in fixed)

        def word(what: str) -> str:
            blanks = {f["name"]: f"{{{f['name']}}}" for f in fields}
            texts = {name: self._value_text(name, value) for name, value in {**self.known, **fixed}.items()}
            otherwise = "" if what == "sentence" else self.do(type_)
            return self._text_or(f"{what}.{type_}", {**blanks, **texts}, otherwise)

        return Case(
            number=number,
            label=", ".join(labels) or self._case_label(type_, number, fields),
            fixed=fixed,
            secret=any(f.get("secret") for f in fields),
            implied=implied,
            word_asked=asked,
            word=word,
        )

    def _case_label(self, type_: str, number: int, fields: Sequence[Mapping[str, Any]]) -> str:
        """The label of a case without fixed fields: its single options, the game's text, or its number."""
        settled = [self.label(f["name"], f["options"][0]) for f in fields if len(f.get("options", ())) == 1]
        return ", ".join(settled) or self._text_or(f"case.{type_}", {}, str(number + 1))

    def _asked(
        self, type_: str, wanted: Mapping[str, Any], filled: Fields, implied: Mapping[str, Fields]
    ) -> FormField:
        name, kind = wanted["name"], wanted["kind"]
        if kind == "text":
            return self._text(type_, wanted, filled.get(name))
        shown = self.faces.get(name, wanted["options"])
        by = (implied.get(canonical(value), NOTHING) if implied else NOTHING for value in shown)
        options = tuple(map(partial(self._option, name), shown, by))
        question = self._question(type_, name)
        chosen = filled.get(name)
        if kind == "arrange":
            groups = tuple(self._position(name, n, options, chosen) for n in range(1, wanted["count"] + 1))
        else:
            only = options[0].value if len(options) == 1 else None
            value = canonical(chosen) if name in filled else only
            groups = (Group(PREFIX + name, question, options, value),)
        return FormField(name, kind, question, groups, options)

    def _text(self, type_: str, wanted: Mapping[str, Any], written: Any) -> FormField:
        name, text = wanted["name"], written if isinstance(written, str) else ""
        question = self._question(type_, name)
        return FormField(name, "text", question, (), (), TEXT_PREFIX + name, text, wanted["max"])

    def _position(self, name: str, n: int, options: tuple[Option, ...], chosen: Any) -> Group:
        """One position of an arrangement. Duplicate options are offered once."""
        question = self._place_name(name, n)
        value = canonical(chosen[n - 1]) if isinstance(chosen, list | tuple) and len(chosen) >= n else None
        return Group(f"{PREFIX}{name}.{n}", question, tuple(dict.fromkeys(options)), value)

    def _place_name(self, name: str, n: int) -> str:
        """The name of a position of an arrangement, else its number."""
        place = self.places[name][n - 1] if name in self.places else str(n)
        return self._text_or(f"position.{name}", {"n": place}, place)

    def _option(self, name: str, value: Any, implied: Fields) -> Option:
        """An option with its texts. Cached, since many cases offer the same one. What names no player and
        implies nothing is the same at all tables; its cache is shared."""
        if not implied and type(value) in SIMPLE and not self.localizer.is_name(value):
            key: tuple[Any, ...] = (
                self.localizer.game.id,
                self.localizer.words.language,
                name,
                type(value),
                value,
            )
            cache: dict[Any, Option] = _common_options
        else:
            key, cache = (name, canonical(value)), self._options
        option = cache.get(key)
        if option is None:
            note = ", ".join(self.label(other, settled) for other, settled in implied.items())
            option = Option(canonical(value), self._value_text(name, value), self.label(name, value), note)
            if len(cache) >= MOST_OPTIONS:
                cache.clear()
            cache[key] = option
        return option

    def _question(self, type_: str, name: str) -> str:
        return self._text_or(f"ask.{type_}.{name}", {}, self._name(name))

    def _name(self, name: str) -> str:
        return self._text_or(f"name.{name}", {}, _plain(name))

    def _text_or(self, key: str, fields: Fields, otherwise: str) -> str:
        """The game's text for this key, or `otherwise` if it has none."""
        own, words = self._key(key), self.localizer.words
        return no_break(words.say(own, fields)) if own in words else otherwise

    def _key(self, key: str) -> str:
        return f"page.{self.localizer.game.id}.{key}"


def _plain(name: str) -> str:
    return name.replace("_", " ").capitalize()
