"""Reads the event streams of desks."""

from typing import Any

from tests.support.web.sse_reader import Event, Stream

EVENTS = "/api/desks/main/events"
SCREEN = "/desk/main/events"


def jobs(stream: Stream) -> list[dict[str, Any]]:
    return [event.json for event in stream.all("job")]


def news(kind: str) -> Any:
    def is_it(event: Event) -> bool:
        return event.kind == "news" and event.json["kind"] == kind

    return is_it
