"""Agent Avenue, moves taken back: what people are told to put back on the real table, card by card."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from referee.core.game import Say, Slice
from referee.core.match import Match
from referee.core.restatements import CORRECTED, TAKEN_BACK
from referee.games.agent_avenue import AGENT_AVENUE
from referee.presentation.views import to_do, view
from referee.presentation.words import LANGUAGES, words
from referee.program.simulate import opened, steps
from tests.support.rules.agent_avenue_language import Player, Table, sit_down, turn
from tests.support.soak import games


def undoes(table: Table, since: int = -1) -> None:
    """All agree to take back the last move, or the one at this place and all since."""
    table.asks(table.match.seats[0], "undo", n=table.match.made[since].n)
    table.all_agree()


def back(table: Table, seat: str | None = None) -> list[str]:
    """What a phone, or the screen, says is to be put back."""
    seen = view(table.match.seen_by(seat), words("fr"))
    lines = [str(line) for line in (seen["me"]["todo"] if seat else seen["todo"])]
    return lines[: len(put_back(table.match, seat))]


def put_back(match: Match, seat: str | None = None) -> tuple[Say, ...]:
    repair, state = match.repair, match.state
    assert repair and state
    return AGENT_AVENUE.put_back(repair.before.slice(seat), state.slice(seat))


def test_a_card_shown_goes_back_to_hand() -> None:
    table, ana, _ = sit_down()
    ana.shows("mole")
    undoes(table)
    assert back(table) == back(table, "blue") == ["Ana reprend en main la carte visible du centre : Taupe."]
    assert back(table, "green") == ["Reprenez en main la carte visible du centre : Taupe."]


def test_a_hidden_card_and_the_cards_drawn_go_back_and_nobody_learns_which() -> None:
    table, ana, _ = sit_down()
    ana.shows("mole")
    ana.conceals("sidekick")
    undoes(table)
    assert back(table, "green") == [
        "Remettez sur la pioche les 2 dernières cartes que vous avez piochées.",
        "Reprenez en main la carte cachée du centre.",
    ]
    assert (
        back(table)
        == back(table, "blue")
        == [
            "Ana remet sur la pioche ses 2 dernières cartes piochées.",
            "Ana reprend en main la carte cachée du centre.",
        ]
    )


def test_a_discard_goes_back_after_the_card_drawn_for_it() -> None:
    table, ana, _ = sit_down()
    ana.discards()
    undoes(table)
    assert back(table, "green") == [
        "Remettez sur la pioche la dernière carte que vous avez piochée.",
        "Reprenez en main la dernière carte que vous avez défaussée.",
    ]
    assert back(table) == [
        "Ana remet sur la pioche sa dernière carte piochée.",
        "Ana reprend en main sa dernière carte défaussée.",
    ]


def test_a_choice_taken_back_lays_both_cards_in_the_middle_again_and_the_pawns_on_their_spaces() -> None:
    table, ana, bob = sit_down()
    turn(ana, bob, mine="enforcer", theirs="saboteur")
    undoes(table)
    assert back(table, "green")[0] == "Votre pion va en case 0."
    assert (
        back(table)
        == ["Le pion d’Ana va en case 0.", *back(table, "green")[1:]]
        == [
            "Le pion d’Ana va en case 0.",
            "Le pion de Bob va en case 7.",
            "Remettez au centre, face visible, cette recrue de Bob : Saboteur.",
            "Remettez au centre, face cachée, cette recrue d’Ana : Mercenaire.",
        ]
    )
    bob.takes("face_down")
    assert not any("Remettez" in line for line in map(str, view(table.match.seen_by(), words("fr"))["todo"]))


def test_a_pawn_that_stayed_is_not_put_back() -> None:
    table, ana, bob = sit_down()
    turn(ana, bob, mine="sentinel", theirs="codebreaker")
    undoes(table)
    assert not any("pion" in line for line in back(table))


def test_turns_taken_back_at_once_are_undone_from_the_last_card_to_the_first() -> None:
    table, ana, bob = sit_down()
    turn(ana, bob, mine="enforcer", theirs="saboteur")
    turn(bob, ana, mine="sentinel", theirs="enforcer")
    undoes(table, since=0)
    assert back(table) == [
        "Le pion d’Ana va en case 0.",
        "Le pion de Bob va en case 7.",
        "Bob remet sur la pioche ses 2 dernières cartes piochées.",
        "Bob reprend en main cette recrue de Bob : Sentinelle.",
        "Bob reprend en main cette recrue d’Ana : Mercenaire.",
        "Ana remet sur la pioche ses 2 dernières cartes piochées.",
        "Ana reprend en main cette recrue d’Ana : Mercenaire.",
        "Ana reprend en main cette recrue de Bob : Saboteur.",
    ]


def test_in_a_pair_each_takes_back_their_own_card() -> None:
    table = Table(players=4)
    ana, chloe, bob, _ = (Player(table, seat) for seat in table.match.seats)
    chloe.shows("sentinel")
    ana.conceals("codebreaker")
    bob.takes("face_up")
    undoes(table, since=0)
    assert back(table, "green_1") == [
        "Remettez sur la pioche la dernière carte que vous avez piochée.",
        "Reprenez en main cette recrue d’Ana & Chloé : Cryptologue.",
        "Chloé remet sur la pioche sa dernière carte piochée.",
        "Chloé reprend en main cette recrue de Bob & Dan : Sentinelle.",
    ]


def at_market(card: str, mine: str = "enforcer") -> tuple[Table, Player, Player]:
    """Ana's pawn has just stopped on a market space; this card lies in the row."""
    table, ana, bob = sit_down(mode="advanced")
    table.team("green", progress=1)
    ana.does("market_setup", cards=(card, "masterplan", "leader_of_the_pack"))
    turn(ana, bob, mine=mine, theirs="codebreaker")
    return table, ana, bob


