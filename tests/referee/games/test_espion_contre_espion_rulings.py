"""Espion contre Espion: what the rulebook leaves open, one test for each ruling and option."""

from typing import Any

import pytest

from referee.core.match import open_match
from referee.core.options import BadOption
from referee.games.espion_contre_espion import ESPION_CONTRE_ESPION
from referee.games.espion_contre_espion.board import Edges, two_steps
from referee.games.espion_contre_espion.tiles import DEFAULT, OURS, fits
from referee.presentation.words import LANGUAGES, words
from tests.support.rules.espion_contre_espion_language import Spymaster, ready, sit_down, watched

WALK = {"dia": ("A2", "A1"), "kcb": ("H8", "H9")}


def to_and_fro(ana: Spymaster, bob: Spymaster, rounds: int, cameras: bool = False) -> None:
    """Both spies walk a step there and back; with `cameras`, each places one per turn."""
    squares = iter(f"{column}{line}" for line in (7, 3) for column in "ABCDEFGH")
    for n in range(rounds):
        for player, cells, facing in ((ana, ("D4", "D2"), "N"), (bob, ("G8", "E8"), "E")):
            kinds = player.offered("place_camera", "kind")
            camera = (kinds[0][-1], next(squares)) if cameras and kinds else None
            player.acts(camera=camera, killer=cells[n % 2], facing=facing, spy=WALK[player.seat][n % 2])


def test_a_camera_is_moved_to_another_square_and_only_ones_own() -> None:
    _, ana, _ = ready()
    assert ana.is_refused("move_camera", **{"from": "A5", "cell": "A5"}) == "camera.still"
    assert ana.is_refused("move_camera", **{"from": "H5", "cell": "D5"}) == "camera.yours"
    assert ana.is_refused("move_camera", **{"from": "D4", "cell": "D5"}) == "camera.yours"
    assert ana.is_refused("place_camera", kind="infrared", cell="D5") == "camera.kind"


def test_with_all_nine_cameras_placed_one_must_be_moved() -> None:
    board, ana, bob = ready(cameras=(("line", "A5"), ("line", "H5"), ("column", "A4"), ("column", "H6")))
    to_and_fro(ana, bob, 7, cameras=True)
    assert sum(board.public["reserve"]["dia"].values()) == 0
    assert ana.may == ["move_camera", "guess"]
    assert ana.is_refused("place_camera", kind="line", cell="D5") == "camera.all"


def test_killers_may_share_a_square_and_pieces_block_nobody() -> None:
    board, ana, bob = ready()
    ana.acts(killer="D4", facing="S", spy="A2")
    bob.acts(killer="E6", facing="N", spy="H8")
    ana.acts(killer="D6", facing="S", spy="A1")
    bob.looks()
    assert "D5" in bob.offered("move_killer", "cell")[0], "past the other killer"
    ana_killer = board.public["killers"]["dia"]["cell"]
    assert ana_killer == "D6"
    assert "D7" in bob.offered("move_killer", "cell")[0]


def test_a_killer_with_nowhere_to_go_stays() -> None:
    boxed_in = Edges(n=1, e=1)
    assert two_steps(boxed_in, 0) == (0,)


@pytest.mark.parametrize(("may", "offered"), [(False, False), (True, True)])
def test_a_spy_may_come_back_only_where_that_was_settled(may: bool, offered: bool) -> None:
    _, ana, _ = ready(spy_may_return=may)
    ana.looks()
    ana.sends("D4")
    assert (("A2", "A1") in ana.offered("move_spy", "path")[0]) == offered


def test_no_path_goes_on_past_an_enemy_document() -> None:
    _, ana, bob = ready()
    for n, path in enumerate(("A2 A3", "A4 A5", "A6 A7", "A8 B8", "C8")):
        ana.acts(killer="D4" if n % 2 == 0 else "D2", spy=path)
        bob.acts(killer="G8" if n % 2 == 0 else "E8", facing="E", spy=WALK["kcb"][n % 2])
    ana.looks()
    ana.sends("D2")
    assert ("C9",) in ana.offered("move_spy", "path")[0]
    assert ana.is_refused("move_spy", path=("C9", "D9")) == "path.document"


def test_passing_through_the_killers_view_counts() -> None:
    board, ana = watched()
    ana.does("move_spy", path=("C3", "C4"))
    assert board.news("spotted") == {"side": "dia", "cell": "C4"}
    board, ana, bob = ready(ana="B1")
    ana.acts(killer="D4", spy="B2 B3")
    bob.acts(killer="E6", facing="S", spy="H8")
    ana.acts(killer="D2", spy="B4")
    bob.acts(killer="C6", facing="W", spy="H9")
    ana.looks()
    ana.sends("D4")
    ana.sneaks("B5 C5")
    assert board.news("spotted") == {"side": "dia", "cell": "B5"}, "C5 itself is out of view"
    assert board.result == ("kcb", "spotted")


def test_spotted_on_the_way_ends_the_walk_there_and_outside_the_camp_is_told_too() -> None:
    board, ana, bob = ready(ana="A1")
    ana.acts(killer="D4", spy="A2 A3")
    bob.acts(killer="E6", facing="E", spy="H8")
    ana.acts(killer="D2", spy="A4")
    bob.acts(killer="C6", facing="W", spy="H9")
    ana.looks()
    ana.sends("D4")
    ana.sneaks("A5 B5")
    assert board.kinds() == ["spy_moved", "left_camp", "spotted", "over"]
    assert board.news("spotted") == {"side": "dia", "cell": "B5"}
    assert ana.spy == "B5"


