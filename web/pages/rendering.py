"""Helpers that all pages share: language, texts, rendering, drawing caches, cookies, the caller's seats."""

import hashlib
import re
import secrets
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

from flask import (
    Flask,
    Response,
    current_app,
    g,
    has_app_context,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)
from jinja2 import Environment, Template
from jinja2.environment import TemplateModule
from markupsafe import Markup

from referee.core.match import PlayerView
from referee.core.moves import Seat
from referee.games import GAMES
from referee.presentation.views import Localizer
from referee.presentation.words import LANGUAGES, number, words
from web.output.dates import day
from web.pages.assets import address, asset
from web.pages.environment import as_markup
from web.request_context import caller, desks, my_language, service
from web.security.caller import LANGUAGE_COOKIE, SCREEN_COOKIE, Caller, host_cookie, seat_cookie
from web.service.idempotency import IdempotencyKey
from web.service.live_table import LiveTable
from web.wire.errors import ApiError
from web.wire.json_bytes import json_bytes

SPOKEN: ContextVar[str] = ContextVar("spoken", default="")  # the language outside of a request
DRAWN = 2048  # drawings in the shared cache; most are small parts of a board
MOST_KEPT = 16  # drawings in one page's cache
MONTH = 30 * 24 * 3600
EMPTY_LINES = re.compile("\n\n+")
NO_BREAK = " :", " ;", " !", " ?", " »", " %", "« "  # with spaces at which French never breaks a line


def language() -> str:
    """The language being rendered. Cached per request, since every text looks it up."""
    if spoken_in := SPOKEN.get():
        return spoken_in
    if "language" not in g:
        g.language = my_language()
    return str(g.language)


def use_table_language(table: LiveTable) -> None:
    """Render in the table's language, unless this browser has chosen one."""
    if request.cookies.get(LANGUAGE_COOKIE) not in LANGUAGES:
        g.language = table.match.options["language"]


class in_language:
    """Render outside of a request, in this language. Do not await inside the block. The server's loop has an
    application context already; elsewhere one is made. A class, which costs less than a generator."""

    __slots__ = ("_before", "_context", "_spoken_in")

    def __init__(self, app: Flask, spoken_in: str) -> None:
        self._context = None if has_app_context() else app.app_context()
        self._spoken_in = spoken_in

    def __enter__(self) -> None:
        if self._context:
            self._context.push()
        self._before = SPOKEN.set(self._spoken_in)

    def __exit__(self, *_: object) -> None:
        SPOKEN.reset(self._before)
        if self._context:
            self._context.pop()


def say(key: str, **fields: Any) -> str:
    return no_break(words(language()).say(key, fields)) if fields else _text_of(language(), key)


@lru_cache(maxsize=4096)
def _text_of(language: str, key: str) -> str:
    return no_break(words(language).say(key))


def format_number(count: int) -> str:
    return number(count, language())


def format_day(when: str) -> str:
    return day(when, language())


def no_break(text: str) -> str:
    """The text with no-break spaces before French punctuation."""
    for space in NO_BREAK:
        if space in text:
            text = text.replace(space, space.replace(" ", "\N{NO-BREAK SPACE}"))
    return text


def localizer_of(seen: PlayerView) -> Localizer:
    return Localizer(words(language()), seen.game, seen.names)


def name_of(game: str) -> str:
    """The name of a game; its id if it is no longer in the catalogue."""
    return game_localizer(game).of_game("name") if game in GAMES else game


def game_localizer(game: str) -> Localizer:
    """The localizer of a game without a table."""
    return Localizer(words(language()), GAMES[game], {})


def context() -> dict[str, Any]:
    """Variables of every template, that of errors included."""
    return {
        "language": language(),
        "languages": LANGUAGES,
        "back": g.get("back") or request.full_path.rstrip("?"),
        "code": None,
        "desk": f"/desk/{service().settings.desk.name}",
        "needs_pin": bool(service().settings.server.host_pin),
    }


def redirect_to_capitals() -> Response | None:
    """Redirect a path whose code or key was typed in lower case to the same path in capitals."""
    typed = request.view_args or {}
    capitals: dict[str, str] = {name: typed[name].upper() for name in ("code", "key") if name in typed}
    if all(typed[name] == capitals[name] for name in capitals) or request.endpoint is None:
        return None
    values: dict[str, Any] = {**typed, **capitals}
    where, query = url_for(request.endpoint, **values), request.query_string.decode()
    return make_response(redirect(f"{where}?{query}" if query else where, 308))


def clock_is_right() -> bool:
    """Whether this machine's own clock can be right. If not, the pages of all phones send theirs."""
    return service().clock.is_right()


