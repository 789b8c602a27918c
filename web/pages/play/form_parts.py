"""The parts of a move's form (actions, cases, fields, options), and reading a form that was sent."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from referee.core.moves import canonical
from web.wire.parsing import parse

PREFIX = "field."  # of inputs that carry a field of a move, as JSON
TEXT_PREFIX = "text."  # of inputs that carry free text

Fields = Mapping[str, Any]


@dataclass(frozen=True)
class Option:
    """A value to pick: its JSON, its text (`5`), its label with a noun (`Planque 2`), what it implies."""

    value: str
    text: str
    label: str
    note: str = ""

    @cached_property
    def raw(self) -> Any:
        """The decoded value."""
        return json.loads(self.value)


@dataclass(frozen=True)
class Group:
    """A question with options, of which one is picked. `chosen` is the JSON of the one picked so far."""

    input: str
    question: str
    options: tuple[Option, ...]
    chosen: str | None


@dataclass(frozen=True)
class FormField:
    """A field of a form: one group; for `arrange` a group per position; for `text` a text input."""

    name: str
    kind: str
    question: str
    groups: tuple[Group, ...]
    options: tuple[Option, ...]  # with duplicates, as often as each may be used
    input: str = ""  # name of the text input; then its text so far and its maximum length
    written: str = ""
    max: int = 0


@dataclass(frozen=True)
class Case:
    """One choice: the fields it fixes and the fields it asks for. Texts are looked up only when shown."""

    number: int
    label: str
    fixed: Fields
    secret: bool
    implied: Mapping[str, Fields]  # by the JSON of the option that implies them
    word_asked: Callable[[], tuple[FormField, ...]]
    word: Callable[[str], str]  # looks up `title`, `submit` (the button) or `sentence`

    @cached_property
    def asked(self) -> tuple[FormField, ...]:
        return self.word_asked()

    @property
    def title(self) -> str:
        return self.word("title")

    @property
    def submit(self) -> str:
        return self.word("submit")

    @property
    def sentence(self) -> str:
        """The button's text once everything is picked, with `{field}` placeholders that the script fills."""
        return self.word("sentence")

    def whole(self, fields: Fields) -> dict[str, Any]:
        """The picked fields together with those they imply."""
        return self.with_implied(self.implied, fields)

    @staticmethod
    def with_implied(implied: Mapping[str, Fields], fields: Fields) -> dict[str, Any]:
        """These fields together with those that their values imply."""
        more = (implied.get(canonical(value), {}) for value in fields.values()) if implied else ()
        return {**fields, **{name: value for each in more for name, value in each.items()}}


@dataclass(frozen=True)
class Action:
    """A type of move with a case per choice of that type. Texts are looked up only when shown."""

    type: str
    label: str
    hint: str
    asks: bool  # whether there is anything to fill in
    word_cases: Callable[[], tuple[Case, ...]]
    word_question: Callable[[str], str]
    word_shared: Callable[[str], FormField | None]

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        return self.word_cases()

    @property
    def which(self) -> str:
        """The question whose answer selects a case."""
        return self.word_question(next(iter(self.cases[0].fixed), ""))

    def case(self, number: str | None) -> Case | None:
        """The case with this number; if there is only one case, that one."""
        if len(self.cases) == 1:
            return self.cases[0]
        return next((case for case in self.cases if str(case.number) == number), None)

    def shared(self, name: str) -> FormField | None:
        """A field that several cases ask for, with the options of the case that has the most."""
        return self.word_shared(name)


Wanted = Sequence[Mapping[str, Any]]  # the fields of a choice in wire format


def implied_by_secrets(cases: Sequence[Wanted]) -> dict[str, Fields]:
    """What each option of the first field implies, if cases differ in nothing but secret fields; else {}.

    Such cases are merged into one form, so that a glance at the phone does not reveal which case it is.
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


def merged_form(cases: Sequence[Wanted]) -> Wanted:
    """The merged form of such cases: their first field with the options of all."""
    return [{**cases[0][0], "options": [option for case in cases for option in case[0]["options"]]}]


def fields_in(form: Mapping[str, str]) -> dict[str, Any]:
    """The fields of a move in a submitted form: `field.card`; `field.houses.1`, …; `text.name`."""
    fields: dict[str, Any] = {
        input_.removeprefix(TEXT_PREFIX): text
        for input_, text in form.items()
        if input_.startswith(TEXT_PREFIX)
    }
    for input_, text in sorted(form.items(), key=lambda item: _place(item[0])):
        if input_.startswith(PREFIX):
            name, dot, _ = input_.removeprefix(PREFIX).partition(".")
            value = parse(text.encode())
            before = fields.get(name)
            fields[name] = [*(before if isinstance(before, list) else ()), value] if dot else value
    return fields


def _place(input_: str) -> tuple[str, int]:
    """A sort key that orders positions numerically."""
    name, _, position = input_.rpartition(".")
    return (name, int(position)) if position.isdecimal() and len(position) < 4 else (input_, 0)


def inputs(case: Case, fields: Fields) -> Iterator[tuple[str, str]]:
    """The fields of a case as (name, value) of hidden inputs."""
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
    """Whether every field that a case asks for is filled in."""
    return all(_answered(asked, fields.get(asked.name)) for asked in case.asked)


def _answered(asked: FormField, value: Any) -> bool:
    if asked.kind == "arrange":
        return isinstance(value, list) and len(value) == len(asked.groups) and None not in value
    return isinstance(value, str) if asked.kind == "text" else value is not None
