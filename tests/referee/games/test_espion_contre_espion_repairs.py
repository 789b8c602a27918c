"""Espion contre Espion after an undo or a correction: what is said aloud, and what goes back on the board."""

from collections import Counter
from typing import Any

import pytest

from referee.core.game import Say, Slice
from referee.core.match import Match
from referee.core.moves import Seat
from referee.games.espion_contre_espion import ESPION_CONTRE_ESPION
from referee.games.espion_contre_espion.board import INDEX, SEATS
from referee.games.espion_contre_espion.table import SpyTable
from tests.support.rules.espion_contre_espion_language import Spymaster, ready, sit_down
from tests.support.rules.espion_contre_espion_scenes import (
    guessed,
    not_spotted,
    not_stolen,
    nothing_placed,
    spotted_after_all,
    stolen_after_all,
    walked_out,
)
from tests.support.rules.repairs import corrects, instructions, repaired, takes_back, told
from tests.support.soak import games

# ---- taken back


def test_a_spy_goes_back_and_only_its_own_seat_is_told_where() -> None:
    board, ana, _ = ready(ana="B1")
    ana.acts(killer="D4", spy="B2 B3")
    takes_back(board, "dia")
    back = "Ramenez votre espion, à l’abri des regards, sur la case que montre votre secret, plus bas."
    assert told(board, "dia") == [back]
    others = ["Ana ramène son espion sur la case d’où il venait, sur son petit plateau d’aide."]
    assert told(board, "kcb") == told(board) == others


def test_a_whole_turn_that_is_taken_back_brings_every_piece_back() -> None:
    board, ana, bob = ready()
    ana.acts(camera=("column", "B9"), killer="D4", facing="E", spy="A2")
    takes_back(board, "kcb", moves=3)
    assert told(board, "dia") == [
        "Ramenez votre espion, à l’abri des regards, sur la case que montre votre secret, plus bas.",
        "Reprenez votre caméra colonne posée en B9.",
        "Remettez votre tueur à gages en D2, tourné vers la ligne 9.",
    ]
    assert told(board, "kcb")[1:] == [
        "Ana reprend sa caméra colonne posée en B9.",
        "Ana remet son tueur à gages en D2, tourné vers la ligne 9.",
    ]
    assert bob.todo() == ["spy_back.they", "camera_removed.they", "killer_back.they"]


def test_a_camera_that_was_moved_goes_back_where_it_stood() -> None:
    board, ana, _ = ready()
    ana.does("move_camera", **{"from": "A5", "cell": "D5"})
    takes_back(board, "dia")
    assert told(board, "dia") == ["Ramenez votre caméra ligne de D5 en A5."]
    assert told(board, "kcb", "en") == ["Ana moves the row camera back from D5 to A5."]


def test_a_camera_goes_back_only_once_its_square_is_free() -> None:
    """Bob's camera has come to stand where Ana's was: his goes back first."""
    board, ana, bob = ready()
    ana.does("move_camera", **{"from": "A5", "cell": "D5"})
    ana.sends("D4")
    ana.sneaks("A2")
    bob.does("move_camera", **{"from": "H5", "cell": "A5"})
    takes_back(board, "dia", moves=4)
    assert [said for said in told(board) if "caméra" in said] == [
        "Bob ramène sa caméra ligne de A5 en H5.",
        "Ana ramène sa caméra ligne de D5 en A5.",
    ]


def test_a_guess_that_is_taken_back_moves_nothing() -> None:
    board, ana, _ = ready()
    ana.guesses("H8")
    takes_back(board, "dia")
    assert told(board, "dia") == told(board, "kcb") == told(board) == []


def test_the_set_up_is_taken_back_to_its_beginning_buildings_last() -> None:
    board = nothing_placed()
    assert told(board, "dia")[:2] == [
        "Retirez votre espion de votre petit plateau d’aide.",
        "Bob retire son espion de son petit plateau d’aide.",
    ]
    assert told(board)[-4:] == [
        "Ana reprend son bâtiment 1, posé en B3.",
        "Bob reprend son bâtiment 1, posé en B6.",
        "Ana reprend son bâtiment 2, posé en F3.",
        "Bob reprend son bâtiment 2, posé en F6.",
    ]
    assert "Reprenez votre document posé en C1." in told(board, "dia")
    assert "Retirez votre tueur à gages du plateau." in told(board, "dia")


