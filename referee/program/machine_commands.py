"""What `referee serve`, `desk`, `doctor`, `check`, `tls`, `backup` and `restore` do."""

import argparse
import dataclasses
import os
import signal
import sys
import threading
import tomllib
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from referee.presentation.letters import printable
from referee.presentation.words import words
from referee.program.sd_notify import ALIVE, READY, notify, watchdog_interval
from referee.program.settings import (
    NO_BUTTONS,
    NO_LIGHTS,
    BadSettings,
    PrinterSettings,
    Settings,
    settings_from,
)

if TYPE_CHECKING:
    pass
from referee.program.environment import data_folder, own_words
from referee.program.game_commands import refused_line, tell


def _settings(file: Path | None) -> Settings:
    if file is None:
        return Settings()
    try:
        return settings_from(tomllib.loads(file.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSettings(f"{file} is not a TOML file: {error}.") from error


def serve_command(asked: argparse.Namespace) -> int:
    from hardware.desk.supervisor import Supervisor
    from referee.program.installed_games import load_installed, start_succeeded, watch_calls

    settings = _settings(asked.config)
    asked.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    load_installed(asked.data, only_shipped=asked.only_shipped, starts=True)
    from web.server.serve import exit_now, serve  # describes the games that are known by now

    given = {name: value for name in ("host", "port") if (value := getattr(asked, name)) is not None}
    settings = dataclasses.replace(settings, server=dataclasses.replace(settings.server, **given))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # unwinds the stack, so that the desk is closed
    with ExitStack() as until_closed:

        def ready(address: str, local: str, secure: str) -> None:
            _welcome(address, secure)
            notify(READY)
            start_succeeded(asked.data)
            watch_calls(asked.data)
            if asked.desk != "off":
                until_closed.callback(Supervisor(_desk_arguments(asked, settings, local)).close)

        serve(settings, asked.data, ready, asked.desk_key)
    exit_now()


def _welcome(address: str, secure: str) -> None:
    """Print the address people should open, and its QR code; also that of https, if it is served."""
    import qrcode

    for language in ("fr", "en"):
        print(words(language).say("cli.open", {"address": address}))
    if secure:
        print(own_words().say("cli.open_tls", {"address": secure}))
    code = qrcode.QRCode(border=2)
    code.add_data(address)
    if sys.stdout.isatty():
        code.print_ascii(invert=True)
    else:
        code.print_ascii()
    sys.stdout.flush()


def _desk_arguments(asked: argparse.Namespace, settings: Settings, server: str) -> list[str]:
    """The command line that starts the desk process of this server."""
    key = asked.data / f"desk-{settings.desk.name}.key"
    command = [sys.executable, "-m", "referee.program.cli", "desk", "--server", server, "--key", str(key)]
    if asked.config:
        command += ["--config", str(asked.config)]
    if asked.desk == "virtual":
        command.append("--virtual")
    return [*command, "--attached"]


def desk_command(asked: argparse.Namespace) -> int:
    from hardware.desk.process import run_desk
    from web.output.address import local_url
    from web.server.logs import write_to_stderr

    write_to_stderr()
    if asked.attached:
        threading.Thread(target=_end_with_parent, daemon=True).start()
    settings = _settings(asked.config)
    key = asked.key or data_folder() / f"desk-{settings.desk.name}.key"
    if asked.virtual:
        settings = _virtual(settings)
    if not key.is_file():
        raise BadSettings(f"There is no {key}: copy {key.name} from the server's data folder, or use --key.")
    notify(READY)
    server = asked.server or local_url(settings.server.host, settings.server.port)
    run_desk(server, key.read_text().strip(), settings, watchdog_interval(), lambda: notify(ALIVE))
    return 0


def _virtual(settings: Settings) -> Settings:
    return dataclasses.replace(settings, lights=NO_LIGHTS, buttons=NO_BUTTONS, printer=PrinterSettings())


def doctor_command(asked: argparse.Namespace) -> int:
    """Print the result of every check in this machine's language, with what to do about each failure."""
    from hardware.desk.doctor import examine
    from referee.games import REFUSED
    from referee.program.installed_games import load_installed
    from web.output.address import base_url
    from web.store.damage import reports

    settings = _settings(asked.config)
    settings = _virtual(settings) if asked.virtual else settings
    load_installed(asked.data)
    address = base_url(settings.server.address, settings.server.host, settings.server.port)
    texts, is_well = own_words(), True
    damage = [dataclasses.asdict(report) for report in reports(asked.data / "referee.db")]
    for finding in examine(settings, asked.data, address, sys.stdin.isatty(), damage):
        is_well = is_well and finding.ok
        print("✓" if finding.ok else "✗", texts.say(f"doctor.{finding.key}", finding.fields), flush=True)
    for refused in REFUSED:
        is_well = False
        print("✗", printable(refused_line(refused, texts)), flush=True)
    print(texts.say("doctor.well" if is_well else "doctor.unwell"))
    return 0 if is_well else 1


def check_command(asked: argparse.Namespace) -> int:
    """Print everything that is wrong with a game."""
    from referee.games import REFUSED
    from referee.kit.check import faults
    from referee.program.game_calls import watch, where
    from referee.program.installed_games import game_to_check
    from web.server.page_check import page_faults

    game = game_to_check(data_folder(), asked.game)
    if game is None:
        left_out = next((each for each in REFUSED if each.id == asked.game), None)
        tell(refused_line(left_out, words("en")) if left_out else f"There is no game {asked.game}.")
        for detail in left_out.details if left_out else ():
            tell(f"✗ {detail}")
        return 1

    def stuck(_game: str, _table: str) -> None:
        tell(f"✗ a call into the game did not return: {where()}")

    watch(stuck, lambda: os._exit(1))
    found = 0
    for found, fault in enumerate(chain(faults(game, asked.games), page_faults(game)), 1):  # noqa: B007
        tell(f"✗ {fault}")
    tell(f"{game.id}: {found} faults" if found else f"✓ {game.id}: no faults")
    return 1 if found else 0


def tls_command(asked: argparse.Namespace) -> int:
    """Make a certificate, and say what it is good for and what to do with its authority."""
    from web.server.certificate import make_certificate, own_hosts

    server = _settings(asked.config).server
    made = make_certificate(asked.data, server)
    texts, (names, addresses) = own_words(), own_hosts(server)
    print(texts.say("cli.tls_made", {"hosts": ", ".join((*names, *addresses))}))
    print(texts.say("cli.tls_trust", {"file": made.authority}))
    print(texts.say("cli.tls_restart", {"port": server.tls_port}))
    return 0


def backup_command(asked: argparse.Namespace) -> int:
    from web.store.backups import NoBackup, copy, keep_in

    games, file = asked.data / "referee.db", asked.file
    if not games.is_file():
        raise NoBackup(f"There are no games in {asked.data}: name their folder with --data.")
    if asked.stick:
        return _copy_to_stick(games, file)
    if file.is_dir():
        file = keep_in(games, file)
    else:
        copy(games, file)
    print(own_words().say("cli.backed_up", {"file": file}))
    return 0


def _copy_to_stick(games: Path, stick: Path) -> int:
    """Copy what is no secret to a mounted stick, or say why it is not used."""
    from web.service.usb_copies import copy_to_stick

    note = copy_to_stick(games, stick)
    key = f"stick.refused.{note.refused}" if note.refused else "stick.copied"
    print(own_words().say(key, {"name": note.name, "n": note.copied, "left_out": note.left_out}))
    return 1 if note.refused else 0


def restore_command(asked: argparse.Namespace) -> int:
    from referee.program.installed_games import load_installed
    from web.server.serve import locked
    from web.store.backups import restore
    from web.store.table_restore import restore_table

    asked.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    games, code = asked.data / "referee.db", asked.table and asked.table.upper()
    load_installed(asked.data)
    with locked(asked.data):
        before = restore_table(asked.file, code, games) if code else restore(asked.file, games)
    texts = own_words()
    key = "cli.restored.table" if code else "cli.restored"
    print(texts.say(key, {"file": asked.file, "table": code}))
    if before:
        print(texts.say("cli.before", {"file": before}))
    return 0


def _end_with_parent() -> None:
    """Stop this desk when standard input closes: a killed server must leave no desk that holds the pins."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
