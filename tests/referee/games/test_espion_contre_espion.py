"""Espion contre Espion: one test for each paragraph of the rulebook, in its order and named after it."""

from importlib import import_module

import pytest

from referee.games.espion_contre_espion import ESPION_CONTRE_ESPION
from referee.games.espion_contre_espion.board import INDEX
from referee.presentation.papers import score_sheet
from referee.presentation.sheets import Block, Paragraph, Row
from referee.presentation.words import words
from referee.program.simulate import opened, steps
from tests.support.rules.espion_contre_espion_language import ready, sit_down, watched, with_buildings

# ---- Matériel


def test_materiel_a_board_of_8_by_9() -> None:
    _, ana, _ = ready()
    (cells,) = ana.offered("guess", "cell")
    assert len(cells) == 72
    assert {cells[0], cells[-1]} == {"A1", "H9"}


def test_materiel_what_each_of_two_players_has() -> None:
    assert ESPION_CONTRE_ESPION.seats({}) == ("dia", "kcb")
    board, ana, _ = sit_down()
    full = {"column": 2, "line": 2, "panoramic": 5}
    assert board.public["reserve"] == {"dia": full, "kcb": full}
    assert {tile for tiles in ana.offered("place_building", "tile") for tile in tiles} == {0, 1}


# ---- Mise en place


def test_mise_en_place_buildings_in_turn_in_ones_own_camp() -> None:
    board, ana, bob = sit_down()
    assert board.turn == ("dia", "building")
    ana.does("place_building", tile=0, cell="B3", rotation=0)
    assert board.turn == ("kcb", "building")
    assert bob.is_refused("place_building", tile=0, cell="B2", rotation=0) == "building.place"
    assert bob.is_refused("place_building", tile=0, cell="B5", rotation=0) == "building.place"
    bob.does("place_building", tile=1, cell="B6", rotation=0)
    assert ana.is_refused("place_building", tile=0, cell="F3", rotation=0) == "tile"
    ana.does("place_building", tile=1, cell="F3", rotation=0)
    bob.does("place_building", tile=0, cell="F6", rotation=0)
    assert board.turn == ("dia", "document")


def test_mise_en_place_buildings_have_walls_and_doors() -> None:
    board, ana, _ = sit_down()
    ana.does("place_building", tile=0, cell="B3", rotation=0)
    assert board.public["walls"] == ["B2:N", "C2:N", "C3:E", "A4:E", "B4:N", "C4:E"]
    assert board.news("building_placed") == {"by": "dia", "tile": 0, "cell": "B3", "rotation": 0}
    assert ana.todo() == ["building_placed.0"]


def test_mise_en_place_no_door_may_be_blocked() -> None:
    _, ana, bob = sit_down()
    assert ana.is_refused("place_building", tile=0, cell="A3", rotation=0) == "building.door", "by the rim"
    ana.does("place_building", tile=0, cell="B3", rotation=0)
    bob.does("place_building", tile=0, cell="B6", rotation=0)
    assert ana.is_refused("place_building", tile=1, cell="D3", rotation=0) == "building.door", "by a building"
    assert ana.is_refused("place_building", tile=1, cell="B3", rotation=0) == "building.place", "not on it"


def test_mise_en_place_documents_on_both_sides_of_the_qg() -> None:
    board, ana, bob = sit_down(buildings=[])
    assert board.turn == ("dia", "document")
    (cells,) = ana.offered("place_document", "cell")
    assert set(cells) == {f"{column}{line}" for column in "ABCFGH" for line in (1, 2)}
    ana.does("place_document", cell="B2")
    assert set(bob.offered("place_document", "cell")[0]) == {f"{c}{n}" for c in "ABCFGH" for n in (8, 9)}
    bob.does("place_document", cell="H9")
    assert ana.is_refused("place_document", cell="A1") == "document.side"
    assert ana.is_refused("place_document", cell="D1") == "document.lines"
    assert ana.is_refused("place_document", cell="F3") == "document.lines"
    ana.does("place_document", cell="F1")
    bob.does("place_document", cell="A8")
    assert board.public["documents"] == {"dia": ["B2", "F1"], "kcb": ["H9", "A8"]}
    assert board.turn == ("dia", "killer")


