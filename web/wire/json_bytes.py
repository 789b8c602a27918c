"""Encodes JSON with orjson if it is installed, else with the standard library; both give the same bytes."""

import json
from typing import Any

try:
    import orjson
except ImportError:
    orjson = None  # type: ignore[assignment]

_JSON = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"))


def json_bytes(value: Any) -> bytes:
    if orjson is None:
        return json_bytes_stdlib(value)
    try:
        return bytes(memoryview(orjson.dumps(value)))  # an exact-size copy: some are cached
    except TypeError:  # orjson needs text keys and numbers within 64 bits
        return json_bytes_stdlib(value)


def json_bytes_stdlib(value: Any) -> bytes:
    """The same with the standard library only."""
    return _JSON.encode(value).encode()
