"""Sockets that the HTTP server opened: phones out of reach are given up, and nobody takes all connections."""

import socket
from contextlib import ExitStack

import pytest

from tests.support.web.raw_sockets import read_until_closed, socket_to
from web.server.sockets import ACK_TIMEOUT, close_excess, fair_share, set_ack_timeout


def test_a_phone_out_of_reach_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        where = listening.getsockname()
        with socket.create_connection(where) as early, listening.accept()[0] as accepted:
            assert set_ack_timeout([where[1]]) == 2, "the one that listens, and whoever came before"
            with socket.create_connection(where), listening.accept()[0] as later:
                for phone in (accepted, later):
                    assert phone.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == ACK_TIMEOUT
            assert early.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 0


@pytest.mark.parametrize(
    ("counts", "most", "share"),
    [
        ([], 10, 10),
        ([3, 7], 10, 10),
        ([100], 10, 10),
        ([1, 2, 100], 10, 7),
        ([100, 4, 100], 10, 3),
        ([5] * 20, 10, 1),
    ],
)
def test_those_who_have_few_keep_all(counts: list[int], most: int, share: int) -> None:
    assert fair_share(counts, most) == share


def test_whoever_has_most_connections_loses_the_newest() -> None:
    with ExitStack() as until_done:
        listening = until_done.enter_context(socket.create_server(("127.0.0.1", 0)))
        port = listening.getsockname()[1]

        def calls(address: str) -> socket.socket:
            line = until_done.enter_context(socket_to(port, b"", address))
            until_done.enter_context(listening.accept()[0])
            return line

        exempt = [calls("127.0.0.7") for _ in range(9)]
        few, many = [calls("127.0.0.2") for _ in range(2)], [calls("127.0.0.9") for _ in range(9)]
        assert close_excess([port], 20, ["127.0.0.7"]) == 0
        assert close_excess([port], 6, ["127.0.0.7"]) == 5
        assert [read_until_closed(line) for line in many[4:]] == [b""] * 5
        for line in (*exempt, *few, *many[:4]):
            line.setblocking(False)
            with pytest.raises(BlockingIOError):
                line.recv(1)
