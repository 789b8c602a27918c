"""The deduction sheet of Espion contre Espion: exactly the squares where the enemy spy can still be."""

from referee.core.game import Aid, News, Possible, Say
from referee.core.moves import Seat
from referee.games.espion_contre_espion.board import ALL, BACK, CAMP, INDEX, SQUARES, names, other, squares
from referee.games.espion_contre_espion.choices import spy_paths
from referee.games.espion_contre_espion.table import SpySlice, SpyTable


def _begun(seen: SpySlice) -> int:
    return _allowed(seen.table, other(str(seen.seat)))


def _seen(there: int, before: SpySlice, now: SpySlice) -> int:
    """The squares that are still possible after a move."""
    for news in now.table.said:
        there = _after(there, news, other(str(now.seat)), before.table, now.table)
    return there


def _possible(there: int, now: SpySlice) -> tuple[Possible, ...]:
    """The possible squares of the enemy's spy, once it is on the board."""
    enemy = other(str(now.seat))
    if enemy not in now.table.hidden:
        return ()
    return (Possible(Say("spy", {"side": enemy}), SQUARES, names(there)),)


def _allowed(table: SpyTable, enemy: Seat) -> int:
    """All squares that the public table allows. The counts apply only until a camera is placed or moved."""
    there = ALL if table.left_camp[enemy] else CAMP[enemy]
    if table.seen and table.step == "camera":
        there = _counted(table, there, table.seen[enemy])
    return there


def _counted(table: SpyTable, there: int, figure: int) -> int:
    return sum(1 << square for square in squares(there) if table.count(square) == figure)


def _after(there: int, news: News, enemy: Seat, before: SpyTable, now: SpyTable) -> int:
    """The squares that are possible after a piece of news."""
    told = news.fields
    match news.kind:
        case "spy_placed" if told["by"] == enemy:
            return BACK[enemy]
        case "killer_moved" if told["by"] != enemy:
            return sum(1 << square for square in squares(there) if not now.is_watched(enemy, square))
        case "spy_moved" if told["by"] == enemy:
            return _moved(there, enemy, before, now)
        case "camera_counts":
            return _counted(now, there, told["seen"][enemy])
        case "guess" if told["by"] != enemy:
            return there & ~(1 << INDEX[told["cell"]])
    return there


def _moved(there: int, enemy: Seat, before: SpyTable, now: SpyTable) -> int:
    """The squares a spy may have reached, given that it was not spotted, did not steal, and left its camp
    only if that was announced."""
    ends = 0
    for square in squares(there):
        for path in spy_paths(now, enemy, square):
            if _unnoticed(path, enemy, now) and _told(path, enemy, before, now):
                ends |= 1 << path[-1]
    return ends


def _unnoticed(path: tuple[int, ...], enemy: Seat, now: SpyTable) -> bool:
    wanted = now.wanted_by(enemy)
    return not any(wanted >> square & 1 or now.is_watched(enemy, square) for square in path)


def _told(path: tuple[int, ...], enemy: Seat, before: SpyTable, now: SpyTable) -> bool:
    """Whether a path agrees with the news: leaving the camp is announced the first time, and only then."""
    leaves = not all(now.is_in_camp(enemy, square) for square in path)
    return before.left_camp[enemy] or leaves == now.left_camp[enemy]


AID = Aid(_begun, _seen, _possible)
