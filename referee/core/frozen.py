"""Fast copying of frozen dataclasses, without a `__setattr__` call for each field."""

from typing import Any, ClassVar, Protocol, TypeVar


class Frozen(Protocol):
    """Any dataclass without slots."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


T = TypeVar("T", bound=Frozen)


def replaced(thing: T, /, **changes: Any) -> T:
    """Like `dataclasses.replace`, but copies the instance dictionary in one step: three times as fast.

    The instance may hold nothing but its fields: a cached property would be copied and be stale.
    """
    fields = {**thing.__dict__, **changes}
    if len(fields) != len(thing.__dataclass_fields__):
        raise TypeError(f"The fields of {type(thing).__name__} are not exactly these: {', '.join(fields)}")
    copy = object.__new__(type(thing))
    object.__setattr__(copy, "__dict__", fields)
    return copy
