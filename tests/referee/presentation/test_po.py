"""The reader of .po files: odd input, wrong input, and a second reader that must agree."""

import codecs
import gettext
import io
import re
import struct
from dataclasses import replace

import pytest

from referee.presentation.words import LANGUAGES, read_po, words
from tests.support.rules.catalogues import catalogues

languages = pytest.mark.parametrize("language", LANGUAGES)

HEADER = 'msgid ""\nmsgstr ""\n"Plural-Forms: nplurals=2; plural=(n > 1);\\n"\n'


def reads(body: str, header: str = HEADER) -> dict[str, tuple[str, ...]]:
    return dict(read_po("xx", f"{header}\n{body}").messages)


@pytest.mark.parametrize(
    ("body", "messages"),
    [
        ('msgid "a"\nmsgstr "b"', {"a": ("b",)}),
        ('msgid "a"\nmsgstr ""\n"b "\n"c"\n', {"a": ("b c",)}),
        ('msgid ""\n"a."\n"b"\nmsgstr "c"\n', {"a.b": ("c",)}),
        ('msgid "a"\nmsgstr ""\n  "b"\n\t"c"\n', {"a": ("bc",)}),
        ('msgid  "a"\nmsgstr\t"b"\n', {"a": ("b",)}),
        (r'msgid "a"' + "\n" + r'msgstr "\"\\\t\n\x41\101"', {"a": ('"\\\t\nAA',)}),
        ('msgid "a"\nmsgstr "# no comment"\n', {"a": ("# no comment",)}),
        ('msgid "a"\nmsgstr "msgid \\"x\\""\n', {"a": ('msgid "x"',)}),
        ('# one\n#. two\n#: three.py:4\nmsgid "a"\n# between\nmsgstr "b"\n', {"a": ("b",)}),
        ('#~ msgid "old"\n#~ msgstr "gone"\n\nmsgid "a"\nmsgstr "b"\n', {"a": ("b",)}),
        ('msgid "a"\nmsgstr "b"\nmsgid "c"\nmsgstr "d"\n', {"a": ("b",), "c": ("d",)}),
        ('msgid "a"\nmsgstr "b"\n# next\nmsgid "c"\nmsgstr "d"\n', {"a": ("b",), "c": ("d",)}),
        ('msgid "a"\nmsgstr "b"\n\n\n\nmsgid "c"\nmsgstr "d"\n\n', {"a": ("b",), "c": ("d",)}),
        ('msgid "a"\r\nmsgstr "b"\r\n\r\nmsgid "c"\r\nmsgstr "d"\r\n', {"a": ("b",), "c": ("d",)}),
        ('msgid "a"\nmsgstr ""\n\nmsgid "c"\nmsgstr "d"\n', {"c": ("d",)}),
        ('#, fuzzy\nmsgid "a"\nmsgstr "guess"\n\nmsgid "c"\nmsgstr "d"\n', {"c": ("d",)}),
        ('msgid "a"\nmsgstr "b"\n#, fuzzy, c-format\nmsgid "c"\nmsgstr "d"\n', {"a": ("b",)}),
        ('#, c-format\nmsgid "a"\nmsgstr "b"\n', {"a": ("b",)}),
        ('msgid "a"\nmsgid_plural "as"\nmsgstr[0] "un"\nmsgstr[1] "des"\n', {"a": ("un", "des")}),
        ('msgid "a"\nmsgid_plural "as"\nmsgstr[1] "des"\nmsgstr[0] ""\n"u"\n"n"\n', {"a": ("un", "des")}),
        ('msgid "a"\nmsgid_plural "as"\nmsgstr[0] "un"\nmsgstr[1] ""\n', {}),
        ('msgid "é"\nmsgstr "« l’œuf » 3 €"\n', {"é": ("« l’œuf » 3 €",)}),
        ("", {}),
    ],
)
def test_po_odd_but_right(body: str, messages: dict[str, tuple[str, ...]]) -> None:
    assert reads(body) == messages


