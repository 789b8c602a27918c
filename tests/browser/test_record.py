"""The record page: everything recomputed in the browser, what was changed named, the game step by step."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Request, Route, expect

from referee.fairness.commitments import grouped, seed_hash, short
from referee.fairness.record import checksum
from referee.games import GAMES
from tests.support.browser.agent_hunter import Game
from tests.support.browser.layout import check_layout, sizes
from tests.support.browser.windows import PHONE, SMALL_PHONE, TV, Window
from tests.support.rules.rematches import SEED, game_record, rematch_record
from tests.support.waiting import eventually
from tests.support.web.http_client import Phone
from tests.support.web.random_player import play_on
from tests.support.web.server_process import Running


def finish(ana: Phone, ben: Phone) -> None:
    """Both have hidden. A move is taken back, another made; then all agree to stop and show everything."""
    ana.moves("attack_from_hand", card=9, house=1)
    for question in ({"kind": "undo"}, {"kind": "abandon", "show": True}):
        if question["kind"] == "abandon":
            ana.moves("attack_from_hand", card=2, house=1)
        asked = {"version": ben.view()["version"], **question}
        assert ben.client.post(f"{ben.table.path}/ask", asked).status == 200
        assert ana.client.post(f"{ana.table.path}/answer", {"accept": True}).status == 200


@pytest.fixture
def over(playing: Game) -> Game:
    assert playing.ana.phone
    assert playing.ben.phone
    finish(playing.ana.phone, playing.ben.phone)
    return playing


@pytest.fixture
def record(over: Game) -> dict[str, Any]:
    assert over.ana.phone
    return dict(over.ana.phone.table.client.get(f"/api/tables/{over.code}/record").json)


def look(page: Page, code: str, query: str = "") -> None:
    page.goto(f"/t/{code}/record{query}")
    expect(page.locator("#browser .verdict")).to_be_visible()


def found(page: Page, where: str = "#browser") -> list[str]:
    """The faults that stand there, with plain spaces."""
    texts = page.locator(f"{where} .checks li.is-wrong").all_inner_texts()
    return [text.replace("\N{NO-BREAK SPACE}", " ") for text in texts]


def test_the_game_comes_before_its_proof(over: Game, window: Window) -> None:
    page = window(PHONE)
    look(page, over.code)
    expect(page.locator("#step .open-houses").first).to_be_visible()
    expect(page.get_by_role("link", name="Suivante")).to_be_in_viewport()
    expect(page.locator("#browser")).not_to_be_in_viewport()
    page.goto(f"/t/{over.code}/record#proof")
    expect(page.locator("#browser .verdict")).to_be_in_viewport()


def test_a_finished_game_is_wholly_verified(over: Game, window: Window, record: dict[str, Any]) -> None:
    page = window(PHONE)
    look(page, over.code)
    expect(page.locator("#browser .verdict")).to_have_text("Les empreintes concordent")
    expect(page.locator("#browser")).to_contain_text("Secrets scellés : 2.")
    expect(page.locator("#browser")).to_contain_text(f"Lignes de la chaîne : {len(record['entries'])}.")
    expect(page.locator("#browser .is-unsure").first).to_contain_text("Cet appareil n’a pas suivi la partie")
    expect(page.locator("#browser .is-unsure").last).to_contain_text("Cet appareil n’a rien ajouté au hasard")
    expect(page.locator("#referee li.is-fine")).to_contain_text(f"table {over.code} est exact")
    expect(page.locator(".digest")).to_have_text(grouped(record["head"]))
    expect(page.locator("[data-line] .mark.is-fine")).to_have_count(len(record["entries"]))
    expect(page.locator("[data-line].is-past")).to_have_count(1)
    assert found(page) == []


def test_it_speaks_english_too(over: Game, window: Window) -> None:
    """The phone chooses, though the table was opened in French."""
    page = window(PHONE, locale="en-GB")
    look(page, over.code)
    expect(page.locator("#browser .verdict")).to_have_text("The fingerprints match")
    expect(page.locator("main")).to_contain_text("What this doesn’t prove")


def test_a_phone_that_played_compares_what_it_saw(over: Game) -> None:
    page = over.ana.page
    page.goto(f"/t/{over.code}/s/target?seen=999")  # all answers read
    noted = "code => code in (JSON.parse(localStorage.getItem('fingerprints')) || {})"
    page.wait_for_function(noted, arg=over.code)
    page.get_by_role("link", name="Revoir et vérifier").click()
    expect(page.locator("#browser")).to_contain_text("Cet appareil a suivi la partie.")
    assert found(page) == []
    page.evaluate(
        """code => {
            const noted = JSON.parse(localStorage.getItem("fingerprints"));
            const [version, head] = noted[code][0].split(":");
            noted[code][0] = `${version}:0123456789abcdef${head.slice(16)}`;
            localStorage.setItem("fingerprints", JSON.stringify(noted));
        }""",
        over.code,
    )
    page.reload()
    expect(page.locator("#browser .verdict")).to_have_text("Quelque chose ne va pas")
    assert "0123 4567 89ab cdef" in found(page)[0]


def test_the_line_that_is_wrong_says_so_itself(over: Game, window: Window, record: dict[str, Any]) -> None:
    """The record that is handed out is not the one that was played."""
    page, wrong = window(PHONE), "Ligne 3 : le secret n’est pas celui qui avait été scellé."
    record["entries"][2]["salt"] = "00" * 32
    record["entries"][4]["fields"]["house"] = 3
    page.route("**/api/tables/*/record", lambda route: route.fulfill(json=record))
    look(page, over.code, "?step=3")
    assert wrong in found(page)
    assert found(page, "#step-proof") == [wrong]
    marks = ["✓", "✓", "✗", "✓", "✗", *("?" * (len(record["entries"]) - 5))]
    assert page.locator("[data-line] .mark").all_text_contents() == marks
    page.unroute("**/api/tables/*/record")


# ---- a file


def choose(page: Page, text: str) -> None:
    page.locator("#file").set_input_files(
        {"name": "kept.json", "mimeType": "application/json", "buffer": text.encode()}
    )
    expect(page.locator("#file-checked .verdict")).to_be_visible()


def is_found_wrong(page: Page, code: str, text: str, sentence: str) -> None:
    """This kept file does not pass for the table's record, and the page says why."""
    look(page, code)
    choose(page, text)
    expect(page.locator("#file-checked .verdict")).to_have_text("Quelque chose ne va pas")
    assert any(sentence in told for told in found(page, "#file-checked"))


