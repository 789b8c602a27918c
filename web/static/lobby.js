/* Before a game: a pop and a sound as somebody sits down at the table screen; slow scenes on a screen without a table.
   Pages work without it. */
(() => {
  "use strict";
  const SCENE = 14000; // milliseconds that a scene is shown
  const CORNERS = 4; // where the invitation stands in turn, so that nothing burns in
  const all = (selector) => [...document.querySelectorAll(selector)];
  const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

  // ---- somebody sits down

  let audio = null;
  let sitting = new Set();
  const taken = () => new Set(all(".lobby .chair.is-taken").map((chair) => chair.dataset.seat));

  const isMuted = () => {
    try {
      return localStorage.getItem("mute") === "1";
    } catch {
      return false; // private window
    }
  };

  // Each seat has its own tone: a chord grows as the table fills.
  function pop(place) {
    if (isMuted() || !window.AudioContext) return;
    audio ||= new AudioContext(); // silent until somebody touches the page, where the browser wants that
    if (audio.state === "suspended") audio.resume().catch(() => {});
    const pitch = 392 * 2 ** ([0, 4, 7, 12, 16, 19, 24, 28][place % 8] / 12);
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    const at = audio.currentTime;
    tone.type = "triangle";
    tone.frequency.setValueAtTime(pitch * 0.6, at);
    tone.frequency.exponentialRampToValueAtTime(pitch, at + 0.06);
    volume.gain.setValueAtTime(0.2, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + 0.45);
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + 0.45);
  }

  function seated() {
    const now = taken();
    for (const chair of all(".lobby .chair.is-taken")) {
      if (sitting.has(chair.dataset.seat) || isStill()) continue;
      chair.animate([{ transform: "scale(0.85)" }, { transform: "scale(1.06)", offset: 0.6 }, { transform: "none" }], { duration: 450, easing: "ease-out" });
      chair.querySelector(".portrait")?.animate([{ transform: "scale(0) rotate(-25deg)" }, { transform: "scale(1.2) rotate(8deg)", offset: 0.6 }, { transform: "none" }], { duration: 650, easing: "ease-out" });
    }
    sitting = now;
  }

  document.addEventListener("referee:said", ({ detail: said }) => {
    const joined = said.filter(([, kind]) => kind === "joined");
    joined.forEach((_, n) => setTimeout(pop, n * 120, Math.max(0, sitting.size - joined.length + n)));
  });
  document.addEventListener("referee:shown", seated);
  addEventListener("pointerdown", () => audio?.resume().catch(() => {}));

  // ---- the scenes of a screen without a table

  function play(scenes) {
    const shown = [...scenes.children];
    let n = 0;
    setInterval(() => {
      shown[n % shown.length].classList.remove("is-shown");
      n += 1;
      shown[n % shown.length].classList.add("is-shown");
      document.body.dataset.corner = n % CORNERS;
    }, SCENE);
  }

  document.addEventListener("DOMContentLoaded", () => {
    sitting = taken();
    all("[data-scenes]").forEach((scenes) => scenes.children.length > 1 && play(scenes));
  });
})();
