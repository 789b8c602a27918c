"""The folder of each game: words, rules texts, templates, style sheets and scripts lie beside its code.

They are found without importing the code, so words can be had where no game is loaded.
"""

from collections.abc import Iterator, Mapping
from importlib import resources
from importlib.resources.abc import Traversable

SHIPPED = resources.files("referee").joinpath("games")


def _shipped() -> Iterator[tuple[str, Traversable]]:
    for folder in sorted(SHIPPED.iterdir(), key=lambda each: each.name):
        if folder.joinpath("__init__.py").is_file():
            yield folder.name, folder


_folders: dict[str, Traversable] = dict(_shipped())


def folders() -> Mapping[str, Traversable]:
    """The folder of each game that is known, by the game's id."""
    return _folders


def add_folder(game: str, package: str) -> None:
    """Make known the folder of a game from another package. To be called before words are looked up."""
    _folders[game] = resources.files(package)


def remove_folder(game: str) -> None:
    """Forget a folder that was added."""
    del _folders[game]


def game_file(game: str, *path: str) -> Traversable | None:
    """A file in a game's folder, or None if there is none."""
    found = _folders[game].joinpath(*path) if game in _folders else None
    return found if found is not None and found.is_file() else None
