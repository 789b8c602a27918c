"""Dates and numbers as each language writes them."""

import time
from collections.abc import Iterator

import pytest

from referee.presentation.words import number
from web.output.dates import date_and_time, day


@pytest.fixture(autouse=True)
def _in_paris() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as here:
        here.setenv("TZ", "Europe/Paris")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.parametrize(
    ("language", "told"),
    [("fr", "18 novembre 2026 à 00:04"), ("en", "18 November 2026, 00:04")],
)
def test_a_moment_is_told_in_local_time(language: str, told: str) -> None:
    assert date_and_time("2026-11-17T23:04:59+00:00", language) == told


@pytest.mark.parametrize(("language", "told"), [("fr", "1er décembre 2026"), ("en", "1 December 2026")])
def test_the_first_of_a_month(language: str, told: str) -> None:
    assert day("2026-12-01T12:00:00+00:00", language) == told


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("fr", ["−3", "0", "999", "1\u202f234", "1\u202f234\u202f567"]),
        ("en", ["−3", "0", "999", "1,234", "1,234,567"]),
    ],
)
def test_thousands_stand_apart(language: str, told: list[str]) -> None:
    assert [number(figure, language) for figure in (-3, 0, 999, 1234, 1234567)] == told
