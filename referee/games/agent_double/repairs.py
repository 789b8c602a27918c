"""Instructions for the real table of Agent Double after an undo or a correction.

Both compare the table before with the table now and list every piece that must move, in an order that people
can follow. A document is identified by its owner and when it was laid, a token by where it was first placed.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple

from referee.core.frozen import replaced
from referee.core.game import Restated, Say, Slice
from referee.core.moves import Seat
from referee.games.agent_double.delivery import told
from referee.games.agent_double.effects import describe_document
from referee.games.agent_double.table import (
    DARK,
    NOBODY,
    SEATS,
    Agent,
    Delivery,
    DoubleHand,
    DoubleTable,
    File,
    Shown,
    other,
    side_of,
)
from referee.games.agent_double.todo import delivered, shown

DoubleSlice = Slice[DoubleTable, DoubleHand]


class Change(NamedTuple):
    """The tables before and now, and the seat that reads the instructions (None: everyone)."""

    before: DoubleTable
    now: DoubleTable
    seat: Seat | None
    mine: DoubleHand | None  # the seat's own hand before

    def voice(self, seat: Seat) -> str:
        return "you" if seat == self.seat else "they"


def put_back(before: DoubleSlice, now: DoubleSlice) -> tuple[Say, ...]:
    """After an undo: everything that was moved goes back to where it was."""
    return tuple(_differences(Change(before.table, now.table, now.seat, before.hand)))


def put_right(before: DoubleSlice, now: DoubleSlice, _restated: tuple[Restated, ...]) -> tuple[Say, ...]:
    """After a correction: the taker of an agent's documents may change, or the delivery may not happen."""
    change = Change(before.table, now.table, now.seat, before.hand)
    return (*_judged_anew(change), *_differences(change), *_seen_in_private(before, now))


def _seen_in_private(before: DoubleSlice, now: DoubleSlice) -> Iterator[Say]:
    """A card or token that an action showed to this seat alone is different from what it was told."""
    if before.hand and now.hand and before.hand.peeked != now.hand.peeked:
        yield Say("right.peeked")


def _differences(change: Change) -> Iterator[Say]:
    for step in STEPS:
        yield from step(change)


# ---- deliveries that appear or disappear


def _status(table: DoubleTable, agent: str) -> tuple[str, Delivery | None]:
    """An agent's status and delivery: delivered (`closed`), waiting for a ruling (`up`), or `down`."""
    if table.pending and table.pending.agent == agent:
        return "up", table.pending
    done = next((each for each in table.deliveries if each.agent == agent), None)
    return ("closed", done) if done else ("down", None)


def _agents(change: Change) -> Iterator[Say]:
    """Agents whose delivery is undone, or that deliver now."""
    for agent in change.now.agents:
        was, shown_then = _status(change.before, agent.name)
        now, shown_now = _status(change.now, agent.name)
        if was == now:
            continue
        if was == "closed" and shown_then:
            yield from _reopened(shown_now or shown_then, shown_then.taker, now)
        if was == "up" and now == "down":
            yield Say("back.hide", {"agent": agent.name})
        if was == "down" and shown_now:
            yield from shown(told(shown_now))
        if now == "closed" and shown_now:
            yield delivered({"agent": agent.name, "taker": shown_now.taker})


def _reopened(done: Delivery, taker: str, way: str) -> Iterator[Say]:
    """Documents and tokens of a delivery lie before the agent again, face down or up."""
    place = "box" if taker == NOBODY else "pile"
    for owner in SEATS:
        if files := [file for file in done.files if file.owner == owner]:
            looks = {"files": [file.file for file in files], "backs": [file.lay.back for file in files]}
            fields = {"agent": done.agent, "owner": owner, "seat": taker, **looks}
            yield Say(f"back.column.{way}.{place}", fields)
    tokens = {seat: part.token for seat, part in done.loyalty.items()}
    yield Say(f"back.tokens.{way}", {"agent": done.agent, **tokens})


