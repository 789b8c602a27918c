"""The primitive effects that actions consist of: their possible targets, and their effect on the board.

Effects on the board are public, so an action that is still being composed can be previewed from the table
alone. Effects on the hands (peeks and hidden faces) are applied in `position`, when the action happens.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, reduce
from itertools import chain, product
from typing import Any

from referee.core.frozen import replaced
from referee.core.moves import Choice, Choices, Field, Move, One, Seat
from referee.games.agent_double.deck import HIDDEN, Card
from referee.games.agent_double.table import SEATS, Agent, DoubleTable, Effect, File, other, step_toward

Aim = Callable[[DoubleTable, Seat], Iterable[Choice]]


def _names(agents: Iterable[Agent]) -> tuple[str, ...]:
    return tuple([agent.name for agent in agents])


def _at(kind: str, agents: tuple[str, ...], *more: Field) -> Choices:
    """The choice of a primitive that targets one of these agents, if there are any."""
    return (Choice(kind, (One("agent", agents), *more)),) if agents else ()


def _peek(board: DoubleTable, seat: Seat) -> Choices:
    return _at("fx_peek", _names([agent for agent in board.live() if agent.of(other(seat))]))


def _marker(board: DoubleTable, _seat: Seat) -> Choices:
    return _at("fx_marker", _names(board.live()) if board.markers else ())


def _influence(board: DoubleTable, _seat: Seat) -> Iterator[Choice]:
    for seat, toward in TOWARD.items():
        inside = [agent for agent in board.live() if step_toward(agent.influence, seat)]
        yield from _at("fx_influence", _names(inside), toward)


TOWARD = {seat: One("toward", (seat,)) for seat in SEATS}


def _swap_loyalty(board: DoubleTable, _seat: Seat) -> Choices:
    return _swaps(_names(board.live()))


def _swaps(names: tuple[str, ...]) -> Choices:
    pairs = [(a, tuple([b for b in names if b != a])) for a in names]
    return tuple(
        Choice("fx_swap_loyalty", (One("side", SEATS), One("a", (a,)), One("b", others)))
        for a, others in pairs
        if others
    )


def _peek_loyalty(board: DoubleTable, _seat: Seat) -> Choices:
    return _at("fx_peek_loyalty", _names(board.live()))


def _move_file(board: DoubleTable, _seat: Seat) -> Iterator[Choice]:
    """One choice for each agent and sort of back: at most one `?` may lie before an agent."""
    live = board.live()
    for agent in live:
        others = tuple([each for each in live if each is not agent])
        for hidden in (False, True):
            indices = tuple([n for n, file in enumerate(agent.files) if (file.back == HIDDEN) == hidden])
            if not indices:
                continue
            to = tuple([each.name for each in others if not (hidden and each.has_hidden())])
            if to:
                fields = (One("from", (agent.name,)), One("to", to), One("index", indices))
                yield Choice("fx_move_file", fields)


def _remove_file(board: DoubleTable, _seat: Seat) -> Iterator[Choice]:
    for agent in board.live():
        if agent.files:
            yield from _at("fx_remove_file", (agent.name,), One("index", tuple(range(len(agent.files)))))


AIMS: Mapping[str, Aim] = {
    "fx_peek": _peek,
    "fx_marker": _marker,
    "fx_influence": _influence,
    "fx_swap_loyalty": _swap_loyalty,
    "fx_peek_loyalty": _peek_loyalty,
    "fx_move_file": _move_file,
    "fx_remove_file": _remove_file,
}


def aims(board: DoubleTable, seat: Seat) -> Choices:
    """Every primitive with all its targets."""
    return tuple(choice for aim in AIMS.values() for choice in aim(board, seat))


def possible(board: DoubleTable, seat: Seat, effect: Effect) -> Effect | None:
    """This primitive adapted to this board, or None if it is impossible there."""
    there = relocated(board, effect)
    if there is None:
        return None
    move = Move(there.type, there.fields)
    return there if any(choice.permits(move) for choice in AIMS[there.type](board, seat)) else None


# ---- the document that a primitive targets


def named(board: DoubleTable, effect: Effect) -> Effect:
    """The effect with the document that its index refers to on this board."""
    if "index" not in effect.fields:
        return effect
    return replaced(effect, file=_agent(board, _where(effect)).files[effect.fields["index"]])


def _where(effect: Effect) -> str:
    """The agent from which a primitive takes a document."""
    return str(effect.fields.get("from") or effect.fields["agent"])


def relocated(board: DoubleTable, effect: Effect) -> Effect | None:
    """The effect with its fields updated to where its document is on this board. None if it is gone."""
    if effect.file is None:
        return effect
    for agent in board.live():
        if effect.file in agent.files:
            there = {"from" if "from" in effect.fields else "agent": agent.name}
            return replaced(
                effect, fields={**effect.fields, **there, "index": agent.files.index(effect.file)}
            )
    return None


def document_fields(board: DoubleTable, effect: Effect) -> dict[str, Any]:
    """The news fields that describe the document a primitive targets."""
    return describe_document(_agent(board, _where(effect)), effect.file) if effect.file else {}


def describe_document(agent: Agent, file: File) -> dict[str, Any]:
    """A document before an agent: its owner, its back and, if that player has several alike, which one."""
    alike = [each for each in agent.of(file.owner) if each.back == file.back]
    which = {"document": "nth" if len(alike) > 1 else "only", "which": alike.index(file) + 1}
    return {"owner": file.owner, "back": file.back, **which}


# ---- known actions: all targets in one move

NUMBERED = ("target_1", "target_2", "target_3")


def targets(board: DoubleTable, seat: Seat, cards: Iterable[Card]) -> Iterator[tuple[One, ...]]:
    """For each card, one field per primitive that has a possible target. An option lists the target's values
    as text."""
    ways = cache(lambda kind: _ways(board, seat, kind))  # cards share primitives
    for card in cards:
        fields = zip(NUMBERED, card.effect or (), strict=False)
        yield tuple([One(name, ways(kind)) for name, kind in fields if ways(kind)])


def _ways(board: DoubleTable, seat: Seat, kind: str) -> tuple[tuple[str, ...], ...]:
    return tuple(chain.from_iterable(map(_each, AIMS[kind](board, seat))))


def _each(choice: Choice) -> tuple[tuple[str, ...], ...]:
    """Every combination of values that a choice offers."""
    return tuple(product(*(map(str, field.options) for field in choice.fields)))


def aimed(board: DoubleTable, card: Card, move: Move) -> tuple[Effect, ...]:
    """The primitives of a known action with the targets of this move, all chosen on the current board."""
    found = zip(NUMBERED, card.effect or (), strict=False)
    return tuple(named(board, _aimed(kind, move[name])) for name, kind in found if name in move.fields)


def _aimed(kind: str, target: tuple[str, ...]) -> Effect:
    fields = dict(zip(TARGETS[kind], target, strict=True))
    return Effect(kind, {**fields, "index": int(fields["index"])} if "index" in fields else fields)


TARGETS: Mapping[str, tuple[str, ...]] = {
    "fx_peek": ("agent",),
    "fx_marker": ("agent",),
    "fx_influence": ("agent", "toward"),
    "fx_swap_loyalty": ("side", "a", "b"),
    "fx_peek_loyalty": ("agent",),
    "fx_move_file": ("from", "to", "index"),
    "fx_remove_file": ("agent", "index"),
}


# ---- effects on the board


def preview(table: DoubleTable) -> DoubleTable:
    """The board as it would be after the action that is being composed."""
    return reduce(on_board, table.draft.effects, table) if table.draft else table


def on_board(board: DoubleTable, effect: Effect) -> DoubleTable:
    """Apply the public part of a primitive: markers, counters, tokens and face-down documents."""
    fields = effect.fields
    match effect.type:
        case "fx_marker":
            agent = _agent(board, fields["agent"])
            return replaced(
                board.with_agent(replaced(agent, markers=agent.markers + 1)), markers=board.markers - 1
            )
        case "fx_influence":
            agent = _agent(board, fields["agent"])
            space = step_toward(agent.influence, fields["toward"])
            return board if space is None else board.with_agent(replaced(agent, influence=space))
        case "fx_swap_loyalty":
            one, two = _agent(board, fields["a"]), _agent(board, fields["b"])
            side = fields["side"]
            first = replaced(one, tokens={**one.tokens, side: two.tokens[side]})
            second = replaced(two, tokens={**two.tokens, side: one.tokens[side]})
            return board.with_agent(first).with_agent(second)
        case "fx_move_file":
            start, end = _agent(board, fields["from"]), _agent(board, fields["to"])
            end = replaced(end, files=(*end.files, start.files[fields["index"]]))
            return board.with_agent(_without(start, fields["index"])).with_agent(end)
        case "fx_remove_file":
            return board.with_agent(_without(_agent(board, fields["agent"]), fields["index"]))
    return board


def _agent(board: DoubleTable, name: str) -> Agent:
    return board.agents[board.index(name)]


def _without(agent: Agent, index: int) -> Agent:
    return replaced(agent, files=(*agent.files[:index], *agent.files[index + 1 :]))