def _move(record: dict[str, Any]) -> None:
    record["entries"][4]["fields"]["house"] = 3


def _secret(record: dict[str, Any]) -> None:
    record["entries"][3]["sealed"]["fields"]["houses"] = [3, 8, 6]


def _name(record: dict[str, Any]) -> None:
    record["names"]["mask"] = "Eve"


def _head(record: dict[str, Any]) -> None:
    record["head"] = "0" * 64


def _order(record: dict[str, Any]) -> None:
    record["entries"][2:4] = reversed(record["entries"][2:4])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (_move, "Ligne 5 : la chaîne se rompt ici."),
        (_secret, "Ligne 4 : le secret n’est pas celui qui avait été scellé."),
        (_name, "sa somme de contrôle diffère"),
        (_head, "Le dernier maillon de la chaîne"),
        (_order, "Ligne 3 : la chaîne se rompt ici."),
    ],
)
def test_a_kept_file_that_was_tampered_with_is_named(
    over: Game,
    window: Window,
    record: dict[str, Any],
    change: Callable[[dict[str, Any]], None],
    sentence: str,
) -> None:
    change(record)
    is_found_wrong(window(PHONE), over.code, json.dumps(record), sentence)


def test_a_kept_file_that_holds(over: Game, window: Window, record: dict[str, Any]) -> None:
    page = window(PHONE)
    look(page, over.code)
    sent = list[str]()

    def note(request: Request) -> None:
        sent.append(request.url)

    page.on("request", note)
    choose(page, "hello")
    assert found(page, "#file-checked") == [
        "Ce n’est pas l’enregistrement d’une partie, ou une partie en est illisible."
    ]
    choose(page, json.dumps(record))
    expect(page.locator("#file-checked .verdict")).to_have_text("Les empreintes concordent")
    expect(page.locator("#file-checked")).to_contain_text(f"empreinte {short(record['head'])}")
    page.remove_listener("request", note)
    assert sent == []


def again(record: dict[str, Any]) -> str:
    """The text of a record whose checksum was made to fit."""
    rest = {name: record[name] for name in record if name != "checksum"}
    return json.dumps({**rest, "checksum": checksum(rest)})


def _winner(record: dict[str, Any]) -> None:
    record["outcome"]["winners"] = ["mask"]


