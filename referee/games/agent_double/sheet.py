"""The score sheet of Agent Double: totals, tie-break, each delivery with its reason, and what was hidden.
Also the parts of each score, for the ending on the table screen."""

from collections.abc import Iterator, Mapping
from typing import Any

from referee.core.game import Finished, Part, Say
from referee.core.moves import Seat
from referee.games.agent_double.table import SEATS
from referee.presentation.sheets import Block, Gap, Paragraph, Row, Rule


def sheet(game: Finished) -> Iterator[Block]:
    for seat in SEATS:
        yield from _pile(game, seat)
    if game.outcome.tie_break:
        yield Paragraph(game.say("tie_break"), bold=True)
        yield from (Row(game.names[seat], str(game.outcome.tie_break["cards"][seat])) for seat in SEATS)
    yield Rule()
    for delivery in game.public["deliveries"]:
        yield from _delivery(game, delivery)
    for agent in game.public["agents"]:
        if not agent["delivered"]:
            yield from _left(game, agent["agent"])
    yield Paragraph(game.say("legend"))
    yield Rule()
    yield Paragraph(game.say("hidden"), bold=True)
    for seat in SEATS:
        yield from _hidden(game, seat)


def score_parts(public: Mapping[str, Any]) -> dict[Seat, tuple[Part, ...]]:
    """The points of each player: the documents of every agent whose delivery it took."""
    return {
        seat: tuple(
            Part(Say("delivery", {"agent": done["agent"]}), done["points"])
            for done in public["deliveries"]
            if done["taker"] == seat
        )
        for seat in SEATS
    }


def _pile(game: Finished, seat: Seat) -> Iterator[Block]:
    yield Row(f"{game.names[seat]} ({game.title(seat)})", str(game.outcome.scores[seat]), bold=True)
    yield Row(game.say("cards"), str(game.public["piles"][seat]["cards"]))
    yield Gap()


def _delivery(game: Finished, done: Mapping[str, Any]) -> Iterator[Block]:
    """Who took the documents of an agent, the parts of both sums, and the documents."""
    nobody = done["taker"] not in SEATS
    taker = game.say("nobody") if nobody else game.names[done["taker"]]
    yield Row(game.say("agent", agent=done["agent"], taker=taker), str(done["points"]), bold=True)
    for seat in SEATS:
        parts = done["loyalty"][seat]
        yield Row(game.say("loyalty", seat=game.title(seat)), _sum(game, parts))
    yield Paragraph(game.say(f"why.{done['why']}"))
    for seat in SEATS:
        files = [_file(game, each) for each in done["files"] if each["owner"] == seat]
        yield Row(game.say("files", seat=game.title(seat)), " ".join(files) or "–")
    yield Gap()


def _sum(game: Finished, parts: Mapping[str, int]) -> str:
    """`3 +1 infl. = 4`: the token, then what was added to it and why."""
    added = [f"+{parts[name]} {game.say(name)}" for name in ("influence", "personal") if parts[name]]
    return " ".join((str(parts["token"]), *added, f"= {parts['total']}")) if added else str(parts["total"])


def _file(game: Finished, file: Mapping[str, Any]) -> str:
    """A document as its value; an effect card as a letter and its value."""
    return str(file["value"]) if file["file"].isdigit() else f"{game.say(file['file'])}{file['value']}"


def _left(game: Finished, agent: str) -> Iterator[Block]:
    """An agent that never delivered: what lay before it."""
    yield Paragraph(game.say("left", agent=agent), bold=True)
    end = {seat: game.debrief[seat]["end"] for seat in SEATS}
    for seat in SEATS:
        yield Row(game.say("loyalty", seat=game.title(seat)), str(end[seat]["loyalty"].get(agent, "–")))
    for seat in SEATS:
        yield Row(game.say("files", seat=game.title(seat)), _faces(game, end[seat]["files"].get(agent, ())))
    yield Gap()


def _faces(game: Finished, files: Any) -> str:
    return " ".join(file if file.isdigit() else game.say(file) for file in files) or "–"


def _hidden(game: Finished, seat: Seat) -> Iterator[Block]:
    """The tokens as first assigned, and all documents where they were laid."""
    first = game.debrief[seat]["first"]
    yield Paragraph(game.names[seat])
    for agent, token in first["loyalty"].items():
        files = _faces(game, first["files"].get(agent, ()))
        yield Row(game.say("entered", agent=agent, token=token), files)
    yield Gap()
