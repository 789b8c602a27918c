"""The Jinja environment of all templates, made for regions: three are rendered for every move of a table."""

import re
from collections.abc import Callable
from typing import Any

from flask.templating import Environment
from jinja2 import Environment as JinjaEnvironment
from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.ext import Extension
from jinja2.runtime import Context
from markupsafe import Markup, escape

SPECIAL = re.compile(r"[&<>'\"]")  # characters that are escaped
ONLY_TAGS = re.compile(r"(\{%((?!%\}).)*%\}|\{#((?!#\}).)*#\})+")


class WithoutIndentation(Extension):
    """Removes indentation, and the line breaks after lines of nothing but tags and at the end of macros, when
    a template is compiled. So the output has no indentation and few empty lines."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        lines = filter(None, map(str.strip, source.split("\n")))
        text = "".join(line if ONLY_TAGS.fullmatch(line) else f"{line}\n" for line in lines)
        return text.replace("\n{% endmacro", "{% endmacro")


class PlainCalls(Context):
    """Template context that calls functions and macros directly. None of ours takes Jinja's context as an
    argument, and finding that out would take longer than most calls."""

    def call(
        self,
        function: Callable[..., Any],
        /,
        *args: Any,
        _loop_vars: Any = None,
        _block_vars: Any = None,
        **kwargs: Any,
    ) -> Any:
        return function(*args, **kwargs)


class PlainOutput(CodeGenerator):
    """Compiles templates so that their output is escaped by `escaped`. It replaces the function of the same
    purpose that Jinja imports: the name is looked up when a template is rendered."""

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:
        super().visit_Template(node, frame)
        self.writeline(f"from {__name__} import escaped as escape")


def escaped(value: Any) -> str:
    """The same text as `markupsafe.escape`, but not wrapped in `Markup` again: pieces of output are only
    joined."""
    kind = type(value)
    if kind is Markup or (kind is str and not SPECIAL.search(value)):
        text: str = value
        return text
    return str(value) if kind is int else escape(value)


class TemplateEnvironment(Environment):
    """`view.status` looks up a dict key before an attribute: views are dicts."""

    context_class = PlainCalls
    code_generator_class = PlainOutput

    def getattr(self, obj: Any, attribute: str) -> Any:
        if type(obj) is dict and attribute in obj:
            return obj[attribute]
        try:
            return getattr(obj, attribute)
        except AttributeError:
            return JinjaEnvironment.getattr(self, obj, attribute)
