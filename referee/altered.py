"""Frozen things with some of their fields changed."""

from typing import Any, ClassVar, Protocol, TypeVar


class Frozen(Protocol):
    """A dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


T = TypeVar("T", bound=Frozen)


def altered(thing: T, **changes: Any) -> T:
    """Like `dataclasses.replace`, but the fields that stay are copied at one go: many times as fast.

    Nothing but fields may be kept in such a thing: what was worked out from the old ones must not go along.
    """
    fields = {**thing.__dict__, **changes}
    if len(fields) != len(thing.__dataclass_fields__):
        raise TypeError(f"{type(thing).__name__} has not just these fields: {', '.join(fields)}")
    other = object.__new__(type(thing))
    object.__setattr__(other, "__dict__", fields)
    return other
