"""Choices as forms: what a seat may do now, asked one decision at a time, for any game.

Words are looked up by game, type of move and field; a game that has none yet shows its own names.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from referee.moves import canonical
from referee.views import Voice
from web.bodies import parse
from web.pages.page import say, tidy

PREFIX = "field."  # of the names of inputs that carry a move's fields, as JSON
WRITTEN = "text."  # and of those that carry what somebody wrote, as it is

Fields = Mapping[str, Any]


@dataclass(frozen=True)
class Option:
    """A value to pick: as a form sends it, alone (`5`), with its noun (`Planque 2`), and what it implies."""

    value: str
    text: str
    label: str
    note: str = ""

    @property
    def raw(self) -> Any:
        """The value itself."""
        return json.loads(self.value)


@dataclass(frozen=True)
class Group:
    """Options of which one is picked, under one question; `chosen` is the one picked so far."""

    input: str
    question: str
    options: tuple[Option, ...]
    chosen: str | None


@dataclass(frozen=True)
class Asked:
    """A field to fill in: one group, for `arrange` a group for each position, for `text` an input."""

    name: str
    kind: str
    question: str
    groups: tuple[Group, ...]
    options: tuple[Option, ...]  # each entry, so that equal ones stand as often as they may be used
    input: str = ""  # of a text, with what was written so far and how long it may be
    written: str = ""
    max: int = 0


@dataclass(frozen=True)
class Case:
    """One choice: what it settles by itself, and what it asks."""

    number: int
    label: str
    fixed: Fields
    asked: tuple[Asked, ...]
    secret: bool
    title: str
    hint: str
    submit: str
    sentence: str  # the button's words once all is picked, with blanks that the page fills
    implied: Mapping[str, Fields] = field(default_factory=dict)  # by the option that settles it

    def whole(self, fields: Fields) -> dict[str, Any]:
        """What was picked, with what it implies."""
        return self.with_implied(self.implied, fields)

    @staticmethod
    def with_implied(implied: Mapping[str, Fields], fields: Fields) -> dict[str, Any]:
        """Fields with those that the picked options imply."""
        more = (implied.get(canonical(value), {}) for value in fields.values()) if implied else ()
        return {**fields, **{name: value for each in more for name, value in each.items()}}


@dataclass(frozen=True)
class Action:
    """A type of move, with a case for each choice of that type. The cases are worded when they are shown."""

    type: str
    label: str
    hint: str
    asks: bool  # whether there is anything to fill in
    word_cases: Callable[[], tuple[Case, ...]]
    word_question: Callable[[str], str]

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        return self.word_cases()

    @property
    def which(self) -> str:
        """The question that tells the cases apart."""
        return self.word_question(next(iter(self.cases[0].fixed), ""))

    def case(self, number: str | None) -> Case | None:
        """The case of this number; the only one where there is but one."""
        if len(self.cases) == 1:
            return self.cases[0]
        return next((case for case in self.cases if str(case.number) == number), None)

    def shared(self, name: str) -> Asked | None:
        """A question that several cases ask, with the options of the one that has the most."""
        asked = (asked for case in self.cases for asked in case.asked if asked.name == name)
        return max(asked, key=lambda each: len(each.options), default=None)


@dataclass(frozen=True)
class Forms:
    """Writes the forms of one game in one language."""

    voice: Voice
    faces: Mapping[str, Sequence[Any]] = field(default_factory=dict)  # what is shown for a field's options
    places: Mapping[str, Sequence[str]] = field(default_factory=dict)  # what a field's places are called
    known: Fields = field(default_factory=dict)  # what is not asked any more, and titles speak of

    def actions(self, choices: Sequence[Mapping[str, Any]], filled: Mapping[str, Fields]) -> list[Action]:
        """One action for each type of move there is; `filled` is what was picked so far, by type."""
        types = dict.fromkeys(choice["type"] for choice in choices)
        return [self._action(type_, choices, filled.get(type_, {})) for type_ in types]

    def rows(self, case: Case, fields: Fields) -> Iterator[tuple[str, str]]:
        """What was picked, line by line, to be read once more before it is sealed."""
        for name, value in case.fixed.items():
            yield self._name(name), self._said(name, value)
        for asked in case.asked:
            value = fields[asked.name]
            if asked.kind == "arrange":
                yield from ((g.question, self.text(v)) for g, v in zip(asked.groups, value, strict=True))
            else:
                yield self._name(asked.name), self._said(asked.name, value)
        for name in dict.fromkeys(name for each in case.implied.values() for name in each):
            yield self._name(name), self.text(fields.get(name, False))

    def entered(self, fields: Fields) -> Iterator[tuple[str, str]]:
        """The fields of a move, line by line; an arrangement by its places, where the game names them."""
        for name, value in fields.items():
            if isinstance(value, list | tuple) and self._key(f"position.{name}") in self.voice.words:
                for n, item in enumerate(value, 1):
                    yield self._place_name(name, n), self.text(item)
            else:
                yield self._name(name), self._said(name, value)

    def label(self, name: str, value: Any) -> str:
        """A value with its noun."""
        said = str(value).lower()
        own = self._key(f"value.{name}.{said}")
        if own in self.voice.words:
            return say(own)
        text = self._said(name, value)
        return self._or(f"value.{name}", {"value": text}, text)

    def do(self, type_: str) -> str:
        """A type of move by its name."""
        return self._or(f"do.{type_}", {}, _plain(type_))

    def _said(self, name: str, value: Any) -> str:
        """The value of a field: free text as it was written, anything else by its name."""
        return str(value) if name in self.voice.game.texts else self.text(value)

    def text(self, value: Any) -> str:
        """A value alone: a seat or a card by its name, yes or no, a path by its steps."""
        if isinstance(value, bool):
            return say(f"page.value.{str(value).lower()}")
        if isinstance(value, list | tuple):
            return " → ".join(self.text(item) for item in value)
        return str(self.voice.told(value))

    def _action(self, type_: str, choices: Sequence[Mapping[str, Any]], filled: Fields) -> Action:
        same = [choice["fields"] for choice in choices if choice["type"] == type_]
        implied = told_apart_by_secrets(same)
        if implied:
            same = [one_form(same)]
        settled = self._settled(type_, same)

        def cases() -> tuple[Case, ...]:
            each = enumerate(same)
            return tuple(self._case(type_, n, fields, filled, settled, implied) for n, fields in each)

        return Action(
            type=type_,
            label=self.do(type_),
            hint=self._or(f"hint.{type_}", {}, ""),
            asks=any(field["name"] not in settled for fields in same for field in fields),
            word_cases=cases,
            word_question=partial(self._question, type_),
        )

    def _settled(self, type_: str, cases: Sequence[Sequence[Mapping[str, Any]]]) -> set[str]:
        """Fields with one option that need not be shown: they tell the cases apart, or the title has them.

        Any other stands on the page already picked, so that everyone sees what it will be.
        """
        single = set.intersection(
            *({f["name"] for f in case if f["kind"] == "one" and len(f["options"]) == 1} for case in cases)
        )
        if len(cases) > 1:
            return single
        title = self.voice.words.messages.get(self._key(f"title.{type_}"), ("",))[0]
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
        asked = tuple(self._asked(type_, f, filled, implied) for f in fields if f["name"] not in fixed)
        blanks = {f["name"]: f"{{{f['name']}}}" for f in fields}
        texts = {**blanks, **{name: self._said(name, v) for name, v in {**self.known, **fixed}.items()}}
        labels = [self.label(name, value) for name, value in fixed.items()]
        do = self.do(type_)
        return Case(
            number=number,
            label=", ".join(labels) or self._apart(type_, number, fields),
            fixed=fixed,
            asked=asked,
            secret=any(f.get("secret") for f in fields),
            title=self._or(f"title.{type_}", texts, do),
            hint=self._or(f"hint.{type_}", {}, ""),
            submit=self._or(f"submit.{type_}", texts, do),
            sentence=self._or(f"sentence.{type_}", texts, ""),
            implied=implied,
        )

    def _apart(self, type_: str, number: int, fields: Sequence[Mapping[str, Any]]) -> str:
        """What a case settles where others do not, else the game's word for it, else its number."""
        settled = [self.label(f["name"], f["options"][0]) for f in fields if len(f.get("options", ())) == 1]
        return ", ".join(settled) or self._or(f"case.{type_}", {}, str(number + 1))

    def _asked(
        self, type_: str, wanted: Mapping[str, Any], filled: Fields, implied: Mapping[str, Fields]
    ) -> Asked:
        name, kind = wanted["name"], wanted["kind"]
        if kind == "text":
            return self._text(type_, wanted, filled.get(name))
        shown = self.faces.get(name, wanted["options"])
        options = tuple(self._option(name, value, implied.get(canonical(value), {})) for value in shown)
        question = self._question(type_, name)
        chosen = filled.get(name)
        if kind == "arrange":
            groups = tuple(self._position(name, n, options, chosen) for n in range(1, wanted["count"] + 1))
        else:
            only = options[0].value if len(options) == 1 else None
            value = canonical(chosen) if name in filled else only
            groups = (Group(PREFIX + name, question, options, value),)
        return Asked(name, kind, question, groups, options)

    def _text(self, type_: str, wanted: Mapping[str, Any], written: Any) -> Asked:
        name, text = wanted["name"], written if isinstance(written, str) else ""
        question = self._question(type_, name)
        return Asked(name, "text", question, (), (), WRITTEN + name, text, wanted["max"])

    def _position(self, name: str, n: int, options: tuple[Option, ...], chosen: Any) -> Group:
        """One place of an arrangement; equal entries are offered once."""
        question = self._place_name(name, n)
        value = canonical(chosen[n - 1]) if isinstance(chosen, list | tuple) and len(chosen) >= n else None
        return Group(f"{PREFIX}{name}.{n}", question, tuple(dict.fromkeys(options)), value)

    def _place_name(self, name: str, n: int) -> str:
        """What a place of an arrangement is called: by its own name where it has one, else its number."""
        place = self.places[name][n - 1] if name in self.places else str(n)
        return self._or(f"position.{name}", {"n": place}, place)

    def _option(self, name: str, value: Any, implied: Fields) -> Option:
        note = ", ".join(self.label(other, settled) for other, settled in implied.items())
        return Option(canonical(value), self._said(name, value), self.label(name, value), note)

    def _question(self, type_: str, name: str) -> str:
        return self._or(f"ask.{type_}.{name}", {}, self._name(name))

    def _name(self, name: str) -> str:
        return self._or(f"name.{name}", {}, _plain(name))

    def _or(self, key: str, fields: Fields, otherwise: str) -> str:
        """The game's words for this page, or something that will do until it has them."""
        own, words = self._key(key), self.voice.words
        return tidy(words.say(own, fields)) if own in words else otherwise

    def _key(self, key: str) -> str:
        return f"page.{self.voice.game.id}.{key}"


