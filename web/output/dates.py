"""Formats dates and times in words, in a language."""

from datetime import datetime

from referee.presentation.words import words
from web.clock import is_sure


def spoken(when: str, language: str) -> str:
    """Date and local time of a timestamp of the store (UTC); without a time if the clock was not set."""
    moment = datetime.fromisoformat(when)
    if not is_sure(moment):
        return day(when, language)
    time = f"{moment.astimezone():%H:%M}"
    return words(language).say("date.moment", {"date": day(when, language), "time": time})


def day(when: str, language: str) -> str:
    """The local date of a timestamp of the store; the text for an unknown date if the clock was not set."""
    then, said = datetime.fromisoformat(when).astimezone(), words(language)
    if not is_sure(then):
        return said.say("date.unsure")
    key = "date.first_day" if then.day == 1 else "date.day"
    return said.say(key, {"day": then.day, "month": said.say(f"date.month.{then.month}"), "year": then.year})
