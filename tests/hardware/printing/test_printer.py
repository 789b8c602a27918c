"""The printer, over real TCP, to a receiver that refuses every byte it does not know."""

import os
import socket
import time
from contextlib import nullcontext
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import zxingcpp

from hardware.devices.health import Health
from hardware.printing.code_pages import legible
from hardware.printing.escpos_commands import PIECE, commands
from hardware.printing.printer import Printer, PrinterError, VirtualPrinter
from referee.presentation import dots, sheets
from referee.presentation.sheets import Block, Code, Heading, Paragraph, Row, lay_out
from referee.program import settings
from tests.support.hardware.escpos_receiver import (
    LOW,
    OFFLINE,
    OUT,
    PLENTY,
    READY,
    Abrupt,
    Answer,
    CommandReader,
    Line,
    Read,
    Receiver,
    Slip,
)
from tests.support.hardware.sample_papers import HOSTILE, LINK, SHEET, SLIPS
from tests.support.web.server_process import free_port

WIDTHS = pytest.mark.parametrize("columns", [32, 48])


def printer_at(receiver: Receiver, **changes: Any) -> Printer:
    network = settings.PrinterSettings("network", "127.0.0.1", receiver.port, columns=receiver.columns)
    return Printer(replace(network, **changes))


def printed(*blocks: Block, columns: int = 32, **changes: Any) -> list[Slip]:
    with Receiver(columns) as receiver:
        assert printer_at(receiver, **changes).print(blocks) == Health(True, "ready")
        receiver.await_slips(1)
    return receiver.slips


@WIDTHS
def test_the_sheet_as_it_is_laid_out(columns: int) -> None:
    [slip] = printed(*SHEET, columns=columns)
    expected = [
        Line(line.text.replace("\u202f", " "), line.bold, line.large)
        for line in lay_out(SHEET[:-1], columns)
        if isinstance(line, sheets.PrintedLine)
    ]
    assert [replace(line, text=line.text.rstrip()) for line in slip.lines] == expected
    assert slip.lines[0].large
    assert slip.cut
    assert slip.feed == 6


@WIDTHS
def test_accents_are_exact(columns: int) -> None:
    text = "œ Œ É é € « » ’ – …"
    assert printed(Paragraph(text), columns=columns)[0].text == text


def test_another_slot_for_the_same_page() -> None:
    assert printed(Paragraph("« 3 € »"), code_page_slot=71)[0].text == "« 3 € »"


def test_code_page_cp858_has_the_euro_sign() -> None:
    slips = printed(Paragraph("« 3 € », œuvre"), code_page="cp858", code_page_slot=19)
    assert slips[0].text == "« 3 € », oeuvre"


def test_plain_ascii_needs_no_page() -> None:
    assert printed(Paragraph("L’été : 3 €"), code_page="ascii")[0].text == "L'ete : 3 EUR"


def test_guillemets_stay_with_their_words() -> None:
    [slip] = printed(Paragraph("x" * 27 + " «\u202fmot\u202f»"))
    assert slip.text == "x" * 27 + "\n« mot »"


def test_spelt_out_characters_still_fit_their_line() -> None:
    [slip] = printed(Row("…" * 20, "€€€"), Heading("œ" * 16), code_page="ascii")
    assert all(len(line.text) <= 32 for line in slip.lines)
    assert slip.text.count(".") == 3 * 20


def test_a_hostile_name_is_only_text() -> None:
    [slip] = printed(Heading(HOSTILE), Row(HOSTILE, "7"), Paragraph(HOSTILE))
    assert slip.lines[-1].text == "@V<b>Éve'\"& </b>"
    assert not slip.rasters


def test_a_slip_for_each_cut_and_the_feed_alone_without_a_cutter() -> None:
    assert [slip.cut for slip in printed(*SLIPS)] == [True, True]
    torn = printed(*SLIPS, cutter=False)
    assert [(slip.cut, slip.feed) for slip in torn] == [(False, 6), (False, 6)]


