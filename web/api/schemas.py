"""The named schemas of the OpenAPI description.

Request bodies are derived from `web.wire.requests`, options and moves from the games. Responses are written
out here.
"""

from referee.core.moves import Shape
from referee.core.options import Data, Number, Option
from referee.fairness.record import FORMAT, MARKS
from referee.games import GAMES
from referee.presentation.sheets import FAULTS, KINDS
from web.security.tokens import LETTERS
from web.wire.json_schema import (
    BOOLEAN,
    COUNT,
    INTEGER,
    NULL,
    OBJECT,
    SHA256,
    TEXT,
    Schema,
    by_name,
    listed,
    narrowed,
    or_null,
    record,
    ref,
    schema_of,
)
from web.wire.requests import ASK_REQUESTS, DESK_HEALTH, NONCE, REQUESTS, VALUE, OpenTableRequest, Paper

# ---- requests


def option_values(option: Option) -> Schema:
    if isinstance(option, Number):
        return or_null({"type": "integer", "minimum": option.min, "maximum": option.max})
    if isinstance(option, Data):
        return {"default": option.default, "description": "Shaped like the default; the game validates it."}
    return {"enum": list(option.options)}


def open_table(game: str) -> Schema:
    """The request that opens a table of this game."""
    values = {f"{option.name}?": option_values(option) for option in GAMES[game].options}
    options = record(values, description="Absent options keep their defaults.")
    return narrowed(schema_of(OpenTableRequest), game={"const": game}, options=options)


def ask(kind: str) -> Schema:
    return narrowed(schema_of(ASK_REQUESTS[kind]), kind={"const": kind})


def move(kind: str, shape: Shape) -> Schema:
    fields = {
        name + "?" * (name in shape.optional): schema_of(wanted) for name, wanted in shape.fields.items()
    }
    return record({"version": INTEGER, "type": {"const": kind}, **fields})


# ---- responses and events

PICKED = {"name": TEXT, "options": listed(VALUE, minItems=1), "secret?": {"const": True}}
FIELDS = [
    record({**PICKED, "kind": {"const": "one"}}, description="One of the options."),
    record(
        {**PICKED, "kind": {"const": "arrange"}, "count": COUNT},
        description="`count` of the options, each used once; their order matters.",
    ),
    record(
        {"name": TEXT, "kind": {"const": "text"}, "max": COUNT},
        description="Free text of at most `max` characters; control characters and outer spaces are removed.",
    ),
]

NEWS = record(
    {
        "n": {"type": "integer", "minimum": 1, "description": "The running number of this piece of news."},
        "kind": TEXT,
        "commitment?": SHA256,
        "text": TEXT,
    },
    more=True,
    description="One public event; each kind has further fields of its own. A secret entry says only"
    " that it was made, with its commitment.",
)

OUTCOME = record(
    {
        "winners": listed(TEXT, uniqueItems=True),
        "draw": BOOLEAN,
        "reason": TEXT,
        "scores": by_name(INTEGER),
        "tie_break": or_null(OBJECT),
        "debrief": or_null(by_name(OBJECT)),
    },
    description="How the game ended, and per seat everything that was hidden.",
)

ME = record(
    {
        "seat": TEXT,
        "hand": {**OBJECT, "description": "This seat's secrets, as the game has them."},
        "choices": listed(ref("Choice")),
        "todo": listed(TEXT, description="What to do with the real components now."),
        "salts": by_name(SHA256),
        "keys": by_name(TEXT),
    },
    description="What only this seat may see. `salts`: of its own secret entries, by the number of the news"
    " that carries the commitment. `keys`: new keys that it asked for, by seat, until they are used.",
)

PROBLEM = record(
    {
        "code": TEXT,
        "title": TEXT,
        "detail": {**TEXT, "minLength": 1, "description": "A sentence that names the rule."},
        "version?": {**COUNT, "description": "With `stale`: the current version."},
    }
)

