"""The part of JSON Schema that the API needs: schemas from dataclasses, and validation against them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, get_args, get_origin

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
INTEGER: Schema = {"type": "integer"}
COUNT: Schema = {"type": "integer", "minimum": 0}
BOOLEAN: Schema = {"type": "boolean"}
OBJECT: Schema = {"type": "object"}
NULL: Schema = {"type": "null"}
SHA256: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
TYPES = {"string": str, "integer": int, "boolean": bool, "object": dict, "array": list, "null": NoneType}
NAMES = {python: name for name, python in TYPES.items()}


def ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def record(properties: dict[str, Schema], more: bool = False, **rest: Any) -> Schema:
    """An object with these properties (`name?` is optional) and, unless `more`, no others."""
    required = [name for name in properties if not name.endswith("?")]
    named = {name.rstrip("?"): schema for name, schema in properties.items()}
    return {**OBJECT, "properties": named, "required": required, "additionalProperties": more, **rest}


def narrowed(schema: Schema, **properties: Schema) -> Schema:
    """The same object with stricter schemas for some of its properties."""
    return {**schema, "properties": {**schema["properties"], **properties}}


def listed(items: Schema, **rest: Any) -> Schema:
    return {"type": "array", "items": items, **rest}


def by_name(values: Schema) -> Schema:
    return {**OBJECT, "additionalProperties": values}


def or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, NULL]}


def schema_of(shape: Any) -> Schema:
    """The schema of a dataclass or of the type of one of its fields.

    A field with a default is optional. A dict in `Annotated` adds its keywords. `X | None` gives the schema
    of X: None stands for an absent field, and null is allowed only if the keywords say so.
    """
    kind, inner = get_origin(shape) or shape, get_args(shape)
    if is_dataclass(kind):
        return record({f.name + "?" * _has_default(f): schema_of(f.type) for f in fields(kind)})
    if kind is Annotated:
        return {**schema_of(inner[0]), **inner[1]}
    if kind is Literal:
        return {**TEXT, "enum": list(inner)}
    if kind is UnionType:
        return schema_of(inner[0])
    if kind is Sequence or isinstance(shape, tuple):
        return listed(schema_of((inner or shape)[0]))
    return {} if kind is Any else {"type": NAMES[kind]}


def _has_default(declared: Field[Any]) -> bool:
    return (declared.default, declared.default_factory) != (MISSING, MISSING)


def fits(value: Any, schema: Schema | bool) -> bool:
    """Whether a JSON value matches a schema of `schema_of`. Stricter than JSON Schema: 1.0 is not 1."""
    if isinstance(schema, bool):
        return schema
    types = schema.get("type")
    if types and NAMES.get(type(value)) not in ([types] if isinstance(types, str) else types):
        return False
    match value:
        case dict():
            return next(misfits(value, schema), None) is None
        case list():
            return all(fits(item, schema.get("items", True)) for item in value)
        case str():
            is_one = value in schema.get("enum", [value]) and len(value) >= schema.get("minLength", 0)
            return is_one and bool(re.fullmatch(schema.get("pattern", ".*"), value, re.DOTALL))
        case int():
            return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))
    return True


def misfits(value: Mapping[str, Any], schema: Schema) -> Iterator[str]:
    """The names of the missing properties, then of the unknown ones, then of the invalid ones."""
    known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    yield from (name for name in schema.get("required", ()) if name not in value)
    yield from (name for name in value if name not in known and not fits(value[name], others))
    yield from (name for name in known if name in value and not fits(value[name], known[name]))
