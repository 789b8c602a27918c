"""Instructions for the real table of Agent Avenue after an undo or a correction, worded for one seat."""

from collections.abc import Iterator

from referee.core.game import Restated, Say, Slice
from referee.core.moves import Seat
from referee.games.agent_avenue.cards import SIDES, space
from referee.games.agent_avenue.table import FACE_DOWN, FACE_UP, AvenueHand, AvenueTable, Went

AvenueSlice = Slice[AvenueTable, AvenueHand]

MIDDLE = (FACE_UP, FACE_DOWN)
TO_HAND = {"face_up": "shown", "face_down": "hidden", "zone": "recruit", "discard": "discard"}


# ---- after an undo


def put_back(before: AvenueSlice, now: AvenueSlice) -> tuple[Say, ...]:
    """Each pawn goes to its space; each card goes back where it came from, in reverse order."""
    undone = before.table.went[len(now.table.went) :]
    cards = (_back(went, now.seat) for went in reversed(_whole_ways(undone)))
    return (*_pawns(before.table, now.table), *cards)


def _pawns(before: AvenueTable, now: AvenueTable) -> Iterator[Say]:
    for side in SIDES:
        was, to = (space(side, table.teams[side].progress) for table in (before, now))
        if was != to:
            yield Say("put", {"side": side, "to": to})


def _whole_ways(undone: tuple[Went, ...]) -> list[Went]:
    """Merge successive moves of the same card: an agent's through the middle, all of a market card's."""
    ways: list[Went] = []
    for went in undone:
        at = next((i for i, way in enumerate(ways) if _goes_on(way, went)), None)
        if at is None:
            ways.append(went)
        else:
            ways[at] = Went(went.card, ways[at].source, went.to)
    return [way for way in ways if way.source != way.to]


def _goes_on(way: Went, went: Went) -> bool:
    """Whether `went` continues the way of the same card. In a zone or a hand a card cannot be told apart."""
    if went.source in MIDDLE:
        return way.to == went.source
    return went.source.kind in ("row", "pending") and way.card == went.card


def _back(way: Went, seat: Seat | None) -> Say:
    """The instruction to move a card back, in the second person for the seat that moves it."""
    source, to = way.source, way.to
    match source.kind:
        case "deck" if to.kind == "hand":
            return _voiced("drawn", to.whose, seat, n=way.n)
        case "deck" | "face_up" | "face_down":
            return Say(f"back.{source.kind}", {"agent": way.card, "side": to.whose})
        case "hand":
            return _voiced(TO_HAND[to.kind], source.whose, seat, agent=way.card, side=to.whose)
        case "zone":
            return _voiced("given", to.whose, seat, agent=way.card, side=source.whose)
        case "pending":
            return _voiced("pending", source.whose, seat, card=way.card)
    return Say(f"back.{source.kind}", {"card": way.card})


def _voiced(key: str, whose: Seat, seat: Seat | None, **fields: object) -> Say:
    return Say(f"back.{key}.{'you' if whose == seat else 'they'}", {"seat": whose, **fields})


# ---- after a correction


def put_right(before: AvenueSlice, now: AvenueSlice, restated: tuple[Restated, ...]) -> tuple[Say, ...]:
    """The real card was in play all along: which agent it is, and the consequences for pawns and market."""
    pawns, market = _pawns(before.table, now.table), _market(before.table, now)
    return (*_answers(restated), *pawns, *market)


def _answers(restated: tuple[Restated, ...]) -> Iterator[Say]:
    """Recruits that differ from those announced, and effects of Getaway Car that appear or disappear."""
    for _, was, now, _ in restated:
        told = now or was
        assert told is not None
        if was and now and was.kind == now.kind == "recruited":
            if was.fields["agent"] != now.fields["agent"]:
                yield Say("right.recruit", {**now.fields, "was": was.fields["agent"]})
        elif told.kind == "market_effect" and told.fields["result"] == "drives_on":
            yield Say("right.effect" if now else "right.no_effect", told.fields)


def _market(before: AvenueTable, seen: AvenueSlice) -> Iterator[Say]:
    """Market cards that a side now takes or no longer takes, and effects that appear or disappear."""
    now = seen.table
    yield from (Say("right.market", {"side": side}) for side in now.landed if side not in before.landed)
    yield from (Say("right.no_market", {"side": side}) for side in before.landed if side not in now.landed)
    if now.resolving and now.resolving != before.resolving:
        yield _voiced("pending", now.resolving.seat, seen.seat, card=now.resolving.card)
    if before.resolving and now.resolving != before.resolving:
        yield Say("used", {"card": before.resolving.card})
