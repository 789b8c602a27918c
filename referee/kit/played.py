"""What is wrong with a game as it is played: random games, looked at from every seat in every language."""

import json
import traceback
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from referee.core.dice import Dice
from referee.core.entries import Entry, Moved, write
from referee.core.errors import IllegalMove
from referee.core.game import SHARED_KINDS, Game
from referee.core.match import Match
from referee.core.moves import Arrange, Choices, Move, Text
from referee.fairness.record import record_of
from referee.fairness.verify import read_record, verify
from referee.kit.declared import Fault
from referee.kit.legal_moves import almost, some_moves
from referee.kit.word_check import Heard, hearing
from referee.presentation.cues import RESULT_LAMPS
from referee.presentation.papers import join_slips, score_sheet
from referee.presentation.sheets import lay_out
from referee.presentation.views import Localizer, view
from referee.presentation.words import COMPLETE
from referee.program.simulate import CheckFailed, SimulatedMove, opened, play_one, steps

OURS = str(Path(__file__).parents[1])  # code that is no game's of another package
MOST_ENTRIES = 4000  # of a random game; one that goes on for longer does not end
LOOKED_AT = 60  # matches of a game that are looked at in every language
WIDTH = 32  # columns of the narrowest paper


class Played:
    """Plays random games and notes everything that is wrong with them, each fault once."""

    def __init__(self, game: Game[Any, Any]) -> None:
        self.game = game
        self.faults = dict[Fault, None]()
        self.hearing = {language: hearing(language) for language in COMPLETE}
        self.moves, self.kinds = set[str](), set[str]()

    def heard(self, language: str) -> Heard:
        return self.hearing[language][1]

    def fault(self, text: Fault) -> None:
        self.faults[text] = None

    def play(self, games: int) -> None:
        for n in range(games):
            try:
                self._play_one(f"check/{n}")
            except CheckFailed as failed:
                self.fault(str(failed))
            except RecursionError:
                self.fault(f"seed check/{n}: endless recursion")
            except Exception as error:  # noqa: BLE001  (whatever the game's code raises is its fault)
                self.fault(f"seed check/{n}: {described(error)}")
        for language in COMPLETE:
            for key in self.heard(language).missing:
                own = key if key.startswith(("page.", f"{self.game.id}.")) else f"{self.game.id}.{key}"
                self.fault(f"{language}.po lacks {own}")

    def _play_one(self, seed: str) -> None:
        start = opened(self.game, seed)
        made = list(islice(steps(start, seed), MOST_ENTRIES))
        if len(made) == MOST_ENTRIES:
            self.fault(f"seed {seed}: after {MOST_ENTRIES} entries the game is not over")
            return
        again = islice(steps(opened(self.game, seed), seed), MOST_ENTRIES)
        if [_text(step) for step in again] != [_text(step) for step in made]:
            self.fault(f"seed {seed}: played again, the same seed gives another game")
        dice, every = Dice(f"{seed}/look"), max(1, len(made) // LOOKED_AT)
        for n, step in enumerate(made):
            self._told(step.match)
            self._choices(step.match)
            if n % every == 0 or n == len(made) - 1:
                self._shown(step.match)
                self._refused(step.match, made, dice)
        end = made[-1].match
        self._ending(end)
        self._record(start, [step.entry for step in made])
        self.moves |= {step.entry.move.type for step in made if isinstance(step.entry, Moved)}
        play_one(self.game, seed)

    def _told(self, match: Match) -> None:
        """Names of news, their cues, and what is sent."""
        for news in match.state.table.said if match.state else ():
            for fault in self.game.faults_of(news):
                self.fault(fault)
        for told in match.told():
            news = told.news
            if news.kind in SHARED_KINDS:
                continue
            self.kinds.add(news.kind)
            self._json(f"the news {news.kind!r}", news.fields)
            cue = self.game.cue(news)
            if cue is None and news.kind not in self.game.silent:
                self.fault(f"the news {self.game.key(news)!r} has no cue and is not listed as silent")
            if cue and news.kind in self.game.silent:
                self.fault(f"the news {self.game.key(news)!r} has a cue and is listed as silent")
            if cue and cue.lamp == "seat" and not self._is_about_somebody(match, news.fields, cue.about):
                fields = ", ".join(cue.about)
                self.fault(f"the cue of {news.kind!r} lights a seat, but none of {fields} names one")
            if cue and (cue.large or (cue.stays and cue.lamp in RESULT_LAMPS)):
                self._shout(self.game.key(news), cue.lamp)

    def _is_about_somebody(self, match: Match, fields: Mapping[str, Any], about: tuple[str, ...]) -> bool:
        sides = {*match.seats, *self.game.sides(match.seats)}
        return any(fields.get(name) in sides for name in about if isinstance(fields.get(name), str))

    def _shout(self, key: str, lamp: str) -> None:
        own = f"page.{self.game.id}.shout.{key}"
        for language in COMPLETE:
            texts, _ = self.hearing[language]
            if not {own, f"page.shout.{key}", f"page.answer.{lamp}"} & texts.messages.keys():
                self.fault(f"{language}.po lacks {own}, the large word of this answer")

    def _choices(self, match: Match) -> None:
        for seat, choices in match.choices.items():
            for fault in choice_faults(self.game, choices):
                self.fault(f"{fault}, at version {match.version} for {seat}")

    def _shown(self, match: Match) -> None:
        for language in COMPLETE:
            texts, _ = self.hearing[language]
            for seat in (None, *match.seats):
                shown = view(match.seen_by(seat), texts)
                self._json(f"what {seat or 'everybody'} sees", shown)
                if seat:
                    reader = Localizer(texts, self.game, match.names).speaking_to(seat)
                    for told in match.told():
                        reader.news(told.news)
        if match.state:
            for seat in match.seats:
                mine = match.state.hands[seat]
                if "(…)" not in repr(mine):
                    self.fault("the repr of a hand shows its content: use dataclass(frozen=True, repr=False)")

    def _json(self, what: str, value: Any) -> None:
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError) as error:
            self.fault(f"{what} cannot be sent as JSON: {error}")

    def _refused(self, match: Match, made: list[SimulatedMove], dice: Dice) -> None:
        """Moves that differ a little from legal ones are refused in words."""
        if match.state is None:
            return
        for seat in match.seats:
            some = some_moves(match.choices.get(seat, ()), dice, most=1, in_all=2)
            near = [move for each in some for move in almost(each, self.game, dice)]
            others = [step.entry.move for step in made if isinstance(step.entry, Moved)]
            for move in (*dice.arrange(near, min(6, len(near))), *others[-2:]):
                self._try(match, seat, move)

    def _try(self, match: Match, seat: str, move: Move) -> None:
        try:
            match.check(seat, move, match.version)
        except IllegalMove as refused:
            if refused.why:
                for texts, _ in self.hearing.values():
                    texts.say(refused.why.key, refused.why.fields)

    def _ending(self, end: Match) -> None:
        seen = end.seen_by()
        for texts, _ in self.hearing.values():
            list(lay_out(score_sheet(seen, texts, "2026-01-31 20:15"), WIDTH))
            list(join_slips(seen, texts, dict.fromkeys(end.seats, "http://192.168.1.20/j/ABCDE"), "x"))
            localizer = Localizer(texts, self.game, end.names)
            public = self.game.public(seen.slice.table) if seen.slice else {}
            for parts in self.game.score_parts(public).values():
                for part in parts:
                    localizer.of_game(f"part.{part.say.key}", part.say.fields)

    def _record(self, start: Match, entries: list[Entry]) -> None:
        text = json.dumps(record_of(start, entries))
        record, unread = read_record(text)
        for wrong in unread or verify(record):
            self.fault(f"the record does not hold: {wrong.key} {dict(wrong.fields)}")

    def never(self) -> Iterator[Fault]:
        """What was declared and never came up in these games."""
        for kind in self.game.moves:
            if kind not in self.moves:
                yield f"no random game had the move {kind!r}"
        for name in (*self.game.reveals, *self.game.discloses, *self.game.spoken, *self.game.silent):
            if name not in self.kinds:
                yield f"no random game had the news {name!r}"
        for key in self.game.cues:
            if key.partition(".")[0] not in self.kinds:
                yield f"no random game had news for the cue {key!r}"


