"""The randomness of the dice: a seed bound first, numbers of the phones, the game before a rematch."""

import hashlib
import json
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

from referee.core.dice import Dice
from referee.core.entries import (
    Answered,
    Asked,
    DeskTaken,
    Entry,
    Joined,
    Moved,
    Returned,
    Unreadable,
    read,
    write,
)
from referee.core.game import Say
from referee.core.match import Match, open_match
from referee.fairness.commitments import chained_seed, genesis, mixed_seed, seed_hash
from referee.fairness.record import checksum, record_of
from referee.fairness.verify import follows, nonces_of, verify
from referee.games.agent_hunter import AGENT_HUNTER
from referee.program.cli import main
from tests.support.rules.rematches import game_entries, game_record, rematch_record

SEED = "5e" * 32
BEFORE = {"table": "KX7QF", "head": "ab" * 32, "nonce": "c0ffee"}


def begun(seed: str, *nonces: str, before: dict[str, str] | None = None) -> Match:
    match = open_match("KX7QF", AGENT_HUNTER, {}, seed, before)
    for seat, nonce in zip(match.seats, nonces, strict=True):
        match = match.after(Joined(seat, seat, nonce))
    return match


def first(match: Match) -> str:
    return next(str(told.news.fields["first"]) for told in match.news if told.news.kind == "began")


def test_the_mixed_seed_is_one_hash_over_all_parts() -> None:
    text = (
        '{"before":{"head":"%s","nonce":"c0ffee","table":"KX7QF"},"nonces":[["mask","0b"],["target","0a"]]}'
    )
    nonces = (("mask", "0b"), ("target", "0a"))
    wanted = hashlib.sha256(bytes.fromhex(SEED) + (text % ("ab" * 32)).encode()).hexdigest()
    assert mixed_seed(SEED, BEFORE, nonces) == wanted
    text = '{"before":null,"nonces":[["target","0a"]]}'
    assert (
        mixed_seed(SEED, None, nonces[1:]) == hashlib.sha256(bytes.fromhex(SEED) + text.encode()).hexdigest()
    )
    assert mixed_seed(SEED, None, ()) == SEED


def test_neither_the_seed_nor_one_phone_alone_decides_who_begins() -> None:
    for seed, mine in ((SEED, "00"), ("11" * 32, "ffee")):
        assert {first(begun(seed, mine, f"{n:02x}")) for n in range(32)} == {"target", "mask"}
        assert {first(begun(seed, f"{n:02x}", mine)) for n in range(32)} == {"target", "mask"}
        assert {first(begun(f"{n:064x}", mine, mine)) for n in range(32)} == {"target", "mask"}


def test_a_server_that_knows_all_numbers_changes_nothing_by_their_order_or_by_other_entries() -> None:
    """It knows the seed, and could hold back the joins until the last number is there. Then it could try each
    order, and entries that nobody has to agree to, until the right player begins."""
    start = open_match("KX7QF", AGENT_HUNTER, {}, SEED)
    others: list[list[Entry]] = [[], [DeskTaken()], [DeskTaken()] * 2, [Returned("host")]]
    for numbers in (f"{n:02x}" for n in range(8)):
        joins = [Joined("target", "Ana", numbers), Joined("mask", "Bo", "0b")]
        ways = [(one, *more, other) for one, other in (joins, joins[::-1]) for more in others]
        ends = [reduce(Match.after, way, start) for way in ways]
        assert len({end.dice for end in ends}) == len({first(end) for end in ends}) == 1


def test_what_is_thrown_for_a_move_depends_on_the_moves_alone() -> None:
    numbers = []
    others: list[list[Entry]] = [[], [DeskTaken()], [DeskTaken(), Returned("mask")]]
    for more in others:
        match = reduce(Match.after, more, begun(SEED, "0a", "0b"))
        choice = next(one for seat in match.seats for one in match.choices[seat])
        seat = next(seat for seat in match.seats if match.choices[seat])
        match = match.after(Moved(seat, choice.pick(Dice("x")), "00" * 32))
        numbers.append(match.made[0].throw)
    assert numbers == [3, 3, 3]