def _cut(record: dict[str, Any]) -> None:
    record["entries"].pop()
    record["head"] = record["entries"][-1]["head"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (_winner, "Ce fichier donne un autre résultat que l’enregistrement de cette table."),
        (_name, "Ce fichier donne d’autres noms que l’enregistrement de cette table."),
        (_cut, "Ce fichier n’est pas l’enregistrement de cette table"),
    ],
)
def test_a_new_checksum_does_not_make_it_this_table_s_record(
    over: Game,
    window: Window,
    record: dict[str, Any],
    change: Callable[[dict[str, Any]], None],
    sentence: str,
) -> None:
    change(record)
    is_found_wrong(window(PHONE), over.code, again(record), sentence)


def test_a_forged_rematch_is_named_with_the_record_of_the_table_before(over: Game, window: Window) -> None:
    """The page gets a forged record instead of its own, with a true one of the table before."""
    page, earlier = window(PHONE), game_record("AAAAA", seed_hash(SEED))
    sent: dict[str, dict[str, Any]] = {"AAAAA": earlier}

    def answer(route: Route) -> None:
        code = route.request.url.split("/")[-2]
        if code in sent:
            route.fulfill(json=sent[code])
        else:
            route.fulfill(status=404)

    def said(rematch: dict[str, Any]) -> Locator:
        sent[over.code] = rematch
        look(page, over.code)
        return page.locator("#browser .checks")

    page.route("**/api/tables/*/record", answer)
    before = {"table": "AAAAA", "head": earlier["head"], "nonce": "0a"}
    true = rematch_record(SEED, before)
    expect(said(true)).to_contain_text("était déjà fixée quand la table AAAAA a été ouverte")
    for forged, sentence in (
        (rematch_record("00" * 32, before), "La graine de cette revanche n’est pas celle"),
        (rematch_record(SEED, {**before, "head": "00" * 32}), "ne s’est pas terminée sur l’empreinte"),
        (game_record("BBBBB", SEED, before), "Une place déjà occupée a ajouté un nombre"),
    ):
        said(forged)
        assert any(sentence in told for told in found(page))
        expect(page.locator("#browser .verdict")).to_have_text("Quelque chose ne va pas")
    sent["AAAAA"] = {**earlier, "head": "00" * 32}
    expect(said(true)).to_contain_text("est lui-même fautif")
    del sent["AAAAA"]
    expect(said(true)).to_contain_text("n’est pas disponible")


def test_of_another_table_it_says_what_was_checked_and_what_was_not(
    over: Game, record: dict[str, Any]
) -> None:
    """A file that was cut, on the page of another table, on a phone that followed the game."""
    page = over.ana.page
    page.wait_for_function(
        "head => Object.values(localStorage).some((kept) => kept.includes(head))", arg=record["head"]
    )
    look(page, over.code)
    page.evaluate("document.getElementById('browser').dataset.code = 'OTHER'")
    choose(page, again(record))
    expect(page.locator("#file-checked .verdict")).to_have_text("Les empreintes concordent")
    expect(page.locator("#file-checked .is-fine").last).to_contain_text("Cet appareil a suivi la partie.")
    expect(page.locator("#file-checked .is-unsure")).to_contain_text("referee verify")
    _cut(record)
    choose(page, again(record))
    wrong = page.locator("#file-checked .checks li.is-wrong").last
    expect(wrong).to_contain_text("Cet appareil a noté pendant le jeu")


def test_the_same_file_chosen_again_is_read_again(
    over: Game, window: Window, record: dict[str, Any], tmp_path: Path
) -> None:
    page, file = window(PHONE), tmp_path / "kept.json"
    look(page, over.code)
    for text, verdict in (
        (json.dumps(record), "Les empreintes concordent"),
        ("$&", "Quelque chose ne va pas"),
    ):
        file.write_text(text)
        with page.expect_file_chooser() as asked:
            page.get_by_text("Vérifier un enregistrement gardé").click()
        expect(page.locator("#file-checked")).to_be_empty()
        asked.value.set_files(file)
        expect(page.locator("#file-checked .verdict")).to_have_text(verdict)


def test_words_of_a_file_are_shown_as_they_are(over: Game, window: Window, record: dict[str, Any]) -> None:
    page = window(PHONE)
    look(page, over.code)
    choose(page, again({**record, "$& $1": 1}))
    assert [text for text in found(page, "#file-checked") if "« $& $1 »" in text]


# ---- the printed sheet


