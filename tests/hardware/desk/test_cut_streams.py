"""A desk whose stream is cut never handles half an event."""

import json
from http.client import HTTPConnection, HTTPResponse
from io import BytesIO
from socket import socketpair
from typing import cast

from hardware.desk.server_client import Stream

TOLD = [
    ("view", json.dumps({"table": "KX7QF", "news": ["À vous\u2028"]}, ensure_ascii=False)),
    ("news", json.dumps({"kind": "over"})),
    ("beat", "{}"),
    ("job", json.dumps({"job": 7, "blocks": [{"text": "été"}]}, ensure_ascii=False)),
]
WIRE = ": still here\n\n" + "".join(f"event: {name}\nid: 3\ndata: {data}\n\n" for name, data in TOLD)


def heard(sent: bytes) -> list[tuple[str, str]]:
    here, there = socketpair()
    with here, there:
        stream = Stream(HTTPConnection("localhost"), cast(HTTPResponse, BytesIO(sent)), here)
        return list(stream)


def test_whole_events_are_heard() -> None:
    assert heard(WIRE.encode()) == TOLD


def test_wherever_a_stream_is_cut_only_whole_events_are_heard() -> None:
    sent = WIRE.encode()
    for cut in range(len(sent)):
        whole = sent[:cut].count(b"\n\n") - 1  # the first is a comment
        assert heard(sent[:cut]) == TOLD[: max(whole, 0)]
