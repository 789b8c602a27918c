/* Loads a seat's deduction sheet into its page when the fold is opened, and again whenever the table changes. */
(() => {
  "use strict";
  const fold = () => document.querySelector("details[data-aid]");

  async function bring() {
    const open = fold();
    if (!open?.open) return;
    const answer = await fetch(open.dataset.aid, { headers: { Accept: "text/html" }, cache: "no-store" }).catch(() => null);
    if (!answer?.ok) return; // the link to the page is still there
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("aid");
    if (fresh) open.querySelector("[data-aid-here]").replaceChildren(fresh);
  }

  document.addEventListener("toggle", (event) => event.target === fold() && bring(), true);
  document.addEventListener("referee:shown", bring);
})();