def test_a_paper_without_a_cut_at_its_end_comes_out_all_the_same() -> None:
    assert printed(Paragraph("fin"))[0].cut


@WIDTHS
def test_codes_are_read_back_from_the_paper(columns: int) -> None:
    with Receiver(columns) as receiver:
        printer_at(receiver).print(SLIPS)
        receiver.await_slips(2)
        found = zxingcpp.read_barcodes(receiver.picture())
    assert sorted(code.text for code in found) == [LINK, LINK + "2"]
    assert {code.format for code in found} == {zxingcpp.BarcodeFormat.QRCode}


@WIDTHS
def test_a_code_is_as_large_as_fits_with_its_quiet_zone(columns: int) -> None:
    [slip] = printed(Code(LINK), columns=columns)
    rows = [f"{int.from_bytes(row, 'big'):0{columns * 12}b}" for row in slip.dots]
    dark = [row for row in rows if "1" in row]
    left = min(row.index("1") for row in dark)
    right = min(row[::-1].index("1") for row in dark)
    module = len(dark[0][left:].split("0")[0]) // 7  # the corner mark is seven modules wide
    size = (columns * 12 - left - right) // module + 8
    assert size == 33 + 8  # this link makes a code of 33 modules
    assert module * size <= columns * 12 < (module + 1) * size
    assert min(left, right) >= 4 * module
    assert rows.index(dark[0]) == 4 * module
    assert len(rows) == module * size


@WIDTHS
def test_nothing_longer_than_4_kb_is_sent_at_once(columns: int) -> None:
    pieces = list(commands(SLIPS, settings.PrinterSettings(columns=columns)))
    assert len(pieces) > 3
    assert max(map(len, pieces)) <= PIECE == 4096
    for piece in pieces:  # and no command is broken by that
        CommandReader(columns).execute(BytesIO(b"\x1c.\x1bt\x10" + piece).read, lambda _: None)


def test_the_page_is_chosen_after_each_reset() -> None:
    job = b"".join(commands(SHEET, settings.PrinterSettings()))
    assert job.startswith(b"\x1b@\x1c.\x1bt\x10")
    assert job.count(b"\x1b@") == 1


def test_paper_that_is_out_is_said_before_anything_is_printed() -> None:
    with Receiver() as receiver:
        receiver.online, receiver.paper = OFFLINE, OUT
        with pytest.raises(PrinterError, match="paper-out"):
            printer_at(receiver).print(SHEET)
    assert receiver.slips == []


def test_paper_that_runs_out_on_the_way_is_a_job_not_done() -> None:
    with Receiver() as receiver:
        receiver.lines_left = 3
        with pytest.raises(PrinterError, match="paper-out"):
            printer_at(receiver).print(SHEET)


def test_little_paper_is_told_but_prints() -> None:
    with Receiver() as receiver:
        receiver.paper = LOW
        assert printer_at(receiver).print(SHEET) == Health(True, "paper-low")


def test_a_cover_that_is_open_is_told_from_a_printer_that_is_gone() -> None:
    with Receiver() as receiver:
        receiver.online = OFFLINE
        assert printer_at(receiver).check() == Health(False, "cover-open")


def test_a_cover_that_is_opened_on_the_way_is_a_job_not_done() -> None:
    with Receiver() as receiver:
        receiver.lines_left, receiver.then = 3, (OFFLINE, PLENTY)
        with pytest.raises(PrinterError, match="cover-open"):
            printer_at(receiver).print(SHEET)


class Changing(Receiver):
    """Paper runs out, or is put in, between two questions."""

    def __init__(self, before: tuple[bytes, bytes], after: tuple[bytes, bytes]) -> None:
        super().__init__()
        self.online, self.paper = before
        self._after = after

    def _question(self, what: bytes, answer: Answer) -> None:
        super()._question(what, answer)
        self.online, self.paper = self._after


