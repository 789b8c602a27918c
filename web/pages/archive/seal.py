"""The page that shows what is sealed while a game is open: the hash of the seed of its dice, and the latest
fingerprint of its journal. Anybody may note them and compare them with the record after the end."""

from flask import Blueprint, Response

from web.pages.rendering import and_list, localizer_of, render_page, table_of

seal = Blueprint("seal", __name__)


@seal.get("/t/<code>/seal")
def sealed(code: str) -> Response:
    match = table_of(code).match
    localizer = localizer_of(match.seen_by())
    return render_page(
        "seal.html",
        code=code,
        localizer=localizer,
        seed_hash=match.seed_hash,
        mixed=and_list([localizer.name(seat) for seat, _nonce in match.nonces]),
        head=match.head,
        is_over=bool(match.outcome),
    )
