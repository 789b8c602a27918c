/* The page where a table is opened: values that do not go with the number of players are not offered. */
(() => {
  "use strict";
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  function offer() {
    const players = document.querySelector('[name="option.players"]:checked')?.value;
    for (const label of all("label[data-players]")) {
      const button = label.querySelector("input");
      const fits = !players || label.dataset.players.split(" ").includes(players);
      label.hidden = button.disabled = !fits;
      if (!fits && button.checked) label.closest("fieldset").querySelector("input").checked = true;
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    all('[name="option.players"]').forEach((button) => button.addEventListener("change", offer));
    offer();
  });
})();
