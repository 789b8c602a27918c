/* The replay of the record page: steps by keys, slider, swipe and autoplay. Without it, every button is a link.
   Steps come in blocks, which are fetched when they are needed or about to be. Dispatches "replay:step". */

const BLOCKS = 30; // blocks kept; the least recently used is dropped
const AHEAD = 3; // steps before the end of a block at which the next one is fetched
const SPEEDS = [1, 2, 4, 0.5];
const PAUSE = 2200; // milliseconds that a step stands at speed 1
const SWIPE = 40; // pixels

const step = document.getElementById("step");
const slider = document.getElementById("slider");
const play = document.getElementById("play");
const speed = document.getElementById("speed");
const picture = document.getElementById("picture");
const list = document.getElementById("all-steps");
const first = Number(step.dataset.first);
const count = Number(step.dataset.count);
const blocks = new Map(); // the first step of a block → a promise of its steps
const size = 12; // steps of a block, as the server sends them
let at = Number(step.dataset.n);
let wanted = at;

// ---- blocks of steps

const start = (n) => Math.floor((n - 1) / size) * size + 1;

function block(n) {
  const key = start(n);
  const kept = blocks.get(key) || load(key);
  blocks.delete(key);
  blocks.set(key, kept);
  if (blocks.size > BLOCKS) blocks.delete(blocks.keys().next().value);
  return kept;
}

function load(from) {
  const loading = fetch(`${step.dataset.steps}?from=${from}`, { headers: { Accept: "application/json" } }).then((answer) => {
    if (!answer.ok) throw new Error(`refused: ${answer.status}`);
    return answer.json();
  });
  loading.catch(() => blocks.delete(from));
  return loading;
}

// ---- going to a step

async function go(n) {
  if (n < 1 || n > count) return location.assign(`?step=${n}`); // the last page compares with the real cards
  wanted = n;
  try {
    const steps = await block(n);
    if (wanted !== n) return; // a later tap is shown instead
    show(steps[n - start(n)]);
  } catch {
    location.assign(`?step=${n}`); // load the page itself, which shows the error
  }
  for (const near of [n + AHEAD, n - AHEAD]) if (near >= 1 && near <= count) block(near).catch(() => {});
}

function show(fresh) {
  at = fresh.n;
  Object.assign(step.dataset, { n: fresh.n, head: fresh.head, commitment: fresh.commitment });
  picture.innerHTML = fresh.picture;
  document.getElementById("said").innerHTML = fresh.said;
  document.getElementById("said").scrollTop = 0;
  document.dispatchEvent(new CustomEvent("referee:enhance", { detail: picture }));
  history.replaceState(null, "", `?step=${at}`);
  for (const name of ["back", "step"]) {
    const field = document.querySelector(`input[name=${name}]`);
    if (field) field.value = name === "step" ? at : location.pathname + location.search;
  }
  mark();
  document.dispatchEvent(new CustomEvent("replay:step"));
}

const ways = { first: () => first, prev: () => at - 1, next: () => at + 1, last: () => count };
const isPossible = { first: () => at > first, prev: () => at > 1, next: () => at <= count, last: () => at < count };

function mark() {
  slider.value = at;
  slider.setAttribute("aria-valuetext", document.querySelector("#said .step-label").textContent);
  for (const [rel, to] of Object.entries(ways)) {
    const way = document.querySelector(`.replay-ways [rel=${rel}]`);
    if (isPossible[rel]()) {
      way.href = `?step=${to()}`;
      way.removeAttribute("aria-disabled");
    } else way.setAttribute("aria-disabled", "true");
  }
  for (const link of list.querySelectorAll("[aria-current]")) link.removeAttribute("aria-current");
  const line = list.querySelector(`[data-line="${at}"] a`);
  line?.setAttribute("aria-current", "step");
  if (line && isWide.matches) list.scrollTop += line.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 2;
}

function stepBy(rel) {
  stop();
  if (isPossible[rel]()) go(ways[rel]());
}

// ---- links, keys, slider, swipe

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='?step='], .replay-ways a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (link.rel) return stepBy(link.rel);
  stop();
  go(Number(new URL(link.href).searchParams.get("step")));
  if (!isWide.matches) scrollTo({ top: 0 });
});

const KEYS = { ArrowLeft: "prev", ArrowRight: "next", Home: "first", End: "last" };

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.target.matches("input, select, textarea")) return;
  if (KEYS[event.key]) {
    event.preventDefault();
    stepBy(KEYS[event.key]);
  } else if (event.key === " " && !event.target.closest("a, button, summary, [role=button]")) {
    event.preventDefault();
    toggle();
  }
});

slider.addEventListener("input", () => {
  stop();
  go(Number(slider.value));
});

let touch = null;
picture.addEventListener("touchstart", (event) => (touch = event.touches.length === 1 ? event.touches[0] : null), { passive: true });
picture.addEventListener("touchend", (event) => {
  const end = event.changedTouches[0];
  const [x, y] = touch ? [end.clientX - touch.clientX, end.clientY - touch.clientY] : [0, 0];
  touch = null;
  if (Math.abs(x) >= SWIPE && Math.abs(x) > 2 * Math.abs(y)) stepBy(x < 0 ? "next" : "prev");
});

// ---- autoplay

let timer = 0;
let pace = 0; // index of the speed

function stop() {
  clearTimeout(timer);
  timer = 0;
  play.setAttribute("aria-pressed", "false");
}

// The next step comes when this one is shown and has stood for its time; it stops at the end.
async function run() {
  timer = -1;
  play.setAttribute("aria-pressed", "true");
  await go(at < count ? at + 1 : first);
  if (timer && at < count) timer = setTimeout(run, PAUSE / SPEEDS[pace]);
  else stop();
}

function toggle() {
  if (timer) stop();
  else run();
}

function paced() {
  const words = String(SPEEDS[pace]).replace("0.5", "½");
  speed.textContent = `${words}×`;
  speed.setAttribute("aria-label", speed.dataset.words.replace("{n}", words));
}

play.addEventListener("click", toggle);
speed.addEventListener("click", () => {
  pace = (pace + 1) % SPEEDS.length;
  paced();
  if (timer > 0) {
    clearTimeout(timer);
    timer = setTimeout(run, PAUSE / SPEEDS[pace]);
  }
});
document.addEventListener("visibilitychange", () => document.hidden && stop());

// ---- the picture of the result: shared where the browser can, which needs https; else it is downloaded

const share = document.getElementById("share");
const file = document.getElementById("picture-file");

async function image() {
  const answer = await fetch(file.href);
  return new File([await answer.blob()], file.download, { type: "image/png" });
}

if (navigator.canShare?.({ files: [new File([""], file.download, { type: "image/png" })] })) {
  share.parentElement.hidden = false;
  share.addEventListener("click", async () => navigator.share({ files: [await image()], title: document.title }).catch(() => {}));
}

// ---- start

const isWide = matchMedia("(min-width: 58rem) and (min-height: 34.01rem)");
const unfold = () => isWide.matches && (list.open = true);
isWide.addEventListener("change", unfold);
unfold();
paced();
mark();
