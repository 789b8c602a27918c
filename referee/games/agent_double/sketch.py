"""Extra data for the page's drawing of Agent Double: the latest chain, and a preview of a composed action."""

from collections.abc import Iterator
from typing import Any

from referee.games.agent_double.effects import describe_document, document_fields, on_board, preview
from referee.games.agent_double.table import DoubleTable


def sketch(table: DoubleTable) -> dict[str, Any]:
    return {
        "chain": [news.fields["agent"] for news in table.said if news.kind == "delivered"],
        "files": {
            agent.name: [describe_document(agent, file) for file in agent.files]
            for agent in preview(table).agents
        },
        "would": list(_would(table)),
    }


def _would(table: DoubleTable) -> Iterator[dict[str, Any]]:
    """The primitives of the action that is being composed, each with the document it targets."""
    board = table
    for effect in table.draft.effects if table.draft else ():
        yield {"type": effect.type, **effect.fields, **document_fields(board, effect)}
        board = on_board(board, effect)
