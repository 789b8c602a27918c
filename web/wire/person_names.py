"""Maps spellings of a name to one person. There are no accounts."""

import unicodedata

LONGEST = 100  # characters of a name that are used: normalizing a long text is slow
ACCENTS = range(0x300, 0x370)  # combining accents that people may leave out; marks of other scripts stay


def person_key(name: str) -> str:
    """The key of a person: the same for all spellings of a name, such as `Zoé` and ` zoe`."""
    apart = unicodedata.normalize("NFKD", " ".join(name[:LONGEST].split()))
    bare = "".join(char for char in apart if ord(char) not in ACCENTS)
    return unicodedata.normalize("NFKC", bare.casefold())
