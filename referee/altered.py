"""Frozen things made at one go, anew or with some of their fields changed."""

from typing import Any, ClassVar, Protocol, TypeVar


class Frozen(Protocol):
    """A dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


T = TypeVar("T", bound=Frozen)


def altered(thing: T, /, **changes: Any) -> T:
    """Like `dataclasses.replace`, but the fields that stay are copied at one go: many times as fast.

    Nothing but fields may be kept in such a thing: what was worked out from the old ones must not go along.
    """
    return _with(type(thing), {**thing.__dict__, **changes})


def built(kind: type[T], /, **fields: Any) -> T:
    """Like `kind(**fields)` with all of its fields, but set together: many times as fast."""
    return _with(kind, fields)


def _with(kind: type[T], fields: dict[str, Any]) -> T:
    if len(fields) != len(kind.__dataclass_fields__):
        raise TypeError(f"{kind.__name__} has not just these fields: {', '.join(fields)}")
    thing = object.__new__(kind)
    object.__setattr__(thing, "__dict__", fields)
    return thing
