"""The shapes of all that travels, as JSON Schema; options and moves are read off the games themselves."""

from typing import Any, get_args

from referee.archive import FORMAT, MARKS
from referee.cues import SOUNDS
from referee.games import GAMES
from referee.moves import Shape
from referee.options import Data, Number, Option
from referee.sheets import FAULTS, Block
from web.bodies import ASKED
from web.door import LETTERS, NAME_LENGTH

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
COUNT: Schema = {"type": "integer", "minimum": 0}
SHA256: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}


def ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def record(
    properties: dict[str, Schema], optional: tuple[str, ...] = (), more: bool = False, **rest: Any
) -> Schema:
    """An object that has these properties and, unless `more`, no others."""
    required = [name for name in properties if name not in optional]
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": more,
        **rest,
    }


def listed(items: Schema, **rest: Any) -> Schema:
    return {"type": "array", "items": items, **rest}


def by_name(values: Schema) -> Schema:
    return {"type": "object", "additionalProperties": values}


def or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


# ---- what the games settle


def option_values(option: Option) -> Schema:
    if isinstance(option, Number):
        return or_null({"type": "integer", "minimum": option.min, "maximum": option.max})
    if isinstance(option, Data):
        return {"default": option.default, "description": "A value of this form; the game checks it."}
    return {"enum": list(option.options)}


def wish(game: str) -> Schema:
    """What opens a table of this game."""
    values = {option.name: option_values(option) for option in GAMES[game].options}
    options = record(values, optional=tuple(values), description="What is left out keeps its default.")
    desk = {**or_null(TEXT), "description": "The desk to play at; null for none. Default: the house's own."}
    bots = listed(TEXT, description="Seats that the referee plays itself, not all; it is a demonstration.")
    optional = ("options", "desk", "bots")
    return record({"game": {"const": game}, "options": options, "desk": desk, "bots": bots}, optional)


def move(kind: str, shape: Shape) -> Schema:
    fields = {name: _json_type(wanted) for name, wanted in shape.fields.items()}
    optional = tuple(shape.optional)
    return record({"version": COUNT, "type": {"const": kind}, **fields}, optional)


def _json_type(wanted: type | tuple[type, ...]) -> Schema:
    if isinstance(wanted, tuple):
        return listed(_json_type(wanted[0]))
    return {"type": {int: "integer", str: "string", bool: "boolean"}[wanted]}


# ---- what is told

VALUE: Schema = {"description": "A JSON value of the game, sent back as it is."}

FIELD: Schema = {
    "oneOf": [
        record(
            {
                "name": TEXT,
                "kind": {"const": "one"},
                "options": listed(VALUE, minItems=1),
                "secret": {"const": True},
            },
            optional=("secret",),
            description="One of the options.",
        ),
        record(
            {
                "name": TEXT,
                "kind": {"const": "arrange"},
                "options": listed(VALUE, minItems=1),
                "count": COUNT,
                "secret": {"const": True},
            },
            optional=("secret",),
            description="So many of the options, each used once, in an order that matters.",
        ),
        record(
            {"name": TEXT, "kind": {"const": "text"}, "max": COUNT},
            description="Free text of at most so many characters; cleaned of controls and outer spaces.",
        ),
    ]
}

NEWS = record(
    {
        "n": {"type": "integer", "minimum": 1, "description": "The running number of this piece of news."},
        "kind": TEXT,
        "commitment": SHA256,
        "text": TEXT,
    },
    optional=("commitment",),
    more=True,
    description="One public happening; each kind has fields of its own besides. A secret entry tells only"
    " that it was made, with its commitment.",
)

OUTCOME = record(
    {
        "winners": listed(TEXT, uniqueItems=True),
        "draw": {"type": "boolean"},
        "reason": TEXT,
        "scores": by_name({"type": "integer"}),
        "tie_break": or_null({"type": "object"}),
        "debrief": or_null(by_name({"type": "object"})),
    },
    description="How it ended, and per seat all that was hidden.",
)

ME = record(
    {
        "seat": TEXT,
        "hand": {"type": "object", "description": "This seat's secrets, as the game has them."},
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
        "detail": {"type": "string", "minLength": 1, "description": "A sentence that names the rule."},
        "version": {**COUNT, "description": "With `stale`: the current version."},
    },
    optional=("version",),
)


