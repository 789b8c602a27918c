"""What is wrong with what a game declares: its id, seats, options, moves, cues and rules pages."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from referee.core.game import SHARED_KINDS, Game
from referee.core.options import LANGUAGE, PLAYERS, BadOption, OneOf, with_defaults
from referee.core.questions import HOST
from referee.presentation.cues import LAMPS, Cue
from referee.presentation.rulebook import rulebook
from referee.presentation.words import COMPLETE, shared_words, words

Fault = str  # a sentence for the author of the game
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
NOTE = re.compile(r"([A-G]\d)?")
SEATS = range(2, 9)
MOVE_FIELDS = frozenset({"version", "type"})  # a move has these on the wire besides its own
NO_SEATS = frozenset({HOST, "desk", "table", "random"})
LONGEST_CUE, LONGEST_TUNE = 3.0, 2.0  # seconds


def declared_faults(game: Game[Any, Any]) -> Iterator[Fault]:
    yield from id_faults(game.id)
    yield from _option_faults(game)
    yield from _seat_faults(game)
    yield from _move_faults(game)
    for key, cue in game.cues.items():
        yield from _cue_faults(key, cue)
    for kind in (*game.spoken, *game.silent):
        if kind in SHARED_KINDS:
            yield f"the kind of news {kind!r} is shared by all games: this one neither speaks nor silences it"
    yield from _passage_faults(game)


def id_faults(game_id: str) -> Iterator[Fault]:
    taken = {key.partition(".")[0] for key in _shared_keys()} | {"any"}
    if not NAME.fullmatch(game_id):
        yield f"the id {game_id!r} is not made of small letters, digits and underscores"
    elif game_id in taken:
        yield f"the id {game_id!r} is reserved"


def _shared_keys() -> Iterator[str]:
    yield from shared_words(COMPLETE[0]).messages


def _option_faults(game: Game[Any, Any]) -> Iterator[Fault]:
    names = [option.name for option in game.options]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"the option {name!r} is there twice"
    if LANGUAGE not in game.options:
        yield "the options lack LANGUAGE, the language of the table"
    for option in game.options:
        if not NAME.fullmatch(option.name):
            yield f"the option {option.name!r} is not named with small letters, digits and underscores"
        if not option.permits(option.default):
            yield f"the default of the option {option.name!r} is not one of its values"
    try:
        with_defaults(game.options, {})
    except BadOption as bad:
        yield f"the default of the option {bad.name!r} does not go with the defaults of the others"


def _seat_faults(game: Game[Any, Any]) -> Iterator[Fault]:
    for options in each_count(game):
        seats = game.seats(options)
        if len(seats) not in SEATS:
            yield f"a game has 2 to 8 seats, not {len(seats)}"
        if PLAYERS in options and len(seats) != options[PLAYERS]:
            yield f"for {options[PLAYERS]} players there are {len(seats)} seats"
        if len(set(seats)) < len(seats):
            yield f"two seats have one name: {', '.join(seats)}"
        for seat in seats:
            if not NAME.fullmatch(seat) or seat in NO_SEATS:
                yield f"the name of the seat {seat!r} is reserved, or not made of small letters and digits"
        teams = [seat for team in game.sides(seats).values() for seat in team]
        if sorted(teams) != sorted(seats):
            yield f"each seat belongs to one side, but the sides of {', '.join(seats)} are {', '.join(teams)}"


def each_count(game: Game[Any, Any]) -> Iterator[Mapping[str, Any]]:
    """The default options for each number of players."""
    usual = {option.name: option.default for option in game.options}
    counts = next((each for each in game.options if each.name == PLAYERS and isinstance(each, OneOf)), None)
    if counts is None:
        yield usual
    else:
        yield from ({**usual, PLAYERS: count} for count in counts.options)


def _move_faults(game: Game[Any, Any]) -> Iterator[Fault]:
    if not game.moves:
        yield "there are no moves"
    for kind, shape in game.moves.items():
        if not NAME.fullmatch(kind):
            yield f"the move {kind!r} is not named with small letters, digits and underscores"
        for field in sorted(MOVE_FIELDS & shape.fields.keys()):
            yield f"the field {field!r} of the move {kind!r} is reserved: each move has it"
        for what, names in (("secret", shape.secret), ("optional", shape.optional), ("texts", shape.texts)):
            for name in sorted(names - shape.fields.keys()):
                yield f"{what} of the move {kind!r} names {name!r}, which is not one of its fields"


def _cue_faults(key: str, cue: Cue) -> Iterator[Fault]:
    if key.partition(".")[0] in SHARED_KINDS:
        yield f"the cue {key!r} is for news that all games share: they have cues already"
    if cue.lamp not in ("", "seat", *LAMPS):
        yield f"the cue {key!r} has the lamp {cue.lamp!r}, which there is not"
    if not cue.lamp and (cue.pattern or cue.stays):
        yield f"the cue {key!r} has a pattern without a lamp"
    if sum(cue.pattern) > LONGEST_CUE or any(seconds <= 0 for seconds in cue.pattern):
        yield f"the pattern of the cue {key!r} takes more than {LONGEST_CUE:g} s, or no time"
    if sum(seconds for _, seconds in cue.tune) > LONGEST_TUNE or any(seconds <= 0 for _, seconds in cue.tune):
        yield f"the tune of the cue {key!r} takes more than {LONGEST_TUNE:g} s, or no time"
    for note in dict.fromkeys(name for name, _ in cue.tune if not NOTE.fullmatch(name)):
        yield f"the cue {key!r} has the note {note!r}, which is not like C5"


def _passage_faults(game: Game[Any, Any]) -> Iterator[Fault]:
    """Rules pages: in every language, with the same sections, and those that steps and moves lead to."""
    there = game.passages
    if there is None:
        return
    ids = None
    for language in COMPLETE:
        try:
            book = rulebook(game.id, language)
        except (ValueError, RecursionError) as error:
            yield f"rules.{language}.md cannot be read: {error}"
            return
        if book.language != language:
            yield f"rules.{language}.md is missing"
            continue
        if ids is not None and book.ids() != ids:
            yield f"rules.{language}.md has other sections than rules.{COMPLETE[0]}.md"
        ids = book.ids()
        if book.title != words(language).messages.get(f"{game.id}.name", (book.title,))[0]:
            yield f"the title of rules.{language}.md is not the name of the game"
    named = {*there.steps.values(), *there.moves.values(), *there.refusals.values(), "end"}
    for section in sorted(named - set(ids or ())):
        yield f"passages lead to the section {section!r}, which the rules pages lack"
    for kind in sorted(game.moves.keys() ^ there.moves.keys()):
        yield f"passages and moves differ by {kind!r}"
