"""The real pieces of Agent Double, and people who follow the instructions of the referee.

After an undo or a correction they follow the instructions on their phones line by line. Then the pieces on
their table must be where the referee's state has them.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from referee.core.game import Say, State
from referee.core.moves import Seat
from referee.games.agent_double.table import HAND, NOBODY, SEATS

SPACES = {"dark_red": -2, "inner_red": -1, "inner_blue": 1, "dark_blue": 2}
Document = tuple[str, str, str]  # owner, back, face


@dataclass
class Pieces:
    """All that lies on the table, in the box and on the decks."""

    columns: dict[tuple[str, Seat], list[Document]]
    face_up: set[str]  # agents whose documents and tokens everyone sees
    taken: dict[str, tuple[str, list[Document]]]  # by agent: whose pile or nobody's, and the documents
    box: list[Document]
    tokens: dict[Seat, dict[str, int]]
    counters: dict[str, tuple[int, bool]]
    markers: dict[str, int]
    supply: int
    actions: dict[Seat, list[str]]  # in the box
    announced: tuple[Seat, str] | None
    hands: dict[Seat, int]
    decks: dict[Seat, int]

    # ---- what people do

    def follow(self, says: Sequence[Say]) -> None:
        for say in says:
            name, *rest = say.key.removeprefix("back.").split(".")
            getattr(self, f"_{name}")(dict(say.fields), *rest)

    def _column(self, f: dict[str, Any], way: str, place: str) -> None:
        column = self.columns[f["agent"], f["owner"]]
        taker, documents = self.taken[f["agent"]]
        assert (taker == NOBODY) == (place == "box") and taker == f["seat"]
        for face, back in zip(f["files"], f["backs"], strict=True):
            documents.remove((f["owner"], back, face))
            column.append((f["owner"], back, face))
        if way == "up":
            self.face_up.add(f["agent"])

    def _tokens(self, f: dict[str, Any], way: str) -> None:
        assert self.taken.pop(f["agent"])[1] == [], "all documents of the agent are back"
        assert (f["agent"] in self.face_up) == (way == "up")
        for seat in SEATS:
            self.tokens[seat][f["agent"]] = f[seat]

    def _hide(self, f: dict[str, Any]) -> None:
        self.face_up.remove(f["agent"])

    def _show(self, f: dict[str, Any], _special: str = "") -> None:
        self.face_up |= {f["agent"]} if "agent" in f else set()

    def _delivered(self, f: dict[str, Any], _how: str) -> None:
        agent = f["agent"]
        documents = [each for seat in SEATS for each in self.columns[agent, seat]]
        self.taken[agent] = (f["taker"], sorted(documents))
        self.face_up.remove(agent)
        for seat in SEATS:
            self.columns[agent, seat] = []
            del self.tokens[seat][agent]
        del self.counters[agent]
        self.markers[agent] = 0

    def _hand(self, f: dict[str, Any], _voice: str) -> None:
        """Of two that are alike on both faces, the one laid last."""
        column = self.columns[f["agent"], f["owner"]][::-1]
        column.remove((f["owner"], f["back"], f["file"]))
        self.columns[f["agent"], f["owner"]] = column[::-1]
        self.hands[f["owner"]] += 1

    def _moved(self, f: dict[str, Any], how: str) -> None:
        column = self.columns[f["from"], f["owner"]]
        alike = [n for n, (_, back, _) in enumerate(column) if back == f["back"]]
        assert (len(alike) == 1) == (how == "only")
        document = column.pop(alike[f["which"] - 1])
        self.columns[f["to"], f["owner"]].insert(f["place"] - 1, document)

    def _order(self, f: dict[str, Any], how: str) -> None:
        assert f["from"] == f["to"]
        self._moved(f, how)

    def _removed(self, f: dict[str, Any], _voice: str) -> None:
        document = (f["owner"], f["back"], f["file"])
        self.box.remove(document)
        self.columns[f["agent"], f["owner"]].insert(f["place"] - 1, document)

    def _unboxed(self, f: dict[str, Any], _voice: str) -> None:
        self.box.remove((f["owner"], f["back"], f["file"]))
        self.hands[f["owner"]] += 1

    def _did_swap_loyalty(self, f: dict[str, Any]) -> None:
        side = self.tokens[f["side"]]
        side[f["a"]], side[f["b"]] = side[f["b"]], side[f["a"]]

    def _counter(self, f: dict[str, Any]) -> None:
        self.counters[f["agent"]] = (SPACES[f["space"]], f["face"] == "activated")

    def _markers(self, f: dict[str, Any]) -> None:
        self.markers[f["agent"]] = f["n"]

    def _supply(self, f: dict[str, Any]) -> None:
        self.supply = f["n"]

    def _card(self, f: dict[str, Any], _voice: str) -> None:
        self.actions[f["seat"]].remove(f["name"])
        self.hands[f["seat"]] += 1

    def _draft(self, f: dict[str, Any], _voice: str) -> None:
        assert self.announced == (f["seat"], f["name"])
        self.announced = None

    def _announced(self, f: dict[str, Any], _voice: str) -> None:
        self.announced = (f["seat"], f["name"])

    def _draw(self, f: dict[str, Any], _voice: str) -> None:
        """Back on the deck, or from it up to five."""
        n = f["n"] if f["n"] > 0 else -min(HAND - self.hands[f["seat"]], self.decks[f["seat"]])
        self.decks[f["seat"]] += n
        self.hands[f["seat"]] -= n

    def _given(self, f: dict[str, Any], _voice: str) -> None:
        self.tokens[f["seat"]] = {}

    def _right(self, f: dict[str, Any], what: str) -> None:
        if what == "taken":
            taker, documents = self.taken[f["agent"]]
            assert taker == f["owner"]
            self.taken[f["agent"]] = (f["seat"], documents)


def pieces(state: State[Any, Any], truth: State[Any, Any]) -> Pieces:
    """The real table, as it is if everybody has done what they were told.

    What is hidden may have been mistyped: the cards and tokens themselves are as the `truth` has them.
    """
    table = state.table

    def document(file: Any) -> Document:
        return file.owner, file.back, truth.hands[file.owner].placed[file.n - 1].file

    columns = {(a.name, s): [document(file) for file in a.of(s)] for a in table.agents for s in SEATS}
    taken = {d.agent: (d.taker, sorted(document(f.lay) for f in d.files)) for d in table.deliveries}
    there = [d for column in columns.values() for d in column] + [d for _, ds in taken.values() for d in ds]
    laid = Counter((s, e.back, e.file) for s in SEATS for e in truth.hands[s].placed[: table.laid[s]])
    return Pieces(
        columns=columns,
        face_up={table.pending.agent} if table.pending else set(),
        taken=taken,
        box=sorted((laid - Counter(there)).elements()),
        tokens={seat: _tokens(state, truth, seat) for seat in SEATS},
        counters={a.name: (a.influence, a.moved) for a in table.live()},
        markers={agent.name: agent.markers for agent in table.agents},
        supply=table.markers,
        actions={seat: list(table.spent[seat]) for seat in SEATS},
        announced=(table.turn, table.draft.name) if table.draft else None,
        hands=dict(table.hands),
        decks=dict(table.decks),
    )


def _tokens(state: State[Any, Any], truth: State[Any, Any], seat: Seat) -> dict[str, int]:
    shown = {done.agent: done.loyalty[seat].token for done in truth.table.deliveries}
    there = {**shown, **truth.hands[seat].loyalty}
    return {name: there[name] for name in state.hands[seat].loyalty}


def read_aloud(by_seat: dict[Seat | None, tuple[Say, ...]]) -> list[Say]:
    """All phones together: each line as whoever has to do it reads it."""
    rows = list(zip(*by_seat.values(), strict=True))
    assert all(len({say.key.removesuffix(".you").removesuffix(".they") for say in row}) == 1 for row in rows)
    return [next((say for say in row if say.key.endswith(".you")), row[0]) for row in rows]