def view(me: Schema, **more: Schema) -> Schema:
    """A view with this `me`, and with what only its reader gets besides."""
    yes_or_no: Schema = {"type": "boolean"}
    seat = record({"name": or_null(TEXT), "joined": yes_or_no, "connected": yes_or_no, "bot": yes_or_no})
    turn_and_step = {"turn": or_null(TEXT), "step": or_null(TEXT)}
    return record(
        {
            "table": ref("Code"),
            "game": {"enum": list(GAMES)},
            "options": {"type": "object"},
            "version": COUNT,
            "status": {"enum": ["joining", "playing", "over"]},
            "seats": by_name(seat),
            "sides": by_name(listed(TEXT, minItems=1)),
            "waiting_for": listed(TEXT, uniqueItems=True),
            "public": record(turn_and_step, more=True, description="What anyone may know of the game."),
            "todo": listed(TEXT, description="What to do with the real components, said to everybody."),
            "news": listed(ref("News"), description="The latest, oldest first."),
            "question": or_null(ref("Question")),
            "me": me,
            "outcome": or_null(ref("Outcome")),
            "head": {**SHA256, "description": "The head of the record's hash chain."},
            "next": {**or_null(ref("Code")), "description": "The table of the rematch."},
            "asked_before": {**yes_or_no, "description": "A question is open at the game before."},
            "demo": {**yes_or_no, "description": "Opened with bots: it is in no history or statistics."},
            **more,
        }
    )


QUESTION = record(
    {
        "kind": {"enum": list(ASKED)},
        "by": {"type": "string", "description": "A seat, or `host`."},
        "about": {"type": "object"},
        "of": listed(TEXT, description="All who must agree."),
        "reveals": {"type": "boolean", "description": "Something hidden has been shown since."},
        "reopens": {"type": "boolean", "description": "It is over, and would not be with this correction."},
        "accepted": listed(TEXT),
        "commitment": {**SHA256, "description": "Of the secret that a correction would enter."},
    },
    optional=("commitment",),
    description="An open question. While there is one, nobody moves.",
)


def ask(kind: str) -> Schema:
    required, optional = ASKED[kind]
    move = {**COUNT, "description": "The number of the first news of a move, by which it is called."}
    types = {"n": move, "fields": {"type": "object"}, "seat": TEXT, "show": {"type": "boolean"}}
    fields = {name: types[name] for name in (*required, *optional)}
    return record({"version": COUNT, "kind": {"const": kind}, **fields}, optional=optional)


ENTRY = record(
    {
        "n": COUNT,
        "seat": TEXT,
        "type": TEXT,
        "fields": {"type": "object", "description": "The public ones."},
        "commitment": or_null(SHA256),
        "head": SHA256,
        "sealed": record({"n": COUNT, "type": TEXT, "fields": {"type": "object"}}),
        "salt": SHA256,
        "mark": {"enum": list(MARKS), "description": "What became of a move by a question."},
    },
    optional=("sealed", "salt", "mark"),
)

RECORD = record(
    {
        "format": {"const": FORMAT},
        "table": ref("Code"),
        "game": TEXT,
        "rules": COUNT,
        "options": {"type": "object"},
        "seed": SHA256,
        "names": by_name(or_null(TEXT)),
        "entries": listed(ENTRY),
        "outcome": ref("Outcome"),
        "head": SHA256,
        "checksum": SHA256,
    },
    description="All that happened: every commitment opens with its salt, every head is SHA-256 over the one"
    " before, a line feed and the entry (n, seat, type, fields, commitment) as JSON without spaces.",
)


def event(kind: str, data: Schema, numbered: bool = False) -> Schema:
    """One server-sent event."""
    told = {"type": "string", "contentMediaType": "application/json", "contentSchema": data}
    number = {"id": {"type": "string", "pattern": "^[0-9]+$", "description": "The version."}}
    return record({"event": {"const": kind}, **(number if numbered else {}), "data": told})


def _events(of: Schema) -> Schema:
    """A table's stream: views, and for those who ask presence, that the desk changed, signs of life."""
    seats, beat = event("seats", by_name({"type": "boolean"})), event("beat", record({}))
    return {"oneOf": [event("view", of, numbered=True), seats, event("desk", record({"desk": TEXT})), beat]}


def _desk_events() -> Schema:
    """A desk's stream. Before the first table there is no view, and so no version."""
    views = [event("view", ref("PublicView"), numbered=True), event("view", {"type": "null"})]
    more = {"news": "DeskNews", "job": "DeskJob", "sound": "Sound", "fault": "Fault", "screen": "Screen"}
    return {"oneOf": [*views, *(event(name, ref(schema)) for name, schema in more.items())]}


def _desk_news() -> Schema:
    """A piece of news with the key of its cue, and the lamps of the seats that it is about."""
    lamps = listed({"type": "integer", "minimum": 1})
    own = {"table": ref("Code"), "key": TEXT, "seat_lamps": lamps, "counted": _counted()}
    return {**NEWS, "properties": {**NEWS["properties"], **own}}


def _counted() -> Schema:
    """Figures counted out: a pattern for each of these lamps (seconds on, off, on, …) and one tune."""
    seconds = {"type": "number", "minimum": 0}
    note = {"type": "array", "prefixItems": [TEXT, seconds], "minItems": 2, "maxItems": 2}
    return record({"patterns": listed(listed(seconds)), "tune": listed(note)})


