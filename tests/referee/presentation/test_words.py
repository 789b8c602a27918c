"""The catalogues: complete, with the same fields, every key that can be needed, none that cannot."""

import ast
import re
import string
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import referee
from referee.core.dice import Dice
from referee.core.entries import DeskTaken, Moved
from referee.core.errors import IllegalMove
from referee.core.frozen import replaced
from referee.core.game import Game, News
from referee.core.match import Match, NewsEntry
from referee.core.moves import Move, Seat
from referee.games import GAMES
from referee.kit.legal_moves import almost, some_moves, worded
from referee.presentation.papers import join_slips, score_sheet
from referee.presentation.views import Localizer, view
from referee.presentation.words import COMPLETE, DEFAULT, LANGUAGES, Words, words
from referee.program.simulate import opened, steps
from tests.support.rules.catalogues import catalogues
from tests.support.rules.scenarios import is_in_a_scenario
from tests.support.rules.scenes import SCENES, Scene
from tests.support.soak import games

PRODUCT = Path(referee.__file__).parent.parent
NEWS_OF_A_MOVE = 12
CODES = (  # the refusals of the HTTP contract
    *("malformed", "no-token", "bad-token", "not-allowed", "not-over", "bad-key", "bad-pin"),
    *("unknown-table", "unknown-seat", "unknown-game", "unknown-person"),
    *("not-started", "seat-taken", "stale", "illegal-move", "bad-options", "slow-down"),
)

languages = pytest.mark.parametrize("language", LANGUAGES)
complete = pytest.mark.parametrize("language", COMPLETE)  # a third language may lack words
every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


# ---- the catalogues


def test_french_is_the_default_and_speaks_for_unknown_languages() -> None:
    assert DEFAULT == "fr"
    assert words("xx") is words("fr")


@complete
def test_every_complete_language_has_the_same_keys(language: str) -> None:
    assert words(language).messages.keys() == words(DEFAULT).messages.keys()


@languages
def test_every_message_has_the_same_placeholders(language: str) -> None:
    for key, forms in words(language).messages.items():
        wanted = set().union(*map(placeholders, words(DEFAULT).messages[key]))
        assert set().union(*map(placeholders, forms)) == wanted, key


@languages
def test_every_message_can_be_filled_in(language: str) -> None:
    for key, forms in words(language).messages.items():
        for form in forms:
            text = form.format_map(dict.fromkeys(placeholders(form), 2))
            assert text.strip() == text, key
            assert "{" not in text, key


@languages
def test_plural_messages_have_as_many_forms_as_the_language(language: str) -> None:
    plural = words(language).plural
    numbers = {plural(n) for n in range(200)}
    for key, forms in words(language).messages.items():
        assert len(forms) in (1, len(numbers)), key


@complete
def test_no_line_of_a_catalogue_is_lost(language: str) -> None:
    """A message that is empty, fuzzy or swallowed by its neighbour would be missing."""
    keys = [key for text in catalogues(language) for key in re.findall(r'^msgid "(.+)"$', text, re.MULTILINE)]
    assert keys == list(words(language).messages)


@languages
def test_a_missing_message_is_an_error_not_an_empty_text(language: str) -> None:
    with pytest.raises(KeyError):
        words(language).say("no.such.key")
    with pytest.raises(KeyError):
        words(language).say("news.turn", {"not_seat": 1})


def test_no_english_article_stands_before_a_figure() -> None:
    """“You should see a 8”: which article is right hangs on the figure."""
    for text in catalogues("en"):
        assert re.findall(r"\ban? \{(?:card|n|shown|value)\}.*", text) == []


def test_french_typography() -> None:
    """Typographic apostrophes; words for people never hold a key or code."""
    for key, forms in words("fr").messages.items():
        assert not any("'" in form for form in forms), key


# ---- every sentence that code can ask for


class Asked(Mapping[str, tuple[str, ...]]):
    """A catalogue that notes what it is asked for."""

    def __init__(self, messages: Mapping[str, tuple[str, ...]]) -> None:
        self.messages, self.keys_asked = messages, set[str]()

    def __getitem__(self, key: str) -> tuple[str, ...]:
        self.keys_asked.add(key)
        return self.messages[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.messages)

    def __len__(self) -> int:
        return len(self.messages)

    def __contains__(self, key: object) -> bool:
        return key in self.messages


def asked_for(game_id: str, language: str) -> frozenset[str]:
    return _asked_for(game_id)[language]


