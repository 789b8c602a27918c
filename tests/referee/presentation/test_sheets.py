"""Sheets: no line is wider than the paper, nothing is lost, and blocks survive JSON."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.fairness.commitments import short
from referee.games import GAMES
from referee.presentation.papers import join_slips, score_sheet
from referee.presentation.sheets import (
    Block,
    Code,
    Cut,
    Gap,
    Heading,
    Paragraph,
    Picture,
    Printed,
    PrintedLine,
    Row,
    Rule,
    from_wire,
    lay_out,
    to_wire,
)
from referee.presentation.words import LANGUAGES, words
from referee.program.simulate import opened, steps
from tests.support.soak import examples, games

texts = st.text(max_size=120) | st.text("abc   é«»œ€’\n\t", max_size=120)
figures = st.from_regex(r"[0-9 –]{0,12}", fullmatch=True) | st.text("abcé ", max_size=60)
strokes = st.lists(st.tuples(*[st.integers(-9, 400)] * 4, st.integers(-9, 9)), max_size=4).map(tuple)
pictures = st.builds(Picture, st.integers(1, 400), st.integers(1, 400), strokes, texts)
blocks: st.SearchStrategy[Block] = st.one_of(
    st.builds(Heading, texts),
    st.builds(Paragraph, texts, st.booleans(), st.booleans()),
    st.builds(Row, texts, figures, st.booleans()),
    st.just(Rule()),
    st.just(Gap()),
    st.builds(Code, texts),
    pictures,
    st.just(Cut()),
)
papers = st.sampled_from((32, 48)) | st.integers(8, 80)


def lines(printed: list[Printed]) -> list[PrintedLine]:
    return [line for line in printed if isinstance(line, PrintedLine)]


@examples(400)
@given(st.lists(blocks, max_size=6), papers)
def test_no_line_is_longer_than_its_columns(page: list[Block], columns: int) -> None:
    for line in lines(list(lay_out(page, columns))):
        assert len(line.text) <= (columns // 2 if line.large else columns)
        assert "\n" not in line.text
        assert "\t" not in line.text


@examples(200)
@given(st.lists(blocks, max_size=6), papers)
def test_nothing_is_lost_and_nothing_is_added(page: list[Block], columns: int) -> None:
    wanted = "".join(_said(block, columns) for block in page)
    got = "".join(line.text for line in lines(list(lay_out(page, columns))))
    assert _letters(got) == _letters(wanted)


def _said(block: Block, columns: int) -> str:
    match block:
        case Heading(text) | Paragraph(text):
            return text
        case Row(left, right):
            return left + right
        case Rule():
            return "-" * columns
    return ""


def _letters(text: str) -> str:
    return re.sub(r"\s", "", text)


@examples(100)
@given(st.lists(blocks, max_size=6))
def test_blocks_go_over_the_wire_and_back(page: list[Block]) -> None:
    assert from_wire(json.loads(json.dumps(to_wire(page)))) == tuple(page)


def test_a_block_of_an_unknown_kind_is_an_error() -> None:
    with pytest.raises(KeyError):
        from_wire([{"kind": "hologram"}])
    with pytest.raises(TypeError):
        from_wire([{"kind": "text", "text": "a", "colour": "red"}])


def test_a_row_has_its_figure_at_the_right_edge() -> None:
    assert _row("Planques détruites", "3", 24) == ["Planques détruites     3"]
    assert _row("Planques détruites", "3", 20) == ["Planques détruites 3"]
    assert _row("Planques détruites", "3", 18) == ["Planques détruites", "                 3"]
    assert _row("Planques détruites", "3", 12) == ["Planques", "détruites  3"]


def _row(left: str, right: str, columns: int) -> list[str]:
    return [line.text for line in lines(list(lay_out([Row(left, right)], columns)))]


def test_headings_are_large_and_centred_in_half_the_columns() -> None:
    (line,) = lay_out([Heading("Jeu")], 32)
    assert line == PrintedLine("      Jeu", bold=True, large=True)


def test_empty_text_still_takes_its_line() -> None:
    assert list(lay_out([Paragraph(""), Heading(""), Gap()], 32)) == [
        PrintedLine(""),
        PrintedLine("", bold=True, large=True),
        PrintedLine(""),
    ]


def test_codes_and_cuts_pass_through() -> None:
    page: list[Any] = [Code("http://x/"), Cut()]
    assert list(lay_out(page, 32)) == page


@pytest.mark.parametrize("columns", [32, 48])
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_real_sheets_and_slips_fit_the_paper(game: str, language: str, columns: int) -> None:
    long = "Maximilienne-Éléonore de la Tour d’Auvergne"
    for i in games(10):
        match = opened(GAMES[game], f"sheet/{i}")
        slips = join_slips(
            match.seen_by(),
            words(language),
            dict.fromkeys(match.seats, "http://10.0.0.1:8000/" + "x" * 40),
            long,
        )
        for step in steps(match, f"sheet/{i}"):
            match = step.match
        sheet = score_sheet(match.seen_by(), words(language), "2026-01-31 20:15")
        for page in (list(slips), list(sheet)):
            assert page[-1] == Cut()
            for line in lines(list(lay_out(page, columns))):
                assert len(line.text) <= (columns // 2 if line.large else columns)


@pytest.mark.parametrize("game", GAMES)
def test_a_sheet_bears_the_head_of_the_chain_in_groups_of_four(game: str) -> None:
    """First, in bold, the beginning as screen and phones show it, then the rest of it."""
    *_, step = steps(opened(GAMES[game], "head"), "head")
    page = list(score_sheet(step.match.seen_by(), words("fr"), "now"))
    first, rest = (
        b for b in page if isinstance(b, Paragraph) and re.fullmatch(r"([0-9a-f]{4} )+[0-9a-f]{4}", b.text)
    )
    assert first == Paragraph(short(step.match.head), bold=True)
    assert (first.text + rest.text).replace(" ", "") == step.match.head


@pytest.mark.parametrize("game", GAMES)
def test_a_slip_for_every_free_seat(game: str) -> None:
    match = opened(GAMES[game], "slip")
    links = {seat: f"http://10.0.0.1:8000/j/{seat}" for seat in match.seats}
    page = list(join_slips(match.seen_by(), words("fr"), links, "10.0.0.1"))
    assert [block.data for block in page if isinstance(block, Code)] == list(links.values())
    assert page.count(Cut()) == len(links)
    assert sum(short(match.seed_hash) in getattr(block, "text", "") for block in page) == len(links)
