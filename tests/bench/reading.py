"""Parses a seat's page and picks one of the steps that it offers, at random, for any game."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from random import Random
from urllib.parse import urlencode

TEXTS = ("Fouineur", "Ombre", "Renard")  # what is written where something may be written
CARD = "field.card"  # asks for a card of the own hand; the page offers all, so that no glance tells which
PLACE = re.compile(r"(.+)\.(\d+)")  # the input of one place of an arrangement

Attributes = dict[str, str | None]


@dataclass(frozen=True)
class Follow:
    """Follow a link, or send a form by GET: it changes nothing."""

    address: str


@dataclass(frozen=True)
class Send:
    """Send a form by POST. If it `decides`, it is a move."""

    action: str
    fields: list[tuple[str, str]]
    decides: bool


Step = Follow | Send


@dataclass
class Form:
    """A form as it stands on the page."""

    action: str
    method: str
    fixed: list[tuple[str, str]] = field(default_factory=list)
    picks: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    texts: list[str] = field(default_factory=list)
    buttons: list[tuple[str, str]] = field(default_factory=list)
    cards: list[str] = field(default_factory=list)  # tapped one after the other

    def filled(self, dice: Random) -> Step:
        """Every question answered at random, an arrangement with cards that lie there."""
        places = [name for name in self.picks if self.cards and PLACE.fullmatch(name)]
        laid = dict(zip(places, dice.sample(self.cards, len(places)), strict=True)) if places else {}
        picked = [(name, laid.get(name) or dice.choice(values)) for name, values in self.picks.items()]
        written = [(name, dice.choice(TEXTS)) for name in self.texts]
        name, value = dice.choice(self.buttons)
        fields = [*self.fixed, *picked, *written, *([(name, value)] if name else [])]
        if self.method == "get":
            return Follow(f"?{urlencode(fields)}")
        return Send(self.action, fields, decides=name != "check")


class Reader(HTMLParser):
    """Finds the answer that is to be tapped away, the links and the forms of a decision."""

    def __init__(self) -> None:
        super().__init__()
        self.answer: str | None = None
        self.links: list[str] = []
        self.forms: list[Form] = []
        self.seal: Form | None = None
        self.hand: list[str] = []
        self._in_answer = False
        self._in_hand = False
        self._form: Form | None = None
        self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has: Attributes = dict(attrs)
        classes = (has.get("class") or "").split()
        if tag == "section":
            self._in_answer = "answer" in classes
        elif tag == "ul":
            self._in_hand = "cards--small" in classes
        elif tag == "a" and self._in_answer and "button" in classes:
            self.answer = self.answer or _text(has, "href")
        elif tag == "a" and {"pick", "action"} & set(classes):
            self.links.append(_text(has, "href"))
        elif tag == "form" and {"move", "cases"} & set(classes):
            self._form = Form(_text(has, "action"), (has.get("method") or "get").lower())
            self.forms.append(self._form)
        elif self._form:
            self._inside(self._form, tag, has, classes)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag == "section":
            self._in_answer = False
        elif tag == "ul":
            self._in_hand = False

    def handle_data(self, data: str) -> None:
        if self._in_hand and data.strip():
            self.hand.append(data.strip())

    def _inside(self, form: Form, tag: str, has: Attributes, classes: Sequence[str]) -> None:
        name, value = _text(has, "name"), _text(has, "value")
        if tag == "input" and has.get("type") == "hidden":
            form.fixed.append((name, value))
        elif tag == "input" and has.get("type") == "radio":
            form.picks[name].append(value)
        elif tag == "input":
            form.texts.append(name)
        elif tag == "select":
            self._select = name
        elif tag == "option" and self._select and value:
            form.picks[self._select].append(value)
        elif tag == "datalist":
            self._select = ""
        elif tag == "button" and "data-card" in has:
            form.cards.append(_text(has, "data-card"))
        elif tag == "button" and has.get("type") != "button":
            form.buttons.append((name, value))
            if "seal" in classes:
                self.seal = form


def _text(has: Attributes, name: str) -> str:
    return has.get(name) or ""


def answer_in(html: str) -> str | None:
    """The link that taps an answer away."""
    return _read(html).answer if 'class="answer ' in html else None


def any_step(html: str, dice: Random) -> Step | None:
    """Something that the decision on this page offers; nothing where others are waited for."""
    read = _read(html)
    if read.seal:
        return read.seal.filled(dice)
    offered: list[str | Form] = [*read.links, *(form for form in read.forms if form.buttons)]
    if not offered:
        return None
    taken = dice.choice(offered)
    if isinstance(taken, str):
        return Follow(taken)
    if read.hand and CARD in taken.picks:
        taken.picks[CARD] = read.hand
    return taken.filled(dice)


def _read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    return reader