def test_a_turn_cap_is_a_draw() -> None:
    board, ana, bob = ready(turn_cap=2)
    to_and_fro(ana, bob, 1)
    assert board.result == ("turn_cap",)
    assert board.outcome.draw
    assert board.kinds() == ["spy_moved", "camera_counts", "over"]


def test_without_buildings_documents_come_first() -> None:
    board, _, _ = sit_down(buildings=[])
    assert board.turn == ("dia", "document")


def test_a_tile_that_fits_nowhere_is_skipped_and_told() -> None:
    hall = {"size": [4, 4], "walls": []}
    board, ana, bob = sit_down(buildings=[hall, OURS])
    assert [n.kind for n in board.heard].count("building_skipped") == 2
    assert ana.offered("place_building", "tile")[0] == (1,)
    ana.does("place_building", tile=1, cell="B3", rotation=0)
    bob.does("place_building", tile=1, cell="B6", rotation=0)
    assert board.turn == ("dia", "document")


def test_a_building_must_leave_every_square_within_reach() -> None:
    """A1 and A2 lie between the rim and a long wall: a lid on A3 would shut them in."""
    wall = {"size": [1, 2], "walls": ["A1:W", "A2:W", "A1:S"]}
    lid = {"size": [1, 1], "walls": ["A1:S", "A1:W"]}
    _, ana, bob = sit_down(buildings=[wall, lid])
    ana.does("place_building", tile=0, cell="B1", rotation=0)
    bob.does("place_building", tile=1, cell="A6", rotation=0)
    assert ana.is_refused("place_building", tile=1, cell="A3", rotation=0) == "building.reach"


def test_a_building_out_of_turn_or_that_is_none_is_refused() -> None:
    _, ana, bob = sit_down()
    assert ana.is_refused("place_building", tile=5, cell="B3", rotation=0) == "tile"
    assert ana.is_refused("place_building", tile=0, cell="B3", rotation=7) == "rotation"
    assert ana.is_refused("place_building", tile=0, cell="J3", rotation=0) == "square"
    assert bob.is_refused("place_building", tile=0, cell="B6", rotation=0) == "refusal.not_your_turn"


BAD_BUILDINGS: dict[str, list[Any]] = {
    "tiles.two": [None, {}, (), [OURS], [OURS] * 3],
    "tiles.form": [
        [OURS, None],
        [OURS, {"size": [2, 2]}],
        [OURS, {"size": [2, 2], "walls": [], "name": "x"}],
        [OURS, {"size": [2], "walls": []}],
        [OURS, {"size": [2, 2], "walls": "A1:N"}],
    ],
    "tiles.size": [[OURS, {"size": size, "walls": []}] for size in ([0, 2], [5, 2], [True, 2], [2.0, 2])],
    "tiles.walls": [
        [OURS, {"size": [2, 2], "walls": walls}]
        for walls in (["A1:X"], ["C1:N"], ["A1:N", "A1:N"], ["A1:N", "A2:S"], [["A1:N"]])
    ],
    "tiles.doors": [[OURS, {"size": [n, 1], "walls": ["A1:N", "A1:E", "A1:S", "A1:W"]}] for n in (1, 2)],
}


@pytest.mark.parametrize(
    ("rule", "buildings"), [(rule, bad) for rule, all_bad in BAD_BUILDINGS.items() for bad in all_bad]
)
def test_buildings_that_cannot_be_are_refused_by_the_name_of_the_rule(rule: str, buildings: Any) -> None:
    with pytest.raises(BadOption) as refused:
        open_match("KX7QF", ESPION_CONTRE_ESPION, {"buildings": buildings}, "00" * 32)
    assert refused.value.why
    assert refused.value.why.key == rule
    assert all(
        words(language).say(f"espion_contre_espion.why.{rule}", refused.value.why.fields)
        for language in LANGUAGES
    )


def test_an_inner_wall_may_be_named_from_either_side() -> None:
    assert fits([{"size": [2, 1], "walls": ["A1:E"]}, {"size": [2, 1], "walls": ["B1:W"]}])
    assert fits(DEFAULT)


def test_a_corrected_spy_is_counted_anew() -> None:
    board, ana, _ = ready(cameras=(("column", "A5"), ("line", "H5"), ("line", "G4"), ("panoramic", "H6")))
    ana.looks()
    ana.sends("D4")
    ana.sneaks("A2")
    assert board.public["seen"]["dia"] == 1
    (n,) = [told.n for told in board.match.news if told.news.kind == "spy_moved"]
    board.asks("dia", "correct", n=n, fields={"path": ("B1",)})
    assert board.match.question is not None
    assert board.match.question.reveals, "the counts were told"
    board.answers("kcb")
    assert ana.spy == "B1"
    assert board.public["seen"]["dia"] == 0
    assert board.kinds() == ["corrected", "restated"]
    anew = board.news("restated")
    assert anew["was"] == {"kind": "camera_counts", "fields": {"seen": {"dia": 1, "kcb": 1}}}
    assert anew["now"] == {"kind": "camera_counts", "fields": {"seen": board.public["seen"]}}


def test_moves_out_of_order_in_the_set_up_are_refused_by_name() -> None:
    _, ana, _ = sit_down()
    assert ana.is_refused("place_document", cell="A1") == "order.building"
    _, ana, _ = sit_down(buildings=[])
    assert ana.is_refused("guess", cell="A1") == "order.document"