def _text(step: SimulatedMove) -> str:
    """An entry and its news, to be compared."""
    return f"{write(step.entry)} {[told.news for told in step.match.told()]}"


def choice_faults(game: Game[Any, Any], choices: Choices) -> Iterator[Fault]:
    for choice in choices:
        shape = game.moves.get(choice.type)
        if shape is None:
            yield f"a choice offers the move {choice.type!r}, which is not declared"
            continue
        names = {field.name for field in choice.fields}
        if not shape.fields.keys() - shape.optional <= names <= shape.fields.keys():
            yield f"a choice of {choice.type!r} has other fields than its declaration"
            continue
        if choice.secrets() != shape.secret & names:
            yield f"a choice of {choice.type!r} and its declaration differ in what is secret"
        for field in choice.fields:
            if isinstance(field, Text):
                continue
            if not field.options or (isinstance(field, Arrange) and field.count > len(field.options)):
                yield f"a choice of {choice.type!r} offers too little for {field.name!r}"
            elif wrong := next(_misfit(shape, choice.type, field), None):
                yield wrong


def _misfit(shape: Any, kind: str, field: Any) -> Iterator[Fault]:
    """Offered values that are not of the declared type."""
    values = [field.options[: field.count]] if isinstance(field, Arrange) else field.options
    for value in values:
        if field.name in shape.misfits({field.name: value}):
            yield f"a choice of {kind!r} offers {value!r} for {field.name!r}, which is of another type"


def described(error: BaseException) -> str:
    """An exception with the last line of the game's own code that led to it."""
    lines = [*reversed(traceback.extract_tb(error.__traceback__))]
    own = (at for at in lines if not at.filename.startswith(OURS))
    at = next(own, lines[0] if lines else None)
    place = f" ({Path(at.filename).name}:{at.lineno})" if at else ""
    return f"{type(error).__name__}: {error}{place}"
