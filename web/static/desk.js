/* The desk page: plays each cue as the real lamps and buzzer do. */
(() => {
  "use strict";
  const GAP = 0.015; // seconds of silence after each note, to separate equal ones
  const NOTES = { C: -9, D: -7, E: -5, F: -4, G: -2, A: 0, B: 2 };
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const playing = new Map(); // lamp → the timers of its pattern
  const resting = new Set(); // lamps that are lit when no pattern plays
  let told = { results: [], states: {} };
  let audio = null;
  const LATE = 500; // milliseconds after which a waiting tune is skipped for a newer one
  const VOLUME = { loud: 0.08, quiet: 0.008, off: 0 };
  const waiting = []; // queued tunes, each with its arrival time
  let busy = false; // a tune is playing
  let loudness = "loud";

  const lamp = (name) => document.querySelector(`[data-lamp="${name}"]`);
  const light = (name, is) => lamp(name)?.classList.toggle("is-lit", is);

  function stop(name) {
    (playing.get(name) || []).forEach(clearTimeout);
    playing.delete(name);
    light(name, resting.has(name));
  }

  function makeRoom(names, stays) {
    const isResult = told.results.includes(names[0]);
    for (const other of [...resting, ...playing.keys()]) {
      const gives = isResult ? told.results.includes(other) : stays && other.startsWith("seat_") && resting.has(other);
      if (gives && !names.includes(other)) {
        resting.delete(other);
        stop(other);
      }
    }
  }

  function flash(name, pattern, stays) {
    if (stays) resting.add(name);
    if (!pattern.length && playing.has(name)) return; // it stays lit when the pattern ends
    stop(name);
    let at = 0;
    const timers = (still.matches ? pattern.slice(0, 1) : pattern).map((seconds, i) => {
      const timer = setTimeout(() => light(name, i % 2 === 0), at);
      at += seconds * 1000;
      return timer;
    });
    timers.push(setTimeout(() => stop(name), at));
    playing.set(name, timers);
  }

  // The status lamp repeats its pattern. Without a pattern it is lit; without a desk it is dark.
  let cycle = 0;

  function tellStatus() {
    const { state } = lamp("status").dataset;
    clearTimeout(cycle);
    const pattern = still.matches ? [] : told.states[state] || [];
    if (pattern.length) step(pattern, 0);
    else light("status", !!state);
  }

  function step(pattern, i) {
    light("status", i % 2 === 0);
    cycle = setTimeout(() => step(pattern, (i + 1) % pattern.length), pattern[i] * 1000);
  }

  function pitch(note) {
    const [, letter, octave] = note.match(/^([A-G])(\d)$/);
    return 440 * 2 ** ((NOTES[letter] + (Number(octave) - 4) * 12) / 12);
  }

  function play(tune) {
    if (!audio || audio.state !== "running") return;
    waiting.push([performance.now(), tune]);
    if (!busy) next();
  }

  function next() {
    while (waiting.length > 1 && performance.now() - waiting[0][0] > LATE) waiting.shift();
    busy = waiting.length > 0;
    if (!busy) return;
    const [, tune] = waiting.shift();
    let at = audio.currentTime;
    for (const [note, seconds] of tune) {
      if (note) sound(pitch(note), at, seconds - GAP);
      at += seconds;
    }
    setTimeout(next, (at - audio.currentTime) * 1000);
  }

  function sound(frequency, at, seconds) {
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.type = "square";
    tone.frequency.value = frequency;
    volume.gain.value = VOLUME[loudness];
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + seconds);
  }

  // Each cue waits until the table screen shows its news. Anything new ends the scene there, and the waiting.
  let scene = []; // what still waits: timers, each with its news
  document.addEventListener("referee:news", ({ detail: news }) => {
    if (!news.wait) return sign(news);
    const timer = setTimeout(() => {
      scene = scene.filter((each) => each.timer !== timer);
      sign(news);
      if (!scene.length) rest();
    }, news.wait * 1000);
    scene.push({ timer, news });
  });

  document.addEventListener("referee:event", () => {
    const waited = scene;
    scene = [];
    for (const { timer, news } of waited) {
      clearTimeout(timer);
      sign(news);
    }
    rest();
  });

  function sign(news) {
    const { cue, counted } = news;
    if (!cue) return;
    const seats = news.seat_lamps.map((number) => `seat_${number}`);
    if (counted) {
      const { patterns, tune } = counted;
      seats.forEach((name, i) => patterns[i] && lamp(name) && flash(name, patterns[i], false));
      play(tune);
      return;
    }
    const names = cue.lamp === "seat" ? seats : [cue.lamp];
    const there = names.filter(lamp);
    if (there.length) makeRoom(there, cue.stays);
    there.forEach((name) => flash(name, cue.pattern, cue.stays));
    play(cue.tune);
  }

  document.addEventListener("referee:sound", ({ detail: chosen }) => {
    loudness = chosen;
  });

  // Take the lamps that stay lit from the current page: a new table switches the old table's lamps off.
  let later = null; // the newest page that came while a cue waits: its lamps would tell the answer
  document.addEventListener("referee:shown", ({ detail: fresh }) => {
    if (scene.length) later = fresh;
    else lamps(fresh);
  });

  function rest() {
    if (later) lamps(later);
    later = null;
  }

  function lamps(fresh) {
    for (const newer of fresh.querySelectorAll("[data-lamp]")) {
      const name = newer.dataset.lamp;
      if (name === "status") {
        const isNews = lamp(name).dataset.state !== newer.dataset.state;
        lamp(name).dataset.state = newer.dataset.state;
        if (isNews) tellStatus();
        continue;
      }
      const isLit = newer.classList.contains("is-lit");
      if (isLit) resting.add(name);
      else resting.delete(name);
      if (!playing.has(name)) light(name, isLit);
      lamp(name).classList.toggle("is-free", newer.classList.contains("is-free"));
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    told = JSON.parse(document.getElementById("lamps").textContent);
    loudness = told.sound;
    document.querySelectorAll("[data-lamp].is-lit").forEach((lit) => resting.add(lit.dataset.lamp));
    tellStatus();
    const button = document.querySelector("[data-sound]");
    button.addEventListener("click", async () => {
      const isOn = !audio || audio.state !== "running";
      audio = audio || new AudioContext();
      await (isOn ? audio.resume() : audio.suspend());
      button.querySelector("span").textContent = isOn ? button.dataset.on : button.dataset.off;
      button.setAttribute("aria-pressed", String(isOn));
      if (isOn) play([["E5", 0.08]]);
    });
  });
})();
