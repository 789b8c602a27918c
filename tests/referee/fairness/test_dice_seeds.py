"""What the dice fall from: a seed that is bound first, numbers of the phones, the game before a rematch."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from referee.core.entries import Entry, Joined, Unreadable, read, write
from referee.core.match import Match, open_match
from referee.fairness.commitments import chained_seed, genesis, mixed_seed, seed_hash
from referee.fairness.record import checksum, record_of
from referee.fairness.verify import follows, nonces_of, verify
from referee.games.agent_hunter import AGENT_HUNTER
from referee.program.cli import main
from referee.program.simulate import opened, steps

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
        '{"before":{"head":"%s","nonce":"c0ffee","table":"KX7QF"},"nonces":[["target","0a"],["mask","0b"]]}'
    )
    nonces = (("target", "0a"), ("mask", "0b"))
    wanted = hashlib.sha256(bytes.fromhex(SEED) + (text % ("ab" * 32)).encode()).hexdigest()
    assert mixed_seed(SEED, BEFORE, nonces) == wanted
    text = '{"before":null,"nonces":[["target","0a"]]}'
    assert (
        mixed_seed(SEED, None, nonces[:1]) == hashlib.sha256(bytes.fromhex(SEED) + text.encode()).hexdigest()
    )
    assert mixed_seed(SEED, None, ()) == SEED


def test_neither_the_seed_nor_one_phone_alone_decides_who_begins() -> None:
    for seed, mine in ((SEED, "00"), ("11" * 32, "ffee")):
        assert {first(begun(seed, mine, f"{n:02x}")) for n in range(32)} == {"target", "mask"}
        assert {first(begun(seed, f"{n:02x}", mine)) for n in range(32)} == {"target", "mask"}
        assert {first(begun(f"{n:064x}", mine, mine)) for n in range(32)} == {"target", "mask"}


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


def game_record(code: str, seed: str, before: dict[str, str] | None = None) -> dict[str, Any]:
    """The record of a whole random game whose phones sent numbers."""
    simulated = opened(AGENT_HUNTER, "dice")
    start = open_match(code, AGENT_HUNTER, simulated.options, seed, before)
    for seat in start.seats:
        start = start.after(Joined(seat, seat.title(), seat.encode().hex()))
    joins: list[Entry] = [Joined(seat, seat.title(), seat.encode().hex()) for seat in start.seats]
    moves = [step.entry for step in steps(start, "dice") if not isinstance(step.entry, Joined)]
    return record_of(open_match(code, AGENT_HUNTER, simulated.options, seed, before), [*joins, *moves])


@pytest.fixture(scope="module")
def game() -> dict[str, Any]:
    return game_record("AAAAA", seed_hash(SEED))


@pytest.fixture(scope="module")
def rematch(game: dict[str, Any]) -> dict[str, Any]:
    return game_record("BBBBB", SEED, {"table": "AAAAA", "head": game["head"], "nonce": "0a"})


def test_a_record_with_numbers_holds_and_shows_them(game: dict[str, Any], rematch: dict[str, Any]) -> None:
    assert verify(game) == [] and verify(rematch) == []
    assert nonces_of(game) == [b"target".hex(), b"mask".hex()]
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

    assert keys(game_record("BBBBB", "00" * 32, rematch["before"]), game) == ["verify.before.seed"]
    elsewhere = {**rematch["before"], "head": "00" * 32}
    assert keys(game_record("BBBBB", SEED, elsewhere), game) == ["verify.before.head"]
    assert keys(game, rematch) == keys(rematch, rematch) == ["verify.before.other"]


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
    assert code == 0 and "agrees with itself and with the rules, no more" in text and "add --before" in text
    for typed in (head, f"{head[:4]} {head[4:8]} {head[8:12]} {head[12:16]}", head[:16].upper()):
        code, text = said(capsys, file, "--head", typed)
        assert code == 0 and f"up to entry {len(rematch['entries'])} this is the game" in text
        assert f"Fingerprint noted:        {head[:4]} {head[4:8]}" in text and "no more" not in text
    code, text = said(capsys, file, "--head", rematch["entries"][1]["head"])
    assert code == 0 and "up to entry 2 this is the game" in text
    for typed in (head[:15], "xyz", ""):
        code, text = said(capsys, file, "--head", typed)
        assert code == 1 and "at least sixteen characters" in text and "This proves" not in text
    code, text = said(capsys, file, "--head", "0" * 16)
    assert code == 1 and "is not that of this game" in text
    code, text = said(capsys, file, "--before", other)
    assert code == 0 and "were bound when table AAAAA was opened" in text
    assert "numbers that phones added before the deal: 2" in text
    assert said(capsys, other, "--before", file)[0] == 1
