"""What all pages share: their language and words, who looks at them, cookies, the way back."""

import hashlib
import secrets
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from flask import Flask, Response, current_app, g, make_response, redirect, render_template, request, url_for
from markupsafe import Markup

from referee.games import GAMES
from referee.match import Seen
from referee.moves import Seat
from referee.views import Voice
from referee.words import LANGUAGES, number, words
from web.api import caller, desks, house, my_language
from web.assets import address, asset
from web.caller import LANGUAGE_COOKIE, SCREEN_COOKIE, Caller, host_cookie, seat_cookie
from web.dates import day
from web.refusals import Refusal
from web.retries import Retry
from web.table import LiveTable
from web.written import written

BETWEEN = "\N{INFORMATION SEPARATOR TWO}"  # two regions in what is rendered at once; no text has one
SPOKEN: ContextVar[str] = ContextVar("spoken", default="")  # where no request tells the language
DRAWN = 128  # drawings that are kept
MONTH = 30 * 24 * 3600
KEPT = " :", " ;", " !", " ?", " »", " %", "« "  # with spaces where French never breaks a line


def language() -> str:
    """The language of what is being rendered: every word asks for it, so it is found once."""
    if spoken_in := SPOKEN.get():
        return spoken_in
    if "language" not in g:
        g.language = my_language()
    return str(g.language)


def speak_as(table: LiveTable) -> None:
    """Speak the language of the table, unless the one who looks switched to another."""
    if request.cookies.get(LANGUAGE_COOKIE) not in LANGUAGES:
        g.language = table.match.options["language"]


@contextmanager
def speaking(app: Flask, spoken_in: str) -> Iterator[None]:
    """Render outside of a request, in this language. Nothing is awaited meanwhile."""
    with app.app_context():
        before = SPOKEN.set(spoken_in)
        try:
            yield
        finally:
            SPOKEN.reset(before)


def say(key: str, **fields: Any) -> str:
    return tidy(words(language()).say(key, fields))


def figure(count: int) -> str:
    return number(count, language())


def on_day(when: str) -> str:
    return day(when, language())


def tidy(text: str) -> str:
    """A sentence that a browser will not break before its colon."""
    for space in KEPT:
        if space in text:
            text = text.replace(space, space.replace(" ", "\N{NO-BREAK SPACE}"))
    return text


def speech(seen: Seen) -> Voice:
    return Voice(words(language()), seen.game, seen.names)


def name_of(game: str) -> str:
    """What a game is called; one whose rules are gone has only its id left."""
    return voice_of(game).of_game("name") if game in GAMES else game


def voice_of(game: str) -> Voice:
    """The words of a game at no table."""
    return Voice(words(language()), GAMES[game], {})


def context() -> dict[str, Any]:
    """What every template may use, the refusal's too."""
    return {
        "language": language(),
        "languages": LANGUAGES,
        "back": g.get("back") or request.full_path.rstrip("?"),
        "code": None,
        "desk": f"/desk/{house().settings.desk.name}",
        "needs_pin": bool(house().settings.server.host_pin),
    }


def in_capitals() -> Response | None:
    """Codes and keys are capitals; one that was typed small leads to the same page."""
    typed = request.view_args or {}
    capitals: dict[str, str] = {name: typed[name].upper() for name in ("code", "key") if name in typed}
    if all(typed[name] == capitals[name] for name in capitals) or request.endpoint is None:
        return None
    values: dict[str, Any] = {**typed, **capitals}
    where, query = url_for(request.endpoint, **values), request.query_string.decode()
    return make_response(redirect(f"{where}?{query}" if query else where, 308))


def clock_is_sure() -> bool:
    """Whether the time is known; else the pages of phones tell it."""
    return house().wall.is_sure()


def drawn_once(name: str, draw: Callable[..., str], *what: Any) -> str:
    """A drawing that many pages show: made once for the same things in the same language. Nothing but what
    is given goes into it, so whoever gets it from here might have drawn it."""
    key = name, language(), written(what)
    with _drawing:
        drawn = _drawings.pop(key, None)
    drawn = draw(*what) if drawn is None else drawn
    with _drawing:
        _drawings[key] = drawn
        if len(_drawings) > DRAWN:
            del _drawings[next(iter(_drawings))]
    return drawn


_drawings: dict[tuple[str, str, bytes], str] = {}  # the latest last
_drawing = threading.Lock()


def pieces(folder: str, names: Iterable[str], about: Mapping[str, Any]) -> dict[str, str]:
    """These regions of a page, each a template of its own, without indentation. All in one go, which is
    cheaper. Needs no request: live pages are rendered in the loop."""
    wanted = list(names)
    template = current_app.jinja_env.get_template(f"{folder}/regions.html")
    texts = template.render(about, names=wanted, folder=folder, BETWEEN=BETWEEN).split(BETWEEN)[1:]
    lines = ([line for raw in text.split("\n") if (line := raw.strip())] for text in texts)
    return {name: Markup("\n".join(each)) for name, each in zip(wanted, lines, strict=True)}


