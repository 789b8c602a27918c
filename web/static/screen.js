/* The stage of a table screen. An answer is a scene: the screen darkens, holds its breath, turns a card, shows the
   words, and goes back to the board, where pieces walk, slide and turn. The end of a game is a scene too.

   A scene delays only this page. Anything new ends it at once, and so does a tap or a key. With reduced motion
   there is none. The server says which news are scenes, with what drawing, and how long (see `Cue`). */
(() => {
  "use strict";
  const ENDING = 9000; // milliseconds that the winner fills the screen
  const PART = 650; // milliseconds for each part of a score that is counted up
  const WALK = 320; // milliseconds for each space that a pawn walks
  const SLIDE = 700; // milliseconds for a piece that slides, a card that turns
  const PIECES = 140; // of confetti
  const FALL = 5000; // milliseconds until the last of them has fallen
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const root = document.documentElement;

  let running = null; // the scene: its event, what is left to do, its timers
  let latest = 0; // number of the last scene that was shown

  const sceneOf = (within) => within.querySelector("[data-scene]");
  const isOver = () => document.body.classList.contains("over");

  /** Show what arrived: at once, or as a scene. */
  window.stage = (fresh, apply) => {
    if (running && isAside(fresh)) return merge(fresh);
    finish();
    const scene = isOld(fresh) ? null : sceneIn(fresh);
    const wasOver = isOver();
    if (!scene) {
      moved(() => apply(fresh));
      latest = Math.max(latest, Number(sceneOf(document)?.dataset.scene || 0));
      if (!wasOver && isOver() && fresh.isPushed && !fresh.all) celebrate();
      return;
    }
    latest = Number(scene.dataset.scene);
    if (still.matches || document.hidden) {
      apply(fresh);
      if (!wasOver && isOver()) celebrate();
      return;
    }
    play(fresh, apply, scene.dataset, wasOver);
  };

  // Who is connected, or a desk: nothing that happened in the game. It waits with the rest.
  const isAside = (fresh) => fresh.isPushed && !fresh.all && fresh.v === running.fresh.v && !fresh.said;

  function merge(fresh) {
    const { fresh: mine } = running;
    const now = running.isShown ? {} : { now: fresh.regions.now ?? mine.regions.now };
    running.fresh = { ...mine, page: fresh.page || mine.page, regions: { ...mine.regions, ...fresh.regions, ...now } };
  }

  const isOld = (fresh) => !fresh.isPushed || fresh.all || fresh.regions.now === undefined;

  function sceneIn(fresh) {
    const template = document.createElement("template");
    template.innerHTML = fresh.regions.now;
    const scene = sceneOf(template.content);
    return scene && Number(scene.dataset.scene) > latest ? scene : null;
  }

  // ---- a scene: darkness, the words, then everything else

  function play(fresh, apply, { delay, lasts }, wasOver) {
    const next = (seconds, step) => (running.timer = setTimeout(step, seconds * 1000));
    const reveal = () => {
      const { fresh: mine } = running;
      running.isShown = true;
      phase("scene");
      apply({ isPushed: true, regions: { now: mine.regions.now }, said: mine.said });
      next(Number(lasts), end);
    };
    const end = () => finish(true);
    running = { fresh, isShown: false, timer: 0, rest };
    phase("breath");
    next(Number(delay), reveal);

    function rest(isCalm) {
      const { fresh: mine, isShown } = running;
      const { now, ...others } = mine.regions;
      running = null;
      phase("");
      const left = isShown ? { ...mine, regions: others, said: undefined } : mine;
      isCalm ? moved(() => apply(left)) : apply(left);
      if (!wasOver && isOver()) isCalm ? celebrate() : confetti();
    }
  }

  /** End the scene: show all that it still holds back. `isCalm`: it came to its end by itself. */
  function finish(isCalm = false) {
    if (!running) return;
    clearTimeout(running.timer);
    running.rest(isCalm);
  }

  function phase(name) {
    if (root.dataset.phase === "scene" || root.dataset.phase === "ending") settle();
    if (name) root.dataset.phase = name;
    else delete root.dataset.phase;
  }

  // What filled the screen goes back to its place as a copy, so that nothing shifts. Screen readers have read it.
  function settle() {
    const now = document.getElementById("now");
    const { ariaLive } = now;
    now.ariaLive = "off";
    now.replaceChildren(...[...now.childNodes].map((node) => node.cloneNode(true)));
    requestAnimationFrame(() => (now.ariaLive = ariaLive));
  }

  for (const sign of ["pointerdown", "keydown"]) addEventListener(sign, () => finish());

  // ---- the ending: the winner fills the screen, each score is counted up, confetti falls

  function celebrate() {
    confetti();
    if (still.matches || document.hidden) return;
    settle();
    const counted = [...document.querySelectorAll("#now .scores > div")].map(counting);
    running = { fresh: {}, timer: setTimeout(() => finish(true), ENDING), rest };
    phase("ending");

    function rest() {
      counted.forEach((stop) => stop());
      running = null;
      phase("");
    }
  }

  // The total grows with each part. What screen readers read stays as it is.
  function counting(row) {
    const total = row.querySelector("dd");
    const said = total.textContent;
    const parts = [...row.querySelectorAll(".parts b")].map((part) => Number(part.textContent.replace("−", "-")));
    if (!parts.length) return () => {};
    let sum = 0;
    total.dataset.counted = "0";
    const timers = parts.map((points, i) => setTimeout(() => (total.dataset.counted = String((sum += points)).replace("-", "−")), 1500 + i * PART));
    timers.push(setTimeout(() => delete total.dataset.counted, 1500 + parts.length * PART));
    return () => {
      timers.forEach(clearTimeout);
      delete total.dataset.counted;
      total.textContent = said;
    };
  }

  function confetti() {
    document.dispatchEvent(new CustomEvent("referee:ended"));
    const winner = document.querySelector("#now .ending[class*='seat-']");
    if (!winner) return; // nobody won
    const canvas = document.createElement("canvas");
    canvas.className = "confetti";
    canvas.setAttribute("aria-hidden", "true");
    document.querySelector(".confetti")?.remove();
    document.body.append(canvas);
    canvas.width = innerWidth;
    canvas.height = innerHeight;
    const pen = canvas.getContext("2d");
    const size = Math.max(8, innerWidth / 110);
    const hues = [getComputedStyle(winner).getPropertyValue("--seat"), "#ffca5f", "#f26d5b", "#4fb3bf", "#b78bf2"];
    const pieces = Array.from({ length: PIECES }, (_, i) => ({
      x: Math.random() * innerWidth, y: Math.random(), sway: Math.random() * 6.3, speed: 0.6 + Math.random() * 0.6, hue: hues[i % hues.length],
    }));
    const draw = (at) => {
      pen.clearRect(0, 0, canvas.width, canvas.height);
      for (const piece of pieces) {
        const y = still.matches ? piece.y * innerHeight : (at * piece.speed * 2.2 - piece.y) * innerHeight;
        pen.fillStyle = piece.hue;
        pen.save();
        pen.translate(piece.x + Math.sin(at * 9 + piece.sway) * size, y);
        pen.rotate(piece.sway + at * 12 * piece.speed);
        pen.fillRect(-size / 2, -size / 4, size, size / 2);
        pen.restore();
      }
    };
    if (still.matches) return draw(0);
    const begun = performance.now();
    const step = (now) => {
      const at = (now - begun) / FALL;
      if (at > 1 || !canvas.isConnected) return canvas.remove();
      draw(at);
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  // ---- pieces on the board: what moved slides or walks, what looks different is turned over

  const flips = () => [...document.querySelectorAll("#board [data-flip]")];
  const middle = (element) => {
    const box = element.getBoundingClientRect();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };
  const look = (element) => ({ ...middle(element), at: element.dataset.at, face: element.className.baseVal === undefined ? element.className + element.textContent : "" });

  function moved(change) {
    if (still.matches || document.hidden) return change();
    const before = new Map(flips().map((element) => [element.dataset.flip, look(element)]));
    change();
    if (!before.size) return;
    for (const element of flips()) {
      const was = before.get(element.dataset.flip);
      const is = look(element);
      if (!was) enter(element);
      else if (was.at !== is.at) walk(element, Number(was.at), Number(is.at));
      else if (was.face !== is.face) turn(element);
      else if (Math.abs(was.x - is.x) + Math.abs(was.y - is.y) > 2) slide(element, [was, is]);
    }
  }

  // Along these points, the last of which is where the element stands. In an SVG lengths are its own units.
  function slide(element, points, milliseconds = SLIDE) {
    const svg = element.ownerSVGElement;
    const unit = svg ? svg.viewBox.baseVal.width / svg.getBoundingClientRect().width : 1;
    const end = points.at(-1);
    const translate = points.map(({ x, y }) => `${(x - end.x) * unit}px ${(y - end.y) * unit}px`);
    element.animate({ translate }, { duration: milliseconds, easing: "ease-in-out" });
  }

  // From place to place around the board, the shorter way.
  function walk(element, from, to) {
    const way = [...element.ownerSVGElement.querySelectorAll("[data-way]")].map(middle);
    const around = way.length;
    const forward = (to - from + around) % around;
    const step = forward <= around / 2 ? 1 : -1;
    const steps = step === 1 ? forward : around - forward;
    const points = Array.from({ length: steps + 1 }, (_, i) => way[(from + i * step + around) % around]);
    slide(element, points, steps * WALK);
  }

  const turn = (element) => element.animate({ transform: ["rotateY(90deg)", "rotateY(0)"] }, { duration: SLIDE, easing: "ease-out" });
  const enter = (element) => element.animate({ opacity: [0, 1], translate: ["0 -40%", "0 0"] }, { duration: SLIDE, easing: "ease-out" });

  document.addEventListener("DOMContentLoaded", () => {
    latest = Number(sceneOf(document)?.dataset.scene || 0);
  });
})();
