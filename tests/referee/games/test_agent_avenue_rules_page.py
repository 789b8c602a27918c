"""The rules page of Agent Avenue: what the rulebook settles and people ask about stands there."""

from typing import Any

import pytest

from referee.core.options import with_defaults
from referee.games.agent_avenue import AGENT_AVENUE
from referee.presentation.rulebook import rulebook

TEAM, ADVANCED = {"players": 4}, {"mode": "advanced"}

# The paragraph of the rulebook: the table that plays by it, the section, and words of it in each language.
PARAGRAPHS: dict[str, tuple[dict[str, Any], str, str, str]] = {
    "forward is clockwise": ({}, "recruit", "dans le sens des aiguilles d’une montre", "clockwise"),
    "backing into a pawn is being caught": ({}, "end", "est rattrapé : l’autre camp gagne", "you’re caught"),
    "an empty deck: play on without drawing": ({}, "exhausted", "sans piocher", "without drawing"),
    "no discard when the deck is empty": (
        {},
        "discard",
        "jamais avec une pioche vide",
        "when the deck is empty",
    ),
    "no limit to hands and zones": ({}, "play", "pas de limite", "no limit"),
    "who plays alone draws after both cards": ({}, "play", "jamais entre les deux", "never in between"),
    "whoever played draws at once": (TEAM, "teams", "repioche aussitôt", "draws at once"),
    "a pair shares pawn, zone and market cards": (TEAM, "teams", "partage un pion", "share a pawn"),
    "the same card for a pair": (TEAM, "teams", "identique à la carte visible", "matches the face-up card"),
    "the last card": (TEAM, "discard", "doit jouer face visible", "must play face up"),
    "a recruit by a market card moves and chains": (ADVANCED, "market", "et ainsi de suite", "and so on"),
    "an empty market deck": (ADVANCED, "market", "n’est plus complétée", "isn’t refilled"),
    "an empty market row": (ADVANCED, "market", "plus rien à prendre", "nothing left to take"),
    "a third Codebreaker taken away": (
        ADVANCED,
        "market-cards",
        "troisième Cryptologue",
        "third Codebreaker",
    ),
}


def shown(language: str, section: str, chosen: dict[str, Any]) -> str:
    """A section as a table with these options reads it."""
    options = with_defaults(AGENT_AVENUE.options, chosen)
    (found,) = (one for one in rulebook(AGENT_AVENUE.id, language).sections if one.id == section)
    return "\n".join("".join(text for text, _ in runs) for _, lines in found.at(options) for runs in lines)


@pytest.mark.parametrize("paragraph", PARAGRAPHS)
def test_the_rules_page_says_what_the_rulebook_does(paragraph: str) -> None:
    chosen, section, fr, en = PARAGRAPHS[paragraph]
    assert fr in shown("fr", section, chosen)
    assert en in shown("en", section, chosen)
