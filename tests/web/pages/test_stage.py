"""What the table screen says beside the board, without script: the latest moves, the ending."""

import re

from tests.support.web.http_client import Client, Phone, Table
from web.pages.screens.stage import MOVES


def shown(client: Client, table: Table) -> str:
    return client.get(f"/t/{table.code}").content.decode()


def latest_moves(html: str) -> list[tuple[str, str]]:
    """Each line of the list, with the number of the side that made the move."""
    listed = re.search(r'id="moves".*?<ol>(.*?)</ol>', html, re.DOTALL)
    lines = re.findall(r'<li(?: class="seat-(\d)")?>(.*?)</li>', listed[1] if listed else "", re.DOTALL)
    return [(seat, re.sub(r"<[^>]*>", "", line).replace("\u00a0", " ").strip()) for seat, line in lines]


def test_the_latest_moves_are_said_briefly_each_with_its_side(
    client: Client, playing: dict[str, Phone], table: Table
) -> None:
    for card in (7, 8, 9):
        playing["target"].moves("attack_from_hand", card=card, house=1)
        playing["mask"].moves("attack_from_hand", card=card, house=1)
    told = latest_moves(shown(client, table))  # in the table's language
    assert told == [
        ("1", "9 contre la planque 1 : MOINS"),
        ("2", "8 contre la planque 1 : MOINS"),
        ("1", "8 contre la planque 1 : MOINS"),
        ("2", "7 contre la planque 1 : MOINS"),
        ("1", "7 contre la planque 1 : MOINS"),
    ]
    assert len(told) == MOVES


def test_the_winner_s_avatar_stands_in_the_ending(client: Client) -> None:
    table = client.open_table(desk=None, options={"first": "target"})
    people = {"target": ("Ana", "fox"), "mask": ("Ben", "owl")}
    answers = {seat: table.take(seat, name, avatar=avatar) for seat, (name, avatar) in people.items()}
    phones = {seat: Phone(table, seat, answer.json["token"]) for seat, answer in answers.items()}
    phones["target"].moves("hide", houses=[1, 2, 3])
    phones["mask"].moves("hide", houses=[4, 5, 6])
    for house, card in ((1, 4), (2, 5), (3, 6)):
        phones["target"].moves("attack_from_hand", card=card, house=house)
        if house < 3:
            phones["mask"].moves("attack_from_hand", card=9, house=1)
    winner = re.search(r'<p class="winner.*?</p>', shown(client, table), re.DOTALL)
    assert winner and "#fox" in winner[0] and "#owl" not in winner[0]