@pytest.mark.parametrize(
    "turns", [((OFFLINE, OUT), (READY, PLENTY)), ((READY, PLENTY), (OFFLINE, OUT))], ids=["put in", "run out"]
)
def test_paper_that_comes_or_goes_between_two_questions_is_no_open_cover(turns: Any) -> None:
    with Changing(*turns) as receiver:
        assert printer_at(receiver).check() == Health(False, "paper-out")


class Unplugged(Receiver):
    """Nothing comes back from it once something was printed, as when the cable is out."""

    def _end_line(self) -> None:
        super()._end_line()
        self.answers = False


def test_a_cable_that_is_pulled_on_the_way_is_a_job_not_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardware.printing.connections.PRINTING", 0.05)
    with Unplugged() as receiver, pytest.raises(PrinterError, match="offline"):
        printer_at(receiver).print(SHEET)


class Shy(Receiver):
    """Prints all it is sent, and answers only before."""

    is_shy = True

    def _take(self, line: socket.socket, read: Read) -> None:
        self.answers = True
        super()._take(line, read)

    def _end_line(self) -> None:
        super()._end_line()
        self.answers = not self.is_shy


def test_a_printer_that_never_answers_after_a_job_prints_it_twice_and_not_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hardware.printing.connections.PRINTING", 0.05)
    with Shy() as receiver:
        printer = printer_at(receiver)
        with pytest.raises(PrinterError, match="offline"):
            printer.print(SHEET)
        assert printer.print(SHEET).ok
        assert printer.print(SHEET).ok, "it is known by now"


def test_a_job_after_which_the_line_was_reset_is_never_called_printed() -> None:
    with Abrupt() as receiver:
        printer = printer_at(receiver)
        with pytest.raises(PrinterError, match="offline"):
            printer.print(SHEET)  # it may have been lost: once more
        for _ in range(3):
            with pytest.raises(PrinterError, match="unsure"):
                printer.print(SHEET)
        receiver.is_abrupt = False
        assert printer.print(SHEET) == Health(True, "ready")
        receiver.is_abrupt = True
        with pytest.raises(PrinterError, match="offline"):
            printer.print(SHEET)


def test_a_job_that_was_lost_is_forgotten_with_the_next_that_was_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardware.printing.connections.PRINTING", 0.05)
    with Shy() as receiver:
        printer = printer_at(receiver)
        for receiver.is_shy in (True, False, True):
            with pytest.raises(PrinterError, match="offline") if receiver.is_shy else nullcontext():
                printer.print(SHEET)


class Slow(Receiver):
    """Reads the next question only once all is on paper."""

    def _cut(self, how: bytes) -> None:
        super()._cut(how)
        time.sleep(0.6)


def test_a_printer_that_answers_once_all_is_on_paper_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardware.printing.connections.TIMEOUT", 0.4)
    with Slow() as receiver:
        assert printer_at(receiver).print(SHEET) == Health(True, "ready")


class Brief(Receiver):
    """Hangs up as soon as the paper is cut."""

    def _command(self, byte: bytes, read: Read, answer: Answer) -> None:
        super()._command(byte, read, answer)
        if self.slips and self.slips[-1].cut:
            read(3)  # the question that comes then, which it leaves unanswered
            raise ConnectionError


def test_a_printer_that_hangs_up_after_its_job_has_done_it() -> None:
    with Brief() as receiver:
        assert printer_at(receiver).print(SHEET) == Health(True, "ready")


def test_a_printer_that_hangs_up_is_off_line() -> None:
    with Receiver() as receiver:
        receiver.hangs_up = True
        printer = printer_at(receiver)
        assert printer.check() == Health(False, "offline")
        with pytest.raises(PrinterError, match="offline"):
            printer.print(SHEET)


def test_nobody_at_that_port() -> None:
    port = free_port()
    printer = Printer(settings.PrinterSettings("network", "127.0.0.1", port))
    assert printer.check() == Health(False, "offline")
    with pytest.raises(PrinterError, match="offline"):
        printer.print(SHEET)


