"""The address that people should open: from the settings, or detected."""

import socket

import pytest

from web.output import address
from web.output.address import base_url, interfaces, lan_address
from web.server.http_server import reserved


def nowhere() -> str:
    raise OSError("Network is unreachable")


def test_the_lan_address_is_that_of_the_default_route(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address, "default_route_address", lambda: "192.168.1.20")
    assert lan_address() == "192.168.1.20"


def test_a_hotspot_of_our_own_has_no_way_out_but_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address, "default_route_address", nowhere)
    monkeypatch.setattr(address, "interfaces", lambda: iter(["127.0.0.1", "10.42.0.1"]))
    assert lan_address() == "10.42.0.1"


def test_without_any_network_it_is_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address, "default_route_address", nowhere)
    monkeypatch.setattr(address, "interfaces", lambda: iter(["127.0.0.1"]))
    assert lan_address() == "127.0.0.1"


def test_the_interfaces_are_those_of_this_machine() -> None:
    found = list(interfaces())
    assert "127.0.0.1" in found
    for where in found:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as here:
            here.bind((where, 0))  # only an address of ours can be bound


def test_an_interface_without_an_address_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "if_nameindex", lambda: [(1, "lo"), (99, "no-such-one")])
    assert list(interfaces()) == ["127.0.0.1"]


@pytest.fixture
def lan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address, "lan_address", lambda: "192.168.1.20")


@pytest.mark.usefixtures("lan")
@pytest.mark.parametrize(
    ("settled", "host", "port", "url"),
    [
        ("", "0.0.0.0", 8000, "http://192.168.1.20:8000"),
        ("", "::", 8000, "http://192.168.1.20:8000"),
        ("", "", 8000, "http://192.168.1.20:8000"),
        ("", "0.0.0.0", 80, "http://192.168.1.20"),
        ("", "127.0.0.1", 8000, "http://127.0.0.1:8000"),
        ("", "::1", 8000, "http://[::1]:8000"),
        ("referee.home", "0.0.0.0", 8000, "http://referee.home"),
        ("referee.home:8000", "0.0.0.0", 8000, "http://referee.home:8000"),
        ("https://jeux.example/", "0.0.0.0", 8000, "https://jeux.example"),
    ],
)
def test_the_base_url_of_pages_and_qr_codes(settled: str, host: str, port: int, url: str) -> None:
    assert base_url(settled, host, port) == url


def test_a_port_is_reserved_for_whoever_listens_next() -> None:
    with reserved("127.0.0.1", 0) as place, socket.create_server(place[:2]) as listening:
        assert listening.getsockname() == place[:2]
        with pytest.raises(OSError, match=f"Cannot listen on 127.0.0.1, port {place.port}: .* Try another"):
            reserved(*place).__enter__()


@pytest.mark.parametrize(("host", "address"), [("", "0.0.0.0"), ("localhost", "127.0.0.1"), ("::", "::")])
def test_a_name_is_resolved(host: str, address: str) -> None:
    with reserved(host, 0) as place:
        assert place.address == address


@pytest.mark.parametrize("port", [-1, 65536])
def test_an_invalid_port_is_refused_with_a_sentence(port: int) -> None:
    with pytest.raises(OSError, match="it is a number from 0 to 65535"), reserved("127.0.0.1", port):
        pass
