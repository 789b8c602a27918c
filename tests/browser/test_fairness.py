"""The browser's own hashes: the vectors it shares with Python, the same faults found in the same records."""

import json
from functools import reduce
from typing import Any

import pytest
from playwright.sync_api import Page

from referee.core.entries import Joined
from referee.core.game import Say
from referee.core.match import Match, open_match
from referee.fairness.commitments import seed_hash
from referee.fairness.record import checksum, record_of
from referee.fairness.verify import binding_faults, binding_of, follows, read_record, verify_hashes
from referee.games import GAMES
from tests.support.browser.windows import Window
from tests.support.rules.rematches import SEED, forgeries, game_record, random_game
from tests.support.rules.tampering import FORMS, Edit, any_bytes, every_byte, every_leaf, record_text
from tests.support.rules.vectors import VECTORS
from tests.support.soak import LONG

NOT_WHOLE = ("1.0", "1e2", "1E2", "-0", "0.5", "9007199254740993", "[1,2.0]")
STRANGE = (
    *("", "hello", "null", "1", "[]", "{}", "[[]]", '{"entries":1}', '{"checksum":""}', "[" * 100_000, '"'),
    *('{"table":1,"game":1,"rules":1,"options":[],"seed":"","entries":[],"head":""}',),
)

COMPUTE = """async (vectors) => {
    const fair = await import("/static/fairness.js");
    const { sha256, half_characters, canonical, commitments, no_salts, chains } = JSON.parse(vectors);
    const refuses = (call) => {
        try { call(); } catch (error) { return error instanceof fair.Unreadable; }
        return false;
    };
    const seal = (v) => fair.commitment(v.salt, v.table, v.n, v.seat, v.type, v.fields);
    const walk = ({ opening: o, links }) => {
        let head = fair.genesis(o.table, o.game, o.rules, o.options, o.seed);
        const next = (v) => (head = fair.link(head, v.n, v.seat, v.type, v.fields, v.commitment));
        return [head, ...links.map(next)];
    };
    return {
        sha256: sha256.map((v) => fair.sha256(fair.utf8(v.text.repeat(v.times)))),
        canonical: canonical.map((v) => fair.canonical(v.value)),
        half_characters: half_characters.map((v) => refuses(() => fair.utf8(fair.canonical(v)))),
        commitments: commitments.map(seal),
        no_salts: no_salts.map((salt) => refuses(() => seal({ ...commitments[0], salt }))),
        chains: chains.map(walk),
    };
}"""
FAULTS = """async ([text, edits]) => {
    const { check } = await import("/static/fairness.js");
    return edits.map(([start, end, by]) => check(text.slice(0, start) + by + text.slice(end)).faults);
}"""
CHECK = """async (texts) => {
    const { check } = await import("/static/fairness.js");
    return texts.map((text) => check(text).faults.map((fault) => fault.key));
}"""
REMATCHES = """async ([records, earlier]) => {
    const { rematchFaults } = await import("/static/fairness.js");
    return records.map((record) => rematchFaults(record, earlier).map((fault) => fault.key));
}"""


@pytest.fixture
def page(window: Window) -> Page:
    page = window()
    page.goto("/")
    return page


def test_the_shared_vectors(page: Page) -> None:
    wanted = json.loads(VECTORS)
    found = page.evaluate(COMPUTE, VECTORS)
    assert found["sha256"] == [v["hash"] for v in wanted["sha256"]]
    for vector, text in zip(wanted["canonical"], found["canonical"], strict=True):
        assert text == vector["text"]
    assert all(found["half_characters"])
    assert found["commitments"] == [v["hash"] for v in wanted["commitments"]]
    assert all(found["no_salts"])
    assert found["chains"] == [
        [c["genesis"], *(link["head"] for link in c["links"])] for c in wanted["chains"]
    ]


def test_a_number_that_would_pass_for_another_is_refused(page: Page) -> None:
    assert page.evaluate(CHECK, list(NOT_WHOLE)) == [["verify.unreadable"]] * len(NOT_WHOLE)


def test_what_is_no_record_is_said_to_be_none(page: Page) -> None:
    for text, keys in zip(STRANGE, page.evaluate(CHECK, list(STRANGE)), strict=True):
        assert "verify.unreadable" in keys, text


