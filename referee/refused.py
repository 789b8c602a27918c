"""What the core refuses, by the name that the contract gives it."""

from referee.game import Say


class Refused(Exception):
    """A move or a question that cannot be; `code` names the refusal, `why` the rule."""

    def __init__(self, code: str, why: Say | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.why = why