@cache
def _asked_for(game_id: str) -> dict[str, frozenset[str]]:
    """Every key asked for, by language, while random games are shown to everybody, and refusals to whoever
    errs."""
    asked = {language: Asked(words(language).messages) for language in COMPLETE}
    heard = [Words(language, asked[language], words(language).plural) for language in COMPLETE]
    for i in games(60):
        _show_a_game(GAMES[game_id], f"words/{i}", heard)
    for each in heard:
        for scene in SCENES.get(game_id, lambda: ())():
            _show_a_scene(scene, each)
        _show_what_everybody_may_hear(GAMES[game_id], each)
    return {language: frozenset(asked[language].keys_asked) for language in COMPLETE}


def _show_a_game(game: Game[Any, Any], seed: str, heard: Sequence[Words]) -> None:
    dice, match = Dice(f"{seed}/errs"), opened(game, seed)
    made: list[Move] = []
    for step in steps(match, seed, thorough=True):
        match = step.match
        made += [step.entry.move] if isinstance(step.entry, Moved) else []
        told = match.told()  # earlier news was said at its own step
        for seat, each in product((None, *match.seats), heard):
            view(replaced(match.seen_by(seat), news=told), each)
            _tell(match, seat, told, each)
        for seat in match.seats:
            near = [
                m
                for move in some_moves(match.choices.get(seat, ()), dice, 1)
                for m in almost(move, game, dice)
            ]
            for move in (*dice.arrange(near, min(12, len(near))), *made[-2:]):
                _try(match, seat, move, heard)
    for each in heard:
        list(score_sheet(match.seen_by(), each, "now"))


def _try(match: Match, seat: Seat, move: Move, heard: Sequence[Words]) -> None:
    try:
        match.check(seat, move, match.version)
    except IllegalMove as refused:
        for each in heard:
            worded(refused, each)


def _show_a_scene(scene: Scene, heard: Words) -> None:
    match, seat, move = scene
    for each in (None, *match.seats):
        view(match.seen_by(each), heard)
        _tell(match, each, match.news[-NEWS_OF_A_MOVE:], heard)
    _try(match, seat, move, [heard])


def _tell(match: Match, seat: Seat | None, told: Sequence[NewsEntry], heard: Words) -> None:
    """Say this news as a player's own phone says it."""
    if seat is not None:
        localizer = Localizer(heard, match.game, match.names).speaking_to(seat)
        for each in told:
            localizer.news(each.news)


def _show_what_everybody_may_hear(game: Game[Any, Any], heard: Words) -> None:
    match = opened(game, "words")
    list(join_slips(match.seen_by(), heard, dict.fromkeys(match.seats, "http://x/"), "x"))
    view(match.after(DeskTaken()).seen_by(), heard)
    localizer = Localizer(heard, game, match.names)
    for name in ("name", "tagline"):
        localizer.of_game(name)


@every_game
@complete
def test_every_sentence_of_random_games_can_be_said(game: Game[Any, Any], language: str) -> None:
    assert asked_for(game.id, language) <= words(language).messages.keys()


@every_game
@languages
def test_every_option_has_a_label(game: Game[Any, Any], language: str) -> None:
    for option in game.options:
        own, shared = f"{game.id}.option.{option.name}", f"page.option.{option.name}"
        assert (own in words(language)) != (shared in words(language)), option.name


@every_game
def test_every_language_was_asked_for_the_same(game: Game[Any, Any]) -> None:
    assert len({asked_for(game.id, language) for language in COMPLETE}) == 1


@languages
def test_every_refusal_of_the_contract_has_a_title_and_a_sentence(language: str) -> None:
    for code in CODES:
        assert f"refusal.{code}" in words(language)
        if code != "illegal-move":  # its sentence is always the rule that forbids the move
            assert f"refusal.{code}.detail" in words(language)


@every_game
@languages
def test_a_draw_can_be_told(game: Game[Any, Any], language: str) -> None:
    localizer = Localizer(words(language), game, dict.fromkeys(game.seats(opened(game, "x").options), "Ana"))
    reasons = {key.rpartition(".")[2] for key in words(language).messages if f"{game.id}.reason." in key}
    for reason in reasons:
        assert localizer.news(News("over", {"winners": [], "reason": reason}))


# ---- and none that it cannot


@cache
def sources() -> tuple[str, ...]:
    """All code and templates that may name a key."""
    suffixes = {".py", ".html", ".js", ".txt", ".svg"}
    files = [
        file for folder in ("referee", "web", "hardware") for file in sorted((PRODUCT / folder).rglob("*.*"))
    ]
    return tuple(file.read_text(encoding="utf-8") for file in files if file.suffix in suffixes)