def test_a_building_that_stayed_in_the_box_is_not_taken_back() -> None:
    tile = {"size": [2, 2], "walls": []}
    hall = {"size": [4, 4], "walls": []}
    board, ana, _ = sit_down(buildings=[hall, tile])
    ana.does("place_building", tile=1, cell="B3", rotation=0)
    takes_back(board, "dia")
    assert told(board, "dia") == ["Reprenez votre bâtiment 2, posé en B3."]


# ---- corrected


def heard(player: Spymaster) -> list[tuple[str, Any]]:
    """What was said otherwise than before: its kind, and its fields where it holds now."""
    told_anew = player.table.all_news("restated")
    return [((n["now"] or n["was"])["kind"], n["now"] and n["now"]["fields"]) for n in told_anew]


def test_a_spy_that_left_its_camp_after_all_is_told_with_every_count_since() -> None:
    board, ana, bob = walked_out(typed="G3 G4", meant="H4 H5")
    assert [kind for kind, _ in heard(ana)] == ["left_camp", "camera_counts", "camera_counts"]
    assert board.public["left_camp"]["dia"]
    assert told(board) == [
        "Tour 3, joué par Ana : 2 caméras voyaient l’espion d’Ana, et non 0.",
        "Tour 4, joué par Bob : 2 caméras voyaient l’espion d’Ana, et non 0.",
        "L’espion d’Ana est sorti de son camp.",
    ]
    assert ana.todo() == bob.todo() == ["count", "count", "left_camp"]


def test_a_spy_that_did_not_leave_its_camp_is_told() -> None:
    board, ana, _ = walked_out(typed="H4 H5", meant="G3 G4")
    assert not board.public["left_camp"]["dia"]
    assert told(board, "kcb")[-1] == "L’espion d’Ana n’est pas sorti de son camp."
    assert heard(ana)[0] == ("left_camp", None)


@pytest.mark.parametrize(
    ("typed", "meant", "when"), [("G3 G4", "H4 H5", "earlier"), ("H4 H5", "G3 G4", "later")]
)
def test_a_spy_that_left_its_camp_at_another_time_is_told(typed: str, meant: str, when: str) -> None:
    board, ana, _ = walked_out(typed, meant, and_on=True)
    assert told(board, language="en")[-1] == f"Ana’s spy left its camp {when} than announced."
    assert sorted(kind for kind, _ in heard(ana)).count("left_camp") == 2


def test_a_correction_that_changes_no_count_asks_for_nothing() -> None:
    board, ana, _ = ready(cameras=(("line", "A5"), ("line", "H5"), ("column", "E4"), ("column", "D6")))
    ana.acts(camera=("line", "A6"), killer="D4", spy="A2")
    corrects(board, "dia", entry=2, path=("B1",))
    assert board.kinds() == ["corrected"]
    assert told(board, "dia") == told(board, "kcb") == told(board) == []


def test_a_spy_that_was_not_spotted_walks_on() -> None:
    board = not_spotted()
    assert not board.over
    assert told(board) == ["L’espion d’Ana n’est pas repéré en C4."]


def test_a_spy_that_is_spotted_after_all_must_be_found_there() -> None:
    board = spotted_after_all()
    assert board.result == ("kcb", "spotted")
    assert told(board) == ["Montrez les petits plateaux d’aide : l’espion d’Ana doit être en C4."]


def test_a_document_that_was_not_stolen_stays() -> None:
    board = not_stolen()
    assert not board.over
    assert told(board) == ["L’espion d’Ana n’a pas volé le document en C9."]


def test_a_document_that_is_stolen_after_all_ends_the_game() -> None:
    board = stolen_after_all()
    assert board.result == ("dia", "stolen")
    assert told(board, "kcb") == ["Montrez les petits plateaux d’aide : l’espion d’Ana doit être en C9."]


def test_a_guess_that_was_right_after_all_ends_the_game() -> None:
    board = guessed(typed="A2", meant="B1")
    assert board.result == ("kcb", "guess")
    assert told(board)[-1] == "Montrez les petits plateaux d’aide : l’espion d’Ana doit être en B1."


