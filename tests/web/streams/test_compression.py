"""Compressed streams: each event can be read once it is there, and nothing is kept of long ones."""

import tracemalloc
import zlib
from random import Random

import pytest

from tests.support.web.http_client import Client, Phone, Table
from tests.support.web.page_stream import OpenPage
from tests.support.web.sse_reader import Stream
from web.streams.compression import DICTIONARY, EventCompressor

GZIP = 16 + zlib.MAX_WBITS
SIZES = (1, 100, DICTIONARY, 3 * DICTIONARY, 100_000)


def test_every_event_can_be_read_as_soon_as_it_came() -> None:
    compressor, reader, dice = EventCompressor(), zlib.decompressobj(GZIP), Random(1)
    for size in [*SIZES, *dice.choices(SIZES[:-1], k=200)]:
        event = bytes(dice.choices(b"<li>", k=size))
        assert reader.decompress(compressor.compress(event)) == event
    assert reader.decompress(compressor.end()) == b"" and reader.eof


def test_a_stream_that_ends_at_once_is_whole() -> None:
    reader = zlib.decompressobj(GZIP)
    assert reader.decompress(EventCompressor().end()) == b"" and reader.eof


def test_what_an_event_repeats_of_the_one_before_costs_next_to_nothing() -> None:
    compressor, event = EventCompressor(), Random(1).randbytes(DICTIONARY)
    assert len(compressor.compress(event)) > DICTIONARY
    assert len(compressor.compress(event)) < 50


def test_a_long_stream_keeps_no_more_than_a_short_one() -> None:
    dice = Random(1)
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        compressor = EventCompressor()
        for _ in range(200):
            compressor.compress(dice.randbytes(DICTIONARY))
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 2 * DICTIONARY


# ---- which streams


def as_browser(client: Client, **more: str) -> Client:
    return client.with_(Accept_Encoding="gzip, deflate", **more)


def test_an_open_page_is_sent_compressed_events(playing: dict[str, Phone], table: Table) -> None:
    path = f"/t/{table.code}/s/target"
    with OpenPage(as_browser(playing["target"].browser), path) as page:
        assert page.headers["Content-Encoding"] == "gzip"
        playing["target"].moves("attack_from_hand", card=0, house=1)
        playing["mask"].moves("attack_from_hand", card=0, house=1)
        assert page.at(6).page == page.fresh()


def test_over_https_nothing_is_compressed(playing: dict[str, Phone], table: Table) -> None:
    """The length of a compressed event would tell an eavesdropper whether a guess is in it."""
    secure = as_browser(playing["target"].browser, X_Forwarded_Proto="https")
    with Stream(secure, f"/t/{table.code}/s/target/live") as stream:
        assert "Content-Encoding" not in stream.headers


@pytest.mark.parametrize("accepted", ["", "identity", "br", "gzip;q=0"])
def test_a_client_that_does_not_ask_for_it_is_sent_plain_events(
    playing: dict[str, Phone], table: Table, accepted: str
) -> None:
    plain = playing["target"].browser.with_(Accept_Encoding=accepted)
    with OpenPage(plain, f"/t/{table.code}/s/target") as page:
        assert "Content-Encoding" not in page.headers
        assert page.at(4).page == page.fresh()
