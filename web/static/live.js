/* Keeps a page alive: follows its stream and shows what is new. Other scripts listen to what it tells:
   enhance (a piece of page), shown (a page), turn, view, news. Pages work without it. */
(() => {
  "use strict";
  const root = document.documentElement;
  root.classList.add("js");

  const RETRY = 1500; // milliseconds between tries to reach the server
  const PATIENCE = 1000; // before saying that the connection is lost
  const ANSWER = 8000; // milliseconds an answer may take before we try again
  const SILENCE = 40000; // milliseconds after which a stream is dead that gave no sign of life; it beats every 15 s
  const GUARD = 700; // during which a tap was meant for what stood there before the question came
  const FOLLOW = 3000; // to read that there is a new game, before going there
  const served = new Map(); // region id → its HTML as the server sent it, before this script touched it

  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const regions = (within) => all("[data-live][id]", within);
  const tell = (what, detail) => document.dispatchEvent(new CustomEvent(`referee:${what}`, { detail }));

  // ---- the stream: a view that is not the one on the page makes us fetch the page again

  let stream = null;
  let retry = 0;
  let silence = 0;
  let complaint = 0;
  let fetching = false;
  let again = false;
  let presence = "";

  function connect() {
    const path = document.body.dataset.stream;
    if (!path) return lost(false); // a page that is only asked for now and then
    disconnect();
    presence = "";
    stream = new EventSource(path);
    listen(ANSWER);
    stream.addEventListener("open", () => lost(false));
    stream.addEventListener("error", comeBack);
    for (const sign of ["open", "beat", "view", "seats", "job", "news", "desk", "sound"]) stream.addEventListener(sign, () => listen());
    stream.addEventListener("view", (event) => {
      const view = JSON.parse(event.data);
      tell("view", view);
      const stamp = view ? `${view.table}:${view.version}${view.next ? `:${view.next}` : ""}` : "";
      if (stamp !== document.body.dataset.stamp) refresh();
    });
    stream.addEventListener("seats", (event) => {
      if (presence !== event.data) refresh();
      presence = event.data;
    });
    for (const sign of ["job", "desk"]) stream.addEventListener(sign, () => refresh());
    stream.addEventListener("sound", (event) => {
      tell("sound", JSON.parse(event.data).sound);
      refresh();
    });
    stream.addEventListener("news", (event) => {
      tell("news", JSON.parse(event.data));
    });
  }

  // A connection can die without a word: only the missing heartbeat tells.
  function listen(patience = SILENCE) {
    clearTimeout(silence);
    silence = setTimeout(comeBack, patience);
  }

  function disconnect() {
    clearTimeout(retry);
    clearTimeout(silence);
    if (stream) stream.close();
    stream = null;
  }

  function comeBack() {
    disconnect();
    lost(true);
    retry = setTimeout(() => refresh(), RETRY);
  }

  function lost(isLost) {
    clearTimeout(complaint);
    const notice = document.getElementById("lost");
    if (isLost) complaint = setTimeout(() => (notice.hidden = false), PATIENCE);
    else notice.hidden = true;
  }

  async function refresh() {
    again = fetching;
    if (fetching) return;
    fetching = true;
    const before = visits;
    try {
      const answer = await fetch(location.href, {
        headers: { Accept: "text/html" },
        cache: "no-store",
        signal: patience(),
      });
      if (answer.status >= 500) throw new Error("the server stumbled");
      if (!answer.ok) return location.replace(location.pathname); // refused: that page knows the ways out
      const fresh = parsed(await answer.text());
      if (isCurtain(fresh)) return location.replace(location.pathname);
      if (before === visits) show(fresh);
      else again = true; // asked for before somebody tapped: too old by now
      if (!stream) connect();
      tapAgain();
    } catch {
      comeBack();
    } finally {
      fetching = false;
      if (again) refresh();
    }
  }

  function patience() {
    const giveUp = new AbortController();
    setTimeout(() => giveUp.abort(), ANSWER);
    return giveUp.signal;
  }

  const parsed = (html) => new DOMParser().parseFromString(html, "text/html");

  // On a shared phone the curtain falls, or rises: nothing of the page before stays, nor its stream.
  const isCurtain = (fresh) => fresh.body.dataset.curtain !== document.body.dataset.curtain && clear();

  function clear() {
    disconnect();
    document.querySelector("main").replaceChildren();
    return true;
  }

  // ---- a seat's own links and forms: the next page is shown in this one, so that stream and sound stay

  let visits = 0;
  let under = null; // the visit under way
  let after = null; // a link tapped while a form is under way: the stream may be quicker than its answer
  let unheard = null; // a tap that never reached the server: done when it is there again
  let left = ""; // the decision that a visit set out from
  const decision = () => document.getElementById("decision")?.dataset.key;

  // An aside leaves the page where it was: a question is answered, and what was being done goes on.
  async function visit(tap) {
    if (under?.body) return (after = tap.link && tap); // one sends a form once; a link gives way to the next tap
    busy(tap);
    left = decision();
    if (!stream) putAway(tap);
    try {
      const answer = await fetch(tap.address, { ...(tap.body ? { method: "POST", body: tap.body } : {}), signal: patience() });
      const fresh = parsed(await answer.text());
      if (under !== tap) return;
      if (isCurtain(fresh)) location.replace(answer.url);
      else arrive(tap, answer, fresh);
    } catch {
      if (under !== tap) return;
      unheard = tap.isSecond ? null : { ...tap, isSecond: true }; // a form sent again counts once, by its nonce
      if (unheard) putAway(tap);
      else served.delete("answer"); // given up: an answer that was put away comes back
      disconnect();
      refresh();
    } finally {
      if (under === tap) busy(null);
      if (!under && !unheard) tapAfter();
    }
  }

  // What was tapped on a page that the answer has replaced was meant for what stood there before.
  function tapAfter() {
    const tap = after;
    after = null;
    if (tap?.link.isConnected) visit(tap);
  }

  function arrive(tap, answer, fresh) {
    if (!fresh.body.dataset.stream) return replaceMain(fresh);
    if (tap.isAside && answer.ok) return refresh();
    visits += 1;
    history[tap.how](null, "", answer.url);
    const isOld = version(fresh) < version(document);
    show(fresh, true);
    if (isOld) refresh();
  }

  // An answer that was read goes away though nobody hears of it; what comes after it waits for the server.
  function putAway(tap) {
    if (!tap.isRead) return;
    document.getElementById("answer").replaceChildren();
    document.body.classList.remove("answering");
  }

  function busy(tap) {
    under = tap;
    root.classList.toggle("busy", !!tap);
  }

  function tapAgain() {
    const tap = unheard;
    unheard = null;
    if (tap) visit(tap);
  }

  const version = (page) => Number(page.body.dataset.stamp.split(":")[1]);

  function replaceMain(fresh) {
    disconnect();
    document.querySelector("main").replaceWith(fresh.querySelector("main"));
  }

  const isSeat = () => document.body.dataset.mine !== undefined;

  document.addEventListener("click", (event) => {
    const link = event.target.closest("main a[href^='?']");
    if (!link || !isSeat() || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    visit({ link, address: link.href, how: "pushState", isRead: !!link.closest(".answer") });
  });

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!isSeat() || !form.matches("form.move, form.mending, form.cases")) return;
    event.preventDefault();
    const body = new URLSearchParams(new FormData(form));
    if (event.submitter?.name) body.append(event.submitter.name, event.submitter.value);
    if (form.method === "get") return visit({ address: `?${body}`, how: "pushState" });
    visit({ address: form.action, body, how: "replaceState", isAside: !!form.closest("[role=alertdialog]") });
  });

  addEventListener("popstate", () => isSeat() && visit({ address: location.href, how: "replaceState" }));

  // ---- showing a newer page: only the regions that changed, and never a form that is still good

  function show(fresh, isVisit = false) {
    if (fresh.documentElement.lang !== root.lang) return location.reload(); // all of it speaks another language
    if (fresh.body.dataset.place !== document.body.dataset.place) return location.reload(); // another table
    const was = { ...document.body.dataset };
    const asked = isAsking();
    const at = { element: document.activeElement, top: scrollY };
    for (const name of Object.keys(document.body.dataset)) delete document.body.dataset[name];
    Object.assign(document.body.dataset, fresh.body.dataset);
    document.body.className = fresh.body.className;
    document.title = fresh.title;
    document.querySelector("input[name=back]").value = fresh.querySelector("input[name=back]").value;
    let shown = null;
    for (const region of regions(document)) {
      const newer = fresh.getElementById(region.id);
      if (!newer || !changed(region, newer, isVisit)) continue;
      const held = region.contains(document.activeElement);
      replace(region, newer);
      if (held || region.id === "answer" || region.id === "decision") shown = region;
    }
    if (!asked && isAsking()) interrupt(at, isVisit);
    else if (asked && !isAsking()) goOn(shown);
    else if (shown) focus(shown);
    const becameMine = (name) => document.body.dataset[name] === "1" && was[name] === "0";
    if ((becameMine("mine") || becameMine("asked")) && !isVisit) tell("turn");
    lead();
    tell("shown", fresh);
  }

  function changed(region, newer, isVisit) {
    const isGood = region.dataset.key && region.dataset.key === newer.dataset.key;
    const isUnderHand = region.id === "decision" && region.dataset.key !== left; // the stream was quicker
    if (isGood && (!isVisit || isUnderHand)) return false;
    if (!isVisit && region.dataset.live === "visit") return false;
    return served.get(region.id) !== newer.innerHTML;
  }

  function replace(region, newer) {
    const ticked = all("input[type=checkbox]:checked", region).map((box) => box.name);
    served.set(region.id, newer.innerHTML);
    if (newer.dataset.key) region.dataset.key = newer.dataset.key;
    else delete region.dataset.key;
    region.replaceChildren(...newer.childNodes);
    all("input[type=checkbox]", region).forEach((box) => (box.checked = ticked.includes(box.name)));
    enhance(region);
  }

  const urgent = () => document.querySelector(".alert[tabindex]") || document.querySelector("#answer [data-focus]");

  function focus(region) {
    (urgent() || region.querySelector("[data-focus]"))?.focus({ preventScroll: true });
    scrollTo({ top: 0 });
  }

  // ---- a question comes in between: whoever was in the middle of something goes on there afterwards

  let interrupted = null;
  const isAsking = () => !!document.getElementById("question")?.firstElementChild;

  function interrupt(at, isVisit) {
    interrupted = at;
    const question = document.getElementById("question");
    focus(question);
    if (isVisit) return;
    const buttons = all("button", question);
    buttons.forEach((button) => (button.disabled = true));
    setTimeout(() => buttons.forEach((button) => (button.disabled = false)), GUARD);
  }

  function goOn(shown) {
    const { element, top } = interrupted || {};
    interrupted = null;
    const isKept = document.getElementById("decision").contains(element) && shown?.id !== "decision";
    if (!isKept || urgent()) return focus(document.getElementById("decision"));
    element.focus({ preventScroll: true });
    scrollTo({ top });
  }

  // ---- playing again: a page that was open when the new game began leads there

  let leading = 0;
  let stays = false;

  function lead() {
    if (!document.body.dataset.follow || leading || stays) return;
    if (document.body.classList.contains("answering")) return; // first the answer is read
    leading = setTimeout(() => location.assign(document.body.dataset.follow), FOLLOW);
    all("[data-stay]").forEach(staying);
  }

  function staying(button) {
    button.hidden = !leading || stays;
    button.addEventListener("click", () => {
      clearTimeout(leading);
      stays = button.hidden = true;
    });
  }

  // ---- beginning, and coming back

  function enhance(within) {
    all("[data-stay]", within).forEach(staying);
    tell("enhance", within);
  }

  document.addEventListener("DOMContentLoaded", () => {
    regions(document).forEach((region) => served.set(region.id, region.innerHTML));
    enhance(document);
    stays = !!document.body.dataset.follow; // opened to look at an old result
    const first = urgent() || document.querySelector("#question [data-focus]");
    first?.focus({ preventScroll: !first.matches("form .alert") }); // one at a form far down is gone to
    const every = Number(document.body.dataset.every);
    if (every) setInterval(() => document.hidden || refresh(), every * 1000);
  });

  // A phone that slept has a dead stream and does not know it: always open a new one.
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) connect();
  });
  addEventListener("pageshow", (event) => {
    if (event.persisted && document.body.dataset.shared) location.reload(); // it may be behind the curtain by now
    else connect();
  });
  // What a phone keeps of a page for the way back is for whoever holds it then: of a shared one, nothing.
  addEventListener("pagehide", () => (document.body.dataset.shared ? clear() : disconnect()));
  addEventListener("online", connect);
  addEventListener("offline", comeBack);
})();
