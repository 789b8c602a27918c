"""Moves: what may be stale and what not, what is answered, what is bound, how it ends."""

import hashlib
import json
import re
from random import Random
from typing import Any

import pytest

from tests.support.soak import games
from tests.support.web.http_client import Client, Phone, Table
from tests.support.web.random_player import hide, play_on
from tests.support.web.raw_sockets import read_until_closed, socket_to
from tests.support.web.server_process import Running


def test_the_answer_to_a_move_carries_its_version_and_its_news(
    playing: dict[str, Phone], table: Table
) -> None:
    answer = playing["target"].moves("attack_from_hand", card=0, house=1)
    assert answer.keys() == {"version", "news"}
    assert answer["version"] == 5
    assert [item["kind"] for item in answer["news"]] == ["attack", "turn"]
    attack = answer["news"][0]
    told = {"by": "target", "origin": "hand", "card": 0, "house": 1, "answer": "plus"}
    assert attack.items() >= told.items()
    assert attack["text"]
    assert table.view()["news"][-2:] == answer["news"]


def test_a_simultaneous_entry_of_another_seat_does_not_make_a_move_stale(phones: dict[str, Phone]) -> None:
    phones["target"].moves("hide", version=2, houses=[1, 2, 3])
    answer = phones["mask"].moves("hide", version=2, houses=[4, 5, 6])
    assert answer["version"] == 4


def test_a_move_is_stale_once_what_the_seat_may_do_has_changed(playing: dict[str, Phone]) -> None:
    playing["target"].moves("attack_from_hand", card=0, house=1)
    playing["mask"].moves("attack_from_hand", card=0, house=1)
    answer = playing["target"].tries("attack_from_hand", version=4, card=0, house=1)
    assert (answer.status, answer.code, answer.json["version"]) == (409, "stale", 6)
    assert playing["target"].moves("attack_from_hand", version=6, card=0, house=1)["version"] == 7


def test_the_same_move_twice_is_made_once(playing: dict[str, Phone], table: Table) -> None:
    playing["target"].moves("attack_from_hand", version=4, card=0, house=1)
    again = playing["target"].tries("attack_from_hand", version=4, card=0, house=1)
    assert again.code == "stale"
    assert table.view()["version"] == 5


def test_the_first_legal_sentence_names_the_rule(playing: dict[str, Phone]) -> None:
    not_mine = playing["target"].tries("attack_from_hand", card=1, house=1).json["detail"]
    not_there = playing["target"].tries("attack_from_hand", card=0, house=9).json["detail"]
    not_now = playing["mask"].tries("attack_from_hand", card=0, house=1).json["detail"]
    assert len({not_mine, not_there, not_now}) == 3
    assert "hand" in not_mine and "1" not in not_mine, "a refusal shows no card of a hand"
    assert "9" in not_there


# ---- connections


def posted(phone: Phone, table: Table, version: int, more: str = "") -> bytes:
    """A move as bytes."""
    body = json.dumps({"version": version, "type": "attack_from_hand", "card": 0, "house": 1})
    head = f"Host: localhost\r\nAuthorization: Bearer {phone.token}\r\nContent-Length: {len(body)}\r\n{more}"
    return f"POST {table.path}/moves HTTP/1.1\r\n{head}\r\n{body}".encode()


def test_moves_in_one_packet_are_answered_in_order_and_the_line_ends_when_asked(
    server: Running, playing: dict[str, Phone], table: Table
) -> None:
    ana, bob = playing["target"], playing["mask"]
    moves = posted(ana, table, 4) + posted(bob, table, 5) + posted(bob, table, 5)
    with socket_to(server.port, moves + posted(ana, table, 6, "Connection: close\r\n")) as line:
        heard = read_until_closed(line)
    assert re.findall(rb"HTTP/1.1 (\d+)", heard) == [b"200", b"200", b"409", b"200"]
    assert re.findall(rb'{"version":(\d)', heard) == [b"5", b"6", b"7"]
    assert heard.lower().count(b"connection: close") == 1


def test_a_move_is_answered_with_the_same_headers_on_every_way(
    server: Running, playing: dict[str, Phone], table: Table
) -> None:
    with socket_to(server.port, posted(playing["target"], table, 4)) as line:
        kept, *_ = line.recv(65536).partition(b"\r\n\r\n")
        line.sendall(posted(playing["mask"], table, 5, "Connection: close\r\n"))
        last, *_ = read_until_closed(line).partition(b"\r\n\r\n")

    def names(head: bytes) -> set[bytes]:
        return {header.partition(b":")[0] for header in head.split(b"\r\n")}

    assert names(last) - names(kept) == {b"connection"}
    assert names(kept) <= names(last)


# ---- fairness


def commitment(salt: str, table: str, n: int, seat: str, kind: str, **fields: Any) -> str:
    """As the contract has it, written anew."""
    told = {"table": table, "n": n, "seat": seat, "type": kind, "fields": fields}
    text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(bytes.fromhex(salt) + text.encode()).hexdigest()


