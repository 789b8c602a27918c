"""Dates as people write them, in the words of their language."""

from datetime import datetime

from referee.words import words
from web.clock import is_sure


def spoken(when: str, language: str) -> str:
    """A moment of the store (UTC), told in local time."""
    moment = datetime.fromisoformat(when)
    if not is_sure(moment):
        return day(when, language)
    time = f"{moment.astimezone():%H:%M}"
    return words(language).say("date.moment", {"date": day(when, language), "time": time})


def day(when: str, language: str) -> str:
    """The day of a moment of the store; one that was noted by a clock that was not set is told as unsure."""
    then, said = datetime.fromisoformat(when).astimezone(), words(language)
    if not is_sure(then):
        return said.say("date.unsure")
    key = "date.first_day" if then.day == 1 else "date.day"
    return said.say(key, {"day": then.day, "month": said.say(f"date.month.{then.month}"), "year": then.year})
