"""The Jinja environment of all templates, made for regions: three are rendered for every move of a table."""

import re
from collections.abc import Callable
from typing import Any

from flask.templating import Environment
from jinja2 import Environment as JinjaEnvironment
from jinja2.ext import Extension
from jinja2.runtime import Context

ONLY_TAGS = re.compile(r"(\{%((?!%\}).)*%\}|\{#((?!#\}).)*#\})+")


class WithoutIndentation(Extension):
    """Removes the indentation of templates before they are compiled, and line breaks after lines of nothing
    but tags. So the output has neither, and need not be searched for them."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        lines = filter(None, map(str.strip, source.split("\n")))
        return "".join(line if ONLY_TAGS.fullmatch(line) else f"{line}\n" for line in lines)


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


class TemplateEnvironment(Environment):
    """`view.status` looks up a dict key before an attribute: views are dicts."""

    context_class = PlainCalls

    def getattr(self, obj: Any, attribute: str) -> Any:
        if type(obj) is dict and attribute in obj:
            return obj[attribute]
        try:
            return getattr(obj, attribute)
        except AttributeError:
            return JinjaEnvironment.getattr(self, obj, attribute)
