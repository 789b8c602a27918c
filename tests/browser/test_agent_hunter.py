"""A whole game of Agent Hunter in two phones and a table screen, from the scan to the sheet."""

import re

from playwright.sync_api import expect

from tests.support.browser.agent_hunter import SEATS, Game, HunterPlayer, open_table, seated
from tests.support.browser.browser_player import scan
from tests.support.browser.windows import PHONE, TV, Window
from tests.support.web.server_process import Running


def test_a_whole_game_from_scan_to_sheet(window: Window) -> None:
    screen = window(TV)
    code = open_table(screen)
    expect(screen.locator(".code")).to_contain_text(code)

    links = scan(screen)
    assert list(links) == list(SEATS)
    ana, ben = HunterPlayer(window(PHONE), "target", "Ana"), HunterPlayer(window(PHONE), "mask", "Ben")
    ana.joins(links["target"])
    ana.sees("On attend Men in Mask")
    expect(screen.locator(".taken")).to_contain_text("Ana")
    assert list(scan(screen)) == ["mask"]
    ben.joins(links["mask"])

    game = Game(ana, ben, code, lambda: screen)
    ana.sees_todo("Choisissez trois espions")
    ana.hides(4, 7, 0)
    ana.sees_todo("Posez devant vous, face cachée")
    ana.waits_for("Ben")
    game.told("On attend Ben")
    ben.hides(3, 8, 5)
    ana.may_act()
    ben.waits_for("Ana")
    game.told("À Ana de jouer")

    _plays(game)
    _ends(game)


def _plays(game: Game) -> None:
    ana, ben = game.ana, game.ben

    ana.attacks(card=2, house=1)
    ana.sees_answer("PLUS")
    ana.sees("Planque 1 : plus grand que 2")
    game.both_see("PLUS")
    game.told("Ana attaque la planque 1 avec le 2 de sa main : PLUS.")
    ana.sees_todo("Reprenez votre 2 en main.")
    ben.sees_todo("Ana reprend son 2 en main.")
    expect(game.screen.locator(".known-cards")).to_have_text("2")

    ben.may_act()
    ben.attacks(card=9, house=2)
    game.both_see("MOINS")
    ana.attacks(card=3, house=1)
    game.both_see("RÉUSSITE")
    game.told("La planque 1 de Ben est détruite : c’était le 3.")
    expect(game.house("mask", 1).locator(".card--destroyed b")).to_have_text("3")
    ben.sees_todo("Retournez votre planque 1 : ce doit être un 3.")

    ben.swaps(house=2, card=4, decoy=3)
    ana.sees_todo("Ben montre le 8, regarnit sa planque 2 et pose un leurre à côté de sa planque 3.")
    expect(game.house("mask", 3)).to_contain_text("1 leurre")

    # Ana's house 1 misses: Ben's matching 4 stands in his house 2, which he refills.
    ana.attacks(own=1, house=3)
    game.both_see("PLUS")
    expect(game.house("target", 1).locator(".card--destroyed b")).to_have_text("4")
    expect(game.house("mask", 2)).to_contain_text("à regarnir")
    ben.sees_todo("Prenez le 4 de votre planque 2")
    expect(ben.page.locator("h1")).to_have_text("Regarnir la planque 2")
    ana.waits_for("Ben")
    ben.refills(7)
    game.told("À Ben de jouer")

    # From a house, and it hits: the attacker refills.
    ben.attacks(own=2, house=2)
    game.both_see("RÉUSSITE")
    ben.refills(1)
    ana.may_act()
    ana.attacks(card=1, house=2)
    game.both_see("RÉUSSITE")
    ben.attacks(card=9, house=3)
    game.both_see("MOINS")
    ana.attacks(card=5, house=3)
    game.both_see("RÉUSSITE")


