"""Instructions for the real table of Agent Hunter after an undo or a correction, worded for one seat."""

from collections.abc import Iterable, Iterator

from referee.core.game import News, Restated, Say, Slice
from referee.core.moves import Seat
from referee.games.agent_hunter.table import HOUSES, SEATS, HunterHand, HunterTable, other

Seen = Slice[HunterTable, HunterHand]
House = tuple[Seat, int, int]  # owner, number, revealed value


def _voice(by: Seat, seen: Seen) -> str:
    return "you" if by == seen.seat else "they"


def _value(table: HunterTable, seat: Seat, house: int) -> int | None:
    return table.sides[seat].houses[house].value


def _rebuilt(before: Seen, now: Seen) -> Iterator[House]:
    """The houses that were destroyed and no longer are."""
    for seat in SEATS:
        for house in HOUSES:
            value = _value(before.table, seat, house)
            if value is not None and _value(now.table, seat, house) is None:
                yield seat, house, value


# ---- after an undo


def put_back(before: Seen, now: Seen) -> tuple[Say, ...]:
    """First decoys, then the cards on destroyed houses, then each side's own houses."""
    rebuilt = tuple(_rebuilt(before, now))
    return (
        *_decoys(before, now),
        *(_lifted(side, house, value, now) for side, house, value in rebuilt),
        *(say for seat in SEATS for say in _houses(before, now, seat, rebuilt)),
    )


def _decoys(before: Seen, now: Seen) -> Iterator[Say]:
    for seat in SEATS:
        for house in HOUSES:
            laid, lies = (seen.table.sides[seat].houses[house].decoys for seen in (before, now))
            if laid > lies:
                about = {"by": seat, "house": house, "n": laid - lies}
                yield Say(f"decoys_back.{_voice(seat, now)}", about)


def _lifted(side: Seat, house: int, card: int, now: Seen) -> Say:
    """Take up the card that lies on a destroyed house."""
    by = other(side)
    return Say(f"lifted.{_voice(by, now)}", {"by": by, "side": side, "house": house, "card": card})


def _houses(before: Seen, now: Seen, seat: Seat, rebuilt: tuple[House, ...]) -> Iterator[Say]:
    if before.table.sides[seat].hidden and not now.table.sides[seat].hidden:
        yield Say(f"picked_up.{_voice(seat, now)}", {"by": seat})
    elif seat == now.seat:
        yield from _own(before, now, seat)
    else:
        yield from _theirs(before, now, seat, rebuilt)


def _own(before: Seen, now: Seen, seat: Seat) -> Iterator[Say]:
    """The seat's own cards: first take up all misplaced ones, then lay each where it was."""
    held, holds = _lying(before, seat), _lying(now, seat)
    changed = [house for house in HOUSES if held[house] != holds[house]]
    for key, cards in (("taken", held), ("laid", holds)):
        for house in changed:
            if cards[house] is not None:
                yield Say(key, {"house": house, "card": cards[house]})
    for side, house, _ in _rebuilt(before, now):
        if side == seat and house not in changed:
            yield Say("rebuilt.you", {"house": house})


def _lying(seen: Seen, seat: Seat) -> dict[int, int | None]:
    """The card in each of the seat's own houses: face down, or face up if the house is destroyed."""
    down = seen.mine().houses
    return {h: down[h] if down[h] is not None else _value(seen.table, seat, h) for h in HOUSES}


def _theirs(before: Seen, now: Seen, seat: Seat, rebuilt: tuple[House, ...]) -> Iterator[Say]:
    """The other side's cards: only that they go back, not which. If a swap was taken back, a house destroyed
    since may have held another card."""
    laid, lies = (seen.table.sides[seat].decoys_left for seen in (before, now))
    for side, house, _ in rebuilt:
        if side == seat:
            yield Say("rebuilt.they" if laid == lies else "stands", {"side": side, "house": house})
    owed = now.table.owed
    if owed and owed.seat == seat and owed != before.table.owed:
        yield Say("emptied", {"by": seat, "house": owed.house})
    if laid != lies or any(side != seat for side, _, _ in rebuilt):
        yield Say("arranged", {"by": seat})


