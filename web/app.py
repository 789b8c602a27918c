"""The Flask application: API and pages behind one door, refusals in words, headers that keep secrets in."""

import logging

from flask import Flask, Response, jsonify, render_template, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from referee.words import words
from web import assets
from web.api import api, house, my_language
from web.api_memory import api_memory
from web.desks import Desks
from web.door import known_host, same_origin
from web.house import House
from web.pages import pages
from web.refusals import Refusal, malformed

log = logging.getLogger("referee")

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
        " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "same-origin",  # with no-referrer, browsers post our own forms with "Origin: null"
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Server": "referee",  # else the server would name itself
}
REFUSAL = "referee.refusal"  # in a WSGI environment: a refusal that only needs to be worded
SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")  # they change nothing, whoever sends them
EMPTY, SUCCESSFUL = ("/generate_204", "/gen_204"), ("/hotspot-detect.html", "/library/test/success.html")
PROBES = (*EMPTY, *SUCCESSFUL)  # phones ask for them by the names of others
SUCCESS = "<html><head><title>Success</title></head><body>Success</body></html>"


def create_app(house_: House, desks: Desks) -> Flask:
    app = Flask("web", static_folder="static", template_folder="templates")
    app.url_map.merge_slashes = False  # an address with two slashes is another one
    app.json.sort_keys = False  # type: ignore[attr-defined]  # seats keep their order
    app.extensions.update(house=house_, desks=desks)
    assets.serve(app)
    app.register_blueprint(api)
    app.register_blueprint(api_memory)
    app.register_blueprint(pages)
    app.before_request(_at_the_door)
    app.after_request(_with_headers)
    app.register_error_handler(Refusal, _refused)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(Exception, _broken)
    app.add_url_rule("/healthz", view_func=_healthz)
    # Phones ask these to find out whether the hotspot is any good; the right answer makes them stay.
    for path in EMPTY:
        app.add_url_rule(path, path, lambda: ("", 204))
    for path in SUCCESSFUL:
        app.add_url_rule(path, path, lambda: SUCCESS)
    return app


def _healthz() -> Response:
    return jsonify({"status": "ok", "tables": house().store.count_tables()})


def _at_the_door() -> None:
    """Before anything else: is this our name, is it a page of ours that posts?"""
    if REFUSAL in request.environ:
        raise request.environ[REFUSAL]
    if request.path in PROBES:
        return
    if "Host" not in request.headers:
        raise malformed("Host")
    if not known_host(request.host, house().settings.server):
        raise Refusal("not-allowed")
    sent = request.headers
    if request.method not in SAFE and not same_origin(
        sent.get("Origin"), sent.get("Sec-Fetch-Site"), request.host
    ):
        raise Refusal("not-allowed")


def _with_headers(response: Response) -> Response:
    response.headers.update(HEADERS)
    if not request.path.startswith("/static/"):
        response.headers["Cache-Control"] = "no-store"
    return response


def _refused(refusal: Refusal) -> tuple[Response, int]:
    """A refusal in words: as a problem for scripts, as a page with a way out for people."""
    problem = refusal.problem(words(my_language()))
    wait = problem.pop("retry_after", None)
    if request.path.startswith("/api/"):
        response = jsonify(problem)
        response.mimetype = "application/problem+json"
    else:
        response = Response(render_template("refusal.html", problem=problem))
    if wait:
        response.headers["Retry-After"] = str(wait)
    return response, refusal.status


def _http_error(error: HTTPException) -> tuple[Response, int] | HTTPException:
    """Flask's own errors, told like every other refusal."""
    if error.code is None or error.code < 400:
        return error
    known = {404: "unknown-page", 405: "wrong-method"}
    told = _refused(Refusal(known[error.code]) if error.code in known else malformed("HTTP"))
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        told[0].headers["Allow"] = ", ".join(sorted(error.valid_methods))
    return told


def _broken(error: Exception) -> tuple[Response, int]:
    """A fault of ours. The log names the page, not its address: some addresses carry keys."""
    log.error("%s %s failed", request.method, request.url_rule, exc_info=error)
    return _refused(Refusal("broken"))
