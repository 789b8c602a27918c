"""Nested values out of flat form fields, so that an editor of any game is a plain form.

`value.0.size.1` is found at value[0]["size"][1]. A field holds JSON; `…:text` holds text as it was typed;
`…:some` too, and is left out where nothing was. `…:each` stands for a list with the JSON of every field of
that name, an empty one adding nothing; `…:all` for the lists of all fields of that name as one, and is left
out where every field is empty.
"""

from collections.abc import Iterator
from typing import Any

from werkzeug.datastructures import MultiDict

from web.bodies import typed
from web.refusals import malformed

MOST_STEPS = 6  # from a value down to anything in it
MOST_ITEMS = 64  # of one list in it
LEFT_OUT = ("some", "all")  # kinds of fields that say nothing where they are empty


def nested(form: MultiDict[str, str], root: str) -> Any:
    """The value whose parts stand under this name."""
    tree: dict[str, Any] = {}
    for name in form:
        path, _, kind = name.partition(":")
        first, *steps = path.split(".")
        if first == root and (kind not in LEFT_OUT or any(form.getlist(name))):
            _put(tree, steps, _read(form, name, kind))
    return _listed(bounded(tree, root))


def bounded(value: Any, name: str, steps: int = MOST_STEPS) -> Any:
    """The same value, refused by this name where it is deeper or longer than any game has one."""
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
        return [typed(text) for text in form.getlist(name) if text]
    if kind == "all":
        return [item for text in form.getlist(name) if text for item in _items(typed(text))]
    return typed(form[name])


def _items(value: Any) -> Iterator[Any]:
    """The items of a list; anything else is one by itself, for the game to refuse."""
    yield from value if isinstance(value, list) else (value,)


def _put(tree: dict[str, Any], steps: list[str], value: Any) -> None:
    for step in steps[:-1]:
        below = tree.setdefault(step, {})
        tree = below if isinstance(below, dict) else {}
    if steps:
        tree[steps[-1]] = value


def _listed(value: Any) -> Any:
    """A tree whose names are all numbers is a list, in their order."""
    if not isinstance(value, dict):
        return value
    below = {name: _listed(item) for name, item in value.items()}
    if below and all(name.isdecimal() and len(name) < 4 for name in below):
        return [below[name] for name in sorted(below, key=int)]
    return below
