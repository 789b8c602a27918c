"""The test vectors that Python and the browser share."""

import hashlib
import json
from typing import Any

import pytest

from referee.core.moves import Move, canonical, freeze
from referee.fairness.commitments import commitment, genesis, link
from tests.support.rules import vectors

VECTORS: dict[str, Any] = json.loads(vectors.VECTORS)
BY_STANDARD = {  # from FIPS 180-4 and its examples
    "": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "abc": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq": (
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    "a" * 1_000_000: "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
}


def test_sha_256() -> None:
    hashes = {v["text"] * v["times"]: v["hash"] for v in VECTORS["sha256"]}
    assert {text: hashes[text] for text in BY_STANDARD} == BY_STANDARD
    for text, wanted in hashes.items():
        assert hashlib.sha256(text.encode()).hexdigest() == wanted
    assert {0, 55, 56, 63, 64, 65} <= {len(text.encode()) for text in hashes}


def test_the_one_json_text_of_a_value() -> None:
    for vector in VECTORS["canonical"]:
        assert canonical(vector["value"]) == vector["text"]
        assert json.loads(vector["text"]) == vector["value"]


def test_half_a_character_has_no_bytes() -> None:
    for value in VECTORS["half_characters"]:
        with pytest.raises(ValueError, match="surrogates not allowed"):
            canonical(value).encode()


def test_commitments() -> None:
    for v in VECTORS["commitments"]:
        move = Move(v["type"], freeze(v["fields"]))
        assert commitment(v["salt"], v["table"], v["n"], v["seat"], move) == v["hash"]


def test_what_is_no_salt_seals_nothing() -> None:
    for salt in VECTORS["no_salts"]:
        with pytest.raises(ValueError, match="64 hexadecimal digits"):
            commitment(salt, "KX7QF", 1, "a", Move("hide"))


def test_chains() -> None:
    for chain in VECTORS["chains"]:
        head = genesis(**chain["opening"])
        assert head == chain["genesis"]
        for v in chain["links"]:
            head = link(head, v["n"], v["seat"], v["type"], v["fields"], v["commitment"])
            assert head == v["head"]