@pytest.mark.parametrize("script", [True, False])
def test_what_the_sheet_says_is_compared(over: Game, window: Window, script: bool) -> None:
    page = window(PHONE, java_script_enabled=script)
    page.goto(f"/t/{over.code}/sheet")
    lines = page.locator(".slip p").all_inner_texts()
    first = next(i for i, line in enumerate(lines) if re.fullmatch(r"([0-9a-f]{4} ){3}[0-9a-f]{4}", line))
    page.get_by_role("link", name="Revoir et vérifier").click()
    other = f"0000{lines[first][4:]}" if lines[first][0] != "0" else f"1111{lines[first][4:]}"
    for typed, sentence in (
        (lines[first], "C’est la même empreinte."),
        (f"{lines[first]} {lines[first + 1]}".upper(), "C’est la même empreinte."),
        (other, "Ce n’est pas la même empreinte"),
        (lines[first][:7], "Il faut au moins les seize premiers caractères"),
    ):
        if script:
            expect(page.locator("#browser .verdict")).to_be_visible()
        page.get_by_label("L’empreinte imprimée sur la feuille").fill(typed)
        page.get_by_role("button", name="Comparer").click()
        expect(page.locator("#compared li")).to_contain_text(sentence)


# ---- step by step


def shows(page: Page, n: int) -> None:
    """This step is shown; the slider and the address say so too."""
    expect(page.locator("#step")).to_have_attribute("data-n", str(n))
    expect(page.locator("#slider")).to_have_value(str(n))
    expect(page).to_have_url(re.compile(rf"\?step={n}$"))


def test_stepping_with_the_keyboard(over: Game, window: Window, record: dict[str, Any]) -> None:
    page, count = window(PHONE), len(record["entries"])
    look(page, over.code)
    expect(page.locator("#step")).to_have_attribute("data-n", "2")  # the deal
    expect(page.locator(".step-label")).to_have_text("Début")
    page.keyboard.press("ArrowRight")
    shows(page, 3)
    expect(page.locator(".step-label")).to_have_text(f"Étape 1 sur {count - 2}")
    expect(page.locator("#said .said")).to_have_text("Ana a caché ses trois planques.")
    expect(page.locator("#said .rows dd")).to_have_text(["4", "7", "0"])
    assert page.locator(".open-houses").first.locator(".card").all_inner_texts() == ["4", "7", "0"]
    expect(page.locator("#step-proof li.is-fine")).to_have_text("Recalculée ici : cette ligne est juste.")
    expect(page.locator("#step-proof")).to_contain_text(short(record["entries"][2]["commitment"]))
    page.keyboard.press("End")
    shows(page, count)
    expect(page.locator("[data-line] a[aria-current]")).to_have_count(1)
    expect(page.locator(".way--last")).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("ArrowLeft")
    shows(page, count - 1)
    page.keyboard.press("Home")
    shows(page, 2)
    page.get_by_label("L’empreinte imprimée").press("ArrowRight")  # moves in the text, not in the game
    next_ = page.locator(".replay-ways [rel=next]")
    next_.focus()
    for n in range(3, count + 1):
        page.keyboard.press("Enter")
        shows(page, n)
        expect(next_).to_be_focused()
        if n == 5:
            expect(page.locator("#said .became")).to_have_text("Repris ensuite : ne compte plus.")
    page.keyboard.press("Enter")
    expect(page.locator(".step-label")).to_have_text("Retournez les vraies cartes")
    expect(page.locator(".entered").nth(1).locator("dd")).to_have_text(["3", "8", "5"])
    page.keyboard.press("ArrowLeft")
    shows(page, count)


def test_a_swipe_turns_the_step(over: Game, window: Window) -> None:
    page = window(PHONE, has_touch=True)
    look(page, over.code, "?step=4")
    shows_at = page.locator("#step")
    for start, end, n in (((300, 200), (120, 210), 5), ((100, 200), (280, 190), 4)):
        swiped(page, start, end)
        expect(shows_at).to_have_attribute("data-n", str(n))
    swiped(page, (200, 120), (190, 320))  # up and down is for scrolling
    swiped(page, (200, 200), (190, 200))  # too short
    swiped(page, (300, 200), (120, 200))
    expect(shows_at).to_have_attribute("data-n", "5")


def swiped(page: Page, start: tuple[int, int], end: tuple[int, int]) -> None:
    page.evaluate(
        """([start, end]) => {
            const target = document.elementFromPoint(...start);
            const touch = ([clientX, clientY]) => new Touch({ identifier: 1, target, clientX, clientY });
            const send = (kind, touches, changedTouches) =>
                target.dispatchEvent(new TouchEvent(kind, { touches, changedTouches, bubbles: true }));
            send("touchstart", [touch(start)], [touch(start)]);
            send("touchend", [], [touch(end)]);
        }""",
        [start, end],
    )