@pytest.mark.parametrize(
    "body",
    [
        "msgid a\nmsgstr b",
        'msgid "a\nmsgstr "b"',
        'mgsid "a"\nmsgstr "b"',
        'msgid "a"\nmsgstr "b" and more',
        'msgid "a"\nmsgstr "b"\n\nmsgid "a"\nmsgstr "c"',
        "rubbish",
        'msgid "a"\nmsgid "b"\nmsgstr "c"',
        'msgctxt "x"\nmsgid "a"\nmsgstr "b"',
    ],
)
def test_po_wrong_is_an_error_never_a_lost_message(body: str) -> None:
    with pytest.raises((ValueError, SyntaxError)):
        reads(body)
    with pytest.raises(ValueError, match="unexpected line"):
        reads("msgid", header='"stray"\n')


def test_po_plural_forms_are_chosen_by_n() -> None:
    read = read_po("xx", HEADER + '\nmsgid "a"\nmsgid_plural "as"\nmsgstr[0] "{n} an"\nmsgstr[1] "{n} ans"\n')
    assert [read.say("a", {"n": n}) for n in (0, 1, 2)] == ["0 an", "1 an", "2 ans"]


def test_po_without_a_header_counts_like_english() -> None:
    read = read_po("xx", 'msgid "a"\nmsgid_plural "as"\nmsgstr[0] "one"\nmsgstr[1] "many"\n')
    assert [read.say("a", {"n": n}) for n in (0, 1, 2)] == ["many", "one", "many"]


def test_a_sentence_asks_for_what_it_is_filled_in_with_and_chosen_by() -> None:
    beneath = read_po("en", 'msgid "a"\nmsgstr "{by} at {house}"\nmsgid "b"\nmsgstr "{by}"\n')
    plural = 'msgid "b"\nmsgid_plural "bs"\nmsgstr[0] "one"\nmsgstr[1] "many of {by}"\n'
    both = replace(read_po("xx", plural), fallback=beneath)
    assert [both.fields(key) for key in ("a", "b", "a")] == [{"by", "house"}, {"n", "by"}, {"by", "house"}]
    with pytest.raises(KeyError):
        both.fields("c")


def _read_by_pattern(text: str) -> dict[str, list[str]]:
    """A second reader of .po files, by one pattern: strings one after the other, no lines."""
    quoted = r'((?:\s*"(?:[^"\\]|\\.)*")+)'
    bare = re.sub(r"^#.*$", "", text, flags=re.MULTILINE)
    forms = r"((?:\s*msgstr(?:\[\d\])?" + quoted + ")+)"
    return {
        _joined(key): [_joined(form) for form in re.findall(r"msgstr(?:\[\d\])?" + quoted, said)]
        for key, _, said, _ in re.findall(
            r"msgid" + quoted + r"(\s*msgid_plural" + quoted[1:-1] + ")?" + forms, bare
        )
    }


def _joined(quoted: str) -> str:
    inner = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', quoted))
    return codecs.escape_decode(inner.encode())[0].decode()


def _compiled(messages: dict[str, list[str]]) -> gettext.GNUTranslations:
    """The messages as a .mo file, which Python's own gettext reads."""
    pairs = sorted(
        ((k + "\0" + k if len(v) > 1 else k).encode(), "\0".join(v).encode()) for k, v in messages.items()
    )
    table, data, at = b"", b"", 28 + 16 * len(pairs)
    for texts in zip(*pairs, strict=True):
        for text in texts:
            table += struct.pack("<2I", len(text), at + len(data))
            data += text + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, len(pairs), 28, 28 + 8 * len(pairs), 0, at)
    return gettext.GNUTranslations(io.BytesIO(head + table + data))


@languages
def test_po_our_catalogues_read_the_same_by_gettext(language: str) -> None:
    messages: dict[str, list[str]] = {}
    for text in catalogues(language):
        messages |= _read_by_pattern(text)
    theirs, ours = _compiled(messages), words(language)
    assert messages.keys() - {""} == ours.messages.keys()
    for key, forms in ours.messages.items():
        if len(forms) == 1:
            assert theirs.gettext(key) == forms[0]
        else:
            assert [theirs.ngettext(key, key, n) for n in range(120)] == [
                forms[ours.plural(n)] for n in range(120)
            ]


def test_po_plurals_read_the_same_by_gettext() -> None:
    text = HEADER + '\nmsgid "a"\nmsgid_plural "as"\nmsgstr[0] "un"\nmsgstr[1] "des"\n'
    theirs, ours = _compiled(_read_by_pattern(text)), read_po("xx", text)
    for n in range(30):
        assert theirs.ngettext("a", "a", n) == ours.say("a", {"n": n})
