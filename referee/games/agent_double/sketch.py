"""What the pages draw of Agent Double beyond the view: the latest chain, and an action laid out in thought.

All of it follows from the table that everyone sees.
"""

from collections.abc import Iterator
from typing import Any

from referee.game import Slice
from referee.games.agent_double.effects import call, called, laid_out, on_board
from referee.games.agent_double.table import DoubleHand, DoubleTable


def sketch(seen: Slice[DoubleTable, DoubleHand]) -> dict[str, Any]:
    table = seen.table
    return {
        "chain": [news.fields["agent"] for news in table.said if news.kind == "delivered"],
        "files": {
            agent.name: [call(agent, file) for file in agent.files] for agent in laid_out(table).agents
        },
        "would": list(_would(table)),
    }


def _would(table: DoubleTable) -> Iterator[dict[str, Any]]:
    """The primitives of the action that is being composed, each with the document that it takes."""
    board = table
    for effect in table.draft.effects if table.draft else ():
        yield {"type": effect.type, **effect.fields, **called(board, effect)}
        board = on_board(board, effect)