def test_the_slider_goes_to_any_step(over: Game, window: Window, record: dict[str, Any]) -> None:
    page = window(PHONE)
    look(page, over.code)
    slider = page.get_by_label("Étape de la partie")
    slider.fill("5")
    shows(page, 5)
    slider.press("ArrowRight")
    shows(page, 6)
    expect(slider).to_have_attribute("aria-valuetext", f"Étape 4 sur {len(record['entries']) - 2}")
    box = slider.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2)
    shows(page, len(record["entries"]))


def test_autoplay_goes_to_the_end_and_stops_there(over: Game, window: Window, record: dict[str, Any]) -> None:
    page, count = window(PHONE), len(record["entries"])
    page.clock.install()
    look(page, over.code)
    play, speed = page.get_by_label("Défilement automatique"), page.locator("#speed")
    play.click()
    expect(play).to_have_attribute("aria-pressed", "true")
    shows(page, 3)
    page.clock.run_for(2300)
    shows(page, 4)
    speed.click()
    expect(speed).to_have_accessible_name("Vitesse : 2×")
    page.clock.run_for(1200)
    shows(page, 5)
    page.keyboard.press("ArrowLeft")  # whoever steps, stops it
    shows(page, 4)
    expect(play).to_have_attribute("aria-pressed", "false")
    page.locator("main").focus()
    page.keyboard.press("Space")
    for n in range(5, count + 1):
        shows(page, n)
        page.clock.run_for(1200)
    expect(play).to_have_attribute("aria-pressed", "false")
    shows(page, count)


def test_any_line_of_the_list_can_be_gone_to(over: Game, window: Window) -> None:
    page = window(PHONE)
    look(page, over.code)
    page.get_by_text("Toutes les étapes").click()
    page.locator("[data-line='4'] a").click()
    shows(page, 4)
    expect(page.locator("#said .said")).to_have_text("Ben a caché ses trois planques.")
    page.set_viewport_size({"width": 1280, "height": 720})
    expect(page.locator("[data-line='5'] a")).to_be_in_viewport()


def test_a_step_that_does_not_come_is_loaded_as_a_page(over: Game, window: Window) -> None:
    page = window(PHONE)
    page.route("**/record/steps*", lambda route: route.fulfill(status=503))
    look(page, over.code, "?step=3")
    page.locator(".replay-ways [rel=next]").click()
    expect(page.locator("#said .said")).to_have_text("Ben a caché ses trois planques.")
    page.unroute("**/record/steps*")


@pytest.mark.parametrize("locale", ["fr-FR", "en-GB"])
def test_picture_words_and_controls_share_one_screen(
    every_game: list[str], window: Window, locale: str
) -> None:
    page = window(locale=locale)
    for code in every_game:
        for step in ("", "?step=9", "?step=14", "?step=999"):
            page.goto(f"/t/{code}/record{step}")
            for _ in sizes(page, SMALL_PHONE, PHONE, (568, 320), (740, 360), TV, (1920, 1080)):
                assert page.evaluate(OUT_OF_SIGHT) == [], (page.url, page.viewport_size)
                if step != "?step=999":  # the list of secrets scrolls
                    assert page.evaluate(OVERFLOW) == [], (page.url, page.viewport_size)


OUT_OF_SIGHT = """() => {
    const isIn = ({ left, right, top, bottom, width, height }) => width && height
        && left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
    const parts = ["#picture", "#said", "#slider", ".way--first", "#play", ".way--last", "#speed"];
    const out = parts.filter((part) => !isIn(document.querySelector(part).getBoundingClientRect()));
    return scrollY ? [...out, "scrolled"] : out;
}"""
OVERFLOW = """() => {
    const picture = document.getElementById("picture");
    const { left, right, top, bottom } = picture.getBoundingClientRect();
    const isSeen = (e) => e.checkVisibility() && getComputedStyle(e).clipPath === "none";
    const isAside = (box) => box.left < left - 1 || box.right > right + 1;
    const isOut = (box) => isAside(box) || box.top < top - 1 || box.bottom > bottom + 1;
    return [...picture.querySelectorAll("*")]
        .filter((e) => isSeen(e) && !e.closest(".hidden-words, .open-agent"))
        .filter((e) => e.getBoundingClientRect().width && isOut(e.getBoundingClientRect()))
        .map((e) => e.outerHTML.slice(0, 90));
}"""