def test_the_market_laid_out_goes_back_on_its_deck_the_last_card_first() -> None:
    table, ana, _ = sit_down(mode="advanced")
    ana.does("market_setup", cards=("watchtower", "masterplan", "outpost"))
    undoes(table)
    cards = ("Avant-poste", "Plan des opérations", "Cabane d’observation")
    assert back(table) == [f"Remettez sur la pioche Marché Noir, face cachée : {card}." for card in cards]


def test_a_permanent_card_goes_back_to_the_row_and_the_one_turned_up_to_the_deck() -> None:
    table, ana, _ = at_market("watchtower")
    ana.picks("watchtower", refill="spycation")
    undoes(table, since=-2)
    assert back(table) == [
        "Remettez sur la pioche Marché Noir, face cachée : Petit repos.",
        "Remettez dans la rangée du Marché Noir : Cabane d’observation.",
    ]


def test_smoke_screen_taken_back_the_recruit_goes_on_the_deck_and_the_card_before_its_owner() -> None:
    table, ana, _ = at_market("smoke_screen")
    ana.picks("smoke_screen", refill="spycation")
    ana.does("recruit_from_deck", agent="mole")
    undoes(table)
    assert back(table, "green") == [
        "Votre pion va en case 2.",
        "Remettez sur la pioche, face cachée, cette recrue d’Ana : Taupe.",
        "Reprenez de la défausse du Marché Noir et reposez devant vous : Écran de fumée.",
    ]
    assert back(table, "blue")[-1] == "Ana reprend de la défausse du Marché Noir : Écran de fumée."


def test_a_used_card_of_which_the_whole_is_taken_back_goes_to_the_row() -> None:
    table, ana, _ = at_market("smoke_screen")
    ana.picks("smoke_screen", refill="spycation")
    ana.does("recruit_from_deck", agent="mole")
    undoes(table, since=-3)
    assert back(table) == [
        "Le pion d’Ana va en case 2.",
        "Remettez sur la pioche, face cachée, cette recrue d’Ana : Taupe.",
        "Remettez sur la pioche Marché Noir, face cachée : Petit repos.",
        "Remettez dans la rangée du Marché Noir : Écran de fumée.",
    ]