def test_a_guess_that_was_not_right_lets_the_game_go_on() -> None:
    board = guessed(typed="B1", meant="A2")
    assert not board.over
    assert told(board)[-1] == "Bob avait annoncé B1 : ce n’est pas la bonne case."


# ---- whatever is taken back or corrected


def pieces(seen: Slice[Any, Any]) -> dict[str, Any]:
    """What stands on the real board, and on one's own small board."""
    table = seen.table
    return {
        "cameras": Counter((c.owner, c.kind, c.square) for c in table.cameras),
        "killers": {seat: (k.square, k.facing) for seat, k in table.killers.items() if k},
        "documents": {(seat, square) for seat in SEATS for square in table.documents[seat]},
        "buildings": {(b.owner, b.tile + 1, b.cell) for b in table.buildings},
        "hidden": set(table.hidden),
        "spy": seen.hand.spy if seen.hand else None,
    }


def follow(board: dict[str, Any], say: Say, seat: Seat | None) -> None:
    """Do as one is told; what cannot be done fails."""
    about = say.fields
    by, at = about.get("by", seat), INDEX.get(about.get("cell", ""))
    match say.key.split(".")[0]:
        case "spy_removed":
            board["hidden"].remove(by)
            board["spy"] = None if by == seat else board["spy"]
        case "spy_back":
            board["spy"] = at if by == seat else board["spy"]
        case "camera_removed":
            _remove(board["cameras"], (by, about["camera"], at))
        case "camera_back":
            _remove(board["cameras"], (by, about["camera"], INDEX[about["from"]]))
            board["cameras"][by, about["camera"], at] += 1
        case "killer_removed":
            del board["killers"][by]
        case "killer_back":
            board["killers"][by] = (at, about["facing"])
        case "document_removed":
            board["documents"].remove((by, at))
        case key:
            assert key == "building_removed"
            board["buildings"].remove((by, about["number"], about["cell"]))


def _remove(cameras: Counter[Any], camera: Any) -> None:
    assert cameras[camera]
    cameras[camera] -= 1


def seen_before_and_now(match: Match, seat: Seat | None) -> tuple[Any, Any]:
    assert match.repair and match.state
    return match.repair.before.slice(seat), match.state.slice(seat)


@pytest.mark.parametrize("seat", [None, *SEATS])
def test_whoever_follows_what_is_said_after_an_undo_has_the_board_of_before(seat: Seat | None) -> None:
    followed = 0
    for i in games(4):
        for match in repaired(ESPION_CONTRE_ESPION, f"back/{i}"):
            if match.repair and match.repair.kind == "taken_back":
                before, now = seen_before_and_now(match, seat)
                board, wanted, says = pieces(before), pieces(now), instructions(match, seat)
                if board == wanted:
                    assert all(say.key == "spy_back.they" for say in says)
                for say in says:
                    follow(board, say, seat)
                    board["cameras"] += Counter()
                assert board == wanted
                followed += len(says)
    assert followed > 100


def test_whoever_hears_what_is_said_after_a_correction_has_every_count_right() -> None:
    heard_of = 0
    for i in games(4):
        for match in repaired(ESPION_CONTRE_ESPION, f"right/{i}"):
            if match.repair and match.repair.kind == "corrected":
                before, now = seen_before_and_now(match, None)
                says = instructions(match, None)
                assert says == instructions(match, "dia") == instructions(match, "kcb")
                counts, left = _counted(before.table), dict(before.table.left_camp)
                for say in says:
                    if say.key == "count":
                        counts[say.fields["turn"], say.fields["side"]] = say.fields["n"]
                    elif "left_camp" in say.key:
                        left[say.fields["side"]] = say.key != "not_left_camp"
                wanted = _counted(now.table)
                assert {turn: wanted.get(turn, n) for turn, n in counts.items()} == counts
                assert left == now.table.left_camp
                assert pieces(before) == pieces(now), "no piece moves"
                heard_of += len(says)
    assert heard_of > 20


def _counted(table: SpyTable) -> dict[tuple[int, Seat], int]:
    turns = enumerate(table.turns, 1)
    return {(n, side): turn.seen[side] for n, turn in turns if turn.seen for side in SEATS}
