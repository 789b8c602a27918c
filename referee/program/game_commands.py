"""What `referee simulate`, `verify` and `games` do."""

import argparse
import importlib
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.presentation.letters import printable
from referee.presentation.words import Words, words
from referee.program.environment import data_folder, own_words

if TYPE_CHECKING:
    from referee.games import RefusedGame


def simulate_command(asked: argparse.Namespace) -> int:
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


def tell(text: str) -> None:
    """Print a line with parts that a file has. Nothing in it moves the cursor or changes the terminal."""
    print(printable(text), flush=True)


def new_game_command(asked: argparse.Namespace) -> int:
    """Write a small game that passes every check, and say what to do next."""
    import referee.games
    from referee.kit.golden import paths, record
    from referee.kit.scaffold import write_game
    from referee.program.installed_games import add_game

    home = Path(referee.games.__file__).parent
    folder = Path(asked.id) if asked.package else home
    written = write_game(asked.id, folder, package=asked.package)
    module = asked.id if asked.package else f"referee.games.{asked.id}"
    sys.path.insert(0, str(folder))
    game = importlib.import_module(module).GAME
    add_game(game, module)
    record([game])
    for path in (*written, *paths(game)):
        tell(str(path))
    if asked.package:
        tell(f"Next: pip install -e {asked.id} && referee check {asked.id}")
    else:
        tell(f"Next: add its GAME to {home / '__init__.py'} && referee check {asked.id}")
    return 0


def record_command(asked: argparse.Namespace) -> int:
    """Write the golden playthroughs of a game into its folder."""
    from referee.kit.golden import paths, record

    record([asked.game])
    for path in paths(asked.game):
        tell(str(path))
    return 0


def verify_command(asked: argparse.Namespace) -> int:
    """Print whether a record is valid, or everything wrong with it, and what that proves, in this machine's
    language."""
    from referee.program.installed_games import load_installed

    texts = own_words()
    load_installed(data_folder())
    record = _verified(asked.file, texts)
    if record is None:
        return 1
    tell(texts.say("verify.fine", {"table": record["table"]}))
    found = [_compare(record, asked.head, texts), _about_dice(record, asked.before, texts)]
    return max(found)


def _verified(file: Path, texts: Words) -> Mapping[str, Any] | None:
    """The record in a file; None, after saying why, if it is not valid."""
    from referee.fairness.verify import read_record, verify

    try:
        text = file.read_text(encoding="utf-8")
    except OSError:
        tell(texts.say("verify.no_file", {"file": file}))
        return None
    except ValueError:
        text = ""
    record, unread = read_record(text)
    wrong = unread or verify(record)
    for say in wrong:
        tell(texts.say(say.key, say.fields))
    valid: Mapping[str, Any] | None = None if wrong else record
    return valid


def _compare(record: Mapping[str, Any], typed: str | None, texts: Words) -> int:
    """Print the head of a valid record, whether a noted one belongs to it, with the entries that came after
    it, and what that proves."""
    from referee.fairness.commitments import digits_of, grouped
    from referee.fairness.verify import noted_head

    tell(texts.say("verify.head_is", {"head": grouped(record["head"])}))
    if typed is None:
        tell(texts.say("verify.without_head"))
        return 0
    found, since = noted_head(record, typed)
    tell(texts.say("verify.noted_is", {"head": grouped(digits_of(typed) or typed.strip())}))
    tell(texts.say(f"verify.noted.{found}", {"n": len(since)}))
    for item in since:
        about = item["fields"].get("question", "")
        tell(f"  {item['n']} {item['seat']} {item['type']} {about}")
    if found not in ("same", "earlier"):
        return 1
    tell(texts.say("verify.noted.proves", {"n": len(record["entries"]) - len(since)}))
    return 0


def _about_dice(record: Mapping[str, Any], file: Path | None, texts: Words) -> int:
    """Print what the dice of a valid record fell from, and whether those of a rematch were bound before."""
    from referee.fairness.commitments import grouped, seed_hash
    from referee.fairness.verify import follows, nonces_of

    head = grouped(seed_hash(record["seed"]))
    tell(texts.say("verify.dice", {"head": head, "n": len(nonces_of(record))}))
    if file is None:
        if record["before"]:
            tell(texts.say("verify.dice.before", {"table": record["before"]["table"]}))
        return 0
    earlier = _verified(file, texts)
    wrong = follows(record, earlier) if earlier else []
    for say in wrong:
        tell(texts.say(say.key, say.fields))
    if earlier is None or wrong:
        return 1
    tell(texts.say("verify.dice.bound", {"table": earlier["table"]}))
    return 0


def games_command(_asked: argparse.Namespace) -> int:
    """List the games, and those from other packages that are left out, with the reason."""
    from referee.games import GAMES, REFUSED
    from referee.program.installed_games import load_installed

    load_installed(data_folder())
    for game in GAMES.values():
        tell(f"{game.id:24} {words('en').say(f'{game.id}.name')}")
    for refused in REFUSED:
        tell(refused_line(refused, words("en")))
        for detail in refused.details:
            tell(f"  {detail}")
    return 1 if REFUSED else 0


def refused_line(refused: "RefusedGame", texts: Words) -> str:
    why = texts.say(refused.why.key, refused.why.fields)
    return texts.say("games.refused.line", {"id": refused.id, "package": refused.package, "why": why})