@pytest.fixture(scope="module")
def every_game(server: Running) -> list[str]:
    """A finished game of each kind."""
    codes = list[str]()
    for game in GAMES:
        table = server.client.open_table(game=game, desk=None)
        phones = table.everybody()
        if play_on(phones, Random(2), 60)["status"] == "playing":
            asks, *others = phones.values()
            version = table.view()["version"]
            asks.client.post(f"{table.path}/ask", {"version": version, "kind": "abandon", "show": True})
            for phone in others:
                phone.client.post(f"{table.path}/answer", {"accept": True})
        codes.append(table.code)
    eventually(lambda: all(server.client.get(f"/t/{code}/record").status == 200 for code in codes))
    return codes


@pytest.mark.parametrize("size", [SMALL_PHONE, PHONE, (568, 320), TV])
def test_nothing_sticks_out(over: Game, window: Window, size: tuple[int, int]) -> None:
    page = window(size)
    for step in (1, 3, 99):
        look(page, over.code, f"?step={step}")
        page.evaluate("document.querySelectorAll('details').forEach(fold => (fold.open = true))")
        check_layout(page)


def test_without_script_the_referee_s_own_verdict_stands_there(over: Game, window: Window) -> None:
    page = window(PHONE, java_script_enabled=False)
    page.goto(f"/t/{over.code}/record")
    expect(page.locator("#browser")).to_contain_text("JavaScript est désactivé")
    expect(page.locator("#referee li.is-fine")).to_contain_text("est exact")
    expect(page.locator("#file")).to_be_hidden()
    expect(page.locator("#slider")).to_be_hidden()
    for n in range(3, 5):
        page.get_by_role("link", name="Suivante").click()
        expect(page.locator("#step")).to_have_attribute("data-n", str(n))
    expect(page.locator("#said .rows dd")).to_have_text(["3", "8", "5"])
    page.get_by_role("link", name="Précédente").click()
    expect(page.locator("#said .said")).to_have_text("Ana a caché ses trois planques.")
    page.get_by_role("link", name="À la fin").click()
    expect(page.get_by_role("link", name="À la fin")).to_have_attribute("aria-disabled", "true")
    page.get_by_role("link", name="Au début").click()
    expect(page.locator(".step-label")).to_have_text("Début")


def test_the_result_is_a_picture_to_take_along(over: Game, window: Window) -> None:
    page = window(PHONE)
    look(page, over.code)
    expect(page.get_by_role("button", name="Partager")).to_be_hidden()  # needs https
    with page.expect_download() as downloaded:
        page.get_by_role("link", name="Télécharger l’image du résultat").click()
    assert downloaded.value.suggested_filename == f"{over.code}.png"
    assert Path(downloaded.value.path()).read_bytes().startswith(b"\x89PNG")


def test_where_the_browser_can_share_the_picture_is_shared(over: Game, window: Window) -> None:
    page = window(PHONE).context.new_page()  # it goes when the window is given back
    page.add_init_script(
        """navigator.canShare = () => true;
        navigator.share = async ({ files }) => {
            document.documentElement.dataset.shared = files[0].name;
        };"""
    )
    look(page, over.code)
    page.get_by_role("button", name="Partager l’image du résultat").click()
    expect(page.locator("html")).to_have_attribute("data-shared", f"{over.code}.png")


# ---- fingerprints during play


def test_a_phone_says_that_a_secret_is_sealed_and_leaves_the_figures_to_the_proof(
    game: Game, server: Running
) -> None:
    assert game.ana.phone
    told = game.ana.phone.moves("hide", houses=[4, 7, 0])["news"][0]
    for page in (game.ben.page, game.ana.page):
        expect(page.locator("#seals")).to_contain_text("C’est scellé.")
        assert short(told["commitment"]) not in page.locator("main").inner_text()
    expect(game.ben.page.locator("#seals")).to_contain_text("Ana a caché ses trois planques.")
    head = server.client.get(f"/api/tables/{game.code}").json["head"]
    for mark in (told["commitment"], head):
        assert short(mark) not in game.screen.content()  # a fingerprint is for paper and the proof page


def test_the_screen_leads_to_the_head_at_the_end(over: Game, record: dict[str, Any]) -> None:
    over.screen.get_by_role("link", name="Revoir et vérifier").click()
    expect(over.screen.locator(".digest")).to_contain_text(short(record["head"]))
