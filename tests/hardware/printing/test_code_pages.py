"""Code pages: every character of a text becomes one byte, and none is a printer command."""

import pytest

from hardware.printing.code_pages import encode, legible

PAGES = ("cp1252", "cp858", "ascii")
ALL = "".join(map(chr, range(0x3000))) + "日本語 😀 \ud83d \U000e0001"


def test_french_is_exact_on_cp1252() -> None:
    text = "œ Œ É é à ç ê ï ù € « » ’ – … ·"
    assert encode(text, "cp1252").decode("cp1252") == text


def test_cp858_has_accents_and_the_euro_and_spells_out_what_it_lacks() -> None:
    assert encode("É € « » · œuvre, l’été – fin…", "cp858").decode("cp858") == (
        "É € « » · oeuvre, l'été - fin..."
    )


def test_ascii_spells_everything_out() -> None:
    assert encode("Œuvre d’été : « 3 € » – déjà…", "ascii") == b'OEuvre d\'ete : " 3 EUR " - deja...'
    assert encode("« À bientôt ! »", "ascii") == b'" A bientot ! "'


@pytest.mark.parametrize("space", ["\u202f", "\u00a0", "\u2007", "\u2009", "\u3000", "\t", "\n", "\u2028"])
@pytest.mark.parametrize("page", PAGES)
def test_every_space_is_a_space_on_paper(space: str, page: str) -> None:
    assert encode(f"3{space}%", page) == b"3 %"


def test_a_hard_space_stays_hard_until_the_lines_are_made() -> None:
    assert legible("«\u202f3\u202f»", "cp1252") == "«\u00a03\u00a0»"


@pytest.mark.parametrize("page", PAGES)
def test_a_name_cannot_command_the_printer(page: str) -> None:
    assert encode("\x1b@\x1dV\x00A\x10\x04\x01n\x00a\x7f\x9b\x85", page) == b"@VAna "


@pytest.mark.parametrize("page", PAGES)
def test_what_no_page_has_is_a_question_mark(page: str) -> None:
    assert encode("日本 😀 Ω", page) == b"?? ? ?"


def test_letters_that_a_page_lacks_lose_their_accents_only() -> None:
    assert encode("Dvořák Łukasz Đ", "cp1252") == b"Dvor\xe1k Lukasz D"


def test_accents_in_two_parts_are_one_letter() -> None:
    assert encode("e\u0301te\u0301 z\u0301\u0335", "cp1252") == b"\xe9t\xe9 z"


def test_invisible_characters_are_left_out() -> None:
    assert encode("A\u200b\u202en\u00ada\ufeff", "cp1252") == b"Ana"


@pytest.mark.parametrize("page", PAGES)
def test_of_all_characters_none_becomes_a_control_byte(page: str) -> None:
    written = encode(ALL, page)
    assert not {*range(0x20), 0x7F}.intersection(written)
    assert written.decode(page) == legible(ALL, page).replace("\u00a0", " ")