def test_all_dice_of_a_game_fall_from_the_mix_and_fall_the_same_again() -> None:
    match = begun(SEED, "0a", "0b")
    assert match.dice == mixed_seed(SEED, None, (("target", "0a"), ("mask", "0b")))
    assert begun(SEED, "0a", "0b") == match
    assert (
        len({begun(SEED, *pair).dice for pair in (("0a", "0b"), ("0b", "0a"), ("0a", ""), ("", "0a"))}) == 4
    )
    assert begun(SEED, "", "").dice == SEED
    assert begun(SEED, "", "", before=BEFORE).dice == mixed_seed(SEED, BEFORE, ())


def test_a_number_that_comes_after_the_deal_stands_in_the_chain_and_changes_no_dice() -> None:
    match = begun(SEED, "0a", "0b")
    again = match.after(Joined("mask", "mask", "0c"))
    assert again.dice == match.dice and again.nonces[-1] == ("mask", "0c")
    assert again.head != match.after(Joined("mask", "mask")).head


def test_each_seed_of_a_row_of_rematches_is_the_hash_of_the_next() -> None:
    seeds = [chained_seed(SEED, left) for left in (3, 2, 1, 0)]
    assert seeds[-1] == SEED and [seed_hash(seed) for seed in seeds[1:]] == seeds[:-1]


def test_the_first_link_binds_what_a_rematch_comes_from() -> None:
    others = [{**BEFORE, name: value} for name, value in (("table", "Z"), ("head", ""), ("nonce", ""))]
    assert (
        len({genesis("KX7QF", "agent_hunter", 1, {}, SEED, before) for before in (None, BEFORE, *others)})
        == 5
    )


@pytest.mark.parametrize("entry", [Joined("mask", 'A "B" nonce="0a"', "0b"), Joined("mask", "", "f" * 64)])
def test_a_join_with_a_number_is_written_and_read_back(entry: Entry) -> None:
    assert read(write(entry)) == entry


@pytest.mark.parametrize(
    "text",
    ['nonce=""', 'nonce="0A"', 'nonce="xy"', "nonce=7", f'nonce="{"0" * 65}"', 'more="0a"', '"0a"', ""],
)
def test_what_is_no_number_is_not_read(text: str) -> None:
    with pytest.raises(Unreadable):
        read(f'mask joins "Bo" {text}')


# ---- records


@pytest.fixture(scope="module")
def game() -> dict[str, Any]:
    return game_record("AAAAA", seed_hash(SEED))


@pytest.fixture(scope="module")
def rematch(game: dict[str, Any]) -> dict[str, Any]:
    return rematch_record(SEED, {"table": "AAAAA", "head": game["head"], "nonce": "0a"})


def test_a_record_with_numbers_holds_and_shows_them(game: dict[str, Any], rematch: dict[str, Any]) -> None:
    assert verify(game) == [] and verify(rematch) == []
    assert nonces_of(game) == [b"target".hex(), b"mask".hex()] and nonces_of(rematch) == []
    assert game["before"] is None and follows(rematch, game) == []


def test_a_number_that_was_changed_or_left_out_is_found(game: dict[str, Any]) -> None:
    for fields in ({}, {"nonce": "00"}, {"nonce": 0}, {"nonce": ""}, {"other": "00"}):
        changed = json.loads(json.dumps(game))
        changed["entries"][1]["fields"] = fields
        changed["checksum"] = checksum({name: changed[name] for name in changed if name != "checksum"})
        assert "verify.link" in [say.key for say in verify(changed)]


def test_a_rematch_whose_seed_or_beginning_was_not_bound_is_found(
    game: dict[str, Any], rematch: dict[str, Any]
) -> None:
    def keys(record: dict[str, Any], earlier: dict[str, Any]) -> list[str]:
        return [say.key for say in follows(record, earlier)]

    assert keys(rematch_record("00" * 32, rematch["before"]), game) == ["verify.before.seed"]
    elsewhere = {**rematch["before"], "head": "00" * 32}
    assert keys(rematch_record(SEED, elsewhere), game) == ["verify.before.head"]
    assert keys(game, rematch) == keys(rematch, rematch) == ["verify.before.other"]