def test_mise_en_place_the_killer_in_the_qg_then_two_cameras_anywhere() -> None:
    board, ana, bob = sit_down(buildings=[])
    for player, cell in ((ana, "B2"), (bob, "H9"), (ana, "F1"), (bob, "A8")):
        player.does("place_document", cell=cell)
    assert set(ana.offered("place_killer", "cell")[0]) == {"D1", "E1", "D2", "E2"}
    assert ana.is_refused("place_killer", cell="D3", facing="N") == "qg"
    assert ana.is_refused("place_killer", cell="D2", facing="X") == "facing"
    ana.does("place_killer", cell="D2", facing="N")
    bob.does("place_killer", cell="E8", facing="S")
    assert board.public["killers"]["kcb"] == {"cell": "E8", "facing": "S"}
    for player, cell in ((ana, "H9"), (bob, "A1"), (ana, "D5"), (bob, "E5")):
        assert board.turn == (player.seat, "set_camera")
        assert player.may == ["place_camera"]
        player.does("place_camera", kind="panoramic", cell=cell)
    assert board.turn == (None, "spy")


def test_mise_en_place_the_spies_hide_on_their_back_lines() -> None:
    board, ana, bob = ready()
    assert (ana.spy, bob.spy) == ("A1", "H9")
    board, ana, bob = sit_down(buildings=[])
    while board.public["step"] != "spy":
        seat = board.match.seen_by().waiting_for[0]
        player = ana if seat == "dia" else bob
        choice = board.match.choices[seat][0]
        player.does(choice.type, **{f.name: f.options[0] for f in choice.fields})
    assert ana.offered("place_spy", "cell") == [tuple(f"{column}1" for column in "ABCDEFGH")]
    assert bob.offered("place_spy", "cell") == [tuple(f"{column}9" for column in "ABCDEFGH")]
    assert bob.is_refused("place_spy", cell="A8") == "back_line"
    bob.does("place_spy", cell="C9")
    assert [(n.kind, dict(n.fields)) for n in board.heard] == [("spy_placed", {"by": "kcb"})]
    assert bob.may == []
    ana.does("place_spy", cell="D1")
    assert board.turn == ("dia", "camera")
    assert board.public["seen"] is None


@pytest.mark.parametrize("first", ["dia", "kcb"])
def test_mise_en_place_the_first_player_begins_every_step(first: str) -> None:
    board, ana, bob = sit_down(first=first)
    assert board.turn == (first, "building")
    steps: dict[str, list[str | None]] = {}
    while board.public["turn"] or board.public["step"] == "spy":
        seat = board.match.seen_by().waiting_for[0]
        steps.setdefault(board.public["step"], []).append(board.public["turn"])
        choice = board.match.choices[seat][0]
        (ana if seat == "dia" else bob).does(choice.type, **{f.name: f.options[0] for f in choice.fields})
        if board.public["step"] == "camera":
            break
    other = "kcb" if first == "dia" else "dia"
    assert steps["building"] == steps["document"] == steps["set_camera"] == [first, other] * 2
    assert steps["killer"] == [first, other]
    assert board.turn == (first, "camera")


# ---- Déroulement


def test_deroulement_choice_1_camera_killer_spy_counts_in_this_order() -> None:
    board, ana, bob = ready()
    assert ana.may == ["place_camera", "move_camera", "guess"]
    assert ana.is_refused("move_killer", cell="D4", facing="N") == "order.camera"
    assert ana.is_refused("move_spy", path=("A2",)) == "order.camera"
    ana.looks(("column", "B5"))
    assert ana.may == ["move_killer"]
    assert ana.is_refused("guess", cell="D4") == "guess"
    ana.sends("D4")
    assert ana.may == ["move_spy"]
    ana.sneaks("A2 A3")
    assert board.kinds() == ["spy_moved", "camera_counts", "turn"]
    assert bob.may == ["place_camera", "move_camera", "guess"]


def test_deroulement_choice_1_both_counts_are_told() -> None:
    board, ana, _ = ready()
    ana.acts(camera=("line", "B9"), killer="D4", spy="A2 A3")
    assert board.news("camera_counts") == {"seen": {"dia": 1, "kcb": 1}}
    assert board.public["seen"] == {"dia": 1, "kcb": 1}


def test_deroulement_choice_2_a_right_guess_wins() -> None:
    board, ana, _ = ready(bob="G9")
    assert ana.guesses("G9")
    assert board.result == ("dia", "guess")
    assert ana.todo() == ["found"]


def test_deroulement_choice_2_a_wrong_guess_ends_the_turn_without_counts() -> None:
    board, ana, bob = ready(bob="G9")
    assert not ana.guesses("H9")
    assert board.kinds() == ["guess", "turn"]
    assert board.turn == ("kcb", "camera")
    assert ana.is_refused("guess", cell="G9") == "refusal.not_your_turn"
    assert bob.may == ["place_camera", "move_camera", "guess"]


# ---- I Caméras


