"""Dates as people write them, in the words of their language."""

from datetime import datetime

from referee.words import words


def spoken(when: str, language: str) -> str:
    """A moment of the store (UTC), told in local time."""
    time = f"{datetime.fromisoformat(when).astimezone():%H:%M}"
    return words(language).say("date.moment", {"date": day(when, language), "time": time})


def day(when: str, language: str) -> str:
    """The day of a moment of the store."""
    then, said = datetime.fromisoformat(when).astimezone(), words(language)
    key = "date.first_day" if then.day == 1 else "date.day"
    return said.say(key, {"day": then.day, "month": said.say(f"date.month.{then.month}"), "year": then.year})
