"""The search reads pictures: a canary is found wherever on the paper it is."""

import json
import subprocess
import sys
import zlib
from io import BytesIO

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from referee.presentation.sheets import Block, Code, Cut, Heading, Paragraph, Row, to_wire
from tests.support.secrecy.draw_paper import FORMS
from tests.support.secrecy.picture_reader import seen
from tests.support.secrecy.recording_client import RecordingClient
from tests.support.secrecy.secret_search import Leak, Secret, leaks
from tests.support.web.server_process import ROOT
from web.output import paper

CANARY = "k7wz3mhx5vbn2trqpc4d"
PLAIN: tuple[Block, ...] = (Heading("Agent"), Paragraph("Rien à voir"), Cut())
HIDDEN: dict[str, Block] = {
    "plain": Paragraph(f"Planque {CANARY}"),
    "bold": Paragraph(f"Planque {CANARY}", bold=True),
    "centred": Paragraph(CANARY, centred=True),
    "large": Heading(CANARY),  # over two lines
    "right": Row("Planque", CANARY, bold=True),
    "in brackets": Row("Planque", f'é<"{CANARY}&+'),
    "long": Paragraph(f"http://192.0.2.1:8000/j/KX7QF/target/{CANARY}"),
    "code": Code(f"http://192.0.2.1:8000/j/KX7QF/{CANARY}"),
}
DRAWN = {form: FORMS[form] for form in ("png", "pdf")}


def found(content: bytes) -> bool:
    tap = RecordingClient("stranger", "http://localhost")
    tap.keep("GET sheet", b"200\ncontent-type: any\n\n" + content)
    here = list(leaks([Secret("a canary", CANARY)], [tap]))
    assert here in ([], [Leak("a canary", "stranger", "GET sheet")])
    return bool(here)


@pytest.mark.parametrize("form", DRAWN)
@pytest.mark.parametrize("where", HIDDEN)
def test_a_canary_on_the_paper_is_found(form: str, where: str) -> None:
    blocks = (*PLAIN, HIDDEN[where], Cut(), Paragraph("Fin"), Cut())
    content = DRAWN[form](blocks)
    assert CANARY.encode() not in content, "it is drawn, not written"
    assert found(content)
    assert not found(DRAWN[form](PLAIN))


@pytest.mark.parametrize("form", DRAWN)
def test_every_line_is_read(form: str) -> None:
    blocks = (
        Heading("Ève"),
        Paragraph("À l’œuvre : « 3 € »", bold=True),
        Row("Évasion", "12"),
        Cut(),
        Paragraph("Fin"),
    )
    read = seen(DRAWN[form](blocks)).decode().split("\n")
    assert [line.strip() for line in read if line.strip()][:3] == [
        "Ève",
        "À l’œuvre : « 3 € »",
        "Évasion" + "12".rjust(25),
    ]
    assert "Fin" in "".join(read)


def noted(notes: PngInfo) -> bytes:
    file = BytesIO()
    Image.open(BytesIO(paper.as_png(PLAIN, 32))).save(file, "PNG", pnginfo=notes)
    return file.getvalue()


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
@pytest.mark.parametrize("kind", ["text", "itxt"])
def test_a_note_beside_a_picture_is_found(kind: str, packed: bool) -> None:
    notes = PngInfo()
    add = notes.add_text if kind == "text" else notes.add_itxt
    add("Comment", CANARY, zip=packed)
    content = noted(notes)
    assert (CANARY.encode() in content) is not packed
    assert found(content)
    assert not found(noted(PngInfo()))


def test_a_packed_stream_of_a_pdf_is_found() -> None:
    packed = zlib.compress(f"BT ({CANARY}) Tj ET".encode())
    stream = b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed)
    content = paper.as_pdf(PLAIN, 32)
    assert not found(content)
    assert found(content + b"\n9 0 obj\n" + stream + b"\nendobj\n")


def test_what_is_no_picture_has_nothing_to_see() -> None:
    assert seen(b"200\n\nplain") == b""


# ---- nothing but the blocks


@pytest.mark.parametrize("form", FORMS)
def test_a_paper_holds_nothing_that_is_not_in_its_blocks(form: str) -> None:
    """Drawn by a process that was told the blocks alone, at another time, it is the same to the byte."""
    blocks = (*PLAIN, *HIDDEN.values(), Cut())
    drawn = subprocess.run(
        [sys.executable, "-m", "tests.support.secrecy.draw_paper", form],
        input=json.dumps(to_wire(blocks)).encode(),
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    assert drawn.stdout == FORMS[form](blocks)
