"""Decoding nested values from flat form fields, so that every game's editor is a plain HTML form.

The name of a field is a path: `value.0.size.1` becomes value[0]["size"][1]. Its suffix says how it is read:

- none: JSON
- `:text`: text as it was typed
- `:some`: the same, left out if empty
- `:each`: a list with the JSON of every field of this name; empty fields are skipped
- `:all`: the lists of all fields of this name, joined; left out if every field is empty
"""

from collections.abc import Iterator
from typing import Any

from werkzeug.datastructures import MultiDict

from web.wire.errors import malformed
from web.wire.parsing import json_or_text

MOST_STEPS = 6  # levels of nesting in a value
MOST_ITEMS = 64  # in one list or object
LEFT_OUT = ("some", "all")  # suffixes of fields that are left out if empty


def nested(form: MultiDict[str, str], root: str) -> Any:
    """The value whose fields begin with this name."""
    tree: dict[str, Any] = {}
    for name in form:
        path, _, kind = name.partition(":")
        first, *steps = path.split(".")
        if first == root and (kind not in LEFT_OUT or any(form.getlist(name))):
            _put(tree, steps, _read(form, name, kind))
    return _listed(bounded(tree, root))


def bounded(value: Any, name: str, steps: int = MOST_STEPS) -> Any:
    """Return the value, or refuse it as malformed if it is nested deeper or longer than any game needs."""
    if isinstance(value, dict | list):
        if steps == 0 or len(value) > MOST_ITEMS:
            raise malformed(name)
        for item in value.values() if isinstance(value, dict) else value:
            bounded(item, name, steps - 1)
    return value


def _read(form: MultiDict[str, str], name: str, kind: str) -> Any:
    if kind in ("text", "some"):
        return form[name]
    if kind == "each":
        return [json_or_text(text) for text in form.getlist(name) if text]
    if kind == "all":
        return [item for text in form.getlist(name) if text for item in _items(json_or_text(text))]
    return json_or_text(form[name])


def _items(value: Any) -> Iterator[Any]:
    """The items of a list. Any other value is yielded as a single item, which the game refuses."""
    yield from value if isinstance(value, list) else (value,)


def _put(tree: dict[str, Any], steps: list[str], value: Any) -> None:
    for step in steps[:-1]:
        below = tree.setdefault(step, {})
        tree = below if isinstance(below, dict) else {}
    if steps:
        tree[steps[-1]] = value


def _listed(value: Any) -> Any:
    """Turn every dict whose keys are all numbers into a list, in numeric order."""
    if not isinstance(value, dict):
        return value
    below = {name: _listed(item) for name, item in value.items()}
    if below and all(name.isdecimal() and len(name) < 4 for name in below):
        return [below[name] for name in sorted(below, key=int)]
    return below