def test_mind_control_taken_back_the_agent_goes_back_in_play() -> None:
    table, ana, _ = at_market("mind_control")
    ana.picks("mind_control", refill="spycation")
    ana.does("take_from", agent="codebreaker")
    undoes(table)
    assert back(table, "green")[0] == "Remettez en jeu cette recrue de Bob : Cryptologue."
    assert back(table, "blue")[0] == "Ana remet en jeu cette recrue de Bob : Cryptologue."


def test_spycation_that_recruited_again_moves_only_the_pawn_back() -> None:
    table, ana, _ = at_market("spycation")
    ana.picks("spycation", refill="outpost")
    ana.does("take_back", agent="enforcer", recruit=True)
    undoes(table)
    assert back(table) == [
        "Le pion d’Ana va en case 2.",
        "Ana reprend de la défausse du Marché Noir : Petit repos.",
    ]


def test_what_was_put_back_is_not_told_again_after_the_next_move() -> None:
    table, ana, bob = sit_down()
    ana.shows("mole")
    undoes(table)
    ana.shows("enforcer")
    assert bob.todo() == ["shown.they"]


# ---- random games: people who follow the instructions have the table that the referee has


class RealTable:
    """The public table as people see it, changed by nothing but the instructions."""

    def __init__(self, public: dict[str, Any]) -> None:
        sides = public["sides"]
        self.spaces = {side: has["space"] for side, has in sides.items()}
        self.zones = {side: Counter(has["zone"]) for side, has in sides.items()}
        self.hands, self.deck = dict(public["hands"]), public["deck"]
        self.discarded = public["discarded"]
        self.face_up = public["offer"]["face_up"] if public["offer"] else None
        self.face_down = public["step"] == "take"
        market = public["market"] or {"row": [], "deck": 0, "discard": []}
        self.row, self.market_deck, self.used = set(market["row"]), market["deck"], set(market["discard"])
        self.kept = {side: set(has["permanents"]) for side, has in sides.items()}

    def follow(self, say: Say) -> None:
        what, told = say.key.removeprefix("back.").partition(".")[0], dict(say.fields)
        getattr(self, f"_{what}")(**{name: value for name, value in told.items() if value is not None})

    def _put(self, side: str, to: int) -> None:
        assert self.spaces[side] != to
        self.spaces[side] = to

    def _drawn(self, seat: str, n: int) -> None:
        self.hands[seat], self.deck = self.hands[seat] - n, self.deck + n

    def _discard(self, seat: str, **_: str) -> None:
        self.hands[seat], self.discarded = self.hands[seat] + 1, self.discarded - 1

    def _shown(self, seat: str, agent: str, **_: str) -> None:
        assert self.face_up == agent
        self.hands[seat], self.face_up = self.hands[seat] + 1, None

    def _hidden(self, seat: str, **_: str) -> None:
        assert self.face_down
        self.hands[seat], self.face_down = self.hands[seat] + 1, False

    def _recruit(self, seat: str, agent: str, side: str) -> None:
        self._leaves(side, agent)
        self.hands[seat] += 1

    def _given(self, seat: str, agent: str, side: str) -> None:
        self.hands[seat] -= 1
        self.zones[side][agent] += 1

    def _face_up(self, agent: str, side: str) -> None:
        self._leaves(side, agent)
        self.face_up = agent

    def _face_down(self, agent: str, side: str) -> None:
        self._leaves(side, agent)
        self.face_down = True

    def _deck(self, agent: str, side: str) -> None:
        self._leaves(side, agent)
        self.deck += 1

    def _leaves(self, side: str, agent: str) -> None:
        assert self.zones[side][agent] > 0
        self.zones[side] -= Counter([agent])

    def _row(self, card: str) -> None:
        self._fetched(card)
        self.row.add(card)

    def _market_deck(self, card: str) -> None:
        self._fetched(card)
        self.market_deck += 1

    def _pending(self, seat: str, card: str) -> None:
        assert seat in self.hands and card in self.used
        self._fetched(card)

    def _fetched(self, card: str) -> None:
        for place in (self.row, self.used, *self.kept.values()):
            place.discard(card)


