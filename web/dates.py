"""Dates as people write them."""

from datetime import datetime

FORMS = {"fr": "%d/%m/%Y %H:%M", "en": "%Y-%m-%d %H:%M"}


def spoken(when: str, language: str) -> str:
    """A moment of the store (UTC), told in local time."""
    return datetime.fromisoformat(when).astimezone().strftime(FORMS[language])
