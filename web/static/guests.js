/* For whoever comes or comes back: tells a server without a clock the time. Pages work without it. */
(() => {
  "use strict";

  document.addEventListener("DOMContentLoaded", () => {
    if (!document.querySelector("meta[name=clock]")) return;
    const now = Math.floor(Date.now() / 1000);
    fetch("/api/clock", { method: "POST", body: JSON.stringify({ now }) }).catch(() => {}); // the next page tells it
  });
})();
