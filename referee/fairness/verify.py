"""Verification of a record: recomputes its hashes, replays its game, and lists every difference."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from referee.core.entries import NONCE
from referee.core.game import Say
from referee.core.moves import Move, Seat
from referee.core.sliced_work import SlicedWork, run_to_end
from referee.fairness.commitments import commitment, digits_of, genesis, link, seed_hash
from referee.fairness.record import FORMAT, checksum
from referee.fairness.replay_check import UNREADABLE, Fault, end_of, replay_holds

# The keys of a record, besides `format`.
HASHED = ("table", "game", "rules", "options", "seed", "before")  # the opening of a record, in this order
PARTS = {*HASHED, "names", "entries", "outcome", "head", "checksum"}


class DuplicateKey(ValueError):
    """A key that occurs twice in one JSON object. Parsers differ in which one they use."""


def read_record(text: str) -> tuple[Any, list[Say]]:
    """Parse the text of a record. Returns the record, or None and the reasons why it cannot be read."""
    try:
        return json.loads(text, object_pairs_hook=_unique_keys, parse_int=_integer), []
    except DuplicateKey as key:
        return None, [Say("verify.twice", {"name": _shortened(str(key))})]
    except (ValueError, RecursionError):
        return None, [Say("verify.unreadable")]


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    whole: dict[str, Any] = {}
    for name, value in pairs:
        if name in whole:
            raise DuplicateKey(name)
        whole[name] = value
    return whole


def _integer(digits: str) -> int:
    """An integer of a record. -0 is refused: parsers differ in whether it is 0, and no record has it."""
    if digits == "-0":
        raise ValueError(digits)
    return int(digits)


def _shortened(name: str) -> str:
    return name[:40]


def verify(record: Any) -> list[Say]:
    """Everything that is wrong with a record. An empty list means that it is valid."""
    return run_to_end(verify_in_slices(record))


def verify_in_slices(record: Any) -> SlicedWork[list[Say]]:
    """Like `verify`, but yields after each entry."""
    return _found(record, _form_holds, _checksum_holds, _chain_holds, replay_holds)


def verify_hashes(record: Any) -> list[Say]:
    """What is wrong with the form and the hashes of a record. The record page runs the same checks in
    JavaScript."""
    return run_to_end(_found(record, _form_holds, _checksum_holds, _chain_holds))


Check = Callable[[Any], Iterator[Fault]]


def _found(record: Any, *checks: Check) -> SlicedWork[list[Say]]:
    """The faults that these checks find, without duplicates."""
    found: list[Say] = []
    for check in checks:
        for wrong in (yield from _wrong(record, check)):
            if wrong not in found:
                found.append(wrong)
    return found


def _wrong(record: Any, check: Check) -> SlicedWork[list[Say]]:
    found: list[Say] = []
    try:
        for fault in check(record):
            found += [fault] if fault else []
            yield
    except UNREADABLE:
        return [Say("verify.unreadable")]
    return found


def _form_holds(record: Mapping[str, Any]) -> Iterator[Say]:
    """It has the current format, belongs to a finished game, and has no keys that no check covers."""
    if record.keys() >= PARTS and (type(number := record.get("format")) is not int or number != FORMAT):
        yield Say("verify.format")
    for name in sorted(record.keys() - PARTS - {"format"}):
        yield Say("verify.unknown", {"name": _shortened(name)})
    if not all(_is_name(record, seat, name) for seat, name in record["names"].items()):
        yield Say("verify.names")
    if not _is_before(record["before"]):
        yield Say("verify.before")
    if record["outcome"] is None:
        yield Say("verify.unfinished")


def _is_before(before: Any) -> bool:
    """Whether this says of which game it is the rematch, or is None."""
    if before is None:
        return True
    is_text = isinstance(before, Mapping) and all(isinstance(value, str) for value in before.values())
    return is_text and before.keys() == {"table", "head", "nonce"} and bool(NONCE.fullmatch(before["nonce"]))


def _is_name(record: Mapping[str, Any], seat: Seat, name: Any) -> bool:
    """Whether this is a valid name: a string, or None for a seat that was never taken."""
    if name is not None:
        return isinstance(name, str)
    return not any(item["type"] == "joins" and item["seat"] == seat for item in record["entries"])


def _checksum_holds(record: Mapping[str, Any]) -> Iterator[Say]:
    if record["checksum"] != checksum({name: record[name] for name in record if name != "checksum"}):
        yield Say("verify.checksum")


def noted_head(record: Mapping[str, Any], typed: str) -> tuple[str, list[Mapping[str, Any]]]:
    """Compare a typed fingerprint with a valid record: it is the final head (`same`), the head before the
    returned entries (`earlier`), not in the record (`other`), or too short to tell (`short`)."""
    digits = digits_of(typed)
    if digits is None:
        return "short", []
    entries = record["entries"]
    at = next((n for n in range(len(entries), 0, -1) if entries[n - 1]["head"].startswith(digits)), None)
    if at is None:
        return "other", []
    return ("same" if at == len(entries) else "earlier"), entries[at:]


def nonces_of(record: Mapping[str, Any]) -> list[str]:
    """The numbers that phones added to the dice of a valid record: those of the joins until the deal."""
    return [nonce for _, nonce in _nonces(record)]


def _nonces(record: Mapping[str, Any]) -> Iterator[tuple[Seat, str]]:
    free = set(record["names"])
    for item in record["entries"]:
        if free and item["type"] == "joins":
            free.discard(item["seat"])
            if "nonce" in item["fields"]:
                yield item["seat"], item["fields"]["nonce"]


@dataclass(frozen=True)
class Binding:
    """What binds a game to the one before it, and to its rematch."""

    table: str
    seed: str
    before: Mapping[str, str] | None
    added: frozenset[Seat]  # the seats that added a number to the dice
    end: str  # the head after the entry that ended the game
    free: frozenset[Seat]  # the seats that were free when it ended


def binding_of(record: Mapping[str, Any], end: str) -> Binding:
    """The binding of a valid record, whose game ended with this head."""
    added = frozenset(seat for seat, _ in _nonces(record))
    free = frozenset(_free_at(record, end))
    return Binding(record["table"], record["seed"], record["before"], added, end, free)


def follows(record: Mapping[str, Any], earlier: Mapping[str, Any]) -> list[Say]:
    """What is wrong with a valid record as the rematch of another valid one."""
    return binding_faults(binding_of(record, ""), binding_of(earlier, end_of(earlier)))


def binding_faults(game: Binding, earlier: Binding) -> list[Say]:
    """What is wrong with a game as the rematch of an earlier one: its seed must be the one that the earlier
    table was bound to, it must have begun from the head with which the earlier game ended, and nobody but who
    sits down at a free seat may add a number to it."""
    if game.before is None or game.before["table"] != earlier.table:
        return [Say("verify.before.other")]
    wrong = []
    if seed_hash(game.seed) != earlier.seed:
        wrong.append(Say("verify.before.seed"))
    if game.before["head"] != earlier.end:
        wrong.append(Say("verify.before.head"))
    if not game.added <= earlier.free:
        wrong.append(Say("verify.before.nonce"))
    return wrong


def _free_at(record: Mapping[str, Any], end: str) -> set[Seat]:
    """The seats of a valid record that were free at the entry with this head: nobody had joined, or a
    question gave the seat a new key that nobody had used."""
    free, question, waiting = set[Seat](record["names"]), {}, set[Seat]()
    for item in record["entries"]:
        kind, seat, fields = item["type"], item["seat"], item["fields"]
        if kind == "joins":
            free.discard(seat)
        elif kind == "asks":
            question, waiting = fields, set(fields["of"])
        elif kind == "answers":
            waiting.discard(seat)
            question = question if fields["accept"] else {}
        if question and not waiting:
            free |= {question["seat"]} if question["question"] == "reissue" else set()
            question = {}
        if item["head"] == end:
            break
    return free


# ---- the chain


def _chain_holds(record: Mapping[str, Any]) -> Iterator[Fault]:
    """Every commitment opens with its salt, and every head follows from the one before it."""
    if not isinstance(record["before"], Mapping | None):
        raise TypeError("not a rematch of anything")
    head = genesis(*(record[name] for name in HASHED))
    for n, item in enumerate(record["entries"], 1):
        try:
            wrong, head = _entry_holds(record["table"], head, n, item)
        except UNREADABLE:
            yield Say("verify.unreadable_entry", {"n": n})
            return
        yield from (Say(key, {"n": n}) for key in wrong)
        yield None
        if "verify.link" in wrong or "verify.opening" in wrong:
            return
    if record["head"] != head:
        yield Say("verify.head")


def _entry_holds(table: str, before: str, n: int, item: Mapping[str, Any]) -> tuple[list[str], str]:
    """What is wrong with an entry, and the head after it."""
    wrong = []
    if item["commitment"] != _sealed_as(table, item):
        wrong.append("verify.commitment")
    head = link(before, n, item["seat"], item["type"], item["fields"], item["commitment"])
    if item["n"] != n or item["head"] != head:
        wrong.append("verify.link" if n > 1 else "verify.opening")  # the genesis link is not in the record
    return wrong, head


def _sealed_as(table: str, item: Mapping[str, Any]) -> str | None:
    """The commitment recomputed from the secret of this entry, or None if it has no secret."""
    if "sealed" not in item and "salt" not in item:
        return None
    sealed = item["sealed"]
    move = Move(sealed["type"], sealed["fields"])
    return commitment(item["salt"], table, sealed["n"], item["seat"], move)
