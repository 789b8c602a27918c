/* What a phone does beside its page: sounds, vibration, a screen that stays on. Each has a switch, and the choice is
   remembered on this device. Browsers allow all three only after the page was touched. */
(() => {
  "use strict";
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  const AFTER_TAP = 100; // milliseconds until what can wait is done

  // ---- settings

  const read = (key) => { try { return localStorage.getItem(key); } catch { return null; } };
  const write = (key, value) => { try { localStorage.setItem(key, value); } catch { /* private window: not stored */ } };
  const isOn = (name) => read(`setting.${name}`) !== "0";

  function setting(button) {
    const { setting: name } = button.dataset;
    const draw = () => button.setAttribute("aria-checked", String(isOn(name)));
    button.addEventListener("click", () => {
      write(`setting.${name}`, isOn(name) ? "0" : "1");
      draw();
      if (name === "awake") stayAwake();
      else if (isOn(name)) signal("turn", name);
    });
    draw();
  }

  // The link in the bar above opens the settings.
  function opening(link) {
    link.addEventListener("click", (event) => {
      const settings = document.getElementById("settings");
      event.preventDefault();
      settings.open = true;
      settings.scrollIntoView({ block: "start" });
      settings.querySelector("button").focus();
    });
  }

  // ---- sounds and vibration

  // For each event: its notes (hertz, seconds; 0 is silence), the shape of the wave, and milliseconds on, off, on …
  const SIGNALS = {
    turn: { notes: [[659, 0.16], [784, 0.3]], wave: "sine", buzz: [80, 60, 80] },
    question: { notes: [[988, 0.12], [0, 0.08], [988, 0.12], [0, 0.08], [1319, 0.35]], wave: "triangle", buzz: [40, 50, 40, 50, 40, 50, 160] },
    plus: { notes: [[523, 0.1], [659, 0.1], [784, 0.3]], wave: "triangle", buzz: [60, 40, 120] },
    moins: { notes: [[784, 0.1], [659, 0.1], [523, 0.3]], wave: "triangle", buzz: [120, 40, 60] },
    answer: { notes: [[587, 0.12], [880, 0.35]], wave: "triangle", buzz: [200] },
    reussite: { notes: [[523, 0.09], [523, 0.09], [784, 0.09], [1047, 0.4]], wave: "triangle", buzz: [60, 40, 60, 40, 200] },
    won: { notes: [[392, 0.14], [523, 0.14], [659, 0.14], [784, 0.28], [659, 0.14], [1047, 0.7]], wave: "square", buzz: [80, 50, 80, 50, 80, 50, 400] },
    lost: { notes: [[440, 0.2], [392, 0.2], [349, 0.2], [330, 0.5]], wave: "sine", buzz: [300] },
  };
  const VOLUME = { square: 0.05, triangle: 0.16, sine: 0.16 };
  let audio = null;

  function touched() {
    if (!audio && window.AudioContext && isOn("sound")) audio = new AudioContext();
    if (audio?.state === "suspended") audio.resume();
    if (navigator.wakeLock) setTimeout(stayAwake, AFTER_TAP);
    else if (film?.paused) stayAwake(); // only during the touch
  }

  function signal(name, only = "") {
    const { notes, wave, buzz } = SIGNALS[name];
    if (only !== "sound" && isOn("buzz") && navigator.vibrate && navigator.userActivation?.hasBeenActive) navigator.vibrate(buzz);
    if (only !== "buzz" && isOn("sound") && audio) play(notes, wave);
  }

  function play(notes, wave) {
    let at = audio.currentTime + 0.02;
    for (const [pitch, length] of notes) {
      if (pitch) sound(pitch, wave, at, length);
      at += length;
    }
  }

  function sound(pitch, wave, at, length) {
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.type = wave;
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(VOLUME[wave], at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + length + 0.1);
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + length + 0.1);
  }

  const answered = (answer) => signal(["plus", "moins", "reussite"].find((name) => answer.classList.contains(`answer--${name}`)) || "answer");

  // The end is heard once, when it is seen.
  let ended = "";
  function ending() {
    const shown = document.querySelector("#decision [data-ending]");
    const now = shown && !document.body.classList.contains("answering") ? shown.dataset.ending : "";
    if (now in SIGNALS && !ended) signal(now);
    ended = shown ? ended || now : "";
  }

  // ---- the screen stays on: by the browser's lock where there is one (https), else by a film of nothing

  let lock = null;
  let film = null;

  const wanted = () => isOn("awake") && !document.hidden && document.body.dataset.mine !== undefined;

  async function stayAwake() {
    if (!wanted()) {
      film?.pause();
      lock?.release();
      lock = null;
    } else if (!navigator.wakeLock) film?.play().catch(() => {}); // until the page is touched
    else if (!lock) {
      lock = await navigator.wakeLock.request("screen").catch(() => null);
      lock?.addEventListener("release", () => (lock = null));
    }
  }

  // Phones let the screen go dark under a film that loops by itself, that is small, or that has no sound track.
  async function load(source) {
    const answer = await fetch(source).catch(() => null);
    if (!answer?.ok) return;
    film = document.createElement("video");
    film.className = "awake";
    film.setAttribute("playsinline", "");
    film.setAttribute("aria-hidden", "true");
    film.tabIndex = -1;
    film.src = URL.createObjectURL(await answer.blob());
    film.addEventListener("timeupdate", () => film.currentTime > 2 && (film.currentTime = 0));
    document.body.prepend(film);
  }

  // ---- start

  for (const name of ["pointerup", "keydown"]) addEventListener(name, touched);
  document.addEventListener("visibilitychange", stayAwake);
  document.addEventListener("referee:turn", () => signal("turn"));
  document.addEventListener("referee:question", () => signal("question"));
  document.addEventListener("referee:answer", ({ detail }) => answered(detail));
  document.addEventListener("referee:shown", ending);
  document.addEventListener("DOMContentLoaded", () => {
    all("[data-setting]").forEach(setting);
    all("[data-settings]").forEach(opening);
    if (!navigator.vibrate) all("[data-has=buzz]").forEach((row) => (row.hidden = true));
    ended = document.querySelector("#decision [data-ending]:not(.answering *)")?.dataset.ending || "";
    const source = document.body.dataset.awake;
    if (source && !navigator.wakeLock) load(source);
  });
})();
