"""Agent Double in a browser window: `ana.lays("S", "3", "personal")`."""

from playwright.sync_api import expect

from tests.support.browser.browser_player import Player


class DoublePlayer(Player):
    """The words of Agent Double."""

    def lays(self, agent: str, back: str, file: str) -> None:
        """Three taps, then the echo."""
        self.picks("agent", agent)
        self.page.get_by_role("button", name=f"Dos {back}", exact=True).click()
        expect(self.page.locator("input[name='field.agent']:checked")).to_have_value(f'"{agent}"')
        self.picks("file", file)
        self.checks()