def _plain(name: str) -> str:
    return name.replace("_", " ").capitalize()


Wanted = Sequence[Mapping[str, Any]]  # the fields of a choice, as they go on the wire


def told_apart_by_secrets(cases: Sequence[Wanted]) -> dict[str, Fields]:
    """Where nothing but secrets tells cases apart: what each option of the first field implies, if anything.

    Then they are asked in one form, so that no glance at a phone tells which case it is.
    """
    implied: dict[str, Fields] = {}
    if len(cases) < 2 or not all(cases):
        return {}
    for first, *others in cases:
        settled = [f for f in others if f["kind"] == "one" and len(f["options"]) == 1 and f.get("secret")]
        if first["name"] != cases[0][0]["name"] or not first.get("secret") or len(settled) < len(others):
            return {}
        more = {f["name"]: f["options"][0] for f in settled}
        implied.update({canonical(option): more for option in first["options"]})
    return implied


def one_form(cases: Sequence[Wanted]) -> Wanted:
    """The field that such cases share, with the options of all."""
    return [{**cases[0][0], "options": [option for case in cases for option in case[0]["options"]]}]


def fields_in(form: Mapping[str, str]) -> dict[str, Any]:
    """The fields of a move as a form sends them: `field.card`; `field.houses.1`, …; `text.name`."""
    fields: dict[str, Any] = {
        input_.removeprefix(WRITTEN): text for input_, text in form.items() if input_.startswith(WRITTEN)
    }
    for input_, text in sorted(form.items(), key=lambda item: _place(item[0])):
        if input_.startswith(PREFIX):
            name, dot, _ = input_.removeprefix(PREFIX).partition(".")
            value = parse(text.encode())
            before = fields.get(name)
            fields[name] = [*(before if isinstance(before, list) else ()), value] if dot else value
    return fields


def _place(input_: str) -> tuple[str, int]:
    """Positions in the order of their numbers."""
    name, _, position = input_.rpartition(".")
    return (name, int(position)) if position.isdecimal() and len(position) < 4 else (input_, 0)


def inputs(case: Case, fields: Fields) -> Iterator[tuple[str, str]]:
    """The fields of a case as the inputs that bring them back."""
    for name, value in case.fixed.items():
        yield PREFIX + name, canonical(value)
    for asked in case.asked:
        value = fields[asked.name]
        if asked.kind == "arrange":
            yield from ((g.input, canonical(v)) for g, v in zip(asked.groups, value, strict=True))
        elif asked.kind == "text":
            yield asked.input, value
        else:
            yield PREFIX + asked.name, canonical(value)


def complete(case: Case, fields: Fields) -> bool:
    """Whether each question of a case has an answer."""
    return all(_answered(asked, fields.get(asked.name)) for asked in case.asked)


def _answered(asked: Asked, value: Any) -> bool:
    if asked.kind == "arrange":
        return isinstance(value, list) and len(value) == len(asked.groups) and None not in value
    return isinstance(value, str) if asked.kind == "text" else value is not None
