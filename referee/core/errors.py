"""The exception for refused moves and questions, with the error code of the JSON API."""

from referee.core.game import Say


class IllegalMove(Exception):
    """A refused move or question. `code` is the API's error code, `why` explains the rule."""

    def __init__(self, code: str, why: Say | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.why = why