def show(template: str, status: int = 200, **about: Any) -> Response:
    return make_response(render_template(template, **about), status)


def show_again(template: str, refusal: Refusal | None, **about: Any) -> Response:
    """A page with a form, which comes again with the refusal when what was sent was refused."""
    told = {"problem": problem(refusal) if refusal else None, **about}
    return show(template, refusal.status if refusal else 200, **told)


def wants_regions() -> bool:
    """Whether a page's own script asks: it is answered with the regions of the page, as JSON."""
    return request.accept_mimetypes.best == "application/json"


def go(path: str) -> Response:
    """Redirect after a form: the next page is a GET."""
    return make_response(redirect(path, 303))


def fragment(game: str, name: str) -> str:
    """A game's own piece of a page, or the one that serves any game."""
    return str(current_app.jinja_env.select_template([f"games/{game}/{name}", f"games/any/{name}"]).name)


def game_files(game: str) -> Markup:
    """The tags for a game's own style sheet and script, where it has them."""
    tags = {"css": '<link rel="stylesheet" href="{}">', "js": '<script src="{}"></script>'}
    there = ((form, f"games/{game}.{form}") for form in tags)
    return Markup("\n").join(Markup(tags[form]).format(address(name)) for form, name in there if asset(name))


def sketch_of(seen: Seen) -> Mapping[str, Any]:
    """What a drawing of the table shows beyond the view; nothing before the cards are dealt."""
    sketch: Mapping[str, Any] = seen.game.sketch(seen.slice) if seen.slice else {}
    return sketch


def stamp(view: Mapping[str, Any]) -> str:
    """Which view a page shows, as the script knows it."""
    return ":".join(str(view[part]) for part in ("table", "version", "next") if view[part] is not None)


def problem(refusal: Refusal) -> dict[str, Any]:
    """A refusal in the words of this page."""
    return refusal.problem(words(language()))


def nonce() -> str:
    """A mark of a form: sent twice, it counts once."""
    return secrets.token_urlsafe(12)


def retry(about: str, part: str = "") -> Retry | None:
    """The nonce of the form that was sent, bound to its address and to what it is about.

    A form that does two things has a nonce for each part.
    """
    mark = request.form.get("nonce", "")[:64]
    bound = hashlib.sha256(f"{request.path}\n{about}".encode()).hexdigest()
    return Retry(mark + part, bound, whole=False) if mark else None


def keep(
    response: Response,
    name: str,
    value: str,
    path: str = "/",
    age: int | None = MONTH,
    is_for_script: bool = False,
) -> Response:
    """A cookie that other sites do not send, and that scripts cannot read unless it is theirs to change."""
    response.set_cookie(name, value, max_age=age, path=path, httponly=not is_for_script, samesite="Lax")
    return response


def print_notice(desk: str | None) -> str:
    """What becomes of a paper that was asked for: printed, shown on the virtual desk, or waiting."""
    if desk is None or not desks().is_connected(desk):
        return "waits"
    printer = desks().health.get(desk, {}).get("printer", {})
    return "shown" if printer.get("detail") == "virtual" else "on_its_way"


def desk_words(detail: str, device: str = "") -> str:
    """How a device of a desk is, and what to do about it."""
    keys = (f"page.health.{device}.{detail}", f"page.health.{detail}")
    return next((say(key) for key in keys if key in words(language())), detail)


def desk_troubles(desk: str | None) -> list[dict[str, str]]:
    """The devices of a desk that do not do their work, each with what to do about it."""
    told = desks().health.get(desk, {}) if desk else {}
    return [
        {"name": say(f"page.device.{device}"), "words": desk_words(health["detail"])}
        for device, health in told.items()
        if not health["ok"] and f"page.device.{device}" in words(language())
    ]


def may_print(table: LiveTable, what: str) -> str | None:
    """The token by which this device may print a paper: the host's, or for a sheet also a seat's."""
    seats = held(table) if what == "sheet" else []
    tokens = (host_token(table), *(seat_caller(table, seat).token for seat in seats))
    return next(filter(None, tokens), None)


# ---- who looks


def table_of(code: str, trusted: bool = False) -> LiveTable:
    """The table of this code, for whoever asks."""
    table = house().table(code)
    token = next((t for t in _tokens(code) if table and (table.seat_of(t) or table.is_host(t))), None)
    return house().find(code, caller(token), trusted)


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
    """Several names as one speaks of them."""
    if len(names) < 2:
        return "".join(names)
    return say("page.and", these=", ".join(names[:-1]), this=names[-1])


def site_path(path: str) -> str:
    """A path on this site, whatever a form sent."""
    own = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if own else "/"
