/* The tunes of a table screen, if they are switched on: those of the desk, in step with the scenes. Each is written
   on the page as notes: `C5:120` sounds for 120 milliseconds, `:120` is a rest. All that they tell is shown too. */
(() => {
  "use strict";
  const LOUD = 0.15;
  const FADE = 0.02; // seconds in which a note begins and ends, so that nothing clicks
  const MOST = 100; // notes of one tune
  const STEPS = { C: -9, D: -7, E: -5, F: -4, G: -2, A: 0, B: 2 }; // semitones from the A of the octave
  const store = {
    get: () => { try { return localStorage.getItem("tunes"); } catch { return null; } },
    set: (value) => { try { localStorage.setItem("tunes", value); } catch { /* private window: not stored */ } },
  };
  let button = null;
  let on = store.get() === "1";
  let audio = null; // silent until somebody touches the page, where the browser wants that
  let playing = null; // the volume of the current tune
  let heard = 0; // the number of the news whose tune was last played

  const written = () => document.querySelector("#now > [data-tune][data-n]");
  const pitch = (note) => 440 * 2 ** (STEPS[note[0]] / 12 + Number(note[1]) - 4);

  function play(tune) {
    hush();
    if (!on || !audio || document.hidden) return;
    playing = audio.createGain();
    playing.connect(audio.destination);
    let at = audio.currentTime + FADE;
    for (const each of tune.split(" ").slice(0, MOST)) {
      const [note, milliseconds] = each.split(":");
      const ends = at + Number(milliseconds) / 1000;
      if (note) sound(pitch(note), at, ends);
      at = ends;
    }
  }

  function sound(frequency, at, ends) {
    const tone = new OscillatorNode(audio, { type: "triangle", frequency });
    const volume = new GainNode(audio, { gain: 0 });
    volume.gain.setValueAtTime(0, at);
    volume.gain.linearRampToValueAtTime(LOUD, at + FADE);
    volume.gain.setValueAtTime(LOUD, Math.max(at + FADE, ends - FADE));
    volume.gain.linearRampToValueAtTime(0, ends);
    tone.connect(volume).connect(playing);
    tone.start(at);
    tone.stop(ends);
  }

  function hush() {
    playing?.disconnect();
    playing = null;
  }

  function wake() {
    if (!on) return;
    audio ||= new AudioContext();
    audio.onstatechange = draw;
    if (audio.state === "suspended") audio.resume().catch(() => {});
  }

  function draw() {
    const { on: sounds, off: silent, asleep: waits } = button.dataset;
    button.querySelector("span").textContent = on ? (audio.state === "running" ? sounds : waits) : silent;
    button.setAttribute("aria-pressed", String(on));
  }

  document.addEventListener("DOMContentLoaded", () => {
    button = document.querySelector("[data-tunes]");
    if (!button || !window.AudioContext) return;
    heard = Number(written()?.dataset.n || 0);
    button.hidden = false;
    button.addEventListener("click", () => {
      on = !on;
      store.set(on ? "1" : "0");
      wake();
      play("C5:120 G5:200");
      draw();
      scrollTo(0, 0);
    });
    for (const sign of ["pointerdown", "keydown"]) addEventListener(sign, wake);
    document.addEventListener("referee:shown", () => {
      const tune = written();
      if (!tune || Number(tune.dataset.n) <= heard) return;
      heard = Number(tune.dataset.n);
      play(tune.dataset.tune);
    });
    document.addEventListener("referee:ended", () => {
      const tune = document.querySelector("#now .ending")?.dataset.tune;
      if (tune) play(tune);
    });
    addEventListener("pagehide", hush);
    wake();
    draw();
  });
})();
