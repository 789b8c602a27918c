"""JSON as phones are told it: by orjson where it is installed, else by Python, the same byte by byte."""

import json
from typing import Any

try:
    import orjson
except ImportError:
    orjson = None  # type: ignore[assignment]

_JSON = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"))


def written(value: Any) -> bytes:
    if orjson is None:
        return plainly(value)
    try:
        return bytes(memoryview(orjson.dumps(value)))  # no longer than it is: some are kept
    except TypeError:  # it knows less: only text as names, no number beyond 64 bits
        return plainly(value)


def plainly(value: Any) -> bytes:
    """The same by Python alone."""
    return _JSON.encode(value).encode()
