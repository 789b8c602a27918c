"""Commitments and the hash chain, computed a second time with only hashlib and json."""

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.entries import DeskTaken, Entry, Joined, Moved
from referee.core.match import Match
from referee.core.moves import Move
from referee.fairness.commitments import commitment, genesis, link
from referee.games import GAMES
from referee.program.simulate import opened, steps
from tests.support.soak import examples, games

SALT = "00112233445566778899aabbccddeeff" * 2

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_a_commitment_to_the_byte() -> None:
    """The contract: SHA-256 over 32 bytes of salt and the JSON, sorted keys, no spaces, UTF-8."""
    text = b'{"fields":{"houses":[4,7,0]},"n":3,"seat":"mask","table":"KX7QF","type":"hide"}'
    wanted = sha(bytes.fromhex(SALT) + text)
    assert len(bytes.fromhex(SALT)) == 32
    assert commitment(SALT, "KX7QF", 3, "mask", Move("hide", {"houses": (4, 7, 0)})) == wanted
    assert wanted == "aba47c70d59f0865f75dde281f67eae89d6cb04de18012aae950c0d5d97547c7"  # by sha256sum


def test_a_commitment_of_text_is_over_utf_8() -> None:
    text = '{"fields":{"clue":"œuf «é» €"},"n":12,"seat":"a","table":"KX7QF","type":"say"}'
    wanted = sha(bytes.fromhex(SALT) + text.encode("utf-8"))
    assert commitment(SALT, "KX7QF", 12, "a", Move("say", {"clue": "œuf «é» €"})) == wanted


def test_a_commitment_binds_every_part() -> None:
    move = Move("hide", {"houses": (4, 7, 0)})
    all_of_them = {
        commitment(SALT, "KX7QF", 3, "mask", move),
        commitment("ff" * 32, "KX7QF", 3, "mask", move),
        commitment(SALT, "KX7QG", 3, "mask", move),
        commitment(SALT, "KX7QF", 4, "mask", move),
        commitment(SALT, "KX7QF", 3, "target", move),
        commitment(SALT, "KX7QF", 3, "mask", Move("hid", {"houses": (4, 7, 0)})),
        commitment(SALT, "KX7QF", 3, "mask", Move("hide", {"houses": (4, 0, 7)})),
        commitment(SALT, "KX7QF", 3, "mask", Move("hide", {"house": (4, 7, 0)})),
        commitment(SALT, "KX7QF", 3, "mask", Move("hide", {"houses": (4, 7, False)})),
    }
    assert len(all_of_them) == 9