def test_a_server_does_not_choose_the_head_from_which_a_rematch_begins(game: dict[str, Any]) -> None:
    """When it knows the number of the phone that asks, it could try each head of the game before. Only the
    one with which that game ended counts, and no entry after the end changes it."""
    for entry in game["entries"][:-1]:
        before = {"table": "AAAAA", "head": entry["head"], "nonce": "0a"}
        assert follows(rematch_record(SEED, before), game) == [Say("verify.before.head")]
    start, entries = game_entries("AAAAA", seed_hash(SEED))
    later = reduce(Match.after, [*entries, DeskTaken(), Returned("mask")], start)
    assert later.final_head == game["head"] != later.head
    assert follows(rematch_record(SEED, {**before, "head": game["head"]}), game) == []


def test_a_number_that_no_phone_sent_is_no_part_of_a_rematch(game: dict[str, Any]) -> None:
    """Only the phone that asks adds one; the people who sit there already send nothing."""
    forged = game_record("BBBBB", SEED, {"table": "AAAAA", "head": game["head"], "nonce": "0a"})
    assert nonces_of(forged) and [say.key for say in follows(forged, game)] == ["verify.before.nonce"]


def test_who_sits_down_at_a_free_seat_adds_a_number_to_a_rematch() -> None:
    """The seat got a new key that nobody had used when the game ended, even if somebody uses it later."""
    start, entries = game_entries("AAAAA", seed_hash(SEED))
    reissued: list[Entry] = [
        Asked("host", "reissue", ("target",), {"seat": "mask"}),
        Answered("target", True),
    ]
    entries = [*entries[:4], *reissued, *entries[4:]]
    later: list[list[Entry]] = [[], [Joined("mask", "Eve")]]
    for more in later:
        game = record_of(start, [*entries, *more])
        before = {"table": "AAAAA", "head": reduce(Match.after, entries, start).head, "nonce": "0a"}
        opened_rematch = open_match("BBBBB", AGENT_HUNTER, game["options"], SEED, before)
        for seat, faults in (("mask", []), ("target", ["verify.before.nonce"])):
            numbers = {seat: "0b"}
            joins = [Joined(each, each, numbers.get(each, "")) for each in opened_rematch.seats]
            rematch = record_of(opened_rematch, joins)
            assert [say.key for say in follows(rematch, game)] == faults


@pytest.mark.parametrize(
    "before", [7, [], "AAAAA", {}, {"table": "AAAAA"}, {**BEFORE, "nonce": "xy"}, {**BEFORE, "n": 1}]
)
def test_what_is_no_beginning_of_a_rematch(rematch: dict[str, Any], before: Any) -> None:
    assert "verify.before" in [say.key for say in verify({**rematch, "before": before})]


# ---- the command


def said(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str]:
    code = main(["verify", *map(str, arguments)])
    return code, capsys.readouterr().out


def test_the_command_says_what_is_proved(
    game: dict[str, Any],
    rematch: dict[str, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LANG", "en_GB.UTF-8")
    for record in (game, rematch):
        (tmp_path / record["table"]).write_text(json.dumps(record))
    file, other, head = tmp_path / "BBBBB", tmp_path / "AAAAA", rematch["head"]
    code, text = said(capsys, file)
    assert (
        code == 0
        and "only proves that the file is consistent with itself and with the rules" in text
        and "add --before" in text
    )
    for typed in (head, f"{head[:4]} {head[4:8]} {head[8:12]} {head[12:16]}", head[:16].upper()):
        code, text = said(capsys, file, "--head", typed)
        assert (
            code == 0
            and f"up to entry {len(rematch['entries'])}, this is the game that was being played" in text
        )
        assert f"Fingerprint you noted:    {head[:4]} {head[4:8]}" in text and "no more" not in text
    code, text = said(capsys, file, "--head", rematch["entries"][1]["head"])
    assert code == 0 and "up to entry 2, this is the game that was being played" in text
    for typed in (head[:15], "xyz", ""):
        code, text = said(capsys, file, "--head", typed)
        assert code == 1 and "at least sixteen characters" in text and "This only proves" not in text
    code, text = said(capsys, file, "--head", "0" * 16)
    assert code == 1 and "doesn’t belong to this game" in text
    code, text = said(capsys, file, "--before", other)
    assert code == 0 and "was fixed when table AAAAA was opened" in text
    assert "numbers added by phones before the deal: 0" in text
    assert said(capsys, other, "--before", file)[0] == 1
