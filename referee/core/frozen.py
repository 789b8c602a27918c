"""Fast construction and copying of frozen dataclasses, without a `__setattr__` call for each field."""

from typing import Any, ClassVar, Protocol, TypeVar


class Frozen(Protocol):
    """Any dataclass without slots."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


T = TypeVar("T", bound=Frozen)


def replaced(thing: T, /, **changes: Any) -> T:
    """Like `dataclasses.replace`, but copies the instance dictionary in one step: many times as fast.

    The instance may hold nothing but its fields: a cached property would be copied and be stale.
    """
    return _with(type(thing), {**thing.__dict__, **changes})


def frozen(kind: type[T], /, **fields: Any) -> T:
    """Like `kind(**fields)` with every field given, but sets them in one step: many times as fast."""
    return _with(kind, fields)


def _with(kind: type[T], fields: dict[str, Any]) -> T:
    if len(fields) != len(kind.__dataclass_fields__):
        raise TypeError(f"The fields of {kind.__name__} are not exactly these: {', '.join(fields)}")
    thing = object.__new__(kind)
    object.__setattr__(thing, "__dict__", fields)
    return thing
