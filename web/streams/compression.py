"""Compresses an event stream as one gzip stream, without keeping a compressor for it.

A compressor that stays open takes up to 260 kB. Here each event gets a new one, whose dictionary is the end
of what was sent before: the browser has that already, because it decompresses the stream as a whole.
"""

import zlib

DICTIONARY = 1024  # bytes kept of what was sent, for each stream; twice as many save little
SHORT = 4096 - DICTIONARY  # bytes of a short event: with the dictionary it fits into the small window
SMALL, LARGE = (12, 5), (zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL)  # bits of the window, level of memory
HEAD = bytes((0x1F, 0x8B, zlib.DEFLATED, 0, 0, 0, 0, 0, 0, 0xFF))  # RFC 1952: no name, no time


class EventCompressor:
    """The compression of one stream."""

    __slots__ = ("_before", "_checksum", "_size")

    def __init__(self) -> None:
        self._before, self._checksum, self._size = b"", 0, 0

    def compress(self, what: bytes) -> bytes:
        """The bytes to send for an event: the browser can read all of it once it has them."""
        head = b"" if self._size else HEAD
        packed = self._packed(what, zlib.Z_SYNC_FLUSH)
        self._before = (self._before + what)[-DICTIONARY:]
        self._checksum, self._size = zlib.crc32(what, self._checksum), self._size + len(what)
        return head + packed

    def end(self) -> bytes:
        """The end of the stream."""
        head = b"" if self._size else HEAD
        numbers = (self._checksum, self._size & 0xFFFFFFFF)
        return b"".join((head, self._packed(b"", zlib.Z_FINISH), *(n.to_bytes(4, "little") for n in numbers)))

    def _packed(self, what: bytes, how: int) -> bytes:
        """A short event gets a small compressor: clearing the memory of a large one takes several times as
        long as compressing. In a window of 4 kB it finds the same repetitions."""
        window, memory = SMALL if len(what) <= SHORT else LARGE
        compressor = zlib.compressobj(wbits=-window, memLevel=memory, zdict=self._before)
        return compressor.compress(what) + compressor.flush(how)
