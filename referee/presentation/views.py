"""JSON views of a match for phones, screens and scripts, and the localizer that words them."""

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from referee.core.game import ABANDONED, Game, News, Outcome, Say, Slice
from referee.core.match import NewsEntry, PlayerView
from referee.core.moves import Seat, Side
from referee.core.questions import HOST, Question
from referee.core.restatements import TAKEN_BACK
from referee.presentation.words import PEOPLE, Words

# Cyrillic and Greek letters that look like a Latin one, in upper or lower case.
LOOKALIKES = str.maketrans("авеѕіјкмнорстухαβεζηικμνορτυχ", "abesijkmhopctyxabezhikmnoptyx")


def _skeleton(name: str) -> str:
    """A key that is equal for confusable names: ignores case, accents, punctuation and look-alikes."""
    letters = unicodedata.normalize("NFKD", name).casefold().translate(LOOKALIKES)
    return "".join(filter(str.isalnum, letters)) or name


@dataclass(frozen=True)
class Localizer:
    """Words messages about one table in one language, with people's names filled in.

    With a `reader` it speaks to that player wherever the catalogue has a variant of the message for it:
    `KEY.for_side` if the field `side` names the reader, `KEY.for_other` if no field does.
    """

    words: Words
    game: Game[Any, Any]
    names: Mapping[Seat, str | None]
    reader: Seat | None = None

    def speaking_to(self, reader: Seat) -> "Localizer":
        """The localizer of the same table for the phone of one player."""
        if reader not in self._readers:
            self._readers[reader] = replace(self, reader=reader)
        return self._readers[reader]

    @cached_property
    def _readers(self) -> dict[Seat, "Localizer"]:
        """Cache of the localizers for each reader."""
        return {}

    def name(self, seat: Side) -> str:
        """The display name of a seat or side: the player's name, with the seat's title added if the name is
        ambiguous. A team is named by all its members."""
        if seat not in self._names:
            self._names[seat] = self._name(seat)
        return self._names[seat]

    @cached_property
    def _names(self) -> dict[Side, str]:
        """Cache of display names."""
        return {}

    def _name(self, seat: Side) -> str:
        if seat == HOST:
            return self.words.say("host")
        if len(team := self._sides.get(seat, ())) > 1:
            return " & ".join(map(self.name, team))
        name, title = self.names.get(seat), self.title(seat)
        if name is None:
            return title
        shown = display_name(name, self.words)
        return shown if self._skeletons[_skeleton(shown)] == 1 else f"{shown} ({title})"

    @cached_property
    def _skeletons(self) -> Counter[str]:
        """How often each name occurs at this table, among the players, the seat titles and the host."""
        titles = map(self.title, self.names)
        people = (display_name(name, self.words) for name in self.names.values() if name is not None)
        return Counter(map(_skeleton, (*people, *titles, self.words.say("host"))))

    def sides(self) -> Mapping[Side, tuple[Seat, ...]]:
        return self._sides

    @cached_property
    def _sides(self) -> Mapping[Side, tuple[Seat, ...]]:
        return self.game.sides(tuple(self.names))

    def number(self, seat: Side) -> int:
        """The position (from 1) of a side, or of the side of a seat. It determines colour and shape."""
        sides = enumerate(self.sides().items(), 1)
        return next(n for n, (side, team) in sides if seat == side or seat in team)

    def title(self, seat: Side) -> str:
        return self.words.say(f"{self.game.id}.seat.{seat}")

    def say(self, key: str, fields: Mapping[str, Any] | None = None) -> str:
        """A message. Field values that name a seat or a piece are localized; free text is left as it is."""
        key = self._addressed(key, fields or {})
        asked, texts, given = self.words.fields(key), self.game.texts, (fields or {}).items()
        told = {n: v if n in texts else self.told(v) for n, v in given if n in asked}
        names = (n for n, v in given if n not in texts and isinstance(v, str) and self.is_name(v))
        return capitalized(self.words.say(key, told, (*PEOPLE, *names)), self.words)

    def _addressed(self, key: str, fields: Mapping[str, Any]) -> str:
        """The key of the variant that speaks to the reader, or else the key itself."""
        if self.reader is None:
            return key
        named = [name for name, value in fields.items() if name not in self.game.texts and self._is_me(value)]
        variants = (f"{key}.for_{name}" for name in named or ["other"])
        return next((variant for variant in variants if self.words.has_variant(key, variant)), key)

    def _is_me(self, value: Any) -> bool:
        """Whether a field value names the reader, or the reader's side."""
        return isinstance(value, str) and (value == self.reader or self.reader in self._sides.get(value, ()))

    def of_game(self, key: str, fields: Mapping[str, Any] | None = None) -> str:
        return self.say(f"{self.game.id}.{key}", fields)

    def news(self, news: News) -> str:
        """A piece of news as a sentence, in the game's own words or else in the shared ones."""
        fields = news.fields
        match news.kind:
            case "over":
                return " ".join((self.ending(fields), *self.tie_breaks(fields.get("tie_break") or {})))
            case "turn":
                return self.words.say("news.turn", {"name": self.name(fields.get("side") or fields["seat"])})
            case "began":
                first = fields["first"]
                people = len(self.sides().get(first, (first,)))
                return self.words.say("news.began", {"first": self.name(first), "n": people})
            case "restated":
                return self._restated(fields["was"], fields["now"], fields["ago"])
            case "corrected":
                key = "news.corrected" if fields["changes"] else "news.corrected.nothing"
                return self.words.say(key, {"n": fields["changes"]})
        if news.kind in ("asked", TAKEN_BACK) and "moves" in fields:
            return self.plain(News(news.kind, {**fields, "n": len(fields["moves"])}))
        if what := fields.get("what"):
            said = self.plain(News(news.kind, {**fields, "what": ""}))
            return self.say("news.quoting", {"said": said, "what": self.quoted(what), "n": fields["of"]})
        return self.plain(news)

    def _restated(self, was: Mapping[str, Any] | None, now: Mapping[str, Any] | None, ago: int) -> str:
        """A restatement: what no longer holds, what holds now, or both, and how many moves ago."""
        how = "changed" if was and now else "new" if now else "gone"
        told = {name: self.quoted(what) for name, what in (("was", was), ("now", now)) if what}
        return self.words.say(f"news.restated.{how}", {**told, "when": self.ago(ago)})

    def ago(self, moves: int) -> str:
        """How many moves ago, in words."""
        return self.words.say("word.ago" if moves else "word.last_move", {"n": moves})

    def quoted(self, what: Mapping[str, Any]) -> str:
        """A piece of news quoted inside another one, as a sentence."""
        return self.news(News(what["kind"], what["fields"]))

    def plain(self, news: News) -> str:
        """A piece of news by its catalogue key: the game's own if there is one, else the shared one."""
        key, fields = self.game.key(news), news.fields
        if counted := self.game.plurals.get(news.kind):
            fields = {**fields, "n": fields[counted]}
        own = f"{self.game.id}.news.{key}"
        return self.say(own if own in self.words else f"news.{key}", fields)

    def ending(self, over: Mapping[str, Any]) -> str:
        """Who won and why, from the fields of the news `over`."""
        if over["reason"] == ABANDONED:
            return self.words.say("news.abandoned")
        winners, why = over["winners"], self.why(over)
        names = " & ".join(self.name(seat) for seat in winners)
        if not names:
            return self.words.say("news.over.draw", {"why": why})
        return self.words.say("news.over.won", {"names": names, "n": len(winners), "why": why})

    def why(self, over: Mapping[str, Any]) -> str:
        """Why the game ended, in a sentence that names people if the game has one."""
        named = f"{self.game.id}.ending.{over['reason']}"
        if named in self.words and self.words.fields(named) <= over.keys():
            return self.say(named, over)
        return self.words.say(f"{self.game.id}.reason.{over['reason']}")

    def tie_breaks(self, tie_break: Mapping[str, Mapping[Seat, int]]) -> Iterator[str]:
        """A sentence for each criterion that decided a tie."""
        for key, figures in tie_break.items():
            yield self.of_game(f"tie_break.{key}", {"scores": figures})

    def told(self, value: Any) -> Any:
        """A field value for display: names for seats, catalogue words for pieces, lists joined by commas."""
        if isinstance(value, str):
            return self._names.get(value) or self._told(value)
        if isinstance(value, int):
            return value
        if isinstance(value, Mapping):
            return ", ".join(f"{self.told(key)} {figure}" for key, figure in value.items())
        if isinstance(value, list):
            return ", ".join(str(self.told(each)) for each in value)
        return value

    def is_name(self, value: Any) -> bool:
        """Whether a field value stands for a player, a side or the host."""
        return value in self.names or value in self._sides or value == HOST

    def _told(self, value: str) -> str:
        if self.is_name(value):
            return self.name(value)
        own = f"{self.game.id}.word.{value}"
        return self.words.say(own) if own in self.words else value