def test_a_printer_that_never_answers_prints_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardware.printing.connections.TIMEOUT", 0.05)
    with Receiver() as receiver:
        receiver.answers = False
        printer = printer_at(receiver)
        assert printer.print(SHEET) == Health(True, "silent")
        receiver.await_slips(1)
        receiver.answers = True
        assert printer.check() == Health(True, "ready")
        receiver.answers = False
        assert printer.check() == Health(False, "offline")  # it used to answer


def test_another_printer_that_never_answers_prints_where_one_stood_that_did(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hardware.printing.connections.TIMEOUT", 0.05)
    with Receiver() as first:
        printer = printer_at(first)
        assert printer.print(SHEET) == Health(True, "ready")
    assert printer.check() == Health(False, "offline")  # unplugged
    with Receiver(port=first.port) as second:
        second.answers = False
        assert printer.check() == Health(True, "silent")
        assert printer.print(SHEET) == Health(True, "silent")
        second.await_slips(1)


def test_a_check_prints_nothing() -> None:
    with Receiver() as receiver:
        assert printer_at(receiver).check() == Health(True, "ready")
    assert receiver.jobs == 0


def test_a_file_gets_the_same_bytes(tmp_path: Path) -> None:
    path = tmp_path / "lp0"
    file = settings.PrinterSettings("file", device=str(path))
    assert Printer(file).check() == Health(False, "offline")
    path.touch()
    assert Printer(file).check() == Health(True, "silent")
    assert Printer(file).print(SHEET) == Health(True, "silent")
    assert path.read_bytes() == b"".join(commands(SHEET, file))
    Printer(file).check()
    assert path.stat().st_size > 0


def test_a_device_that_takes_nothing_more_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hardware.printing.connections.TIMEOUT", 0.05)
    path = tmp_path / "lp0"
    os.mkfifo(path)
    printer = Printer(settings.PrinterSettings("file", device=str(path)))
    with pytest.raises(PrinterError, match="offline"):  # nobody at the other end
        printer.print(SHEET)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with pytest.raises(PrinterError, match="offline"):  # more than it holds, and nobody reads
            printer.print(SLIPS * 20)
        while os.read(reader, 1 << 16):
            pass
        assert printer.print(SHEET) == Health(True, "silent")
    finally:
        os.close(reader)


def test_a_missing_device_file_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(PrinterError, match="offline"):
        Printer(settings.PrinterSettings("file", device=str(tmp_path / "lp0"))).print(SHEET)
    assert list(tmp_path.iterdir()) == []


@WIDTHS
@pytest.mark.parametrize(("page", "slot"), [("cp1252", 16), ("cp858", 19), ("ascii", 0)])
def test_every_width_with_every_page(columns: int, page: str, slot: int) -> None:
    [slip] = printed(*SHEET, columns=columns, code_page=page, code_page_slot=slot)
    assert slip.cut
    assert legible("« Œuvre d’été »", page) in slip.text


def test_paper_that_runs_out_in_the_middle_is_printed_whole_once_there_is_more() -> None:
    with Receiver() as receiver:
        receiver.lines_left = 3
        printer = printer_at(receiver)
        with pytest.raises(PrinterError, match="paper-out"):
            printer.print(SHEET)
        receiver.lines_left, receiver.online, receiver.paper = None, READY, PLENTY
        assert printer.print(SHEET) == Health(True, "ready")
        assert "« Œuvre d’été »" in receiver.await_slips(2)[-1].text


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(PrinterError, match="offline"):
        Printer(settings.PrinterSettings("file", device=str(tmp_path))).print(SHEET)


def test_no_printer_is_a_virtual_one() -> None:
    assert VirtualPrinter().print(SHEET) == Health(True, "virtual")


def test_paper_widths() -> None:
    assert (dots.width(32), dots.width(48)) == (384, 576)
    assert (dots.paper_mm(32), dots.paper_mm(48)) == (58, 80)