def text_of(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def chained(start: Match, entries: list[tuple[int, Entry]]) -> str:
    """The head of the chain, from the entries and the numbers of their first news: no names."""
    head = sha(
        (
            "\n"
            + text_of(
                {
                    "table": start.code,
                    "game": start.game.id,
                    "rules": start.game.rules,
                    "options": dict(start.options),
                    "seed": sha(bytes.fromhex(start.seed)),
                }
            )
        ).encode()
    )
    for n, (news, entry) in enumerate(entries, 1):
        head = sha(f"{head}\n{text_of(_public(start, n, news, entry))}".encode())
    return head


def _public(start: Match, n: int, news: int, entry: Entry) -> dict[str, Any]:
    match entry:
        case Joined(seat):
            return {"n": n, "seat": seat, "type": "joins", "fields": {}, "commitment": None}
        case DeskTaken():
            return {"n": n, "seat": "desk", "type": "taken", "fields": {}, "commitment": None}
        case Moved(seat, move, salt):
            secret = start.game.moves[move.type].secret
            whole = {
                "table": start.code,
                "n": news,
                "seat": seat,
                "type": move.type,
                "fields": dict(move.fields),
            }
            bound = sha(bytes.fromhex(salt) + text_of(whole).encode()) if secret else None
            fields = {name: value for name, value in move.fields.items() if name not in secret}
            return {"n": n, "seat": seat, "type": move.type, "fields": fields, "commitment": bound}
    raise AssertionError(f"no such entry here: {entry}")


@every_game
def test_the_head_of_real_games_is_the_chain_of_their_public_entries(game: Any) -> None:
    for i in games(10):
        start = opened(game, f"chain/{i}")
        before, entries = start, list[tuple[int, Entry]]()
        for step in steps(start, f"chain/{i}"):
            entries.append((before.next_news, step.entry))
            before = step.match
            assert before.head == chained(start, entries)
        taken = before.after(DeskTaken())
        assert taken.head == chained(start, [*entries, (before.next_news, DeskTaken())])


@every_game
def test_names_are_outside_the_chain(game: Any) -> None:
    start = opened(game, "names")
    one = two = start
    for step in steps(start, "names"):
        other = Joined(step.entry.seat, "Zoé") if isinstance(step.entry, Joined) else step.entry
        one, two = one.after(step.entry), two.after(other)
        assert one.head == two.head
    assert one.names != two.names


@every_game
def test_the_commitment_told_is_the_one_of_the_move(game: Any) -> None:
    start = opened(game, "told")
    secret = 0
    for step in steps(start, "told"):
        news = [t for t in step.match.news if t.entry == step.match.entries]
        told = [t.commitment for t in news if t.commitment]
        if isinstance(step.entry, Moved) and step.entry.salt:
            entry, n = step.entry, news[0].n
            assert told == [news[0].commitment]
            assert told == [commitment(entry.salt, start.code, n, entry.seat, entry.move)]
            assert (n, entry.salt) in step.match.seen_by(entry.seat).salts  # its own seat sees it at once
            for seat in (None, *(s for s in start.seats if s != entry.seat)):
                assert entry.salt not in [salt for _, salt in step.match.seen_by(seat).salts]
            secret += 1
        else:
            assert not told
    assert secret


@every_game
def test_a_salt_belongs_to_secret_moves_alone(game: Any) -> None:
    for step in steps(opened(game, "salts"), "salts"):
        if isinstance(step.entry, Moved):
            assert bool(step.entry.salt) == bool(game.moves[step.entry.move.type].secret)


words = st.text("abcdefgh_", min_size=1, max_size=8)
fields = st.dictionaries(words, st.integers(0, 9) | st.booleans() | words, max_size=3)
heads = st.binary(min_size=32, max_size=32).map(bytes.hex)
entries_ = st.tuples(heads, st.integers(1, 99), words, words, fields, st.none() | heads)


@examples(300)
@given(entries_, entries_)
def test_the_head_changes_with_any_public_part(one: Any, two: Any) -> None:
    same = [repr(part) for part in one] == [repr(part) for part in two]
    for i in range(6):
        mixed = (*one[:i], two[i], *one[i + 1 :])
        equal = text_of(mixed) == text_of(one)
        assert (link(*mixed) == link(*one)) == equal
    assert same <= (link(*one) == link(*two))


any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
any_leaf = st.none() | st.booleans() | st.integers(-9, 99) | st.just("") | any_text  # a record may be forged


@examples(300)
@given(any_text, any_leaf, any_text, any_text, fields, any_leaf | heads)
def test_whatever_is_linked_the_text_that_is_hashed_is_the_json(
    table: str, n: Any, seat: str, kind: str, given_: dict[str, Any], bound: Any
) -> None:
    entry = {"n": n, "seat": seat, "type": kind, "fields": given_}
    bare = bytes.fromhex(SALT) + text_of({**entry, "table": table}).encode()
    assert commitment(SALT, table, n, seat, Move(kind, given_)) == sha(bare)
    linked = f"{SALT}\n{text_of({**entry, 'commitment': bound})}"
    assert link(SALT, n, seat, kind, given_, bound) == sha(linked.encode())


@pytest.mark.parametrize("forged", [None, 3, "abc", [1]])
def test_fields_that_are_none_have_no_text(forged: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        link(SALT, 1, "mask", "hide", forged, None)
    with pytest.raises((TypeError, ValueError)):
        commitment(SALT, "KX7QF", 1, "mask", Move("hide", forged))


def test_the_first_head_binds_table_game_rules_options_and_seed() -> None:
    first = ("KX7QF", "g", 1, {"first": "random"}, "00" * 32)
    others = ("KX7QG", "h", 2, {"first": "target"}, "01" * 32)
    heads = {genesis(*first)}
    for i, other in enumerate(others):
        heads.add(genesis(*(*first[:i], other, *first[i + 1 :])))  # type: ignore[arg-type]
    assert len(heads) == 6


def test_the_seed_itself_is_not_in_the_first_head() -> None:
    """It is bound by its own hash, so that who knows the head cannot try seeds of a table cheaply."""
    seed = "ab" * 32
    bound = {"table": "T", "game": "g", "rules": 1, "options": {}, "seed": sha(bytes.fromhex(seed))}
    assert genesis("T", "g", 1, {}, seed) == sha(f"\n{text_of(bound)}".encode())
