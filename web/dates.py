"""Dates as people write them."""

from datetime import datetime

from referee.words import Words
from web.clock import is_sure

FORMS = {"fr": "%d/%m/%Y %H:%M", "en": "%Y-%m-%d %H:%M"}


def spoken(when: str, said: Words) -> str:
    """A moment of the store (UTC), told in local time; one that was noted by a clock that was not set is
    told as unsure."""
    moment = datetime.fromisoformat(when)
    return moment.astimezone().strftime(FORMS[said.language]) if is_sure(moment) else said.say("date.unsure")