def drawn_once(draw: Callable[..., str], *what: Any) -> str:
    """Call a macro through a cache shared by all pages, keyed by its arguments and the language.

    The result depends on nothing else, so the cache gives no page anything it could not have drawn itself.
    """
    key = draw, language(), json_bytes(what)
    with _drawing:
        drawn = _drawings.pop(key, None)
        if drawn is not None:
            _drawings[key] = drawn
            return drawn
    drawn = draw(*what)
    with _drawing:
        _drawings[key] = drawn
        if len(_drawings) > DRAWN:
            del _drawings[next(iter(_drawings))]
    return drawn


_drawings: dict[tuple[Callable[..., str], str, bytes], str] = {}  # most recently used last
_drawing = threading.Lock()


def small_drawing(macro: str, template: str = "drawings.html") -> Callable[[Any], str]:
    """A cached version of a macro that takes one word or number."""

    @lru_cache(maxsize=64)
    def draw(which: Any) -> str:
        drawn: str = getattr(current_app.jinja_env.get_template(template).module, macro)(which)
        return drawn

    return draw


class LastDrawing:
    """A page's drawing cache: a macro is called again only when its arguments have changed.

    Each page has its own, so that response times reveal nothing about other pages. Keys are the macros of
    template modules, which live as long as the process, so there are few of them.
    """

    def __init__(self) -> None:
        self._last: dict[Callable[..., str], tuple[bytes, str]] = {}

    def __len__(self) -> int:
        return len(self._last)

    def __call__(self, draw: Callable[..., str], *what: Any) -> str:
        key = json_bytes(what)
        before, drawn = self._last.get(draw, (b"", ""))
        if before != key:
            drawn = draw(*what)
            if len(self._last) >= MOST_KEPT:
                self._last.clear()
            self._last[draw] = key, drawn
        return drawn


def render_regions(folder: str, names: Iterable[str], about: Mapping[str, Any]) -> dict[str, str]:
    """Render these regions of a page, each a template of its own.

    All share one context: creating one costs as much as rendering a small region. No request is needed,
    because live pages are rendered in the event loop.
    """
    env = current_app.jinja_env
    templates = [(name, _region(env, folder, name)) for name in names]
    if not templates:
        return {}
    shared = templates[0][1].new_context({**_for_regions(env), **about, "page": about}, shared=True)
    return {name: _text(template.root_render_func(shared)) for name, template in templates}


@lru_cache(maxsize=128)
def _region(env: Environment, folder: str, name: str) -> Template:
    """The template of a region: the page's own, else the shared one."""
    return env.select_template([f"{folder}/{name}.html", f"regions/{name}.html"])


@lru_cache(maxsize=1)
def _for_regions(env: Environment) -> dict[str, Any]:
    """Globals of every region: those of the environment, and the common macros without an import."""
    parts, repair = (vars(env.get_template(name).module) for name in ("parts.html", "repair.html"))
    return {**env.globals, **parts, **repair, "forms": env.get_template("forms.html").module}


def _text(rendered: Iterable[str]) -> Markup:
    """The text of a region, without empty lines."""
    return as_markup(EMPTY_LINES.sub("\n", "".join(rendered)).strip("\n"))


def render_page(template: str, status: int = 200, **about: Any) -> Response:
    return make_response(render_template(template, **about), status)


def render_with_error(template: str, refusal: ApiError | None, **about: Any) -> Response:
    """A page with a form. If what was sent was refused, the page shows the error and has its status."""
    told = {"problem": problem(refusal) if refusal else None, **about}
    return render_page(template, refusal.status if refusal else 200, **told)


def wants_regions() -> bool:
    """Whether a page's script made this request. It gets the regions of the page as JSON."""
    return request.accept_mimetypes.best == "application/json"


def redirect_to(path: str) -> Response:
    """Redirect after a form: the next page is a GET."""
    return make_response(redirect(path, 303))


def fragment(game: str, name: str) -> str:
    """The path of a game's own template, else of the generic one."""
    return str(_of_game(current_app.jinja_env, game, name).name)


def game_macros(game: str, name: str) -> TemplateModule:
    """The macros of a game's own template, else of the generic one. They see only their arguments."""
    return _of_game(current_app.jinja_env, game, name).module


@lru_cache(maxsize=128)
def _of_game(env: Environment, game: str, name: str) -> Template:
    return env.select_template([f"games/{game}/{name}", f"games/any/{name}"])


def game_files(game: str) -> Markup:
    """The HTML tags of a game's own style sheet and script, if it has them."""
    tags = {"css": '<link rel="stylesheet" href="{}">', "js": '<script src="{}"></script>'}
    there = ((form, f"games/{game}.{form}") for form in tags)
    return Markup("\n").join(Markup(tags[form]).format(address(name)) for form, name in there if asset(name))


def sign_of(game: str, name: str) -> str:
    """A game's drawing of a kind of answer. Cached by the shared drawings."""
    macros: Any = game_macros(game, "signs.html")
    return drawn_once(macros.sign, name)


