"""Requests: one declaration gives both the check and the description, and the two agree."""

from collections.abc import Callable, Iterator
from typing import Any

import jsonschema_rs
import pytest

from web.wire.errors import ApiError
from web.wire.json_schema import fits, schema_of
from web.wire.parsing import ask_in, request_in
from web.wire.requests import (
    ASK_REQUESTS,
    DESK_HEALTH,
    REQUESTS,
    AnswerRequest,
    ClockRequest,
    EmptyRequest,
    JobDoneRequest,
    JoinRequest,
    OpenTableRequest,
    PrintRequest,
    SavePresetRequest,
    UndoRequest,
)

SCHEMAS = {
    "DeskHealth": DESK_HEALTH,
    **{shape.__name__: schema_of(shape) for shape in (*REQUESTS, OpenTableRequest, *ASK_REQUESTS.values())},
}
RIGHT: dict[str, dict[str, Any]] = {
    "DeskHealth": {"lights": {"ok": True, "detail": ""}},
    "EmptyRequest": {},
    "ClockRequest": {"now": 1},
    "JoinRequest": {"key": "a", "name": "Ana", "nonce": "0a"},
    "TableJoinRequest": {"table_key": "k", "seat": "target", "name": "Ana", "nonce": "00ff", "avatar": "fox"},
    "RematchRequest": {"nonce": "0aF"},
    "SavePresetRequest": {"name": "a", "value": [1.5]},
    "AnswerRequest": {"accept": True, "version": 1},
    "PrintRequest": {"what": "sheet"},
    "JobDoneRequest": {"state": "failed", "reason": "no paper"},
    "Sound": {"sound": "loud"},
    "OpenTableRequest": {"game": "a", "options": {}, "desk": None, "bots": ["mask"]},
    "UndoRequest": {"version": 1, "kind": "undo", "n": 1},
    "CorrectRequest": {"version": 1, "kind": "correct", "n": 1, "fields": {}},
    "ReissueRequest": {"version": 1, "kind": "reissue", "seat": "mask"},
    "AbandonRequest": {"version": 1, "kind": "abandon", "show": False},
}
VALUES = (
    *(None, True, False, 0, 1, -1, 1.5, 253_402_300_799, 253_402_300_800, "", "a", [], ["a"], ["a", 1], {}),
    *("sheet", "join", "printed", "failed", "loud", "quiet", "off", *ASK_REQUESTS, ["undo"], {"a": {}}),
    *(
        {"ok": True, "detail": "a"},
        {"ok": 1, "detail": "a"},
        {"ok": True},
        {"ok": True, "detail": "", "a": 1},
    ),
)


def bent(body: dict[str, Any]) -> Iterator[Any]:
    """Bodies that differ from this one in one thing, right or wrong."""
    yield from VALUES
    for name in (*body, "more"):
        yield {other: value for other, value in body.items() if other != name}
        yield from ({**body, name: value} for value in VALUES)


@pytest.mark.parametrize("name", SCHEMAS)
def test_what_is_checked_is_what_is_described(name: str) -> None:
    assert fits(RIGHT[name], SCHEMAS[name])
    described = jsonschema_rs.validator_for(SCHEMAS[name])
    for body in bent(RIGHT[name]):
        assert fits(body, SCHEMAS[name]) == described.is_valid(body), body


@pytest.mark.parametrize("name", SCHEMAS)
def test_no_field_is_described_with_a_keyword_that_is_not_checked(name: str) -> None:
    checked = {"type", "enum", "minLength", "pattern", "minimum", "maximum", "items"}
    for field in SCHEMAS[name].get("properties", {}).values():
        assert field.keys() <= {"description", *checked}


