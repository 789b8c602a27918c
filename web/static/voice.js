/* The voice of a table screen: speaks the news, if it is switched on. The screen shows all of it as text too. */
(() => {
  "use strict";
  const CAPACITY = 6; // queued sentences; when full, the oldest is dropped
  const LATE = 10000; // milliseconds after which a waiting sentence is skipped for a newer one
  const LONGEST = 25000; // milliseconds after which a sentence that does not end is abandoned
  const voice = window.speechSynthesis;
  const waiting = []; // queued sentences, each with its arrival time
  let button = null;
  let speaking = 0; // the timer of the current sentence
  let newest = 0; // the number of the latest news received
  let asleep = false; // browsers allow no speech before a user gesture
  const store = {
    get: () => { try { return localStorage.getItem("voice"); } catch { return null; } },
    set: (value) => { try { localStorage.setItem("voice", value); } catch { /* private window: not stored */ } },
  };
  let on = store.get() === "1";

  // News that is in the log when the page loads is not spoken.
  const logged = () => [...document.querySelectorAll("#history li[data-n]")].map((item) => Number(item.dataset.n));

  function listen(said) {
    const spoken = button.dataset.voice.split(" ");
    for (const [n, kind, text] of said) {
      if (n <= newest) continue;
      newest = n;
      if (on && spoken.includes(kind)) waiting.push([performance.now(), text]);
    }
    waiting.splice(0, waiting.length - CAPACITY);
    if (!speaking) next();
  }

  function next() {
    clearTimeout(speaking);
    speaking = 0;
    while (waiting.length > 1 && performance.now() - waiting[0][0] > LATE) waiting.shift();
    if (!on || !waiting.length) return;
    const said = new SpeechSynthesisUtterance(waiting.shift()[1]);
    said.lang = document.documentElement.lang;
    const own = voice.getVoices().find((other) => other.lang.toLowerCase().startsWith(said.lang));
    if (own) said.voice = own;
    const timer = setTimeout(() => voice.cancel(), LONGEST);
    const ended = () => speaking === timer && next();
    said.addEventListener("end", ended);
    said.addEventListener("error", (event) => {
      if (event.error === "not-allowed") sleep(true);
      ended();
    });
    speaking = timer;
    voice.speak(said);
  }

  function sleep(is) {
    asleep = is;
    draw();
  }

  function hush() {
    waiting.length = 0;
    clearTimeout(speaking);
    speaking = 0;
    voice.cancel();
  }

  function draw() {
    const { on: speaks, off: silent, asleep: waits } = button.dataset;
    button.querySelector("span").textContent = on ? (asleep ? waits : speaks) : silent;
    button.setAttribute("aria-pressed", String(on));
  }

  document.addEventListener("DOMContentLoaded", () => {
    button = document.querySelector("[data-voice]");
    if (!button || !voice || !window.SpeechSynthesisUtterance) return;
    newest = Math.max(0, ...logged());
    button.hidden = false;
    button.addEventListener("click", () => {
      on = !on;
      store.set(on ? "1" : "0");
      hush();
      if (on) waiting.push([performance.now(), button.dataset.hello]); // phones allow speech that starts in a tap
      next();
      draw();
      scrollTo(0, 0); // show what is spoken: nobody may scroll the screen again
    });
    addEventListener("pointerdown", () => asleep && sleep(false));
    document.addEventListener("referee:said", ({ detail: said }) => listen(said));
    addEventListener("pagehide", hush);
    draw();
  });
})();
