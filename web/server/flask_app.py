"""The Flask application: API and page blueprints, Host and CSRF checks, error responses, security headers."""

import logging
from functools import cached_property
from pathlib import Path

from flask import Flask, Response, jsonify, render_template, request
from jinja2 import BaseLoader, ChoiceLoader, FileSystemLoader, FunctionLoader
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from referee.presentation.words import words
from web.api.contract import api
from web.api.history import api_history
from web.pages import assets, pages
from web.pages.environment import TemplateEnvironment, WithoutIndentation, game_template
from web.request_context import my_language, service
from web.security.hosts import known_host, same_origin
from web.service.desks import Desks
from web.service.tables import TableService
from web.wire.errors import ApiError, malformed

log = logging.getLogger("referee")

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
        " media-src blob:; manifest-src 'self';"
        " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "same-origin",  # with no-referrer, browsers post our own forms with "Origin: null"
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Server": "referee",  # else granian adds its own name
}
REFUSAL = "referee.refusal"  # WSGI environment key of an error that Flask only has to render
SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")  # methods that change nothing and need no CSRF check
EMPTY, SUCCESSFUL = ("/generate_204", "/gen_204"), ("/hotspot-detect.html", "/library/test/success.html")
PROBES = (*EMPTY, *SUCCESSFUL)  # requested with the Host of the phone's vendor
TEMPLATES = Path(__file__).parents[1] / "templates"
SUCCESS = "<html><head><title>Success</title></head><body>Success</body></html>"


class FlaskApplication(Flask):
    jinja_environment = TemplateEnvironment
    jinja_options = {"extensions": [WithoutIndentation]}  # noqa: RUF012  # Flask's own declaration

    @cached_property
    def jinja_loader(self) -> BaseLoader:
        """Our templates, and those in the folders of games."""
        return ChoiceLoader([FileSystemLoader(TEMPLATES), FunctionLoader(game_template)])


def create_app(service_: TableService, desks: Desks) -> Flask:
    app = FlaskApplication("web", static_folder="static", template_folder=None)
    app.url_map.merge_slashes = False  # a path with two slashes is a different path
    app.json.sort_keys = False  # type: ignore[attr-defined]  # seats keep their order
    app.extensions.update(service=service_, desks=desks)
    assets.serve(app)
    app.register_blueprint(api)
    app.register_blueprint(api_history)
    app.register_blueprint(pages)
    app.before_request(_check_request)
    app.after_request(_with_headers)
    app.register_error_handler(ApiError, _error_response)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(Exception, _unexpected_error)
    app.add_url_rule("/healthz", view_func=_healthz)
    # Captive-portal checks: a phone leaves a Wi-Fi network where they fail.
    for path in EMPTY:
        app.add_url_rule(path, path, lambda: ("", 204))
    for path in SUCCESSFUL:
        app.add_url_rule(path, path, lambda: SUCCESS)
    return app


def _healthz() -> Response:
    return jsonify({"status": "ok", "tables": service().store.count_tables()})


def _check_request() -> None:
    """Check the Host header, and the origin of a request that may change something (CSRF)."""
    if REFUSAL in request.environ:
        raise request.environ[REFUSAL]
    if request.path in PROBES:
        return
    if "Host" not in request.headers:
        raise malformed("Host")
    if not known_host(request.host, service().settings.server):
        raise ApiError("not-allowed")
    sent = request.headers
    if request.method not in SAFE and not same_origin(
        sent.get("Origin"), sent.get("Sec-Fetch-Site"), request.host
    ):
        raise ApiError("not-allowed")


def _with_headers(response: Response) -> Response:
    response.headers.update(HEADERS)
    if not request.path.startswith("/static/"):
        response.headers["Cache-Control"] = "no-store"
    return response


def _error_response(refusal: ApiError) -> tuple[Response, int]:
    """The response to an error: problem+json for the API, a page for browsers."""
    problem = refusal.problem(words(my_language()))
    if request.path.startswith("/api/"):
        response = jsonify(problem)
        response.mimetype = "application/problem+json"
    else:
        response = Response(render_template("refusal.html", problem=problem))
    response.headers.update(refusal.headers())
    return response, refusal.status


def _http_error(error: HTTPException) -> tuple[Response, int] | HTTPException:
    """Flask's own errors, in the same form as ours."""
    if error.code is None or error.code < 400:
        return error
    known = {404: "unknown-page", 405: "wrong-method"}
    response = _error_response(ApiError(known[error.code]) if error.code in known else malformed("HTTP"))
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        response[0].headers["Allow"] = ", ".join(sorted(error.valid_methods))
    return response


def _unexpected_error(error: Exception) -> tuple[Response, int]:
    """An unexpected exception. The log gets the URL rule, not the URL, because some URLs contain keys."""
    log.error("%s %s failed", request.method, request.url_rule, exc_info=error)
    return _error_response(ApiError("broken"))