AVATAR = {**or_null(TEXT), "description": "The drawing beside the name, if its player chose one."}
DIGITS = {**TEXT, "pattern": NONCE["pattern"]}


def view(me: Schema, **more: Schema) -> Schema:
    """A view with this `me`, and with further properties for its reader alone."""
    presence = {"joined": BOOLEAN, "connected": BOOLEAN, "bot": BOOLEAN}
    seat = record({"name": or_null(TEXT), **presence, "avatar": AVATAR})
    turn_and_step = {"turn": or_null(TEXT), "step": or_null(TEXT)}
    return record(
        {
            "table": ref("Code"),
            "game": {"enum": list(GAMES)},
            "options": OBJECT,
            "version": COUNT,
            "status": {"enum": ["joining", "playing", "over"]},
            "seats": by_name(seat),
            "sides": by_name(listed(TEXT, minItems=1)),
            "waiting_for": listed(TEXT, uniqueItems=True),
            "public": record(turn_and_step, more=True, description="What anyone may know of the game."),
            "todo": listed(TEXT, description="What to do with the real components, for everybody."),
            "news": listed(ref("News"), description="The latest news, oldest first."),
            "question": or_null(ref("Question")),
            "me": me,
            "outcome": or_null(ref("Outcome")),
            "head": {**SHA256, "description": "The head of the record's hash chain."},
            "dice": ref("Dice"),
            "next": {**or_null(ref("Code")), "description": "The table of the rematch."},
            "asked_before": {**BOOLEAN, "description": "A question is open at the previous table."},
            "demo": {**BOOLEAN, "description": "Opened with bots: not in history or statistics."},
            **more,
        }
    )


BEFORE = record(
    {"table": ref("Code"), "head": SHA256, "nonce": DIGITS},
    description="Of a rematch: the table before it, its head when the rematch was opened, and the nonce of"
    " whoever asked for it. The SHA-256 of this table's seed is the seed of that table.",
)
DICE = record(
    {
        "seed_hash": {**SHA256, "description": "SHA-256 of the 32 bytes of the server's seed."},
        "nonces": {**by_name(DIGITS), "description": "What phones sent when they joined, by seat."},
        "before": or_null(ref("Before")),
    },
    description="What the dice fall from, besides the seed, which the record shows.",
)


QUESTION = record(
    {
        "kind": {"enum": list(ASK_REQUESTS)},
        "by": {**TEXT, "description": "A seat, or `host`."},
        "about": OBJECT,
        "of": listed(TEXT, description="The seats that must agree."),
        "reveals": {**BOOLEAN, "description": "Something hidden has been revealed since."},
        "reopens": {**BOOLEAN, "description": "The game is over, and would not be with this correction."},
        "accepted": listed(TEXT),
        "commitment?": {**SHA256, "description": "Of the secret that a correction would enter."},
    },
    description="An open question. While there is one, nobody moves.",
)


ENTRY = record(
    {
        "n": COUNT,
        "seat": TEXT,
        "type": TEXT,
        "fields": {**OBJECT, "description": "The public ones."},
        "commitment": or_null(SHA256),
        "head": SHA256,
        "sealed?": record({"n": COUNT, "type": TEXT, "fields": OBJECT}),
        "salt?": SHA256,
        "mark?": {
            "enum": list(MARKS),
            "description": "Whether a question took the move back or corrected it.",
        },
    }
)

RECORD = record(
    {
        "format": {"const": FORMAT},
        "table": ref("Code"),
        "game": TEXT,
        "rules": COUNT,
        "options": OBJECT,
        "seed": SHA256,
        "before": or_null(ref("Before")),
        "names": by_name(or_null(TEXT)),
        "entries": listed(ENTRY),
        "outcome": ref("Outcome"),
        "head": SHA256,
        "checksum": SHA256,
    },
    description="The whole game. Every commitment opens with its salt. Every head is SHA-256 over the"
    " previous head, a line feed and the entry (n, seat, type, fields, commitment) as JSON without spaces.",
)


