"""The next control to use on a seat's page, without knowledge of the game: an answer, a card, a button."""

# What is open is filled in first; what needs no more is sent; where nothing is open, something is opened.
NEXT = """(() => {
  const isUsable = (e) => e.checkVisibility() && !e.disabled;
  const all = (what) => [...document.querySelectorAll(what)].filter(isUsable);
  const isOpen = (radio) => !all(`input[name="${radio.name}"]`).some((other) => other.checked);
  return all(".answer a.button, button.seal")[0]
    ?? all("form.move input[type=radio]").find(isOpen)
    ?? all("form.move input:not([type])").find((input) => !input.value)
    ?? all("form.move [data-card]")[0]
    ?? all("form.move button:not([type=button]), main a.pick, main a.action")[0];
})()"""

TAKE = f"(window.taken = {NEXT}, window.taken.scrollIntoView({{ block: 'center' }}), window.taken)"
IS_STILL = "!document.documentElement.classList.contains('busy')"
IS_DONE = f"{IS_STILL} && window.taken !== {NEXT}"  # it was used, and something else comes next, or nothing
