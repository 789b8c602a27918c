"""The command line: `referee serve`, `desk`, `doctor`, `tls`, `backup`, `restore`, and what is for games."""

import argparse
import dataclasses
import os
import signal
import sys
import threading
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.presentation.words import DEFAULT, Words, words
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
    from referee.core.game import Game

AddParser = Callable[..., argparse.ArgumentParser]  # `add_parser` of the subparsers


def main(arguments: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or (given[0].startswith("-") and given[0] not in ("-h", "--help")):
        given.insert(0, "serve")
    asked = _parser().parse_args(given)
    try:
        return int(asked.run(asked))
    except (BadSettings, OSError) as error:
        print(f"referee: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="referee", description="A referee for real tabletop games.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_machines(commands.add_parser)
    _add_backups(commands.add_parser)
    _add_games(commands.add_parser)
    return parser


def _add_machines(add: AddParser) -> None:
    serve = add("serve", help="run the referee (the default)")
    serve.add_argument("--host", help="the address to listen on (default: all addresses of this machine)")
    serve.add_argument("--port", type=int, help="the port to listen on (default: 8000)")
    _add_data(serve)
    _add_config(serve)
    serve.add_argument("--desk", choices=("auto", "virtual", "off"), default="auto", help="lamps and printer")
    serve.add_argument("--desk-key", type=Path, help="a file with the desk's key (default: one is made)")
    serve.set_defaults(run=_serve)

    desk = add("desk", help="run only the desk: lights, buzzer, printer")
    desk.add_argument("--server", help="the referee: http://192.168.1.20:8000 (default: on this machine)")
    desk.add_argument("--key", type=Path, help="the desk's key file, copied from the server's data folder")
    _add_config(desk)
    _add_virtual(desk)
    desk.add_argument("--attached", action="store_true", help="stop when standard input closes")
    desk.set_defaults(run=_desk)

    doctor = add("doctor", help="check pins, buttons, printer, network, folder and clock")
    _add_config(doctor)
    _add_data(doctor)
    _add_virtual(doctor)
    doctor.set_defaults(run=_doctor)

    tls = add("tls", help="make a certificate, so that https is served too")
    _add_config(tls)
    _add_data(tls)
    tls.set_defaults(run=_tls)


def _add_backups(add: AddParser) -> None:
    backup = add("backup", help="copy all games to a file, while they are played")
    backup.add_argument("file", type=Path, metavar="FILE", help="the copy; a folder gets numbered copies")
    backup.add_argument("--stick", action="store_true", help="FILE is a USB stick: leave secrets out")
    _add_data(backup)
    backup.set_defaults(run=_backup)

    restore = add("restore", help="replace all games by those of a backup")
    restore.add_argument("file", type=Path, metavar="FILE", help="the backup")
    restore.add_argument("--table", metavar="CODE", help="bring back only this table; all others stay")
    _add_data(restore)
    restore.set_defaults(run=_restore)


def _add_games(add: AddParser) -> None:
    simulate = add("simulate", help="play random games and check them at every step")
    simulate.add_argument("game", type=_game, metavar="GAME", help="the game's id; see `referee games`")
    simulate.add_argument("--matches", type=_at_least_one, default=1000, help="how many (default: 1000)")
    simulate.add_argument("--seed", default="0", help="the same seed plays the same games")
    simulate.add_argument("--thorough", action="store_true", help="questions and all checks in every match")
    simulate.set_defaults(run=_simulate)

    verify = add("verify", help="check the record of a finished game")
    verify.add_argument("file", type=Path, metavar="FILE", help="the record, as GET /api/tables/CODE/record")
    verify.add_argument("--head", metavar="HEX", help="a fingerprint, from the sheet or noted by a phone")
    verify.add_argument("--before", type=Path, metavar="FILE", help="the record of the game before a rematch")
    verify.set_defaults(run=_verify)

    games = add("games", help="list the games")
    games.set_defaults(run=_games)


def _add_data(command: argparse.ArgumentParser) -> None:
    command.add_argument("--data", type=Path, default=_data_folder(), help="the data folder with the games")


def _add_config(command: argparse.ArgumentParser) -> None:
    command.add_argument("--config", type=Path, help="the settings file (TOML)")


def _add_virtual(command: argparse.ArgumentParser) -> None:
    command.add_argument("--virtual", action="store_true", help="ignore the pins and printer of the settings")


def _at_least_one(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return int(text)


def _game(text: str) -> "Game[Any, Any]":
    """A game by its id. Games are imported only by commands that need them: the desk does not."""
    from referee.games import GAMES

    if text not in GAMES:
        raise argparse.ArgumentTypeError(f"unknown game {text!r}; the games are {', '.join(GAMES)}")
    return GAMES[text]


def _data_folder() -> Path:
    home = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(home).expanduser() / "table-referee"


def _settings(file: Path | None) -> Settings:
    if file is None:
        return Settings()
    try:
        return settings_from(tomllib.loads(file.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSettings(f"{file} is not a TOML file: {error}.") from error


def _serve(asked: argparse.Namespace) -> int:
    from hardware.desk.supervisor import Supervisor
    from web.server.serve import exit_now, serve

    settings = _settings(asked.config)
    given = {name: value for name in ("host", "port") if (value := getattr(asked, name)) is not None}
    settings = dataclasses.replace(settings, server=dataclasses.replace(settings.server, **given))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # unwinds the stack, so that the desk is closed
    with ExitStack() as until_closed:

        def ready(address: str, local: str, secure: str) -> None:
            _welcome(address, secure)
            notify(READY)
            if asked.desk != "off":
                until_closed.callback(Supervisor(_desk_command(asked, settings, local)).close)

        serve(settings, asked.data, ready, asked.desk_key)
    exit_now()


def _welcome(address: str, secure: str) -> None:
    """Print the address people should open, and its QR code; also that of https, if it is served."""
    import qrcode

    for language in ("fr", "en"):
        print(words(language).say("cli.open", {"address": address}))
    if secure:
        print(_own_words().say("cli.open_tls", {"address": secure}))
    code = qrcode.QRCode(border=2)
    code.add_data(address)
    if sys.stdout.isatty():
        code.print_ascii(invert=True)
    else:
        code.print_ascii()
    sys.stdout.flush()


def _desk_command(asked: argparse.Namespace, settings: Settings, server: str) -> list[str]:
    """The command line that starts the desk process of this server."""
    key = asked.data / f"desk-{settings.desk.name}.key"
    command = [sys.executable, "-m", "referee.program.cli", "desk", "--server", server, "--key", str(key)]
    if asked.config:
        command += ["--config", str(asked.config)]
    if asked.desk == "virtual":
        command.append("--virtual")
    return [*command, "--attached"]


def _desk(asked: argparse.Namespace) -> int:
    from hardware.desk.process import run_desk
    from web.output.address import local_url
    from web.server.logs import write_to_stderr

    write_to_stderr()
    if asked.attached:
        threading.Thread(target=_end_with_parent, daemon=True).start()
    settings = _settings(asked.config)
    key = asked.key or _data_folder() / f"desk-{settings.desk.name}.key"
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


def _doctor(asked: argparse.Namespace) -> int:
    """Print the result of every check in this machine's language, with what to do about each failure."""
    from hardware.desk.doctor import examine
    from web.output.address import base_url
    from web.store.damage import reports

    settings = _settings(asked.config)
    settings = _virtual(settings) if asked.virtual else settings
    address = base_url(settings.server.address, settings.server.host, settings.server.port)
    said, is_well = _own_words(), True
    damage = [dataclasses.asdict(report) for report in reports(asked.data / "referee.db")]
    for finding in examine(settings, asked.data, address, sys.stdin.isatty(), damage):
        is_well = is_well and finding.ok
        print("✓" if finding.ok else "✗", said.say(f"doctor.{finding.key}", finding.fields), flush=True)
    print(said.say("doctor.well" if is_well else "doctor.unwell"))
    return 0 if is_well else 1


def _tls(asked: argparse.Namespace) -> int:
    """Make a certificate, and say what it is good for and what to do with its authority."""
    from web.server.certificate import make_certificate, own_hosts

    server = _settings(asked.config).server
    made = make_certificate(asked.data, server)
    said, (names, addresses) = _own_words(), own_hosts(server)
    print(said.say("cli.tls_made", {"hosts": ", ".join((*names, *addresses))}))
    print(said.say("cli.tls_trust", {"file": made.authority}))
    print(said.say("cli.tls_restart", {"port": server.tls_port}))
    return 0


def _backup(asked: argparse.Namespace) -> int:
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
    print(_own_words().say("cli.backed_up", {"file": file}))
    return 0


def _copy_to_stick(games: Path, stick: Path) -> int:
    """Copy what is no secret to a mounted stick, or say why it is not used."""
    from web.service.usb_copies import copy_to_stick

    note = copy_to_stick(games, stick)
    key = f"stick.refused.{note.refused}" if note.refused else "stick.copied"
    print(_own_words().say(key, {"name": note.name, "n": note.copied, "left_out": note.left_out}))
    return 1 if note.refused else 0


def _restore(asked: argparse.Namespace) -> int:
    from web.server.serve import locked
    from web.store.backups import restore
    from web.store.table_restore import restore_table

    asked.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    games, code = asked.data / "referee.db", asked.table and asked.table.upper()
    with locked(asked.data):
        before = restore_table(asked.file, code, games) if code else restore(asked.file, games)
    said = _own_words()
    key = "cli.restored.table" if code else "cli.restored"
    print(said.say(key, {"file": asked.file, "table": code}))
    if before:
        print(said.say("cli.before", {"file": before}))
    return 0


def _own_words() -> Words:
    return words(os.environ.get("LANG", DEFAULT).partition("_")[0])


def _end_with_parent() -> None:
    """Stop this desk when standard input closes: a killed server must leave no desk that holds the pins."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def _simulate(asked: argparse.Namespace) -> int:
    from referee.program.simulate import THOROUGH, simulate, summary

    progress, thorough = _progress if sys.stderr.isatty() else None, 1 if asked.thorough else THOROUGH
    results = simulate(asked.game, asked.matches, asked.seed, progress, thorough=thorough)
    print(summary(results))
    return 0


def _progress(done: int, total: int) -> None:
    width = 40
    filled = width * done // total
    end = "\n" if done == total else ""
    print(f"\r[{'#' * filled}{'.' * (width - filled)}] {done}/{total}", file=sys.stderr, end=end, flush=True)


def _verify(asked: argparse.Namespace) -> int:
    """Print whether a record is valid, or everything wrong with it, and what that proves, in this machine's
    language."""
    said = _own_words()
    record = _verified(asked.file, said)
    if record is None:
        return 1
    print(said.say("verify.fine", {"table": record["table"]}))
    found = [_compare(record, asked.head, said), _about_dice(record, asked.before, said)]
    return max(found)


def _verified(file: Path, said: Words) -> Mapping[str, Any] | None:
    """The record in a file; None, after saying why, if it is not valid."""
    from referee.fairness.verify import read_record, verify

    try:
        text = file.read_text(encoding="utf-8")
    except OSError:
        print(said.say("verify.no_file", {"file": file}))
        return None
    except ValueError:
        text = ""
    record, unread = read_record(text)
    wrong = unread or verify(record)
    for say in wrong:
        print(said.say(say.key, say.fields))
    valid: Mapping[str, Any] | None = None if wrong else record
    return valid


def _compare(record: Mapping[str, Any], typed: str | None, said: Words) -> int:
    """Print the head of a valid record, whether a noted one belongs to it, with the entries that came after
    it, and what that proves."""
    from referee.fairness.commitments import digits_of, grouped
    from referee.fairness.verify import noted_head

    print(said.say("verify.head_is", {"head": grouped(record["head"])}))
    if typed is None:
        print(said.say("verify.without_head"))
        return 0
    found, since = noted_head(record, typed)
    print(said.say("verify.noted_is", {"head": grouped(digits_of(typed) or typed.strip())}))
    print(said.say(f"verify.noted.{found}", {"n": len(since)}))
    for item in since:
        about = item["fields"].get("question", "")
        print(" ", item["n"], item["seat"], item["type"], about)
    if found not in ("same", "earlier"):
        return 1
    print(said.say("verify.noted.proves", {"n": len(record["entries"]) - len(since)}))
    return 0


def _about_dice(record: Mapping[str, Any], file: Path | None, said: Words) -> int:
    """Print what the dice of a valid record fell from, and whether those of a rematch were bound before."""
    from referee.fairness.commitments import grouped, seed_hash
    from referee.fairness.verify import follows, nonces_of

    head = grouped(seed_hash(record["seed"]))
    print(said.say("verify.dice", {"head": head, "n": len(nonces_of(record))}))
    if file is None:
        if record["before"]:
            print(said.say("verify.dice.before", {"table": record["before"]["table"]}))
        return 0
    earlier = _verified(file, said)
    wrong = follows(record, earlier) if earlier else []
    for say in wrong:
        print(said.say(say.key, say.fields))
    if earlier is None or wrong:
        return 1
    print(said.say("verify.dice.bound", {"table": earlier["table"]}))
    return 0


def _games(_asked: argparse.Namespace) -> int:
    from referee.games import GAMES

    for game in GAMES.values():
        print(f"{game.id:24} {words('en').say(f'{game.id}.name')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