# ---- after a correction


def put_right(before: Seen, now: Seen, restated: tuple[Restated, ...]) -> tuple[Say, ...]:
    """First the changed answers, then the cards to take up, then the cards to lay.

    The real hidden cards were right all along: only cards moved because of an answer change their place.
    """
    return (
        *_answers(restated),
        *_taken_up(before, now, restated),
        *_standing(before, now, restated),
        *_laid_on(now, restated),
    )


def _answers(restated: Iterable[Restated]) -> Iterator[Say]:
    for was, now in _attacks(restated):
        if was.fields["answer"] != now.fields["answer"]:
            about = {name: now.fields[name] for name in ("by", "house", "card")}
            answers = {"was": was.fields["answer"], "now": now.fields["answer"]}
            yield Say("answer", {**about, "side": other(about["by"]), **answers})


def _attacks(restated: Iterable[Restated]) -> Iterator[tuple[News, News]]:
    """The restated attacks, old and new. An attack is always restated as an attack."""
    for _, was, now, _ in restated:
        if was and now and was.kind == "attack":
            yield was, now


def _hits(attack: News) -> bool:
    return bool(attack.fields["answer"] == "reussite")


def _taken_up(before: Seen, now: Seen, restated: tuple[Restated, ...]) -> Iterator[Say]:
    """Take up the cards that lie on a house because of a wrong answer."""
    for was, is_ in _attacks(restated):
        told = was.fields
        if _hits(was) and not _hits(is_):
            side = other(told["by"])
            if told["origin"] == "hand":
                yield _lifted(side, told["house"], told["card"], now)
            else:
                yield _returned(side, told["house"], now)
    for _, laid, lies, _ in restated:
        if laid and laid.kind == "matched" and not (lies and _lies_there(laid, lies)):
            yield _returned(*_matched_on(laid, before.table), now)


def _lies_there(laid: News | None, lies: News) -> bool:
    """Whether the matching card was already laid, wherever it was announced to come from."""
    return laid is not None and laid.kind == "matched" and laid.fields["value"] == lies.fields["value"]


def _returned(side: Seat, house: int, now: Seen) -> Say:
    by = other(side)
    return Say(f"returned.{_voice(by, now)}", {"by": by, "side": side, "house": house})


def _matched_on(matched: News, table: HunterTable) -> tuple[Seat, int]:
    """The destroyed house on which a matching card lies."""
    side, value = other(matched.fields["by"]), matched.fields["value"]
    return side, next(house for house in HOUSES if _value(table, side, house) == value)


def _standing(before: Seen, now: Seen, restated: tuple[Restated, ...]) -> Iterator[Say]:
    """The houses that are no longer destroyed, except one whose card now destroys another house."""
    left = {(is_.fields["by"], is_.fields.get("from")) for _, is_ in _attacks(restated) if _hits(is_)}
    for side, house, _ in _rebuilt(before, now):
        if (side, house) not in left:
            yield Say(f"rebuilt.{_voice(side, now)}", {"side": side, "house": house})


def _laid_on(now: Seen, restated: tuple[Restated, ...]) -> Iterator[Say]:
    """Lay the cards of a hit, or of a miss from a house, that was not announced before."""
    for was, is_ in _attacks(restated):
        if _hits(is_) and not _hits(was):
            told = is_.fields
            yield Say(f"hit.{_voice(told['by'], now)}", {**told, "side": other(told["by"])})
    for _, laid, lies, _ in restated:
        if lies and lies.kind == "matched" and not _lies_there(laid, lies):
            side, lost = _matched_on(lies, now.table)
            about = {**lies.fields, "side": side, "lost": lost}
            yield Say(f"matched.{lies.fields['origin']}.{_voice(lies.fields['by'], now)}", about)
