"""The Jinja environment of all templates, made for regions: three are rendered for every move of a table.

A game's own templates lie in its folder; they are named `games/ID/…`.
"""

import re
from collections.abc import Callable
from typing import Any

from flask.templating import Environment
from jinja2 import Environment as JinjaEnvironment
from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.ext import Extension
from jinja2.runtime import Macro, Undefined
from jinja2.utils import missing
from markupsafe import Markup, escape

from referee.presentation.game_folders import game_file

SPECIAL = re.compile(r"[&<>'\"]")  # characters that are escaped
ONLY_TAGS = re.compile(r"(\{%((?!%\}).)*%\}|\{#((?!#\}).)*#\})+")


class WithoutIndentation(Extension):
    """Removes indentation, and the line breaks after lines of nothing but tags and at the end of macros, when
    a template is compiled. So the output has no indentation and few empty lines. A drawing is a line of its
    own, which live pages send once; the line breaks are inside of its tags, where they mean nothing."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        lines = filter(None, map(str.strip, source.split("\n")))
        text = "".join(line if ONLY_TAGS.fullmatch(line) else f"{line}\n" for line in lines)
        text = text.replace("\n{% endmacro", "{% endmacro")
        return text.replace("<svg ", "<svg\n").replace("</svg>", "</svg\n>")


class PlainOutput(CodeGenerator):
    """Compiles templates to plainer Python: functions are called directly, since none of ours takes Jinja's
    context as an argument, and `escape`, `Macro` and attributes are those of this module. Names are looked up
    when a template is rendered, so the import may stand at the end."""

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:
        super().visit_Template(node, frame)
        self.writeline(f"from {__name__} import PlainMacro as Macro, attribute_of, escaped as escape")

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:
        """A key of a dict is found in place, since views are dicts; anything else by `attribute_of`."""
        name = repr(node.attr)
        self.write(f"(_of[{name}] if type(_of := ")
        self.visit(node.node, frame)
        self.write(f") is dict and {name} in _of else attribute_of(_of, {name}))")

    def visit_CondExpr(self, node: nodes.CondExpr, frame: Frame) -> None:
        """Without `else` an expression is empty text. Jinja makes an object that says what is missing."""
        self.write("(")
        self.visit(node.expr1, frame)
        self.write(" if ")
        self.visit(node.test, frame)
        self.write(" else ")
        self.visit(node.expr2 or nodes.Const(""), frame)
        self.write(")")

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:
        assert not (node.dyn_args or node.dyn_kwargs or forward_caller), "not used by any template"
        self.visit(node.node, frame)
        self.write("(")
        for argument in (*node.args, *node.kwargs):
            self.visit(argument, frame)
            self.write(", ")
        self.write(")")


class PlainMacro(Macro):
    """A macro. A call with arguments by position only, as nearly all are, skips the matching of arguments.
    Those that are left out get their defaults in the macro itself."""

    def __init__(
        self, env: JinjaEnvironment, draw: Callable[..., str], name: str, arguments: list[str], *more: Any
    ) -> None:
        super().__init__(env, draw, name, arguments, *more)
        self.draw, self.count = draw, len(arguments)
        assert not any(more[:3]), "no macro takes `kwargs`, `varargs` or `caller`"

    def __call__(self, *args: Any, **kwargs: Any) -> str:
        left_out = self.count - len(args)
        if kwargs or left_out < 0:
            return super().__call__(*args, **kwargs)
        return as_markup(self.draw(*args, *(missing,) * left_out) if left_out else self.draw(*args))


def as_markup(text: str) -> Markup:
    """`Markup(text)`, without its search for other types than text."""
    return str.__new__(Markup, text)


def escaped(value: Any) -> str:
    """The same text as `markupsafe.escape`, but not wrapped in `Markup` again: pieces of output are only
    joined."""
    kind = type(value)
    if kind is Markup or (kind is str and not SPECIAL.search(value)):
        text: str = value
        return text
    return str(value) if kind is int else escape(value)


def attribute_of(value: Any, name: str) -> Any:
    """`view.status` in a template, where that is not a dict's key."""
    try:
        return getattr(value, name)
    except AttributeError:
        return Undefined(obj=value, name=name)


def game_template(name: str) -> tuple[str, str, None] | None:
    """The source of a template `games/ID/…` in the folder of that game."""
    top, _, path = name.partition("/")
    game, _, file = path.partition("/")
    found = game_file(game, "templates", file) if top == "games" else None
    return (found.read_text(encoding="utf-8"), str(found), None) if found else None


class TemplateEnvironment(Environment):
    """Flask's template environment with our compiler."""

    code_generator_class = PlainOutput