def test_what_a_new_checksum_would_hide_is_named_alike(page: Page) -> None:
    texts, game = [], next(iter(GAMES))
    for change, _ in FORMS.values():
        record = json.loads(record_text(game))
        change(record)
        record["checksum"] = checksum({name: record[name] for name in record if name != "checksum"})
        texts.append(json.dumps(record))
    found = page.evaluate(CHECK, texts)
    assert found == [[say.key for say in verify_hashes(json.loads(text))] for text in texts]
    assert sum(map(len, found)) == len(texts) - 3  # seats and winners are known by the rules alone


def test_a_key_that_stands_twice_is_named(page: Page) -> None:
    text = record_text(next(iter(GAMES)))
    texts = [
        text.replace('{"format"', '{"head":"","format"', 1),
        text.replace('{"n": 1,', '{"n": 1, "\\u006e": 1,', 1),
        '{"a":[{"b":":"},{"b":"{"}],"c":"a"}',
    ]
    assert all(changed != text for changed in texts)
    assert page.evaluate(CHECK, texts)[:2] == [["verify.twice"]] * 2
    assert "verify.twice" not in page.evaluate(CHECK, texts)[2]
    assert [read_record(one)[1] for one in texts] == [
        [Say("verify.twice", {"name": "head"})],
        [Say("verify.twice", {"name": "n"})],
        [],
    ]


@pytest.mark.parametrize("game", GAMES)
def test_the_browser_finds_what_python_finds(page: Page, game: str) -> None:
    """Every leaf of a record and single bytes anywhere: the same faults, by the same names and numbers."""
    text = record_text(game)
    assert all(ord(character) < 0x10000 for character in text)  # so that both count alike
    edits = [Edit(0, 0, ""), *every_leaf(text), *(every_byte(text) if LONG > 1 else any_bytes(text, 250))]
    found = page.evaluate(FAULTS, [text, [[edit.start, edit.end, edit.text] for edit in edits]])
    for edit, faults in zip(edits, found, strict=True):
        assert faults == _faults(edit.of(text)), edit
    assert found[0] == []


def test_a_forged_rematch_is_named_alike(page: Page) -> None:
    game = game_record("AAAAA", seed_hash(SEED))
    forged = list(forgeries(game))
    wanted = [faults for _, faults in forged]
    assert [[say.key for say in follows(record, game)] for record, _ in forged] == wanted
    assert page.evaluate(REMATCHES, [[record for record, _ in forged], game]) == wanted


@pytest.mark.parametrize("game", GAMES)
def test_a_rematch_of_a_game_with_questions_is_judged_alike(page: Page, game: str) -> None:
    """From the latest heads, with a number from a seat. The browser may take a correction after the last move
    for the end: only the rules tell whether the game was over before it."""
    for n in range(2 * LONG):
        start, entries = random_game(game, f"questions/{n}")
        match, earlier = reduce(Match.after, entries, start), record_of(start, entries)
        end, late = binding_of(earlier, match.final_head), _late_answers(earlier)
        rematches = []
        for head in {match.final_head, *(item["head"] for item in earlier["entries"][-8:])}:
            before = {"table": "AAAAA", "head": head, "nonce": "0a"}
            joins = [Joined(seat, seat, "0b" * (seat == match.seats[n % 2])) for seat in match.seats]
            rematches.append(record_of(open_match("BBBBB", match.game, match.options, SEED, before), joins))
        found = page.evaluate(REMATCHES, [rematches, earlier])
        for rematch, theirs in zip(rematches, found, strict=True):
            mine = [say.key for say in binding_faults(binding_of(rematch, ""), end)]
            is_doubtful = rematch["before"]["head"] in late - {match.final_head}
            doubted = {"verify.before.head"} if is_doubtful else set()
            assert set(theirs) | doubted == set(mine) | doubted


def _late_answers(record: dict[str, Any]) -> set[str]:
    """The heads of the answers and questions after the last move."""
    entries = record["entries"]
    last = max(at for at, item in enumerate(entries) if item["type"] in GAMES[record["game"]].moves)
    return {item["head"] for item in entries[last + 1 :] if item["type"] in ("asks", "answers")}


def _faults(text: str) -> list[dict[str, Any]]:
    """What Python finds; a record has no number with a point, so the browser reads none."""
    record, wrong = read_record(text)
    if _has_floats(record):
        return [{"key": "verify.unreadable"}]
    return [{"key": say.key, **say.fields} for say in wrong or verify_hashes(record)]


def _has_floats(value: Any) -> bool:
    if isinstance(value, dict | list):
        return any(map(_has_floats, value.values() if isinstance(value, dict) else value))
    return isinstance(value, float)