def _judged_anew(change: Change) -> Iterator[Say]:
    """Deliveries that stay but have another sum, and perhaps another taker."""
    for agent in change.now.agents:
        was, then = _status(change.before, agent.name)
        now, done = _status(change.now, agent.name)
        if was != now or then is None or done is None or _facts(then) == _facts(done):
            continue
        sums = {seat: part.total for seat, part in done.loyalty.items()}
        fields = {"agent": agent.name, "points": done.points, **sums}
        if now == "closed" and then.taker != done.taker:
            yield Say("right.taken", {**fields, "owner": then.taker, "seat": done.taker})
        else:
            yield Say("right.sum", fields)


def _facts(done: Delivery) -> tuple[Mapping[Seat, Any], tuple[Shown, ...], str]:
    return done.loyalty, done.files, done.taker


# ---- documents


def _documents(change: Change) -> Iterator[Say]:
    """Documents that are no longer laid go back to hand, then all others go to their places."""
    board = _relaid(change)
    yield from _out_of_the_box(change, board)
    for agent in board.agents:
        for file in reversed(agent.files):
            if file.n > change.now.laid[file.owner]:
                board = _without(board, file)
                yield _to_hand(change, agent, file)
    for agent, owner in product(change.now.agents, SEATS):
        for n, file in enumerate(agent.of(owner)):
            if not _is_in_place(board, agent, n, file):
                place = _place(board, agent, n, owner)
                yield _to_its_place(change, board, agent.name, file, place + 1)
                board = _put(_without(board, file), agent.name, file, place)


def _is_in_place(board: DoubleTable, agent: Agent, n: int, file: File) -> bool:
    """Whether a document is the nth among the documents of its column that belong there."""
    home = agent.of(file.owner)
    return [each for each in _column(board, agent.name, file.owner) if each in home][n : n + 1] == [file]


def _place(board: DoubleTable, agent: Agent, n: int, owner: Seat) -> int:
    """The position for the nth document of a column: right after its predecessor, which is already there."""
    column = _column(board, agent.name, owner)
    return column.index(agent.of(owner)[n - 1]) + 1 if n else 0


def _column(board: DoubleTable, agent: str, owner: Seat) -> tuple[File, ...]:
    return board.agents[board.index(agent)].of(owner)


def _relaid(change: Change) -> DoubleTable:
    """The table before, with the documents of reopened agents back in front of them."""
    board = change.before
    for agent in board.agents:
        was, done = _status(change.before, agent.name)
        if done and was == "closed" and _status(change.now, agent.name)[0] != "closed":
            board = board.with_agent(replaced(agent, files=tuple(shown.lay for shown in done.files)))
    return board


def _out_of_the_box(change: Change, board: DoubleTable) -> Iterator[Say]:
    """Documents that were laid and removed in the undone moves: only their owner knows which they are."""
    there = {(file.owner, file.n) for agent in board.agents for file in agent.files}
    for owner in SEATS:
        for n in range(change.now.laid[owner] + 1, change.before.laid[owner] + 1):
            if (owner, n) not in there:
                mine = change.mine if owner == change.seat else None
                which = {"back": mine.placed[n - 1].back, "file": mine.placed[n - 1].file} if mine else {}
                yield Say(f"back.unboxed.{change.voice(owner)}", {"owner": owner, **which})


def _to_hand(change: Change, agent: Agent, file: File) -> Say:
    fields = {"agent": agent.name, "owner": file.owner, "back": file.back}
    return Say(f"back.hand.{change.voice(file.owner)}", {**fields, **_face(change, file)})


def _to_its_place(change: Change, board: DoubleTable, agent: str, file: File, place: int) -> Say:
    """Move a document from another agent, within its column, or out of the box, where its owner finds it."""
    if holder := _holder(board, file):
        document = describe_document(board.agents[board.index(holder)], file)
        fields = {"from": holder, "to": agent, **document, "place": place}
        return Say(f"back.{'order' if holder == agent else 'moved'}.{document['document']}", fields)
    fields = {"agent": agent, "owner": file.owner, "back": file.back, "place": place}
    return Say(f"back.removed.{change.voice(file.owner)}", {**fields, **_face(change, file)})