def test_cameras_three_kinds_and_only_the_total_is_told() -> None:
    """The example of the rules: six cameras and three squares."""
    cameras = (("column", "D9"), ("line", "H5"), ("panoramic", "E6"), ("panoramic", "C4"))
    board, ana, bob = ready(ana="A1", bob="H9", cameras=cameras)
    ana.looks(("column", "A1"))
    ana.sends("C3", "N")
    ana.sneaks("B1")
    bob.looks(("line", "A2"))
    counts = {cell: board.state.table.count(INDEX[cell]) for cell in ("D5", "E5", "G7")}
    assert counts == {"D5": 4, "E5": 2, "G7": 0}


def test_cameras_are_not_stacked() -> None:
    _, ana, _ = ready()
    assert ana.is_refused("place_camera", kind="line", cell="H5") == "camera.stacked"
    assert ana.is_refused("move_camera", **{"from": "A5", "cell": "H6"}) == "camera.stacked"


def test_cameras_stand_on_anything_else() -> None:
    _, ana, _ = ready()
    (cells,) = ana.offered("place_camera", "cell")
    assert {"D2", "E8", "C9", "F1", "A1"} <= set(cells)
    assert len(cells) == 68


def test_cameras_one_placed_already_may_be_moved_instead() -> None:
    board, ana, _ = ready()
    assert ana.offered("move_camera", "from") == [("A4", "A5")]
    ana.does("move_camera", **{"from": "A5", "cell": "D5"})
    assert board.news("camera_moved") == {"by": "dia", "camera": "line", "from": "A5", "cell": "D5"}
    assert board.turn == ("dia", "move_killer")


def test_cameras_a_sixth_panoramic_is_not_there() -> None:
    board, ana, bob = ready()
    ana_walks, bob_walks = ["A2", "A1"] * 4, ["H8", "H9"] * 4
    for n, cell in enumerate(("B3", "B5", "B7", "C6")):
        ana.acts(camera=("panoramic", cell), killer="D4" if n % 2 == 0 else "D2", spy=ana_walks[n])
        bob.acts(killer="E6" if n % 2 == 0 else "E8", facing="E", spy=bob_walks[n])
    assert board.public["reserve"]["dia"]["panoramic"] == 0
    assert ana.offered("place_camera", "kind") == [("column", "line")]
    assert ana.is_refused("place_camera", kind="panoramic", cell="D5") == "camera.none"


# ---- II Tueur à gages


def test_tueur_moves_exactly_two_squares_and_turns_freely() -> None:
    _, ana, _ = ready()
    ana.looks()
    assert set(ana.offered("move_killer", "cell")[0]) == {"D4", "C3", "E3", "B2", "F2", "C1", "E1"}
    assert ana.offered("move_killer", "facing") == [("N", "E", "S", "W")]
    for cell in ("D2", "D3", "D5"):
        assert ana.is_refused("move_killer", cell=cell, facing="N") == "two_squares"


def test_tueur_the_enemy_spy_in_view_is_spotted() -> None:
    board, ana, bob = ready(bob="H9")
    ana.acts(killer="D4", spy="A2")
    bob.acts(killer="E6", facing="E", spy="G9 F9")
    ana.acts(killer="D6", spy="A1")
    bob.acts(killer="G6", facing="E", spy="E9")
    ana.looks()
    ana.sends("D8", "N")
    assert board.kinds() == ["killer_moved", "spotted", "over"]
    assert board.news("spotted") == {"side": "kcb", "cell": "E9"}
    assert board.result == ("dia", "spotted")


# ---- III Espion


def test_espion_moves_one_or_two_squares_orthogonally() -> None:
    _, ana, _ = ready(ana="A1")
    ana.looks()
    ana.sends("D4")
    paths = ana.offered("move_spy", "path")[0]
    assert set(paths) == {("A2",), ("B1",), ("A2", "A3"), ("A2", "B2"), ("B1", "B2"), ("B1", "C1")}
    assert ana.is_refused("move_spy", path=()) == "path.length"
    assert ana.is_refused("move_spy", path=("A2", "A3", "A4")) == "path.length"
    assert ana.is_refused("move_spy", path=("B2",)) == "path.step"
    assert ana.is_refused("move_spy", path=("A2", "A1")) == "path.return"
    assert ana.is_refused("move_spy", path=("Z9",)) == "square"


def test_espion_goes_through_doors_not_through_walls() -> None:
    """Building on B3 B4 C3 C4 with doors A3|B3 and C4|C5."""
    board, ana, bob = with_buildings("line", ("D4", "E5", "A9", "H1"), ("B1", "G9"))
    ana.acts(spy="B2", killer="D4")
    bob.acts(spy="G8", killer="E6")
    ana.looks()
    ana.sends("D2")
    assert ana.is_refused("move_spy", path=("B3",)) == "path.wall"
    ana.sneaks("A2 A3")
    bob.acts(spy="G9", killer="E8", facing="S")
    ana.acts(spy="B3 C3", killer="D4")
    assert ana.spy == "C3"
    assert board.public["turn"] == "kcb"


