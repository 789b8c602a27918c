/* Sends the time to a server without a clock, keeps a half-filled form while the language is switched, finds the
   server at a new address, adds a random number to the dice. Pages work without it. */
(() => {
  "use strict";
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const HALF = "half-filled";
  const decision = () => document.getElementById("decision")?.dataset.key;

  function tellTime() {
    if (!document.querySelector("meta[name=clock]")) return;
    const now = Math.floor(Date.now() / 1000);
    fetch("/api/clock", { method: "POST", body: JSON.stringify({ now }) }).catch(() => {}); // the next page tries again
  }

  // ---- a half-filled form survives a switch of the language and a look at the rules, but no other navigation

  function put() {
    const fields = all("form.move").flatMap((form) => [...new FormData(form)]);
    const picked = fields.filter(([name]) => /^(field|text)\./.test(name));
    try {
      sessionStorage.setItem(HALF, JSON.stringify({ at: location.href, decision: decision(), picked }));
    } catch { /* private window: not stored */ }
  }

  // The way back from the rules leads to the seat; the form was one step further.
  function goBack(kept, at) {
    sessionStorage.setItem(HALF, JSON.stringify(kept));
    location.replace(at);
  }

  function take() {
    if (!decision()) return; // at the rules it waits for the way back
    let kept = null;
    try {
      kept = JSON.parse(sessionStorage.getItem(HALF));
      sessionStorage.removeItem(HALF);
    } catch { /* nothing was stored */ }
    if (!kept || kept.decision !== decision()) return;
    const at = new URL(kept.at);
    if (at.search && at.pathname === location.pathname && !location.search) return goBack(kept, at);
    if (at.href !== location.href) return;
    for (const [name, value] of kept.picked) {
      for (const input of all(`form.move [name="${CSS.escape(name)}"]`)) {
        if (input.type === "radio") input.checked = input.value === value;
        else if (input.type !== "hidden") input.value = value;
      }
    }
  }

  // ---- another address: open it in a new tab, so that this page stays if it is wrong

  function openAtNewAddress(form) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const host = form.elements.address.value.trim().replace(/^https?:\/\//, "").replace(/\/.*$/, "");
      window.open(`//${host}${form.dataset.recovery}`, "_blank", "noopener");
    });
  }

  // ---- the dice: this device adds a random number, keeps it for a retry, and checks that the table has it

  const KEPT = 60; // numbers that are stored, of tables that this device joined

  function diceKept() {
    try {
      return JSON.parse(localStorage.getItem("dice")) || {};
    } catch {
      return {}; // private window
    }
  }

  function throwDice(input) {
    const chosen = input.dataset.dice.endsWith("/") ? input.form.elements.seat.value : ""; // with the table's code
    const at = input.dataset.dice + chosen;
    const { [at]: mine, ...others } = diceKept();
    const digits = () => Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, "0")).join("");
    const own = mine || { nonce: digits(), seed: input.dataset.seed || "" };
    input.value = own.nonce;
    try {
      localStorage.setItem("dice", JSON.stringify({ ...Object.fromEntries(Object.entries(others).slice(1 - KEPT)), [at]: own }));
    } catch { /* not stored: sent all the same, but not checked later */ }
  }

  document.addEventListener("submit", (event) => all("input[data-dice]", event.target).forEach(throwDice), true);

  // ---- choosing a seat: whose seat is taken meanwhile chooses again, instead of getting another one unasked

  let chosen = "";
  const chairs = () => all("#chairs input[name=seat]");

  function choose() {
    chosen = chairs().find((chair) => chair.checked)?.value || "";
    all("[data-also]").forEach((field) => (field.hidden = field.dataset.also === chosen)); // other players on this phone
    if (chosen) document.getElementById("gone").hidden = true;
  }

  function keepChosen() {
    if (!document.getElementById("chairs")) return;
    const mine = chairs().find((chair) => chair.value === chosen);
    chairs().forEach((chair) => (chair.checked = chair === mine));
    document.getElementById("gone").hidden = !!mine;
  }

  document.addEventListener("change", (event) => event.target.matches("#chairs input") && choose());
  document.addEventListener("referee:shown", keepChosen);

  function checkDice(notice) {
    const mine = diceKept()[notice.dataset.ownDice];
    notice.hidden = !mine || (mine.nonce === notice.dataset.nonce && mine.seed === notice.dataset.seed);
  }

  document.addEventListener("DOMContentLoaded", () => {
    all("[data-own-dice]").forEach(checkDice);
    if (document.getElementById("chairs")) choose();
    take();
    tellTime();
    all("form[data-recovery]").forEach(openAtNewAddress);
    document.querySelector("form.languages")?.addEventListener("submit", put);
    document.addEventListener("click", (event) => event.target.closest("a.to-rules, a.why") && document.querySelector("form.move") && put());
  });
})();