def _face(change: Change, file: File) -> dict[str, str]:
    """The face of a document, only for its owner."""
    mine = change.mine if file.owner == change.seat else None
    return {"file": mine.placed[file.n - 1].file} if mine else {}


def _holder(board: DoubleTable, file: File) -> str | None:
    """The agent before which a document lies, or None."""
    return next((agent.name for agent in board.agents if file in agent.files), None)


def _without(board: DoubleTable, file: File) -> DoubleTable:
    holder = _holder(board, file)
    if holder is None:
        return board
    agent = board.agents[board.index(holder)]
    return board.with_agent(replaced(agent, files=tuple(each for each in agent.files if each != file)))


def _put(board: DoubleTable, agent: str, file: File, place: int) -> DoubleTable:
    """The board with a document inserted into its owner's column before an agent."""
    there = board.agents[board.index(agent)]
    mine, others = there.of(file.owner), there.of(other(file.owner))
    return board.with_agent(replaced(there, files=(*others, *mine[:place], file, *mine[place:])))


# ---- tokens, counters, markers


def _swaps(change: Change) -> Iterator[Say]:
    """Tokens that are before the wrong agents, as a sequence of swaps."""
    for side in SEATS:
        stands = {agent.name: agent.tokens[side] for agent in change.before.agents}
        for agent in change.now.agents:
            token = agent.tokens[side]
            if stands[agent.name] != token:
                holder = next(name for name, there in stands.items() if there == token)
                stands |= {agent.name: token, holder: stands[agent.name]}
                yield Say("did_swap_loyalty", {"side": side, "a": agent.name, "b": holder})


def _counters(change: Change) -> Iterator[Say]:
    """The space and the visible face of each live agent's counter that changed."""
    for before, now in zip(change.before.agents, change.now.agents, strict=True):
        if not now.delivered and _counter(before) != _counter(now):
            space = f"{'dark' if now.influence in DARK else 'inner'}_{side_of(now.influence)}"
            fields = {"agent": now.name, "space": space, "face": "activated" if now.moved else "grey"}
            yield Say("back.counter", fields)


def _counter(agent: Agent) -> tuple[int, bool] | None:
    return None if agent.delivered else (agent.influence, agent.moved)


def _markers(change: Change) -> Iterator[Say]:
    """The number of markers on each agent and in the supply, where it changed."""
    for before, now in zip(change.before.agents, change.now.agents, strict=True):
        if not now.delivered and before.markers != now.markers:
            yield Say("back.markers", {"agent": now.name, "n": now.markers})
    if change.before.markers != change.now.markers:
        yield Say("back.supply", {"n": change.now.markers})


# ---- cards in hand


def _actions(change: Change) -> Iterator[Say]:
    """Action cards that come back from the box, and announced actions that appear or disappear."""
    before, now = change.before, change.now
    for seat in SEATS:
        for name in before.spent[seat][len(now.spent[seat]) :]:
            yield Say(f"back.card.{change.voice(seat)}", {"seat": seat, "name": name})
    was, is_ = (_announced(table) for table in (before, now))
    for key, card in (("draft", was), ("announced", is_)):
        if card and was != is_:
            yield Say(f"back.{key}.{change.voice(card['seat'])}", card)


def _announced(table: DoubleTable) -> dict[str, str] | None:
    """The card of an action that has not been agreed to yet."""
    return {"seat": str(table.turn), "name": table.draft.name} if table.draft else None


def _draws(change: Change) -> Iterator[Say]:
    """Cards that go back on the deck, or must be drawn."""
    for seat in SEATS:
        n = change.now.decks[seat] - change.before.decks[seat]
        if n:
            yield Say(f"{'back.' if n > 0 else ''}draw.{change.voice(seat)}", {"seat": seat, "n": n})


def _given(change: Change) -> Iterator[Say]:
    """Seats whose tokens are no longer assigned."""
    for seat in change.before.assigned:
        if seat not in change.now.assigned:
            yield Say(f"back.given.{change.voice(seat)}", {"seat": seat})


STEPS: tuple[Callable[[Change], Iterator[Say]], ...] = (
    _agents,
    _documents,
    _swaps,
    _counters,
    _markers,
    _actions,
    _draws,
    _given,
)
