"""The rules: every game has them in every language; each step, move and refusal links to its passage."""

from collections.abc import Iterator
from typing import Any

import pytest

from referee.core.game import Game, Passages
from referee.core.options import OneOf, with_defaults
from referee.games import GAMES
from referee.presentation.rulebook import FILL, Block, Rulebook, read_rules, rulebook
from referee.presentation.words import DEFAULT, LANGUAGES, words
from referee.program.simulate import opened, steps
from tests.support.soak import games

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())
languages = pytest.mark.parametrize("language", LANGUAGES)


def passages(game: Game[Any, Any]) -> Passages:
    assert game.passages is not None, f"{game.id} has no rules page"
    return game.passages


def blocks(book: Rulebook) -> Iterator[Block]:
    for section in book.sections:
        yield from section.blocks


def shape(book: Rulebook) -> list[Any]:
    """All of it but the words."""
    return [
        [section.id, [(block.is_item, block.condition, FILL.findall(block.text)) for block in section.blocks]]
        for section in book.sections
    ]


@every_game
@languages
def test_every_language_has_the_same_sections_and_the_same_conditions(
    game: Game[Any, Any], language: str
) -> None:
    book = rulebook(game.id, language)
    assert book.title == words(language).say(f"{game.id}.name")
    assert shape(book) == shape(rulebook(game.id, DEFAULT))
    assert len(set(book.ids())) == len(book.ids())
    assert "table" not in book.ids() and "contents" not in book.ids(), "the page itself has these"
    assert all(section.title and section.blocks for section in book.sections[1:])


@every_game
def test_every_move_every_refusal_and_the_end_lead_to_a_section(game: Game[Any, Any]) -> None:
    there, ids = passages(game), rulebook(game.id, DEFAULT).ids()
    assert there.moves.keys() == game.moves.keys()
    assert {*there.steps.values(), *there.moves.values(), *there.refusals.values(), "end"} <= set(ids)
    assert there.usual.keys() <= there.steps.keys()
    assert all(type_ in game.moves for types in there.usual.values() for type_ in types)
    assert all(f"{game.id}.why.{key}" in words(DEFAULT) for key in there.refusals)


@every_game
def test_every_step_of_random_games_leads_to_a_section(game: Game[Any, Any]) -> None:
    met, usual = set[str](), dict[str, set[str]]()
    for i in games(12):
        for step in steps(opened(game, f"rules/{i}"), f"rules/{i}"):
            if step.match.state:
                met.add(step.match.state.table.step)
            for offered in step.match.choices.values():
                for choice in offered:
                    assert step.match.state is not None
                    usual.setdefault(step.match.state.table.step, set()).add(choice.type)
    assert met == passages(game).steps.keys()
    for name, types in passages(game).usual.items():
        assert set(types) <= usual[name], "what a step never offers cannot be missing there"


@every_game
def test_conditions_are_about_what_a_table_can_settle(game: Game[Any, Any]) -> None:
    options = {option.name: option for option in game.options}
    book = rulebook(game.id, DEFAULT)
    for block in blocks(book):
        assert all(name in options for name in FILL.findall(block.text)), block.text
        if block.condition:
            option = options[block.condition[0]]
            if isinstance(option, OneOf):
                assert block.condition[2] in {str(v).lower() for v in option.options}, block.text


@every_game
@languages
def test_no_section_is_empty_at_any_table_and_every_ruling_is_shown_at_some(
    game: Game[Any, Any], language: str
) -> None:
    book, shown = rulebook(game.id, language), set[str]()
    for i in range(60):
        options = opened(game, f"tables/{i}").options
        for section in book.sections:
            assert section.at(options), section.title
            shown |= {block.text for block in section.blocks if block.holds(options)}
    assert shown == {block.text for block in blocks(book)}


def test_french_typography() -> None:
    for game in GAMES:
        for block in blocks(rulebook(game, "fr")):
            assert "'" not in block.text and '"' not in block.text, block.text


def test_a_table_reads_its_own_rulings() -> None:
    game = GAMES["agent_hunter"]
    end = rulebook(game.id, "en").sections[-1]
    plain, capped = (with_defaults(game.options, chosen) for chosen in ({}, {"turn_cap": 40}))
    assert "40" not in str(end.at(plain))
    assert "after 40 turns" in str(end.at(capped))


ESPION_SAYS = {  # of the killer, where people look for it
    ("fr", "counts"): "Un tueur à gages n’est pas une caméra",
    ("fr", "sight"): "Pendant qu’il se déplace, il ne voit rien",
    ("en", "counts"): "A killer isn’t a camera",
    ("en", "sight"): "While moving it sees nothing",
}


@pytest.mark.parametrize(("where", "says"), ESPION_SAYS.items(), ids=map(str, ESPION_SAYS))
def test_a_killer_is_no_camera_and_sees_nothing_while_it_moves(where: tuple[str, str], says: str) -> None:
    language, id_ = where
    (section,) = (s for s in rulebook("espion_contre_espion", language).sections if s.id == id_)
    assert says in str(section.at(opened(GAMES["espion_contre_espion"], "x").options))


# ---- how a file is read


def test_headings_paragraphs_lists_and_bold() -> None:
    book = read_rules("# T\n\nBefore.\n\n## One {#one}\n\nA **b** c.\n\n- x\n- [n!=null] y {n}\n\nLast.\n")
    intro, one = book.sections
    assert (book.title, book.ids(), intro.id, one.title) == ("T", ("one",), "", "One")
    assert one.at({"n": 3}) == [
        (False, [(("A ", False), ("b", True), (" c.", False))]),
        (True, [(("x", False),), (("y 3", False),)]),
        (False, [(("Last.", False),)]),
    ]
    assert one.at({"n": None})[1] == (True, [(("x", False),)])


@pytest.mark.parametrize("text", ["Title", "# T\n\n## No id", "# T\n\n## Two {#Not an id}", "# T\n\n# Again"])
def test_a_file_that_is_not_written_so_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"title|heading"):
        read_rules(text)


def test_english_speaks_where_nobody_has_written_the_rules() -> None:
    assert rulebook("agent_hunter", "de") == rulebook("agent_hunter", "en")
