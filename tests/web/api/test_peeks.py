"""A peek of Agent Double at a real server: one phone is shown it; nothing else is told, logged or printed."""

import json
import re
from typing import Any

from tests.support.web.http_client import Client, Phone, Table
from tests.support.web.server_process import Running

MARKS = re.compile(r"\b(?:[0-9a-f]{64}|[0-9a-f]{4}(?:[ \u00a0][0-9a-f]{4}){3})\b")  # what binds the secrets
NONCES = re.compile(r'name="nonce" value="[^"]*"')
TOKENS = {"6": [5, 4, 3, 2, 2, 1], "1": [1, 2, 2, 3, 4, 5]}  # by the document that Ben lays down


def seated(client: Client) -> tuple[Table, Phone, Phone]:
    table = client.open_table(game="agent_double", options={"first": "blue"})
    return table, table.join("red", "Ana"), table.join("blue", "Ben")


def peeked_at(client: Client, file: str) -> tuple[Table, Phone, Phone]:
    """Ana looks at Ben's document before S and at his token before A, with his consent."""
    table, ana, ben = seated(client)
    ana.moves("assign_loyalty", tokens=[1, 2, 2, 3, 4, 5])
    ben.moves("assign_loyalty", tokens=TOKENS[file])
    ben.moves("place", agent="S", back="?", file=file)
    ben.moves("influence", agent="B")
    ana.moves("act", name="Fouineur")
    for kind, agent in (("fx_peek", "S"), ("fx_peek_loyalty", "A")):
        ana.moves(kind, agent=agent)
        assert ana.view()["me"]["hand"]["peeked"] == []
    ana.moves("act_done")
    ben.moves("agree")
    return table, ana, ben


def masked(table: Table, text: str) -> str:
    return NONCES.sub("", MARKS.sub("#", text.replace(table.code, "TABLE")))


def sent_to_others(table: Table, ben: Phone) -> list[str]:
    """View, stream and screen of everybody; Ben's own, but for what he holds."""
    view: dict[str, Any] = ben.view()
    view["me"] = {**view["me"], "hand": {"peeked": view["me"]["hand"]["peeked"]}, "salts": {}}
    with table.events() as stream:
        streamed = stream.view(view["version"])
    screen = table.client.get(f"/t/{table.code}").content.decode()
    return [masked(table, text) for text in (json.dumps(view), json.dumps(streamed), screen)]


def test_only_the_acting_phone_is_shown_what_was_peeked_at(client: Client, server: Running) -> None:
    logged = len(server.said())
    others = {}
    for file, tokens in TOKENS.items():
        table, ana, ben = peeked_at(client, file)
        shown = [
            {"agent": "S", "files": [{"back": "?", "file": file}]},
            {"agent": "A", "loyalty": tokens[0]},
        ]
        assert ana.view()["me"]["hand"]["peeked"] == shown
        with ana.events() as stream:
            assert stream.view(ana.view()["version"])["me"]["hand"]["peeked"] == shown
        assert ben.view()["me"]["hand"]["peeked"] == []
        others[file] = sent_to_others(table, ben)
        paper = table.client.get(f"{table.path}/sheet.txt")
        assert (paper.status, paper.code) == (403, "not-over")
    assert others["6"] == others["1"]
    assert "peek" not in server.said()[logged:]