def _ends(game: Game) -> None:
    expect(game.ana.page.locator("h1")).to_have_text("Vous gagnez !")
    expect(game.ben.page.locator("h1")).to_have_text("Ana gagne !")
    expect(game.ben.page.locator(".score h2 b")).to_have_text(["4", "2"])
    expect(game.screen.locator(".result")).to_contain_text("Ana gagne")
    expect(game.screen.locator(".scores dd:not(.parts)")).to_have_text(["4", "2"])

    game.ben.page.get_by_role("link", name="Voir la feuille de score").click()
    sheet = game.ben.page.locator(".slip")
    expect(sheet).to_contain_text("Ana (Agence T.A.R.G.E.T.)")
    expect(sheet.locator("dl").first).to_contain_text(re.compile(r"Ana.*4.*détruites\s*3.*côté\s*1", re.S))
    expect(sheet).to_contain_text("Planques au départ 3 8 5")
    for form, kind in (("txt", "text/plain"), ("png", "image/png"), ("pdf", "application/pdf")):
        link = game.ben.page.locator(f"a[href$='sheet.{form}']")
        answer = game.ben.page.request.get(str(link.get_attribute("href")))
        assert answer.ok
        assert answer.headers["content-type"].startswith(kind)
    whole = game.screen.request.get(f"/api/tables/{game.code}/sheet.html")
    assert "<!doctype html>" in whole.text()
    game.ben.page.get_by_role("button", name="Imprimer la feuille").click()
    expect(game.ben.page.get_by_role("status").filter(visible=True)).to_contain_text("l’impression attend")


def test_a_private_window_shows_only_its_own_secrets(playing: Game) -> None:
    assert playing.ana.cards() == ["4", "7", "0", "1", "2", "3", "5", "6", "8", "9"]
    assert playing.ben.cards() == ["3", "8", "5", "0", "1", "2", "4", "6", "7", "9"]
    assert playing.screen.locator(".secret").count() == 0
    live = playing.screen.locator(".houses .card:not(.card--destroyed)").all_text_contents()
    assert [text.strip() for text in live] == ["?"] * 6


def test_pages_of_others_do_not_depend_on_a_secret(window: Window, server: Running) -> None:
    """Twin tables: Ben hides other cards, everything told aloud is the same, so is all that others load."""
    seen = []
    for houses in ([3, 8, 5], [9, 6, 1]):
        game = seated(window, server.client)
        ana, ben = game.ana.phone, game.ben.phone
        assert ana
        assert ben
        ben.moves("hide", houses=houses)
        ana.moves("hide", houses=[4, 7, 0])
        ana.moves("attack_from_hand", card=2, house=1)
        mine = f"/t/{game.code}/s/target"
        paths = (f"/t/{game.code}", mine, f"{mine}?seen=7", "/desk/main")
        seen.append([_plain(game.ana.page.request.get(path).text(), game.code) for path in paths])
    assert seen[0] == seen[1]


def _plain(source: str, code: str) -> str:
    """A page without what differs from table to table by itself: code, nonces, tickets, fingerprints."""
    prints = r"\b[0-9a-f]{4}(\s[0-9a-f]{4}){2,3}\b|\b[0-9a-f]{64}\b"
    same = re.sub(prints, "FINGERPRINT", source.replace(code, "CODE"))
    return re.sub(r'name="nonce" value="[^"]+"|data-recovery="[^"]+"', "", same)


def test_an_answer_says_what_follows_to_each_player(playing: Game) -> None:
    ana, ben = playing.ana, playing.ben
    ana.moves("attack_from_hand", card=3, house=1)
    expect(ben.page.locator(".answer .follows").first).to_have_text(
        "Votre planque 1 est détruite : c’était le 3."
    )
    expect(ana.page.locator(".answer .follows").first).to_have_text(
        "La planque 1 de Ben est détruite : c’était le 3."
    )


def test_the_last_answer_is_seen_before_the_result(playing: Game) -> None:
    ana, ben = playing.ana, playing.ben
    for card, house in ((3, 1), (8, 2), (5, 3)):
        ana.moves("attack_from_hand", card=card, house=house)
        if house < 3:
            ben.moves("attack_from_hand", card=9, house=1)
    ben.looks_again()
    ben.sees_answer("RÉUSSITE")
    expect(ben.page.locator(".ending")).to_be_hidden()
    ben.goes_on()
    expect(ben.page.locator(".ending h1")).to_have_text("Ana gagne !")
    expect(ben.page.locator(".ending-why")).to_contain_text("Vos trois planques sont détruites.")
    expect(ben.page.locator(".score.is-winner h2 b")).to_have_text("3")
    expect(ben.page.locator(".score.is-winner dd")).to_have_text(["+1", "+1", "+1"])
