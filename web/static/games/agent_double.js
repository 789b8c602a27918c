/* The deck editor: shows only the fields that a card's back allows. A plain back determines the value. */
(() => {
  "use strict";
  const all = (selector, within) => [...within.querySelectorAll(selector)];

  function card(row) {
    const back = row.querySelector("[data-back]");
    const value = row.querySelector("[data-value]");
    const draw = () => {
      const isAction = back.value === "?";
      row.classList.toggle("is-action", isAction);
      for (const input of all("[data-action] select, [data-action] input, input[data-action]", row)) input.disabled = !isAction;
      for (const input of all("[data-simple] select", row)) input.disabled = isAction;
    };
    back.addEventListener("change", () => {
      if (/^[0-7]$/.test(back.value)) value.value = back.value;
      draw();
    });
    draw(); // keep a refused value as it was entered
  }

  document.addEventListener("DOMContentLoaded", () => all("[data-card-of-deck]", document).forEach(card));
})();
