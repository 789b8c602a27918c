"""The server with its desk beside it, as `referee serve` runs them, and a printer on the network."""

import os
import select
import sys
from pathlib import Path
from random import Random

import zxingcpp

from hardware.desk.supervisor import Supervisor
from referee.fairness.commitments import short
from tests.support.hardware.escpos_receiver import Receiver
from tests.support.web.random_player import play_on
from tests.support.web.server_process import Running

SETTINGS = """
[printer]
connection = "network"
host = "127.0.0.1"
port = {port}
"""
WAIT = 20.0  # seconds after which a test gives up


def test_join_slips_and_score_sheet_come_out_of_the_printer(tmp_path: Path) -> None:
    with (
        Receiver() as printer,
        Running(tmp_path / "data", SETTINGS.format(port=printer.port), desk="auto") as server,
    ):
        table = server.client.open_table(options={"first": "target"})
        printing = server.client.bearing(table.host).post(f"{table.path}/print", {"what": "join"})
        assert printing.status == 202
        slips = printer.await_slips(2)
        assert [slip.lines[1].text.strip() for slip in slips] == ["Agence T.A.R.G.E.T.", "Men in Mask"]
        codes = {code.text for code in zxingcpp.read_barcodes(printer.picture())}
        assert codes == {f"{server.url}/j/{table.code}/{seat}/{key}" for seat, key in table.keys.items()}
        view = play_on(table.everybody(), Random(3))
        sheet = printer.await_slips(3)[2]
        assert table.code in sheet.text
        assert short(view["head"]) in sheet.text
        assert server.stop() == 0
    assert "Traceback" not in server.said()


def test_the_desk_ends_with_its_server_even_one_that_is_killed(tmp_path: Path) -> None:
    with Running(tmp_path / "data", desk="virtual") as server:
        server.client.open_table()
        desk = os.pidfd_open(_only_child_of(server.process.pid))
        server.kill()
        readable, _, _ = select.select([desk], [], [], WAIT)  # readable once the process has ended
        os.close(desk)
        assert readable


def _only_child_of(pid: int) -> int:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    (child,) = [child for task in tasks for child in (task / "children").read_text().split()]
    return int(child)


def test_a_desk_that_falls_over_is_started_again(tmp_path: Path) -> None:
    told = tmp_path / "told"
    os.mkfifo(told)
    command = [sys.executable, "-c", f"import os; open({str(told)!r}, 'w').write(str(os.getpid()))"]
    keeper = Supervisor(command, pauses=(0.0,))
    pids = {told.read_text() for _ in range(3)}
    assert len(pids) == 3
    keeper.close()


DEAF = """
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
open({told!r}, "w").close()
while True:
    signal.pause()
"""


def test_a_desk_that_hangs_does_not_hold_up_the_end(tmp_path: Path) -> None:
    told = tmp_path / "told"
    os.mkfifo(told)
    keeper = Supervisor([sys.executable, "-c", DEAF.format(told=str(told))])
    told.read_text()  # from now on it hears nothing
    desk = os.pidfd_open(keeper.pid)
    keeper.close()
    assert select.select([desk], [], [], 0)[0]
    os.close(desk)
