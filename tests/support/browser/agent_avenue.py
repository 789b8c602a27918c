"""Agent Avenue in a browser window: `ana.shows("mole")`, `bob.taps("face_up")`."""

import re

from playwright.sync_api import expect

from tests.support.browser.browser_player import Player


class AvenuePlayer(Player):
    """The words of Agent Avenue."""

    def shows(self, agent: str) -> None:
        self.picks("agent", agent)
        self.confirms()

    def conceals(self, agent: str, name: str, *whole_hand: str) -> None:
        """Hides a card: picks it, reads it once more, and whether it is the whole hand; seals it."""
        expect(self.page.locator("button[name=check]")).to_be_visible()
        self.picks("agent", agent)
        self.checks()
        self.reads(name, *whole_hand)
        self.seals()

    def taps(self, value: str) -> None:
        """One tap on a card, and it is taken."""
        self.page.locator(f"button.pick[value='\"{value}\"']").click()

    def sees_results(self, *results: str) -> None:
        """Both results at once, then goes on."""
        expect(self.page.locator(".answer .results li")).to_have_text(
            [re.compile(r, re.DOTALL) for r in results]
        )
        self.goes_on()

    def sees_put_right(self, *now: str) -> None:
        """What a correction changed, the latest first, then goes on."""
        expect(self.page.locator(".answer .put-right li")).to_have_text([re.compile(each) for each in now])
        self.goes_on()
