"""The command line: parses the arguments of every `referee` command and runs it."""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.presentation.letters import printable
from referee.program.environment import data_folder
from referee.program.game_commands import (
    games_command,
    new_game_command,
    record_command,
    simulate_command,
    verify_command,
)
from referee.program.machine_commands import (
    backup_command,
    check_command,
    desk_command,
    doctor_command,
    restore_command,
    serve_command,
    tls_command,
)
from referee.program.settings import (
    BadSettings,
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
        print(f"referee: {printable(str(error))}", file=sys.stderr)
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
    serve.add_argument("--only-shipped", action="store_true", help="leave out games from other packages")
    serve.add_argument("--desk-key", type=Path, help="a file with the desk's key (default: one is made)")
    serve.set_defaults(run=serve_command)

    desk = add("desk", help="run only the desk: lights, buzzer, printer")
    desk.add_argument("--server", help="the referee: http://192.168.1.20:8000 (default: on this machine)")
    desk.add_argument("--key", type=Path, help="the desk's key file, copied from the server's data folder")
    _add_config(desk)
    _add_virtual(desk)
    desk.add_argument("--attached", action="store_true", help="stop when standard input closes")
    desk.set_defaults(run=desk_command)

    doctor = add("doctor", help="check pins, buttons, printer, network, folder and clock")
    _add_config(doctor)
    _add_data(doctor)
    _add_virtual(doctor)
    doctor.set_defaults(run=doctor_command)

    tls = add("tls", help="make a certificate, so that https is served too")
    _add_config(tls)
    _add_data(tls)
    tls.set_defaults(run=tls_command)


def _add_backups(add: AddParser) -> None:
    backup = add("backup", help="copy all games to a file, while they are played")
    backup.add_argument("file", type=Path, metavar="FILE", help="the copy; a folder gets numbered copies")
    backup.add_argument("--stick", action="store_true", help="FILE is a USB stick: leave secrets out")
    _add_data(backup)
    backup.set_defaults(run=backup_command)

    restore = add("restore", help="replace all games by those of a backup")
    restore.add_argument("file", type=Path, metavar="FILE", help="the backup")
    restore.add_argument("--table", metavar="CODE", help="bring back only this table; all others stay")
    _add_data(restore)
    restore.set_defaults(run=restore_command)


def _add_games(add: AddParser) -> None:
    simulate = add("simulate", help="play random games and check them at every step")
    simulate.add_argument("game", type=_game, metavar="GAME", help="the game's id; see `referee games`")
    simulate.add_argument("--matches", type=_at_least_one, default=1000, help="how many (default: 1000)")
    simulate.add_argument("--seed", default="0", help="the same seed plays the same games")
    simulate.add_argument("--thorough", action="store_true", help="questions and all checks in every match")
    simulate.set_defaults(run=simulate_command)

    verify = add("verify", help="check the record of a finished game")
    verify.add_argument("file", type=Path, metavar="FILE", help="the record, as GET /api/tables/CODE/record")
    verify.add_argument("--head", metavar="HEX", help="a fingerprint, from the sheet or noted by a phone")
    verify.add_argument("--before", type=Path, metavar="FILE", help="the record of the game before a rematch")
    verify.set_defaults(run=verify_command)

    new_game = add("new-game", help="write a small game to begin with")
    new_game.add_argument("id", type=_new_id, metavar="ID", help="small letters, digits and underscores")
    new_game.add_argument("--package", action="store_true", help="a package of its own, in the folder ID")
    new_game.set_defaults(run=new_game_command)

    check = add("check", help="list everything that is wrong with a game")
    check.add_argument("game", metavar="GAME", help="the game's id; see `referee games`")
    check.add_argument("--games", type=_at_least_one, default=40, help="how many to play (default: 40)")
    check.set_defaults(run=check_command)

    record = add("record", help="record a random game that shows every move, for the tests of a game")
    record.add_argument("game", type=_game, metavar="GAME", help="the game's id; see `referee games`")
    record.set_defaults(run=record_command)

    games = add("games", help="list the games")
    games.set_defaults(run=games_command)


def _add_data(command: argparse.ArgumentParser) -> None:
    command.add_argument("--data", type=Path, default=data_folder(), help="the data folder with the games")


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
    from referee.program.installed_games import load_installed

    load_installed(data_folder())
    if text not in GAMES:
        raise argparse.ArgumentTypeError(f"unknown game {text!r}; the games are {', '.join(GAMES)}")
    return GAMES[text]


def _new_id(text: str) -> str:
    from referee.kit.declared import id_faults

    for fault in id_faults(text):
        raise argparse.ArgumentTypeError(fault)
    return text


if __name__ == "__main__":
    sys.exit(main())
