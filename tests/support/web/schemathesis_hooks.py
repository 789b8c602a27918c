"""Hooks for schemathesis: whole numbers stay whole, and some of the moves are legal."""

import json
import os
import zlib
from random import Random
from typing import Any

import schemathesis
from schemathesis.core import NotSet
from schemathesis.generation.modes import GenerationMode

from tests.support.web.http_client import Client
from tests.support.web.random_player import picked

URL, TOKEN = os.environ["REFEREE_URL"], os.environ["REFEREE_TOKEN"]


@schemathesis.hook
def before_call(_context: Any, case: Any, **_kwargs: Any) -> None:
    if not _is_right(case):
        return
    if key := case.headers.get("Idempotency-Key"):
        case.headers["Idempotency-Key"] = f"{key[:100]}{case.id}"  # a new one for each body
    if isinstance(case.body, NotSet):
        return
    case.body = _whole(case.body)
    dice = Random(zlib.crc32(json.dumps(case.body, sort_keys=True).encode()))
    if case.operation.path == "/api/tables/{table}/moves" and dice.random() < 0.5:
        case.body = _legal(case.formatted_path.removesuffix("/moves"), dice) or case.body


def _is_right(case: Any) -> bool:
    """Whether this is a call that ought to be understood."""
    return case.meta is not None and case.meta.generation.mode is GenerationMode.POSITIVE


def _whole(value: Any) -> Any:
    """For JSON Schema 6.0 is an integer; the contract is stricter."""
    match value:
        case dict():
            return {name: _whole(item) for name, item in value.items()}
        case list():
            return [_whole(item) for item in value]
        case float() if value.is_integer():
            return int(value)
    return value


def _legal(table: str, dice: Random) -> dict[str, Any] | None:
    """A move that this seat may make now."""
    view = Client(URL).bearing(TOKEN).get(f"{table}/me").json
    choices = view["me"]["choices"]
    return {"version": view["version"], **picked(choices, dice)} if choices else None