@cache
def literals() -> tuple[frozenset[str], tuple[re.Pattern[str], ...]]:
    """The strings in the code, and its f-strings as patterns (one group for each thing filled in)."""
    texts, patterns = set[str](), set[str]()
    for file in (PRODUCT / folder for folder in ("referee", "web", "hardware")):
        for source in file.rglob("*.py"):
            for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    texts.update((node.value, node.value.lower()))  # forms name values in small letters
                if isinstance(node, ast.JoinedStr):
                    patterns.add("".join(map(_pattern, node.values)))
    return frozenset(texts), tuple(re.compile(p) for p in patterns if re.search(r"[a-z]\\\.", p))


def _pattern(part: ast.expr) -> str:
    return re.escape(str(part.value)) if isinstance(part, ast.Constant) else "([A-Za-z0-9_.-]+)"


def named(key: str) -> bool:
    """Whether code can make this key: it stands there, or an f-string makes it of parts that stand there."""
    texts, patterns = literals()
    if key in texts:
        return True
    game, _, rest = key.partition(".")
    if game == "page" and rest.partition(".")[0] in GAMES:  # so are those of its pages
        game, _, rest = rest.partition(".")
    if game in GAMES and named(rest):  # a game's own words are asked for without its name
        return True
    own = next((f"page.{game}." for game in GAMES if key.startswith(f"page.{game}.")), None)
    if own and named(key.removeprefix(own)):  # and those of its pages
        return True
    found = (pattern.fullmatch(key) for pattern in patterns)
    return any(all(named(part) for part in match.groups()) for match in found if match)


def in_a_template(key: str) -> bool:
    """A page may build the end of a key: `"page.step." ~ step`."""
    parts = key.split(".")
    starts = {key, *(".".join(parts[:i]) + "." for i in range(2, len(parts)))}
    return any(re.search(rf"[\"']{re.escape(start)}", text) for text in sources() for start in starts)


def test_no_message_is_unused() -> None:
    asked = frozenset[str]().union(*(asked_for(game, DEFAULT) for game in GAMES))
    unused = [
        key
        for key in words(DEFAULT).messages
        if key not in asked and not named(key) and not in_a_template(key)
    ]
    assert not unused


@every_game
def test_what_a_game_can_say_was_all_heard_in_random_games(game: Game[Any, Any]) -> None:
    said = tuple(f"{game.id}.{part}." for part in ("news", "todo", "why", "reason", "sheet", "seat"))
    own = {key for key in words(DEFAULT).messages if key.startswith(said)}
    unheard = own - asked_for(game.id, DEFAULT)
    assert {key for key in unheard if not _is_rare(game, key)} == set()


def _is_rare(game: Game[Any, Any], key: str) -> bool:
    _, part, what = key.split(".", maxsplit=2)
    return part in ("why", "news", "reason", "sheet") and is_in_a_scenario(game.id, what)


@pytest.mark.parametrize(("language", "begins"), [("fr", "Quelqu’un gagne"), ("en", "Somebody wins")])
def test_a_sentence_about_somebody_who_was_deleted_begins_like_any_other(language: str, begins: str) -> None:
    localizer = Localizer(words(language), GAMES["agent_hunter"], {"target": "", "mask": "bo"})
    said = {
        seat: localizer.say("page.past.won", {"names": seat, "n": 1, "why": ""}) for seat in localizer.names
    }
    assert said["target"].startswith(begins)
    assert said["mask"].startswith("bo ")
    assert words(language).say("somebody") in localizer.ending(
        {"winners": ["target"], "reason": "turn_cap"}
    ), "small within a sentence"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Ana", "d’Ana"),
        ("Ève", "d’Ève"),
        ("Œdipe", "d’Œdipe"),
        ("Yves", "d’Yves"),
        ("Yann", "de Yann"),
        ("Hugo", "de Hugo"),
        ("Ben & Ana", "de Ben & Ana"),
        ("8", "de 8"),
        ("", "de "),
    ],
)
def test_french_swallows_an_e_before_a_name_that_begins_with_a_vowel(name: str, said: str) -> None:
    assert words("fr").say("page.forget.person", {"name": name}) == f"Effacer le nom {said} ?"
    moved = {"by": name, "from": "A1", "cell": "A3"}
    told = words("fr").say("espion_contre_espion.news.killer_moved.N", moved)
    assert told == f"Le tueur à gages {said} va de A1 en A3, regard vers la ligne 9."
    assert name in words("en").say("page.forget.person", {"name": name})