def display_name(name: str, words: Words) -> str:
    """A person's display name. A deleted person has an empty name and is shown as "somebody"."""
    return name or words.somebody


def capitalized(sentence: str, words: Words) -> str:
    """Capitalize a sentence that begins with the placeholder for a deleted person."""
    is_so = sentence.startswith(words.somebody)
    return sentence[:1].upper() + sentence[1:] if is_so else sentence


def view(seen: PlayerView, words: Words, connected: Collection[Seat] = ()) -> dict[str, Any]:
    """The view that the JSON API returns: public, or of one seat."""
    localizer = Localizer(words, seen.game, seen.names)
    news = [news_item(told, localizer) for told in seen.news]
    people, common = people_view(seen, localizer, connected), common_view(seen, localizer)
    return {**people, **common, "news": news, "me": own_view(seen, localizer)}


def people_view(
    seen: PlayerView, localizer: Localizer, connected: Collection[Seat], bots: Collection[Seat] = ()
) -> dict[str, Any]:
    """The part of a view that is the same for all seats and that moves do not change: game and people."""
    return {
        "table": seen.code,
        "game": seen.game.id,
        "options": dict(seen.options),
        "seats": {
            seat: {
                "name": name if name is None else display_name(name, localizer.words),
                "joined": name is not None,
                "connected": seat in connected,
                "bot": seat in bots,
                "avatar": seen.avatars.get(seat),
            }
            for seat, name in seen.names.items()
        },
        "sides": {side: list(seats) for side, seats in localizer.sides().items()},
        "next": None,
        "demo": False,
        "asked_before": False,
    }


