"""Who is who: one person, however a name was typed; there are no accounts."""

import unicodedata

ACCENTS = range(0x300, 0x370)  # those that people leave out when they type; other scripts need their marks


def known_as(name: str) -> str:
    """What all ways to type a name have in common: `Zoé` and ` zoe` are one person."""
    apart = unicodedata.normalize("NFKD", " ".join(name.split()))
    bare = "".join(char for char in apart if ord(char) not in ACCENTS)
    return unicodedata.normalize("NFKC", bare.casefold())
