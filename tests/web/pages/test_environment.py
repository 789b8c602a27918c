"""The template environment: output is escaped as Jinja would, and compiled without indentation."""

from typing import Any

import pytest
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup, escape

from web.pages.environment import TemplateEnvironment, WithoutIndentation, escaped


class Drawing:
    """An object that says itself how it is shown."""

    def __html__(self) -> str:
        return "<svg>&amp;</svg>"


class Name(str):
    """A text of another type."""

    __slots__ = ()


def rendered(template: str, **fields: Any) -> str:
    env = TemplateEnvironment(Flask(__name__), extensions=[WithoutIndentation], autoescape=True)
    return env.from_string(template).render(**fields)


VALUES = st.one_of(
    st.text(),
    st.text().map(Markup),
    st.text().map(Name),
    st.integers(),
    st.floats(),
    st.booleans(),
    st.none(),
)


@given(VALUES)
def test_any_value_is_escaped_as_markupsafe_does(value: Any) -> None:
    assert escaped(value) == str(escape(value))


def test_a_hostile_name_is_text_wherever_a_template_shows_it() -> None:
    name = "\"'><script>&"
    shown = "&#34;&#39;&gt;&lt;script&gt;&amp;"
    template = (
        "{% macro card(name) %}<b title='{{ name }}'>{{ name }}</b>{% endmacro %}"
        "{% set both = name ~ name %}{{ card(name) }}"
        "{% for each in [name] %}{{ card(each) }}{% endfor %}{{ both }}"
    )
    card = f"<b title='{shown}'>{shown}</b>"
    assert rendered(template, name=name) == f"{card}{card}{shown}{shown}"
    assert rendered(template, name=Name(name)) == f"{card}{card}{shown}{shown}"


def test_drawings_and_markup_are_shown_as_they_are() -> None:
    assert rendered("{{ one }}{{ other }}", one=Drawing(), other=Markup("<i>")) == "<svg>&amp;</svg><i>"


@pytest.mark.parametrize(
    ("template", "output"),
    [
        ("<p>\n  {% if yes %}\n    a\n  {% endif %}\n</p>\n", "<p>\na\n</p>"),
        ("a\n{# a remark #}\n{{ yes }} {{ yes }}\n", "a\nTrue True"),
        (
            "{% macro b() %}\n<b>\n  x\n</b>\n{% endmacro %}\n{{ b() }}\n{{ b() }}",
            "<b>\nx\n</b>\n<b>\nx\n</b>",
        ),
        ("a {% if yes %}b{% endif %}\nc", "a b\nc"),
        ('<b><svg class="x"><path/></svg>a</b>', '<b><svg\nclass="x"><path/></svg\n>a</b>'),
    ],
)
def test_lines_lose_their_indentation_and_lines_of_tags_are_no_lines(template: str, output: str) -> None:
    assert rendered(template, yes=True).strip("\n") == output


def test_a_dict_is_asked_for_its_key_before_its_attribute() -> None:
    view = {"items": "cards", "status": "over"}
    assert rendered("{{ view.items }} {{ view.status }} {{ view.keys()|list }}", view=view) == (
        "cards over [&#39;items&#39;, &#39;status&#39;]"
    )
    assert rendered("{{ view.nothing }}", view=view) == ""