def _desk_job() -> Schema:
    """A paper to print, as blocks."""
    block = record({"kind": {"enum": [kind.__name__.lower() for kind in get_args(Block)]}}, more=True)
    what = {"enum": ["sheet", "join"]}
    return record({"job": COUNT, "what": what, "table": ref("Code"), "blocks": listed(block, minItems=1)})


def _catalogue() -> Schema:
    one = record({"name": TEXT, "kind": {"const": "one"}, "options": listed(VALUE), "default": VALUE})
    whole = {"type": "integer"}
    number = record(
        {"name": TEXT, "kind": {"const": "number"}, "min": whole, "max": whole, "default": or_null(whole)}
    )
    data = record({"name": TEXT, "kind": {"const": "data"}, "default": VALUE})
    options = listed({"oneOf": [one, number, data]})
    return record({"game": TEXT, "name": TEXT, "seats": listed(TEXT), "options": options})


SEAT_KEY = record({"seat": TEXT, "key": TEXT, "join_url": {"type": "string", "format": "uri"}})


HOST_KEYS = {
    **by_name(TEXT),
    "minProperties": 1,
    "description": "New keys that the host asked for, by seat, until they are used.",
}


def _opened() -> Schema:
    return record({"table": ref("Code"), "host": TEXT, "seats": listed(SEAT_KEY, minItems=1)})


MOVES = {
    f"Move_{game.id}_{kind}": move(kind, shape)
    for game in GAMES.values()
    for kind, shape in game.moves.items()
}

SCHEMAS: dict[str, Schema] = {
    "Code": {"type": "string", "pattern": f"^[{LETTERS}]{{5}}$", "description": "A table's code."},
    "Catalogue": listed(_catalogue()),
    "Wish": {"oneOf": [wish(game) for game in GAMES]},
    "Opened": _opened(),
    "Joining": record(
        {
            "key": TEXT,
            "name": {
                "type": "string",
                "minLength": 1,
                "description": f"Shown cleaned of invisible characters and cut to {NAME_LENGTH}.",
            },
        }
    ),
    "Joined": record({"token": TEXT}),
    "Shelf": listed(record({"name": TEXT, "value": VALUE})),
    "Shelving": record({"name": {"type": "string", "minLength": 1}, "value": VALUE}),
    "Shelved": record({"name": TEXT}),
    "PublicView": view({"type": "null"}),
    "HostView": view({"type": "null"}, keys=HOST_KEYS),
    "SeatView": view(ref("Me")),
    "Me": ME,
    "News": NEWS,
    "Question": QUESTION,
    "Asking": {"oneOf": [ask(kind) for kind in ASKED]},
    "Answer": record({"accept": {"type": "boolean"}, "version": COUNT}, optional=("version",)),
    "Rematch": record({}),
    "Next": record({"table": ref("Code")}),
    "Record": RECORD,
    "Outcome": OUTCOME,
    "Choice": record(
        {"type": TEXT, "fields": listed(FIELD)},
        description="Every combination of its fields is a legal move.",
    ),
    "Move": {"oneOf": [ref(name) for name in MOVES]},
    **MOVES,
    "Moved": record(
        {
            "version": COUNT,
            "news": listed(ref("News")),
            "salt": {**SHA256, "description": "Of a secret entry, for its own seat."},
        },
        optional=("salt",),
    ),
    "Asked": record(
        {
            "version": COUNT,
            "news": listed(ref("News")),
            "salt": {**SHA256, "description": "Of a corrected secret, for its own seat."},
            "seats": listed(SEAT_KEY, description="New keys for this caller to hand on."),
        },
        optional=("salt", "seats"),
    ),
    "TableEvent": _events(ref("PublicView")),
    "SeatEvent": _events(ref("SeatView")),
    "DeskEvent": _desk_events(),
    "DeskNews": _desk_news(),
    "DeskJob": _desk_job(),
    "Fault": record({"fault": {"enum": list(FAULTS)}}),
    "Screen": record({"shown": {"type": "boolean"}}),
    "Sound": record({"sound": {"enum": list(SOUNDS)}}),
    "Print": record({"what": {"enum": ["sheet", "join"]}}),
    "Printing": record({"job": COUNT}),
    "JobDone": record({"state": {"enum": ["printed", "failed"]}, "reason": TEXT}, optional=("reason",)),
    "DeskHealth": by_name(record({"ok": {"type": "boolean"}, "detail": TEXT})),
    "Time": record({"now": {**COUNT, "maximum": 253_402_300_799}}),
    "Sure": record({"sure": {"type": "boolean", "description": "Whether dates can be right from now on."}}),
    "Nothing": record({}),
    "Healthy": record({"status": {"const": "ok"}, "tables": COUNT}, more=True),
    "Problem": PROBLEM,
}