def screen_files(game: str) -> Markup:
    """The HTML tag of a game's style sheet for table screens, if it has one."""
    name = f"games/{game}.screen.css"
    return Markup('<link rel="stylesheet" href="{}">').format(address(name)) if asset(name) else Markup("")


def sketch_of(seen: PlayerView) -> Mapping[str, Any]:
    """What a drawing of the table needs beyond the view; empty before the deal."""
    sketch: Mapping[str, Any] = seen.game.sketch(seen.slice.table) if seen.slice else {}
    return sketch


def stamp(view: Mapping[str, Any]) -> str:
    """An identifier of the view that a page shows, for its script: table, version, and rematch if any."""
    return ":".join(str(view[part]) for part in ("table", "version", "next") if view[part] is not None)


def problem(refusal: ApiError) -> dict[str, Any]:
    """An error in the language of this page."""
    return refusal.problem(words(language()))


def nonce() -> str:
    """A random id for a form, which makes its submission idempotent."""
    return secrets.token_urlsafe(12)


def retry(about: str, part: str = "") -> IdempotencyKey | None:
    """The idempotency key of the submitted form: its nonce, bound to its path and to `about`.

    A form that does several things has a key for each, by `part`.
    """
    mark = request.form.get("nonce", "")[:64]
    bound = hashlib.sha256(f"{request.path}\n{about}".encode()).hexdigest()
    return IdempotencyKey(mark + part, bound, whole=False) if mark else None


def set_cookie(
    response: Response,
    name: str,
    value: str,
    path: str = "/",
    age: int | None = MONTH,
    is_for_script: bool = False,
) -> Response:
    """Set a SameSite=Lax cookie, Secure under HTTPS, HttpOnly unless the page's script has to change it."""
    response.set_cookie(
        name,
        value,
        max_age=age,
        path=path,
        secure=request.is_secure,
        httponly=not is_for_script,
        samesite="Lax",
    )
    return response


def print_notice(desk: str | None) -> str:
    """What happens to a queued paper: printed (`on_its_way`), shown on the desk page, or waiting."""
    if desk is None or not desks().is_connected(desk):
        return "waits"
    printer = desks().health.get(desk, {}).get("printer", {})
    return "shown" if printer.get("detail") == "virtual" else "on_its_way"


def desk_words(detail: str, device: str = "") -> str:
    """The text for a device's health: its state, and what to do about it."""
    keys = (f"page.health.{device}.{detail}", f"page.health.{detail}")
    return next((say(key) for key in keys if key in words(language())), detail)


def desk_troubles(desk: str | None) -> list[dict[str, str]]:
    """The devices of a desk that report a fault, each with what to do about it."""
    told = desks().health.get(desk, {}) if desk else {}
    return [
        {"name": say(f"page.device.{device}"), "words": desk_words(health["detail"])}
        for device, health in told.items()
        if not health["ok"] and f"page.device.{device}" in words(language())
    ]


def may_print(table: LiveTable, what: str) -> str | None:
    """The token with which this device may print a paper: the host's, or for a sheet also a seat's."""
    seats = held(table) if what == "sheet" else []
    tokens = (host_token(table), *(seat_caller(table, seat).token for seat in seats))
    return next(filter(None, tokens), None)


# ---- the caller


def table_of(code: str, trusted: bool = False) -> LiveTable:
    """The table with this code. A caller without a token for it is rate-limited, unless `trusted`."""
    table = service().table(code)
    token = next((t for t in _tokens(code) if table and (table.seat_of(t) or table.is_host(t))), None)
    return service().find(code, caller(token), trusted)


def _tokens(code: str) -> Iterator[str]:
    for name, value in request.cookies.items():
        if name == host_cookie(code) or name.startswith(seat_cookie(code, "")):
            yield value


def host_token(table: LiveTable) -> str | None:
    """The host's token, if this device holds it."""
    token = request.cookies.get(host_cookie(table.code))
    return token if table.is_host(token) else None


def is_own_screen(desk: str) -> bool:
    """Whether this browser is the desk's own screen."""
    return desks().is_screen(desk, request.cookies.get(SCREEN_COOKIE, ""))


def held(table: LiveTable) -> list[Seat]:
    """The seats of this table that this device holds."""
    return [seat for seat in table.match.seats if table.seat_of(seat_caller(table, seat).token) == seat]


def seat_caller(table: LiveTable, seat: Seat) -> Caller:
    return caller(request.cookies.get(seat_cookie(table.code, seat)))


def and_list(names: list[str]) -> str:
    """Several names as a list in words: "A, B and C"."""
    if len(names) < 2:
        return "".join(names)
    return say("page.and", these=", ".join(names[:-1]), this=names[-1])


def site_path(path: str) -> str:
    """The path if it is one on this site, else `/`. Prevents open redirects."""
    own = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if own else "/"
