"""The rules page of Agent Double says what the rulebook says: paragraphs that people would miss."""

from typing import Any

import pytest

from referee.core.options import with_defaults
from referee.games.agent_double import AGENT_DOUBLE
from referee.games.agent_double.deck import SAMPLES
from referee.presentation.rulebook import rulebook


def said(language: str, section: str, **chosen: Any) -> str:
    """A section as a table with these options reads it."""
    (found,) = (each for each in rulebook("agent_double", language).sections if each.id == section)
    options = with_defaults(AGENT_DOUBLE.options, chosen)
    return " ".join("".join(text for text, _ in line) for _, lines in found.at(options) for line in lines)


@pytest.mark.parametrize(
    ("section", "fr", "en"),
    [
        ("setup", "L’arbitre tire au sort qui commence.", "The referee picks who goes first at random."),
        ("document", "son texte est ignoré", "Ignore its text"),
        ("document", "quatre cartes à dos 0/7", "four cards with a 0/7 back"),
        ("action", "sa valeur est ignorée", "Ignore its value"),
        (
            "action",
            "sauf si elle dit de la reprendre en main",
            "unless it says to take it back into your hand",
        ),
        ("action", "touche le document nommé", "applies to the document it named"),
        ("delivery", "les deux jetons loyauté et les marqueurs", "both loyalty tokens and its markers"),
        ("delivery", "Le pion influence", "The agent’s influence counter"),
    ],
)
def test_what_the_rulebook_says_stands_on_the_page(section: str, fr: str, en: str) -> None:
    assert fr in said("fr", section)
    assert en in said("en", section)


@pytest.mark.parametrize("seat", ["red", "blue"])
def test_a_table_reads_who_begins(seat: str) -> None:
    first = {"red": ("Rouge commence.", "Red goes first."), "blue": ("Bleu commence.", "Blue goes first.")}
    for language, sentence in zip(("fr", "en"), first[seat], strict=True):
        assert sentence in said(language, "setup", first=seat)


@pytest.mark.parametrize("card", ["personal", "trapped"])
def test_two_disagreements_end_the_talk_about_either_card(card: str) -> None:
    chosen = {"personal": "plus_one", "trapped": "none", card: "ask"}
    assert said("fr", "special", **chosen).count("Après deux désaccords, la loyauté décide.") == 1
    assert said("en", "special", **chosen).count("After two disagreements, loyalty decides.") == 1


def test_with_a_list_a_card_that_returns_can_be_played_again() -> None:
    assert "peut se rejouer" in said("fr", "action", deck=SAMPLES[0])
    assert "can be played again" in said("en", "action", deck=SAMPLES[0])