WRONG: dict[str, tuple[Callable[[Any], Any] | type, Any, str]] = {
    "a list": (EmptyRequest, [], "JSON"),
    "nothing": (EmptyRequest, None, "JSON"),
    "an unknown field": (EmptyRequest, {"more": 1}, "more"),
    "a long unknown field": (EmptyRequest, {"m" * 50: 1}, "m" * 40),
    "an unknown field without a name": (EmptyRequest, {"": 1}, ""),
    "missing before unknown": (JoinRequest, {"more": 1}, "key"),
    "the first that is missing": (JoinRequest, {"name": 1}, "key"),
    "missing before wrong": (JoinRequest, {"key": 1}, "name"),
    "unknown before wrong": (JoinRequest, {"key": 1, "name": "Ana", "more": 1}, "more"),
    "an empty name": (JoinRequest, {"key": "a", "name": ""}, "name"),
    "a time with a point": (ClockRequest, {"now": 1.0}, "now"),
    "a time that is true": (ClockRequest, {"now": True}, "now"),
    "a time before all others": (ClockRequest, {"now": -1}, "now"),
    "a time after all dates": (ClockRequest, {"now": 253_402_300_800}, "now"),
    "options in a list": (OpenTableRequest, {"game": "a", "options": []}, "options"),
    "no options at all": (OpenTableRequest, {"game": "a", "options": None}, "options"),
    "a numbered desk": (OpenTableRequest, {"game": "a", "desk": 1}, "desk"),
    "a bot in a word": (OpenTableRequest, {"game": "a", "bots": "mask"}, "bots"),
    "a numbered bot": (OpenTableRequest, {"game": "a", "bots": ["mask", 1]}, "bots"),
    "a value that is missing": (SavePresetRequest, {"name": "a"}, "value"),
    "a strange paper": (PrintRequest, {"what": ["sheet"]}, "what"),
    "a job without a reason": (JobDoneRequest, {"state": "failed", "reason": None}, "reason"),
    "an answer in words": (AnswerRequest, {"accept": "yes"}, "accept"),
    "an answer to no version": (AnswerRequest, {"accept": True, "version": None}, "version"),
    "a question of no kind": (ask_in, {"version": 1}, "kind"),
    "a question of a strange kind": (ask_in, {"version": 1, "kind": ["undo"]}, "kind"),
    "a question with the field of another": (ask_in, {"version": 1, "kind": "undo", "show": True}, "show"),
    "a question about no seat": (ask_in, {"version": 1, "kind": "reissue"}, "seat"),
    "a question about no move": (ask_in, {"version": 1, "kind": "undo", "n": None}, "n"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_field_is_named(case: str) -> None:
    shape, body, named = WRONG[case]
    with pytest.raises(ApiError) as refused:
        request_in(shape, body) if isinstance(shape, type) else shape(body)
    assert (refused.value.code, refused.value.sentence.fields) == ("malformed", {"what": named})


def test_what_is_left_out_has_its_default_and_null_is_not_left_out() -> None:
    assert request_in(OpenTableRequest, {"game": "a"}) == OpenTableRequest("a", {}, None, ())
    assert request_in(OpenTableRequest, {"game": "a"}, desk="main").desk == "main"
    assert request_in(OpenTableRequest, {"game": "a", "desk": None}, desk="main").desk is None
    assert request_in(AnswerRequest, {"accept": False}) == AnswerRequest(False, None)


def test_a_question_has_the_fields_of_its_kind() -> None:
    assert ask_in({"version": 3, "kind": "undo"}) == UndoRequest(3, "undo")
    assert ask_in({"version": 3, "kind": "undo"}).about() == {}
    assert ask_in({"version": 3, "kind": "undo", "n": 0}).about() == {"n": 0}
    assert ask_in({"version": 3, "kind": "abandon"}).about() == {"show": False}
    correct = ask_in({"version": 3, "kind": "correct", "n": 4, "fields": {"houses": [1, 2]}})
    assert correct.about() == {"n": 4, "fields": {"houses": (1, 2)}}, "lists are tuples, as moves have them"


def test_no_key_and_no_secret_is_shown_where_a_request_is_printed() -> None:
    assert "hush" not in repr(request_in(JoinRequest, {"key": "hush", "name": "Ana"}))
    assert "hush" not in repr(ask_in({"version": 3, "kind": "correct", "n": 4, "fields": {"a": "hush"}}))
