/* The turn clock: counts the time since the last move, in minutes and seconds. Nothing happens when it runs long. */
(() => {
  "use strict";
  let since = 0; // when the last move came, by the referee's clock
  let ahead = 0; // seconds that this device's clock is ahead: known from the first move that comes while it looks on

  function draw() {
    const clock = document.querySelector("[data-since]");
    if (!clock) return;
    const latest = Number(clock.dataset.since);
    if (since && latest !== since) ahead = Date.now() / 1000 - latest;
    since = latest;
    const gone = Math.max(0, Math.floor(Date.now() / 1000 - ahead - since));
    const text = `${Math.floor(gone / 60)}:${String(gone % 60).padStart(2, "0")}`;
    const place = clock.querySelector("[data-clock]");
    if (place.textContent !== text) place.textContent = text;
  }

  document.addEventListener("DOMContentLoaded", draw);
  document.addEventListener("referee:shown", draw);
  setInterval(draw, 1000);
})();