def test_a_secret_entry_tells_only_that_it_was_made_with_its_commitment(
    phones: dict[str, Phone], table: Table
) -> None:
    phones["target"].moves("hide", houses=[7, 8, 9])
    item = table.view()["news"][-1]
    assert item.keys() == {"n", "kind", "by", "commitment", "text"}
    assert (item["kind"], item["by"]) == ("hidden", "target")


def test_the_commitment_verifies_with_the_salt_that_its_own_seat_sees(
    phones: dict[str, Phone], table: Table
) -> None:
    answer = phones["target"].moves("hide", houses=[7, 8, 9])
    bound = answer["news"][0]["commitment"]
    assert bound == commitment(answer["salt"], table.code, 4, "target", "hide", houses=[7, 8, 9])
    assert bound != commitment(answer["salt"], table.code, 4, "target", "hide", houses=[9, 8, 7])
    assert phones["target"].view()["me"]["salts"] == {"4": answer["salt"]}
    assert answer["salt"] not in json.dumps(phones["mask"].view())
    assert answer["salt"] not in json.dumps(table.view())


def test_a_swap_binds_its_card_and_an_attack_binds_nothing(playing: dict[str, Phone], table: Table) -> None:
    swap = playing["target"].moves("swap", house=2, card=9, decoy=3)
    assert swap["news"][0]["commitment"] == commitment(
        swap["salt"], table.code, 7, "target", "swap", house=2, card=9, decoy=3
    )
    attack = playing["mask"].moves("attack_from_hand", card=0, house=1)
    assert "salt" not in attack
    assert not any("commitment" in item for item in attack["news"])


def test_equal_secrets_have_different_commitments(client: Client) -> None:
    def bound() -> str:
        table = client.open_table(desk=None)
        return str(table.everybody()["mask"].moves("hide", houses=[1, 2, 3])["news"][0]["commitment"])

    assert bound() != bound()


# ---- the end


@pytest.mark.parametrize("seed", games(3))
def test_a_game_played_by_its_choices_comes_to_its_end(client: Client, seed: int) -> None:
    table = client.open_table(desk=None)
    phones = table.everybody()
    view = play_on(phones, Random(seed))
    assert view["status"] == "over"
    assert view["waiting_for"] == []
    assert view["news"][-1]["kind"] == "over"
    outcome = view["outcome"]
    assert outcome.keys() == {"winners", "draw", "reason", "scores", "tie_break", "debrief"}
    assert view["news"][-1]["winners"] == outcome["winners"]
    assert view["news"][-1]["reason"] == outcome["reason"] == "houses"
    assert outcome["draw"] is (not outcome["winners"])
    assert outcome["scores"].keys() == {"target", "mask"}
    assert all(phone.view()["me"]["choices"] == [] for phone in phones.values())


def test_what_was_hidden_is_told_when_it_is_over_and_not_before(client: Client) -> None:
    table = client.open_table(desk=None, options={"first": "target", "turn_cap": 2})
    phones = table.everybody()
    hide(phones)
    phones["target"].moves("attack_from_hand", card=0, house=1)
    assert table.view()["outcome"] is None
    ended = phones["mask"].moves("swap", house=1, card=9, decoy=1)
    assert [item["kind"] for item in ended["news"]] == ["swapped", "over"]
    outcome = table.view()["outcome"]
    assert outcome["reason"] == "turn_cap"
    assert outcome["debrief"]["mask"]["first"]["houses"] == {"1": 4, "2": 5, "3": 6}
    assert outcome["debrief"]["mask"]["end"]["houses"] == {"1": 9, "2": 5, "3": 6}
    assert outcome["debrief"]["target"]["end"]["cards"] == [0, 4, 5, 6, 7, 8, 9]


def test_free_text_is_cleaned_where_it_comes_in_and_printed_as_text(client: Client) -> None:
    """A game in which people write: its text holds no control and no mark of direction, whatever was sent."""
    opened = client.open_table(game="agent_double", options={"first": "red"}, desk=None)
    phones = opened.everybody()
    phones["red"].moves("assign_loyalty", tokens=[1, 2, 2, 3, 4, 5])
    phones["blue"].moves("assign_loyalty", tokens=[1, 2, 2, 3, 4, 5])
    answer = phones["red"].moves("act", name=" \u202e<b>\x1b@{by}\n</b>\u200b ")
    assert answer["news"][0]["name"] == "<b>@{by} </b>"
    assert "<b>@{by} </b>" in answer["news"][0]["text"]
    screen = client.get(f"/t/{opened.code}").content.decode()
    assert "<b>@" not in screen
    assert "&lt;b&gt;@{by} &lt;/b&gt;" in screen


def test_a_text_that_is_too_long_is_not_offered(client: Client) -> None:
    opened = client.open_table(game="agent_double", options={"first": "red"}, desk=None)
    phones = opened.everybody()
    for phone in phones.values():
        phone.moves("assign_loyalty", tokens=[1, 2, 2, 3, 4, 5])
    (act,) = (choice for choice in phones["red"].view()["me"]["choices"] if choice["type"] == "act")
    assert act["fields"] == [{"name": "name", "kind": "text", "max": 40}]
    answer = phones["red"].tries("act", name="x" * 41)
    assert (answer.status, answer.code) == (422, "illegal-move")
    assert "forty" in answer.json["detail"]
