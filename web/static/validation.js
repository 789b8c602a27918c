/* What a browser says beside a field that is missing or wrong, in the language of the page instead of the browser's. */
(() => {
  "use strict";
  const CHOSEN = ["radio", "checkbox", "select-one", "file"];
  const told = new Set(); // fields with a message of ours

  function words(field) {
    const { fillIn, choose, wrong } = document.documentElement.dataset;
    if (!field.validity.valueMissing) return wrong;
    return CHOSEN.includes(field.type) ? choose : fillIn;
  }

  function clear() {
    for (const field of told) field.setCustomValidity("");
    told.clear();
  }

  document.addEventListener("invalid", ({ target }) => {
    if (told.has(target)) return;
    target.setCustomValidity(words(target));
    told.add(target);
  }, true);
  for (const event of ["input", "change", "click"]) document.addEventListener(event, clear, true);
})();
