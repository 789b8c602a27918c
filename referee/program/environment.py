"""What the environment of a command says: this machine's language, and where its games are."""

import os
from pathlib import Path

from referee.presentation.words import DEFAULT, Words, words


def own_words() -> Words:
    """The words in the language of this machine."""
    return words(os.environ.get("LANG", DEFAULT).partition("_")[0])


def data_folder() -> Path:
    """The folder with the games, unless a command names another."""
    home = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(home).expanduser() / "table-referee"
