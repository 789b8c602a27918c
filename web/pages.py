"""The pages, rendered on the server; they work without JavaScript."""

from flask import Blueprint

pages = Blueprint("pages", __name__)