def event(kind: str, data: Schema, numbered: bool = False) -> Schema:
    """One server-sent event."""
    told = {**TEXT, "contentMediaType": "application/json", "contentSchema": data}
    number = {"id": {**TEXT, "pattern": "^[0-9]+$", "description": "The version."}}
    return record({"event": {"const": kind}, **(number if numbered else {}), "data": told})


def _events(of: Schema) -> Schema:
    """A table's stream: views; for screens the change of a desk; on request presence and keep-alives; `cut`
    if the client saw a later version or another head than the journal has."""
    seats, beat = event("seats", by_name(BOOLEAN)), event("beat", record({}))
    cut = event("cut", record({"seen": COUNT, "version": COUNT, "text": TEXT}))
    desk = event("desk", record({"desk": TEXT}))
    return {"oneOf": [event("view", of, numbered=True), seats, desk, beat, cut]}


def _desk_events() -> Schema:
    """A desk's stream. Before the first table there is no view, and so no version."""
    views = [event("view", ref("PublicView"), numbered=True), event("view", NULL)]
    more = {"news": "DeskNews", "job": "DeskJob", "sound": "Sound", "fault": "Fault", "screen": "Screen"}
    return {"oneOf": [*views, *(event(name, ref(schema)) for name, schema in more.items())]}


SECONDS: Schema = {"type": "number", "minimum": 0}


def _desk_news() -> Schema:
    """A news item with its cue, the lamps of its seats, and the seconds that the cue waits."""
    lamps = listed({"type": "integer", "minimum": 1})
    cue = record({"lamp": TEXT, "pattern": listed(SECONDS), "stays": BOOLEAN, "tune": listed(_note())})
    own = {"cue": or_null(cue), "spoken": BOOLEAN, "counted": _counted(), "wait": SECONDS}
    own |= {"table": ref("Code"), "key": TEXT, "seat_lamps": lamps}
    return {**NEWS, "properties": {**NEWS["properties"], **own}}


def _note() -> Schema:
    return {"type": "array", "prefixItems": [TEXT, SECONDS], "minItems": 2, "maxItems": 2}


def _counted() -> Schema:
    """Figures that are counted out: a pattern per lamp (seconds on, off, on, …) and one tune."""
    return record({"patterns": listed(listed(SECONDS)), "tune": listed(_note())})


def _desk_job() -> Schema:
    """A paper to print, as blocks."""
    block = record({"kind": {"enum": list(KINDS)}}, more=True)
    blocks = listed(block, minItems=1)
    return record({"job": COUNT, "what": schema_of(Paper), "table": ref("Code"), "blocks": blocks})


def _catalogue() -> Schema:
    one = record({"name": TEXT, "kind": {"const": "one"}, "options": listed(VALUE), "default": VALUE})
    bounds = {"min": INTEGER, "max": INTEGER}
    number = record({"name": TEXT, "kind": {"const": "number"}, **bounds, "default": or_null(INTEGER)})
    data = record({"name": TEXT, "kind": {"const": "data"}, "default": VALUE})
    options = listed({"oneOf": [one, number, data]})
    return record({"game": TEXT, "name": TEXT, "seats": listed(TEXT), "options": options})


SEAT_KEY = record({"seat": TEXT, "key": TEXT, "join_url": {**TEXT, "format": "uri"}})
HOST_KEYS = {
    **by_name(TEXT),
    "minProperties": 1,
    "description": "New keys that the host asked for, by seat, until they are used.",
}

MOVES = {
    game.id: {f"Move_{game.id}_{kind}": move(kind, shape) for kind, shape in game.moves.items()}
    for game in GAMES.values()
}

MOVED: dict[str, Schema] = {"version": COUNT, "news": listed(ref("News"))}
PLAYED = record(
    {
        "seat": TEXT,
        "side": TEXT,
        "name": {**or_null(TEXT), "description": "Null where the person was deleted."},
        "avatar": {**or_null(TEXT), "description": "Null where none was chosen, or the person was deleted."},
        "won": BOOLEAN,
        "score": or_null(INTEGER),
    }
)
TALLY: dict[str, Schema] = {"played": COUNT, "won": COUNT, "drawn": COUNT}