def repaired(seed: str) -> Iterator[Match]:
    """Random games in which people take back and correct, each time right after they did."""
    for i in games(100):
        for step in steps(opened(AGENT_AVENUE, f"{seed}/{i}"), f"{seed}/{i}", thorough=True):
            repair = step.match.repair
            if repair and repair.before != step.match.state:
                yield step.match


def followed(before: Slice[Any, Any], now: Slice[Any, Any]) -> list[str]:
    """Follow the instructions from the one table and arrive at the other; their keys."""
    real = RealTable(AGENT_AVENUE.public(before.table))
    says = AGENT_AVENUE.put_back(before, now)
    for say in says:
        real.follow(say)
    assert vars(real) == vars(RealTable(AGENT_AVENUE.public(now.table)))
    return [say.key for say in says]


def test_whoever_follows_the_instructions_after_an_undo_has_the_table_of_the_referee() -> None:
    met = Counter[str]()
    for match in repaired("undone"):
        assert match.repair and match.state
        if match.repair.kind == TAKEN_BACK:
            met.update(followed(match.repair.before.slice(), match.state.slice()))
    assert met.keys() >= {"put", "back.drawn.they", "back.hidden.they", "back.shown.they", "back.face_up"}


def test_so_has_whoever_follows_them_after_many_moves_were_taken_back_at_once() -> None:
    met = Counter[str]()
    for i in games(100):
        dealt = [s.match.state for s in steps(opened(AGENT_AVENUE, f"far/{i}"), f"far/{i}") if s.match.state]
        for n, before in enumerate(dealt):
            for back_to in {0, n // 2, max(0, n - 4)}:
                met.update(followed(before.slice(), dealt[back_to].slice()))
    heard = {key for key in words("fr").messages if key.startswith("agent_avenue.todo.back.")}
    assert {f"agent_avenue.todo.{key}" for key in met} >= {key for key in heard if not key.endswith(".you")}


def test_after_a_correction_every_pawn_that_stands_wrongly_is_named_and_no_other() -> None:
    met = 0
    for match in repaired("corrected"):
        assert match.repair and match.state
        if match.repair.kind == CORRECTED:
            sides, were = (AGENT_AVENUE.public(s.table)["sides"] for s in (match.state, match.repair.before))
            before, now = match.repair.before.slice(), match.state.slice()
            says = AGENT_AVENUE.put_right(before, now, match.repair.restated)
            put = {say.fields["side"]: say.fields["to"] for say in says if say.key == "put"}
            wrong = {s: has["space"] for s, has in sides.items() if has["space"] != were[s]["space"]}
            assert put == wrong
            met += bool(put)
    assert met


def test_nothing_is_to_be_put_back_where_nothing_differs() -> None:
    table, ana, bob = sit_down()
    turn(ana, bob, mine="enforcer", theirs="saboteur")
    for seat in (None, "green", "blue"):
        seen = table.state.slice(seat)
        assert AGENT_AVENUE.put_back(seen, seen) == ()
        assert AGENT_AVENUE.put_right(seen, seen, ()) == ()


def test_every_instruction_is_worded_for_everybody_in_both_languages() -> None:
    for match in repaired("worded"):
        for seat in (None, *match.seats):
            said = {say.key.removesuffix(".you").removesuffix(".they") for say in _repairs(match, seat)}
            assert said == {key.removesuffix(".they") for key in (say.key for say in _repairs(match, None))}
            assert all(view(match.seen_by(seat), words(language)) for language in LANGUAGES)


def _repairs(match: Match, seat: str | None) -> tuple[Say, ...]:
    """What is to be changed, without what is waited for."""
    seen = match.seen_by(seat)
    assert seen.slice
    every = to_do(seen)
    return every[: len(every) - len(AGENT_AVENUE.awaited(seen.slice))]
