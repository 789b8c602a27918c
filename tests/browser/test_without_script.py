"""The same pages without JavaScript, on the smallest phone: forms, and nothing else."""

from playwright.sync_api import expect

from tests.support.browser.agent_hunter import HunterPlayer, open_table
from tests.support.browser.windows import SMALL_PHONE, Window


def test_joining_hiding_and_attacking_without_script(window: Window) -> None:
    plain = {"java_script_enabled": False}
    screen = window(SMALL_PHONE, **plain)
    open_table(screen)
    links = [str(link.get_attribute("href")) for link in screen.locator(".seat-card a.link").all()]
    ana = HunterPlayer(window(SMALL_PHONE, **plain), "target", "Ana")
    ben = HunterPlayer(window(SMALL_PHONE, **plain), "mask", "Ben")
    ana.joins(links[0])
    ana.sees("On attend Men in Mask")
    expect(ana.page.locator("meta[http-equiv=refresh]")).to_have_count(1)
    ben.joins(links[1])
    ana.looks_again()
    expect(ana.page.locator("meta[http-equiv=refresh]")).to_have_count(0)

    ana.hides_without_script(4, 4, 0)
    expect(ana.page.get_by_role("alert")).to_contain_text("il faut trois espions différents")
    ana.hides_without_script(4, 7, 0)
    expect(ana.page.locator(".echo dd")).to_have_text(["4", "7", "0"])
    ana.page.get_by_role("link", name="Changer").click()
    expect(ana.page.locator("input[name='field.houses.2'][value='7']")).to_be_checked()
    ana.hides_without_script(4, 6, 0)
    ana.seals()
    ana.waits_for("Ben")
    ben.hides_without_script(3, 8, 5)
    ben.seals()
    ana.looks_again()

    expect(ana.secret).to_be_hidden()
    ana.page.locator(".secret summary").click()
    expect(ana.secret).to_be_visible()
    assert ana.cards()[:3] == ["4", "6", "0"]
    ana.page.locator(".secret summary").click()

    ana.attacks(card=9, house=1)
    ana.sees_answer("MOINS")
    ana.goes_on()
    ana.sees_todo("Reprenez votre 9 en main.")
    ana.waits_for("Ben")
    ben.looks_again()
    ben.sees_answer("MOINS")
    ben.goes_on()
    ben.may_act()
    assert _fits(ben)


def _fits(player: HunterPlayer) -> bool:
    """Whether nothing sticks out at the side; asked at one go, for a page may go on to the next meanwhile."""
    boxes = player.page.locator("main").evaluate(
        """main => [...main.querySelectorAll("*")]
            .filter(element => getComputedStyle(element).visibility !== "hidden")
            .map(element => element.getBoundingClientRect())
            .filter(box => box.width && box.height)
            .map(box => [box.left, box.right])"""
    )
    assert boxes
    return all(left >= 0 and right <= SMALL_PHONE[0] + 0.5 for left, right in boxes)


def test_a_form_sent_twice_plays_once(window: Window) -> None:
    """The hidden nonce makes a second tap, or a reload after a lost answer, get the first answer again."""
    screen, phone = window(), window(java_script_enabled=False)
    code = open_table(screen)
    link = str(screen.locator(".seat-card a.link").first.get_attribute("href"))
    phone.goto(link)
    nonce = phone.locator("input[name=nonce]").input_value()
    stranger = window()
    stranger.goto(link)
    for _ in range(2):  # the answer is lost, so no cookie is kept: a request without them
        answer = phone.request.post(
            link, form={"name": "Ana", "nonce": nonce}, max_redirects=0, headers={"Cookie": ""}
        )
        assert answer.status == 303
        assert answer.headers["location"] == f"/t/{code}/s/target"
    stranger.locator("#name").fill("Eve")
    stranger.locator("form.sit > .button").click()
    expect(stranger.locator("h1")).to_have_text("Place prise")
    phone.goto(link)
    expect(phone.locator("main")).to_contain_text("Bienvenue, Ana")