SCHEMAS: dict[str, Schema] = {
    **{request.__name__: schema_of(request) for request in REQUESTS},
    "OpenTableRequest": {"oneOf": [open_table(game) for game in GAMES]},
    "AskRequest": {"oneOf": [ask(kind) for kind in ASK_REQUESTS]},
    "DeskHealth": DESK_HEALTH,
    "Code": {**TEXT, "pattern": f"^[{LETTERS}]{{5}}$", "description": "A table's code."},
    "Catalogue": listed(_catalogue()),
    "Opened": record(
        {
            "table": ref("Code"),
            "host": TEXT,
            "seats": listed(SEAT_KEY, minItems=1),
            "table_key?": {**TEXT, "description": "Takes any free seat. Absent once the game has begun."},
            "join_url?": {**TEXT, "format": "uri"},
        }
    ),
    "Joined": record({"token": TEXT}),
    "Presets": listed(record({"name": TEXT, "value": VALUE})),
    "PresetSaved": record({"name": TEXT}),
    "PublicView": view(NULL),
    "HostView": view(NULL, keys=HOST_KEYS),
    "SeatView": view(ref("Me")),
    "Me": ME,
    "News": NEWS,
    "Question": QUESTION,
    "Next": record({"table": ref("Code")}),
    "Record": RECORD,
    "Before": BEFORE,
    "Dice": DICE,
    "Outcome": OUTCOME,
    "Choice": record(
        {"type": TEXT, "fields": listed({"oneOf": FIELDS})},
        description="Every combination of its fields is a legal move.",
    ),
    "Move": {
        "anyOf": [ref(f"Moves_{game}") for game in MOVES],
        "description": "Of the table's game. Types of moves of different games may have the same name.",
    },
    **{f"Moves_{game}": {"oneOf": [ref(name) for name in own]} for game, own in MOVES.items()},
    **{name: schema for own in MOVES.values() for name, schema in own.items()},
    "Moved": record({**MOVED, "salt?": {**SHA256, "description": "Of a secret entry, for its own seat."}}),
    "Asked": record(
        {
            **MOVED,
            "salt?": {**SHA256, "description": "Of a corrected secret, for its own seat."},
            "seats?": listed(SEAT_KEY, description="New keys for this caller to hand on."),
        }
    ),
    "TableEvent": _events(ref("PublicView")),
    "SeatEvent": _events(ref("SeatView")),
    "DeskEvent": _desk_events(),
    "DeskNews": _desk_news(),
    "DeskJob": _desk_job(),
    "Fault": record({"fault": {"enum": list(FAULTS)}}),
    "Screen": record({"shown": BOOLEAN}),
    "Printing": record({"job": COUNT}),
    "Sure": record({"sure": {**BOOLEAN, "description": "Whether the server's clock can now be trusted."}}),
    "Nothing": record({}),
    "Healthy": record({"status": {"const": "ok"}, "tables": COUNT}, more=True),
    "Problem": PROBLEM,
    "History": listed(ref("Past")),
    "Past": record(
        {
            "n": {**COUNT, "description": "Grows from one finished game to the next."},
            "table": ref("Code"),
            "game": TEXT,
            "finished": TEXT,
            "reason": TEXT,
            "abandoned": {**BOOLEAN, "description": "It counts for nobody."},
            "draw": BOOLEAN,
            "moves": COUNT,
            "seconds": {**or_null(COUNT), "description": "Null if the clock could not be trusted."},
            "players": listed(PLAYED),
        }
    ),
    "Players": listed(record({"name": TEXT, **TALLY, "games": by_name(record(TALLY))})),
    "Forgotten": record({"tables": {**COUNT, "description": "How many finished games had the name."}}),
}
