"""Request bodies: a dataclass for each, from which its validation and its OpenAPI schema are both derived.

`web.wire.parsing.request_in` validates a body and builds the dataclass. The fields of a move are declared by
its game.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from referee.core.moves import Value, freeze
from referee.presentation.avatars import AVATARS
from referee.presentation.cues import SOUNDS
from web.wire.json_schema import by_name, schema_of
from web.wire.names import NAME_LENGTH

LAST_SECOND = 253_402_300_799  # of the year 9999, after which there are no dates
DESK = {
    "type": ["string", "null"],
    "description": "The desk to play at; null for none. Default: the one in the settings.",
}
BOTS = {"description": "Seats played by bots, not all of them; the table is then a demonstration."}
NAME = {"minLength": 1, "description": f"Shown cleaned of invisible characters and cut to {NAME_LENGTH}."}
VALUE = {"description": "A JSON value defined by the game, to be sent back unchanged."}
NONCE = {
    "pattern": "^[0-9a-fA-F]{0,64}$",
    "description": "Random hexadecimal digits of the caller, mixed into the dice.",
}
AVATAR = {
    "enum": ["", *AVATARS],
    "description": "A drawing beside the name; deleted with it.",
}
MOVE_NUMBER = {"description": "The number of the first news of a move, which identifies it."}
Paper = Literal["sheet", "join"]


@dataclass(frozen=True)
class EmptyRequest:
    """A request without fields."""


@dataclass(frozen=True)
class ClockRequest:
    """A phone's time, in seconds since 1970."""

    now: Annotated[int, {"minimum": 0, "maximum": LAST_SECOND}]


@dataclass(frozen=True)
class OpenTableRequest:
    """Open a table. The game validates its options."""

    game: str
    options: dict[str, Any] = field(default_factory=dict)
    desk: Annotated[str | None, DESK] = None
    bots: Annotated[Sequence[str], BOTS] = ()


@dataclass(frozen=True)
class JoinRequest:
    """Take a seat with its key."""

    key: str = field(repr=False)
    name: Annotated[str, NAME]
    nonce: Annotated[str, NONCE] = ""
    avatar: Annotated[str, AVATAR] = ""


@dataclass(frozen=True)
class TableJoinRequest:
    """Take a free seat with the key of the table's own QR code."""

    table_key: str = field(repr=False)
    seat: str
    name: Annotated[str, NAME]
    nonce: Annotated[str, NONCE] = ""
    avatar: Annotated[str, AVATAR] = ""


@dataclass(frozen=True)
class RematchRequest:
    """Open the rematch."""

    nonce: Annotated[str, NONCE] = ""


@dataclass(frozen=True)
class SavePresetRequest:
    """Save a preset of an option. The game validates it."""

    name: Annotated[str, {"minLength": 1}]
    value: Annotated[Any, VALUE]


# ---- questions


@dataclass(frozen=True)
class AskRequest:
    """A question to the other players. Each kind has its own fields."""

    version: int
    kind: Literal["undo", "correct", "reissue", "abandon"]

    def about(self) -> dict[str, Value]:
        """The fields of this kind that were sent or have a default."""
        sent = {name: freeze(value) for name, value in vars(self).items() if value is not None}
        return {name: value for name, value in sent.items() if name not in ("version", "kind")}


@dataclass(frozen=True)
class UndoRequest(AskRequest):
    """Take back the last move, or the move `n` and all later ones."""

    n: Annotated[int | None, MOVE_NUMBER] = None


@dataclass(frozen=True)
class CorrectRequest(AskRequest):
    """Replace the secret fields of one's own move `n`."""

    n: Annotated[int, MOVE_NUMBER]
    fields: dict[str, Any] = field(repr=False)


@dataclass(frozen=True)
class ReissueRequest(AskRequest):
    """Give a seat a new key."""

    seat: str


@dataclass(frozen=True)
class AbandonRequest(AskRequest):
    """End the game; with `show`, its secrets are revealed."""

    show: bool = False


ASK_REQUESTS: dict[str, type[AskRequest]] = {
    "undo": UndoRequest,
    "correct": CorrectRequest,
    "reissue": ReissueRequest,
    "abandon": AbandonRequest,
}


@dataclass(frozen=True)
class AnswerRequest:
    """Yes or no to the open question, and the version at which it was seen."""

    accept: bool
    version: int | None = None


# ---- paper and desks


@dataclass(frozen=True)
class PrintRequest:
    """The score sheet, or a join slip for each free seat."""

    what: Paper


@dataclass(frozen=True)
class JobDoneRequest:
    """The result of a print job, with the reason for a failure."""

    state: Literal["printed", "failed"]
    reason: str = ""


@dataclass(frozen=True)
class DeviceHealth:
    """The health of one device of a desk; a body maps names to these."""

    ok: bool
    detail: str


@dataclass(frozen=True)
class Sound:
    """The volume of a desk."""

    sound: Annotated[str, {"enum": list(SOUNDS)}]


DESK_HEALTH = by_name(schema_of(DeviceHealth))
REQUESTS = (  # with complete schemas; `web.api.schemas` narrows those of the others
    *(EmptyRequest, ClockRequest, JoinRequest, TableJoinRequest, RematchRequest, SavePresetRequest),
    *(AnswerRequest, PrintRequest, JobDoneRequest, Sound),
)
