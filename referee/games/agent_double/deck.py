"""Deck files: the 22 cards of the owner's copy of Agent Double, with validation.

    {"cards": [
        {"back": "3", "value": 3},
        {"back": "0/7", "value": 7},
        {"back": "5", "value": 5, "special": "personal"},
        {"back": "?", "value": 2, "name": "Fouineur", "effect": ["fx_marker", "fx_peek"]},
        {"back": "?", "value": 4, "name": "Something else", "returns": true}]}

Both players have the same 22 cards, so each is listed once; the file may also have a `name`. A plain `back`
equals the card's `value`; four backs are `0/7`, worth 0 or 7; a document/action card has `?` and a `name`.
`special` marks the two cards with an effect when they are revealed, Docs personnels and Docs piégés: one
each, and both are simple cards. `effect` lists the primitives of an action in order, at most three; an empty
list is an action that changes nothing the referee tracks. Without `effect` the action is composed and agreed
upon when it is played. With `returns` the card goes back to the hand after its action, not to the box. Cards
with the same name are copies and must be identical.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from referee.core.game import Say
from referee.core.moves import normalized_text

CARDS = 22
VALUES = range(8)
EITHER, HIDDEN = "0/7", "?"
BACKS = (*map(str, VALUES), EITHER, HIDDEN)
SPECIALS = ("personal", "trapped")
PRIMITIVES = (
    "fx_peek",
    "fx_marker",
    "fx_influence",
    "fx_swap_loyalty",
    "fx_peek_loyalty",
    "fx_move_file",
    "fx_remove_file",
)
FIELDS = frozenset({"back", "value", "name", "special", "effect", "returns"})
NAME_LENGTH = 40
MOST_EFFECTS = 3
EITHERS = 4  # `0/7` backs per player


@dataclass(frozen=True)
class Card:
    """One card: its back, its value, and for an action its name and its effect if known."""

    back: str
    value: int
    name: str = ""
    special: str = ""
    effect: tuple[str, ...] | None = None
    returns: bool = False

    @property
    def file(self) -> str:
        """What its owner enters when it is laid as a document."""
        return self.special or str(self.value)


@dataclass(frozen=True)
class Deck:
    """The cards of each player."""

    cards: tuple[Card, ...]

    @cached_property
    def documents(self) -> Counter[tuple[str, str]]:
        """The number of copies of each document, by back and face."""
        return Counter((card.back, card.file) for card in self.cards)

    @cached_property
    def actions(self) -> Mapping[str, Card]:
        return {card.name: card for card in self.cards if card.back == HIDDEN}

    @cached_property
    def copies(self) -> Counter[str]:
        return Counter(card.name for card in self.cards if card.back == HIDDEN)

    @cached_property
    def specials(self) -> Mapping[str, int]:
        """The values of the two special documents."""
        return {card.special: card.value for card in self.cards if card.special}


def faces(back: str) -> tuple[str, ...]:
    """The faces that a document with this back can have without a deck file."""
    if back == HIDDEN:
        return tuple(map(str, VALUES))
    return (*(("0", "7") if back == EITHER else (back,)), *SPECIALS)


def worth(back: str, file: str, deck: Deck | None) -> int:
    """The points of a document. Without a deck file, a special one is worth its back, or 0 under `0/7`."""
    if file not in SPECIALS:
        return int(file)
    if deck:
        return deck.specials[file]
    return 0 if back == EITHER else int(back)


def read(file: Any) -> Deck | None:
    """The deck of a valid file, or None without a file."""
    if file is None:
        return None
    return Deck(tuple(_card(card) for card in file["cards"]))


def _card(card: Mapping[str, Any]) -> Card:
    effect = card.get("effect")
    return Card(
        back=card["back"],
        value=card["value"],
        name=card.get("name", "") if card["back"] == HIDDEN else "",
        special=card.get("special", ""),
        effect=None if effect is None else tuple(effect),
        returns=card.get("returns", False),
    )


def fits(file: Any) -> bool:
    """Whether this is a valid value of the option: a valid deck file, or None."""
    return file is None or not any(wrong(file))


def wrong(file: Any) -> Iterator[Say]:
    """Everything wrong with a deck file: card by card (numbered from 1), then as a whole."""
    if not isinstance(file, dict) or not {"cards"} <= file.keys() <= {"name", "cards"}:
        yield Say("deck.form")
        return
    if "name" in file and not is_name(file["name"]):
        yield Say("deck.name")
    if not isinstance(file["cards"], list | tuple):
        yield Say("deck.form")
        return
    found = [
        Say(f"deck.{key}", {"card": n})
        for n, card in enumerate(file["cards"], 1)
        for key in _wrong_card(card)
    ]
    yield from found
    if len(file["cards"]) != CARDS:
        yield Say("deck.count", {"cards": len(file["cards"])})
    if not found:
        yield from _wrong_deck(tuple(map(_card, file["cards"])))


def is_name(text: Any) -> bool:
    """Whether this is a short, normalized, non-empty text."""
    return isinstance(text, str) and 0 < len(text) <= NAME_LENGTH and text == normalized_text(text)


def _wrong_card(card: Any) -> Iterator[str]:
    if not isinstance(card, dict) or not {"back", "value"} <= card.keys() <= FIELDS:
        yield "card.form"
        return
    back, value = card["back"], card["value"]
    if not isinstance(back, str) or back not in BACKS:
        yield "card.back"
    elif type(value) is not int or value not in VALUES:
        yield "card.value"
    elif back == EITHER and value not in (0, 7):
        yield "card.either"
    elif back not in (EITHER, HIDDEN) and back != str(value):
        yield "card.plain"
    elif ("name" in card and not is_name(card["name"])) or (back == HIDDEN and "name" not in card):
        yield "card.name"
    elif "special" in card and (back == HIDDEN or card["special"] not in SPECIALS):
        yield "card.special"
    elif "effect" in card and (back != HIDDEN or not _is_effect(card["effect"])):
        yield "card.effect"
    elif "returns" in card and (back != HIDDEN or type(card["returns"]) is not bool):
        yield "card.returns"


def _is_effect(effect: Any) -> bool:
    return (
        isinstance(effect, list | tuple)
        and len(effect) <= MOST_EFFECTS
        and all(isinstance(each, str) and each in PRIMITIVES for each in effect)
    )


def _wrong_deck(cards: tuple[Card, ...]) -> Iterator[Say]:
    eithers = sum(card.back == EITHER for card in cards)
    if eithers != EITHERS:
        yield Say("deck.eithers", {"cards": eithers})
    for special in SPECIALS:
        if (there := sum(card.special == special for card in cards)) != 1:
            yield Say(f"deck.special.{special}", {"cards": there})
    alike = Counter(card.name for card in set(cards) if card.back == HIDDEN)
    yield from (Say("deck.copies", {"name": name}) for name, kinds in alike.items() if kinds > 1)


def _sample(name: str, *effects: list[str] | None, returns: int) -> dict[str, Any]:
    """An invented deck for random play, with one action for each effect given. The action at index `returns`
    goes back to the hand."""
    actions: list[dict[str, Any]] = [
        {"back": HIDDEN, "value": n % 8, "name": f"Test {n + 1}", **({} if fx is None else {"effect": fx})}
        for n, fx in enumerate(effects)
    ]
    actions[returns]["returns"] = True
    simple: list[dict[str, Any]] = [{"back": EITHER, "value": 7 * (n % 2)} for n in range(EITHERS)]
    simple += [{"back": str(n % 8), "value": n % 8} for n in range(CARDS - EITHERS - len(actions))]
    simple[0] |= {"special": "trapped"}
    simple[-1] |= {"special": "personal"}
    return {"name": name, "cards": [*simple, *actions]}


SAMPLES = (
    _sample(
        "Test A (invented)",
        *([one] for one in PRIMITIVES),
        ["fx_marker", "fx_peek"],
        ["fx_move_file", "fx_influence", "fx_remove_file"],
        None,
        [],
        returns=6,
    ),
    _sample(
        "Test B (invented)",
        None,
        ["fx_influence"],
        ["fx_influence"],
        ["fx_swap_loyalty", "fx_peek_loyalty"],
        returns=0,
    ),
)