def common_view(seen: PlayerView, localizer: Localizer) -> dict[str, Any]:
    """The part of a view that is the same for all seats and changes with moves, except the news."""
    return {
        "version": seen.version,
        "status": seen.status,
        "waiting_for": list(seen.waiting_for),
        "public": seen.game.public(seen.slice.table) if seen.slice else {"turn": None, "step": None},
        "todo": _told_to_do(seen, localizer, in_public=True),
        "question": _question(seen.question) if seen.question else None,
        "outcome": outcome_item(seen.outcome, seen.debrief) if seen.outcome else None,
        "head": seen.head,
        "dice": {
            "seed_hash": seen.seed_hash,
            "nonces": dict(seen.nonces),
            "before": seen.before and dict(seen.before),
        },
    }


def news_item(told: NewsEntry, localizer: Localizer) -> dict[str, Any]:
    bound = {"commitment": told.commitment} if told.commitment else {}
    return {
        "n": told.n,
        "kind": told.news.kind,
        **told.news.fields,
        **bound,
        "text": localizer.news(told.news),
    }


def _told_to_do(seen: PlayerView, localizer: Localizer, in_public: bool = False) -> list[str]:
    said = (localizer.of_game(f"todo.{say.key}", say.fields) for say in to_do(seen, in_public))
    return list(dict.fromkeys(said))


def to_do(seen: PlayerView, in_public: bool = False) -> tuple[Say, ...]:
    """What to do with the real components now, then what this seat must do next. `in_public`: for everyone.

    After an undo or a correction, only the changes to the real table: earlier instructions were carried out.
    """
    if seen.slice is None or (seen.outcome and seen.outcome.is_abandoned):
        return ()
    now = Slice(seen.slice.table) if in_public else seen.slice
    return (*_on_the_table(seen, now, in_public), *seen.game.awaited(now))


def _on_the_table(seen: PlayerView, now: Slice[Any, Any], in_public: bool) -> tuple[Say, ...]:
    repair = seen.repair
    if repair is None:
        return seen.game.todo(now)
    before = Slice(repair.before.table) if in_public else repair.before
    if repair.kind == TAKEN_BACK:
        return seen.game.put_back(before, now)
    return seen.game.put_right(before, now, repair.restated)


def own_view(seen: PlayerView, localizer: Localizer) -> dict[str, Any] | None:
    """The private part of a seat's view, or None in the public view."""
    if seen.seat is None:
        return None
    return {
        "seat": seen.seat,
        "hand": seen.game.hand(seen.slice.mine()) if seen.slice else {},
        "todo": _told_to_do(seen, localizer.speaking_to(seen.seat)),
        "salts": {str(n): salt for n, salt in seen.salts},
        "choices": [choice.wire() for choice in seen.choices],
    }


def _question(asked: Question) -> dict[str, Any]:
    bound = {"commitment": asked.commitment} if asked.commitment else {}
    return {
        "kind": asked.kind,
        "by": asked.by,
        "about": dict(asked.about),
        "of": list(asked.of),
        "reveals": asked.reveals,
        "reopens": asked.reopens,
        "accepted": list(asked.accepted),
        **bound,
    }


def ending_news(seen: PlayerView) -> News | None:
    """The news of how the game ended, as it stands now."""
    if seen.outcome is None:
        return None
    told = seen.slice.table.ending() if seen.slice else None
    return told or News("over", {"winners": list(seen.outcome.winners), "reason": seen.outcome.reason})


def outcome_item(outcome: Outcome, debrief: Mapping[Seat, Mapping[str, Any]] | None) -> dict[str, Any]:
    return {
        "winners": list(outcome.winners),
        "draw": outcome.draw,
        "reason": outcome.reason,
        "scores": dict(outcome.scores),
        "tie_break": outcome.tie_break,
        "debrief": debrief,
    }


def outcome_from(item: Mapping[str, Any]) -> Outcome:
    """Parse an outcome from its JSON form."""
    return Outcome(tuple(item["winners"]), item["reason"], item["scores"], item["tie_break"])
