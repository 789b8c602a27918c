"""Formats dates and times in words, in a language."""

from datetime import datetime

from referee.presentation.words import words
from web.clock import is_sure


def date_and_time(when: str, language: str) -> str:
    """Date and local time of a timestamp of the store (UTC); without a time if the clock was not set."""
    moment = datetime.fromisoformat(when)
    if not is_sure(moment):
        return day(when, language)
    time = f"{moment.astimezone():%H:%M}"
    return words(language).say("date.moment", {"date": day(when, language), "time": time})


def day(when: str, language: str) -> str:
    """The local date of a timestamp of the store; the text for an unknown date if the clock was not set."""
    then, texts = datetime.fromisoformat(when).astimezone(), words(language)
    if not is_sure(then):
        return texts.say("date.unsure")
    key = "date.first_day" if then.day == 1 else "date.day"
    return texts.say(
        key, {"day": then.day, "month": texts.say(f"date.month.{then.month}"), "year": then.year}
    )
