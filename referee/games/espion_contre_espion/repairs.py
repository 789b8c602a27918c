"""Instructions for the real board of Espion contre Espion after an undo or a correction, for one seat."""

from collections.abc import Iterable, Iterator

from referee.core.game import News, Restated, Say
from referee.core.moves import Seat
from referee.games.espion_contre_espion.board import SEATS, SQUARES
from referee.games.espion_contre_espion.table import Camera, SpySlice, SpyTable
from referee.games.espion_contre_espion.todo import found

LEFT_CAMP = {  # the restatements in order: True if the news is added, False if it is removed
    (True,): "left_camp",
    (False,): "not_left_camp",
    (False, True): "left_camp_later",
    (True, False): "left_camp_earlier",
}


def _voice(by: Seat, seen: SpySlice) -> str:
    return "you" if by == seen.seat else "they"


# ---- after an undo


def put_back(before: SpySlice, now: SpySlice) -> tuple[Say, ...]:
    """Buildings come last, since pieces may stand on them."""
    return (
        *_spies(before, now),
        *_cameras(before, now),
        *_killers(before, now),
        *_documents(before, now),
        *_buildings(before, now),
    )


def _spies(before: SpySlice, now: SpySlice) -> Iterator[Say]:
    """Only a spy's own seat is told the square it goes back to."""
    for seat in SEATS:
        is_own = seat == now.seat
        if seat in before.table.hidden - now.table.hidden:
            yield Say(f"spy_removed.{_voice(seat, now)}", {"by": seat})
        elif is_own and before.mine().spy != (spy := now.mine().spy) and spy is not None:
            yield Say("spy_back.you", {"cell": SQUARES[spy]})
        elif not is_own and _walks(before.table, seat) != _walks(now.table, seat):
            yield Say("spy_back.they", {"by": seat})


def _walks(table: SpyTable, seat: Seat) -> int:
    """How often a spy has moved: once in every turn of its side without a guess."""
    return sum(turn.by == seat and turn.guess is None for turn in table.turns)


def _cameras(before: SpySlice, now: SpySlice) -> Iterator[Say]:
    """Cameras are stored in the order in which they were placed, and keep their index when moved."""
    stay = len(now.table.cameras)
    for camera in before.table.cameras[stay:]:
        told = {"by": camera.owner, "camera": camera.kind, "cell": SQUARES[camera.square]}
        yield Say(f"camera_removed.{_voice(camera.owner, now)}", told)
    for stood, stands in _one_by_one(zip(before.table.cameras[:stay], now.table.cameras, strict=True)):
        cells = {"from": SQUARES[stood.square], "cell": SQUARES[stands.square]}
        told = {"by": stands.owner, "camera": stands.kind, **cells}
        yield Say(f"camera_back.{_voice(stands.owner, now)}", told)


def _one_by_one(cameras: Iterable[tuple[Camera, Camera]]) -> Iterator[tuple[Camera, Camera]]:
    """The moved cameras, each when its target square is free; in a cycle, the first one anyway."""
    moved = [(stood, stands) for stood, stands in cameras if stood != stands]
    while moved:
        taken = {stood.square for stood, _ in moved}
        free = next((pair for pair in moved if pair[1].square not in taken), moved[0])
        moved.remove(free)
        yield free


def _killers(before: SpySlice, now: SpySlice) -> Iterator[Say]:
    for seat in SEATS:
        stood, stands = before.table.killers[seat], now.table.killers[seat]
        if stands is None and stood is not None:
            yield Say(f"killer_removed.{_voice(seat, now)}", {"by": seat})
        elif stands is not None and stood != stands:
            told = {"by": seat, "cell": SQUARES[stands.square], "facing": stands.facing}
            yield Say(f"killer_back.{_voice(seat, now)}", told)


def _documents(before: SpySlice, now: SpySlice) -> Iterator[Say]:
    for seat in SEATS:
        for square in before.table.documents[seat][len(now.table.documents[seat]) :]:
            yield Say(f"document_removed.{_voice(seat, now)}", {"by": seat, "cell": SQUARES[square]})


def _buildings(before: SpySlice, now: SpySlice) -> Iterator[Say]:
    for building in before.table.buildings[len(now.table.buildings) :]:
        told = {"by": building.owner, "number": building.tile + 1, "cell": building.cell}
        yield Say(f"building_removed.{_voice(building.owner, now)}", told)


# ---- after a correction


def put_right(before: SpySlice, now: SpySlice, restated: tuple[Restated, ...]) -> tuple[Say, ...]:
    """News about the spies that was wrong. No piece moves: the real spy was in the right place all along."""
    return (*_counts(before.table, now.table), *_left_camp(restated), *_found(restated))


def _counts(before: SpyTable, now: SpyTable) -> Iterator[Say]:
    """Every turn whose camera counts differ from those announced."""
    for n, (was, is_) in enumerate(zip(before.turns, now.turns, strict=False), 1):
        if was.seen and is_.seen:
            for side in SEATS:
                if was.seen[side] != is_.seen[side]:
                    told = {"turn": n, "by": is_.by, "side": side, "was": was.seen[side]}
                    yield Say("count", {**told, "n": is_.seen[side]})


def _left_camp(restated: Iterable[Restated]) -> Iterator[Say]:
    """That a spy left its camp, that it did not, or that it did so earlier or later."""
    for side in SEATS:
        about = News("left_camp", {"side": side})
        holds = tuple(now == about for _, was, now, _ in restated if about in (was, now))
        if holds:
            yield Say(LEFT_CAMP[holds], {"side": side})


def _found(restated: Iterable[Restated]) -> Iterator[Say]:
    """Whether a spy was spotted, stole a document or was guessed."""
    for _, was, now, _ in restated:
        if was and was.kind in ("spotted", "stolen") and now is None:
            yield Say(f"not_{was.kind}", was.fields)
        if was and was.kind == "guess" and was.fields["right"]:
            yield Say("not_guessed", was.fields)
        if now and now.kind in ("spotted", "stolen", "guess"):
            yield from found(now)