def test_espion_leaving_its_camp_is_told_once() -> None:
    board, ana, bob = ready()
    ana.acts(killer="D4", spy="A2 A3")
    bob.acts(killer="E6", facing="E", spy="H8")
    ana.acts(killer="D2", spy="A4 A5")
    assert board.kinds() == ["spy_moved", "left_camp", "camera_counts", "turn"]
    assert board.public["left_camp"] == {"dia": True, "kcb": False}
    bob.acts(killer="E8", facing="E", spy="H9")
    ana.acts(killer="D4", spy="A4")
    bob.acts(killer="E6", facing="E", spy="H8")
    ana.acts(killer="D2", spy="A5")
    assert board.kinds() == ["spy_moved", "camera_counts", "turn"]


def test_espion_what_the_others_hear_of_a_move_is_the_same_wherever_it_goes() -> None:
    heard = set()
    for path in ("A2", "B1", "A2 A3", "B1 B2"):
        board, ana, _ = ready(cameras=(("line", "A9"), ("line", "H8"), ("line", "A7"), ("line", "H6")))
        ana.acts(killer="D4", spy=path)
        heard.add(repr(board.heard))
    assert len(heard) == 1


# ---- Aides et précisions


def test_aides_a_killer_is_not_a_camera() -> None:
    board, ana, _ = ready(ana="C1", cameras=(("line", "A9"), ("line", "H8"), ("line", "A7"), ("line", "H6")))
    ana.acts(killer="C3", facing="S", spy="C2")
    assert board.public["seen"]["dia"] == 0


def test_aides_the_killer_detects_nothing_on_its_way() -> None:
    """From D4 to D6 it passes below E6's neighbours; standing there it looks the other way."""
    board, ana, bob = ready(bob="D9")
    ana.acts(killer="D4", spy="A2")
    bob.acts(killer="G8", facing="E", spy="D8 D7")
    ana.acts(killer="E5", facing="S", spy="A1")
    assert board.public["turn"] == "kcb"


def test_aides_a_spy_must_not_walk_into_the_killers_view() -> None:
    board, ana = watched()
    ana.sneaks("B4 C4")
    assert board.news("spotted") == {"side": "dia", "cell": "C4"}
    assert board.result == ("kcb", "spotted")


# ---- Fin de partie


def test_fin_de_partie_a_stolen_document_wins() -> None:
    board, ana, bob = ready(ana="A1", bob="H9")
    ana_way = ("A2 A3", "A4 A5", "A6 A7", "A8 B8", "C8 C9")
    bob_way = ("H8", "H9", "H8", "H9")
    for n, path in enumerate(ana_way):
        ana.acts(killer="D4" if n % 2 == 0 else "D2", spy=path)
        if n < len(bob_way):
            bob.acts(killer="G8" if n % 2 == 0 else "E8", facing="E", spy=bob_way[n])
    assert board.kinds() == ["spy_moved", "stolen", "over"]
    assert board.news("stolen") == {"by": "dia", "cell": "C9"}
    assert board.result == ("dia", "stolen")
    assert ana.todo() == ["spy_moved", "found"]
    debrief = ESPION_CONTRE_ESPION.debrief(board.state)
    assert debrief["dia"]["first"] == {"spy": "A1"}
    assert debrief["dia"]["end"] == {"spy": "C9"}
    assert [turn["path"] for turn in debrief["dia"]["turns"]] == [path.split() for path in ana_way]


# ---- very long games


def test_the_paper_of_a_very_long_game_has_its_latest_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are counted: `espion_contre_espion.sheet.earlier`."""
    *_, last = steps(opened(ESPION_CONTRE_ESPION, "long", {}), "long")
    seen = last.match.seen_by()
    whole = [*score_sheet(seen, words("en"), "now")]
    monkeypatch.setattr(import_module("referee.games.espion_contre_espion.sheet"), "LATEST", 3)
    short = [*score_sheet(seen, words("en"), "now")]
    turns = [[block for block in page if _is_turn(block)] for page in (whole, short)]
    assert len(turns[0]) > 3
    assert turns[1] == turns[0][-3:]
    earlier = f"{len(turns[0]) - 3} earlier turns: see the game step by step."
    assert [block for block in short if block not in whole][-1] == Paragraph(earlier)


def _is_turn(block: Block) -> bool:
    return isinstance(block, Row) and block.left.partition(".")[0].isdecimal()
