/* Live pages: subscribes to the page's event stream and updates the page. Dispatches events for other scripts:
   enhance (a piece of page), shown (a page), turn, question, answer, view, event, said, news, sound. Pages work
   without it.

   Pages of tables receive the regions that changed. Other live pages (desk, waiting screen, overview) receive only
   a notification and are fetched again. */
(() => {
  "use strict";
  const root = document.documentElement;
  root.classList.add("js");

  const RETRY = 1500; // milliseconds between attempts to reach the server
  const NOTICE_DELAY = 1000; // milliseconds before reporting that the connection is lost
  const ANSWER = 8000; // milliseconds until a request times out
  const SILENCE = 40000; // milliseconds without data after which a stream is dead; a heartbeat comes every 15 s
  const GUARD = 700; // milliseconds after a question appears in which taps are ignored: they were meant for the page before
  const FOLLOW = 3000; // milliseconds to read the notice about a rematch before going there
  const AFTER_FRAME = 100; // milliseconds until what nobody sees is done, so that what changed is on the screen first
  const LATE = 1500; // milliseconds to wait for the stream after a form, before fetching the page
  const SLOW = 300; // milliseconds after a tap until its wait is shown: most are over before
  const ANSWERS = 2; // latest moves whose answers wait to be read; older ones are skipped
  const MONTH = 30 * 24 * 3600;
  const served = new Map(); // id → the nodes of a region or fold as last sent by the server
  const foldVersions = new Map(); // id → the table version that a fold shows

  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const regions = (within = document) => all("[data-live][id]", within);
  const folds = () => all("details[data-fold]");
  const tell = (what, detail) => document.dispatchEvent(new CustomEvent(`referee:${what}`, { detail }));
  const isTable = () => !!document.body.dataset.stream?.startsWith("/t/");
  const isSeat = () => document.body.dataset.mine !== undefined;
  const version = () => Number((document.body.dataset.stamp || "").split(":")[1] || 0);
  const code = () => (document.body.dataset.stamp || "").split(":")[0];

  // ---- the stream

  let stream = null;
  let retry = 0;
  let silence = 0;
  let deadline = 0; // when the stream counts as dead
  let complaint = 0;
  let fetching = false;
  let again = false;
  let chunks = []; // HTML chunks received on this stream, by number

  function connect() {
    const path = document.body.dataset.stream;
    if (!path) return lost(false); // a page without a stream
    disconnect();
    chunks = [];
    stream = new EventSource(path + seenSoFar(path));
    listen(ANSWER);
    stream.addEventListener("open", () => lost(false));
    stream.addEventListener("error", reconnect);
    for (const sign of ["open", "beat", "regions", "view", "job", "news", "desk", "sound"]) stream.addEventListener(sign, () => listen());
    stream.addEventListener("regions", (event) => arrived(JSON.parse(event.data)));
    stream.addEventListener("cut", (event) => cut(JSON.parse(event.data)));
    stream.addEventListener("elsewhere", leave);
    stream.addEventListener("view", (event) => {
      tell("event");
      const view = JSON.parse(event.data);
      const stamp = view ? `${view.table}:${view.version}${view.next ? `:${view.next}` : ""}` : "";
      if (stamp !== document.body.dataset.stamp) refresh();
    });
    for (const sign of ["job", "desk"]) stream.addEventListener(sign, () => refresh());
    stream.addEventListener("sound", (event) => {
      tell("sound", JSON.parse(event.data).sound);
      refresh();
    });
    stream.addEventListener("news", (event) => tell("news", JSON.parse(event.data)));
  }

  // What this device last saw of the table, for the server to compare with its journal.
  function seenSoFar(path) {
    const seen = isTable() && window.latestSeen?.(code());
    return seen ? `${path.includes("?") ? "&" : "?"}${new URLSearchParams(seen)}` : "";
  }

  // The journal has less than this device saw: say so, and show what is left.
  function cut({ text }) {
    const notice = document.getElementById("cut");
    notice.firstElementChild.textContent = text;
    notice.hidden = false;
    stamp(0);
  }

  // A connection can die silently; only the missing heartbeat reveals it. Whatever arrives only moves the deadline.
  function listen(limit = SILENCE) {
    deadline = Date.now() + limit;
    if (!silence) watch();
  }

  function watch() {
    const left = deadline - Date.now();
    silence = left > 0 ? setTimeout(watch, left) : 0;
    if (!silence) reconnect();
  }

  function disconnect() {
    clearTimeout(retry);
    clearTimeout(silence);
    silence = 0;
    if (stream) stream.close();
    stream = null;
  }

  function reconnect() {
    disconnect();
    lost(true);
    retry = setTimeout(() => refresh(), RETRY);
  }

  function lost(isLost) {
    clearTimeout(complaint);
    const notice = document.getElementById("lost");
    if (isLost) complaint = setTimeout(() => (notice.hidden = false), NOTICE_DELAY);
    else notice.hidden = true;
  }

  // Each new chunk gets the next number. A number refers to an earlier chunk, a pair to a range of them.
  function decoded(tokens) {
    const text = [];
    for (const token of tokens) {
      if (typeof token === "string") text.push(chunks[chunks.push(token) - 1]);
      else if (typeof token === "number") text.push(chunks[token]);
      else text.push(...chunks.slice(token[0], token[0] + token[1]));
    }
    return text.join("");
  }

  let state = {}; // the page-wide state; only changes are sent

  function arrived(event) {
    if (event.new) chunks = [];
    const pieces = Object.fromEntries(Object.entries(event.regions || {}).map(([id, tokens]) => [id, decoded(tokens)]));
    state = { ...(event.all ? {} : state), ...event.page };
    const isNews = event.v > version();
    later(() => tell("view", { table: code(), version: event.v, head: event.head }));
    const fresh = { ...event, page: event.page && state, regions: pieces, isPushed: true };
    bringsAnswer(fresh) ? cover(fresh) : show(fresh);
    if (isNews && isElsewhere()) refresh(); // only the server can render a page with a query string
  }

  // An answer fills the phone: it is shown at once, and what it covers follows when it is painted.
  let covered = null;
  const bringsAnswer = ({ all, v, regions: { answer, question } }) => isSeat() && answer && question === undefined && !all && v >= version();

  function cover(fresh) {
    uncover();
    const { answer, ...regions } = fresh.regions;
    const before = shownAnswer();
    hear(answer, true);
    const filling = classes(before);
    covered = { ...fresh, regions, isCovered: !!filling };
    if (!filling) return uncover();
    later(uncover); // before it takes the focus
    focus(filling);
    signal(filling);
  }

  function uncover() {
    const fresh = covered;
    covered = null;
    if (fresh) apply(fresh);
  }

  // ---- fetching the page again

  async function refresh() {
    again = fetching;
    if (fetching) return;
    fetching = true;
    const before = visits;
    try {
      const answer = await request(location.href, { headers: { Accept: isTable() ? "application/json" : "text/html" } });
      if (answer.status >= 500) throw new Error("the server stumbled");
      if (!answer.ok) return location.replace(location.pathname); // refused: load the error page, which has links
      const fresh = await read(answer);
      if (fresh.curtain !== undefined) return leave();
      if (before === visits) show(fresh);
      else again = true; // requested before a tap: outdated
      if (!stream) connect();
      tapAgain();
    } catch {
      reconnect();
    } finally {
      fetching = false;
      if (again) refresh();
    }
  }

  // The regions of a page: from JSON, or extracted from a whole HTML page.
  async function read(answer) {
    if (answer.headers.get("content-type").startsWith("application/json")) return { all: true, ...(await answer.json()) };
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    const pieces = regions(fresh).map((region) => [region.id, region.innerHTML]);
    return { all: true, page: null, document: fresh, regions: Object.fromEntries(pieces) };
  }

  // A request with no more headers than the server needs. Nothing that it answers is cached, since it says so.
  function request(address, { headers, ...more }) {
    const brief = { Accept: "application/json", "Accept-Language": root.lang, ...headers };
    return fetch(address, { ...more, headers: brief, referrerPolicy: "no-referrer", signal: AbortSignal.timeout(ANSWER) });
  }

  // When the curtain of a shared phone opens or closes, discard the whole page and its stream.
  function leave() {
    clear();
    location.replace(location.pathname);
  }

  function clear() {
    disconnect();
    covered = null;
    document.querySelector("main").replaceChildren();
  }

  // ---- a seat's links and forms: the result is shown in this page, so that stream and sound continue

  let visits = 0;
  let under = null; // the request in progress
  let waiting = 0; // until it takes long
  let after = null; // a link tapped while a form is being sent: the stream may be faster than the response
  let unsent = null; // a tap that did not reach the server: repeated after reconnecting
  const decision = () => document.getElementById("decision");

  // A tap with `isAside` answers a question and leaves the page's address and decision unchanged.
  async function visit(tap) {
    if (under?.body) return (after = tap.link && tap); // a form is sent once; a link is replaced by the next tap
    uncover();
    const wanted = request(tap.address, tap.body ? { method: "POST", body: tap.body } : { headers: { "X-Shown-Version": version() } });
    busy(tap);
    try {
      const answer = await wanted;
      if (under !== tap) return;
      if (answer.status === 204) return arrive(tap, { v: Number(answer.headers.get("etag").slice(1, -1)) });
      if (!answer.headers.get("content-type").startsWith("application/json")) return replaceMain(await answer.text());
      const fresh = await answer.json();
      if (under === tap) arrive(tap, fresh);
    } catch {
      if (under !== tap) return;
      unsent = tap.isSecond ? null : { ...tap, isSecond: true }; // the nonce makes sending a form again idempotent
      disconnect();
      refresh();
    } finally {
      if (under === tap) busy(null);
      if (!under && !unsent) tapAfter();
    }
  }

  // Ignore a link that the response has removed from the page.
  function tapAfter() {
    const tap = after;
    after = null;
    if (tap?.link.isConnected) visit(tap);
  }

  function arrive(tap, fresh) {
    visits += 1;
    if (fresh.curtain) return leave();
    if (fresh.go) {
      busy(null);
      return visit({ address: fresh.go, how: "pushState" });
    }
    if (!fresh.regions) return done(tap, fresh.v); // accepted: the stream delivers the result
    history[tap.how](null, "", new URL(tap.address, location.href));
    if (fresh.v < version()) return refresh();
    show({ ...fresh, all: !fresh.part, isVisit: true }); // a part has only the regions that a tap can change
  }

  // After a form with its own query string, return to the page without one.
  function done(tap, v) {
    const wasElsewhere = isElsewhere() && !tap.isAside;
    if (!tap.isAside) home();
    if (wasElsewhere) setTimeout(() => visit({ address: location.pathname, how: "replaceState" }));
    setTimeout(() => version() < v && refresh(), stream ? LATE : 0);
  }

  const isElsewhere = () => /[?&](correct|lost|other_card)=/.test(location.search);
  // To change the address makes the browser lay out the page: not before the frame.
  function home() {
    const at = location.href;
    later(() => location.href === at && history.replaceState(null, "", location.pathname));
  }

  function busy(tap) {
    under = tap;
    clearTimeout(waiting);
    root.classList.toggle("busy", !!tap);
    tap ? (waiting = setTimeout(() => root.classList.add("slow"), SLOW)) : root.classList.remove("slow");
  }

  function tapAgain() {
    const tap = unsent;
    unsent = null;
    if (tap) visit(tap);
  }

  function replaceMain(text) {
    disconnect();
    const fresh = new DOMParser().parseFromString(text, "text/html");
    document.querySelector("main").replaceWith(fresh.querySelector("main"));
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest("main a[href^='?']");
    if (!link || !isSeat() || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const address = new URL(link.href);
    if (address.searchParams.has("learnt")) return noteLearnt(address.searchParams.get("learnt"));
    if (address.searchParams.has("seen")) {
      noteSeen(Number(address.searchParams.get("seen")));
      address.searchParams.delete("seen");
      if (!address.search) return;
    }
    visit({ link, address: address.href, how: "pushState" });
  });

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!isSeat() || !form.matches("form.move, form.repair-form, form.cases")) return;
    event.preventDefault();
    const body = new URLSearchParams(new FormData(form));
    if (event.submitter?.name) body.append(event.submitter.name, event.submitter.value);
    if (form.method === "get") return visit({ address: `?${body}`, how: "pushState" });
    body.append("nonce", crypto.getRandomValues(new Uint32Array(1))[0].toString(36)); // makes a repeated submission idempotent
    visit({ address: form.action, body, how: "replaceState", isAside: !!form.closest("[role=alertdialog]") });
  });

  addEventListener("popstate", () => isSeat() && visit({ address: location.href, how: "replaceState" }));

  // ---- answers, shown large one after the other; a cookie of this phone records which were read

  // To read a cookie waits for another process: not before the frame. Another tab may write them: read again on return.
  let cookies = null;
  const readCookies = () => (cookies = new Map(document.cookie.split("; ").map((item) => item.split("="))));
  const cookie = (name) => (cookies || readCookies()).get(name);

  function note(name, value, path = location.pathname) {
    cookie(name);
    cookies.set(name, String(value));
    document.cookie = `${name}=${value}; path=${path}; max-age=${MONTH}; samesite=lax${location.protocol === "https:" ? "; secure" : ""}`;
  }

  const seen = () => {
    const mine = cookie(document.body.dataset.seen);
    return mine === undefined ? null : Number(mine);
  };

  function noteSeen(n) {
    note(document.body.dataset.seen, n);
    const was = document.body.classList.contains("answering");
    show({ regions: {} });
    if (was && !document.body.classList.contains("answering")) focus(isAsking() ? document.getElementById("question") : decision());
  }

  const unread = new Map(); // number → an unread answer, oldest first
  const number = (answer) => Number(answer.dataset.n);

  // The server sends only new answers. Earlier unread ones are kept here, of two moves at most.
  function hear(text, isAdded) {
    const template = document.createElement("template");
    template.innerHTML = text;
    const fresh = [...template.content.children];
    if (!isAdded || !fresh.length || fresh[0].dataset.all) unread.clear();
    for (const answer of fresh) unread.set(number(answer), answer);
    const entries = [...new Set([...unread.values()].map((answer) => Number(answer.dataset.entry)))].sort((one, other) => one - other);
    for (const [n, answer] of unread) if (!entries.slice(-ANSWERS).includes(Number(answer.dataset.entry))) unread.delete(n);
  }

  // Show the oldest unread answer; on a phone that has read none, the one it shows, or those of the last move.
  function nextAnswer() {
    const read = seen();
    for (const n of [...unread.keys()]) if (read !== null && n <= read) unread.delete(n);
    const last = Math.max(...[...unread.values()].map((answer) => Number(answer.dataset.entry)));
    const isNext = (answer) => read !== null || Number(answer.dataset.entry) === last;
    const isElsewhere = isAsking() || document.getElementById("problem").firstElementChild;
    const beingRead = read === null && unread.get(Number(shownAnswer()));
    const next = isElsewhere ? null : beingRead || [...unread.values()].find(isNext) || null;
    const region = document.getElementById("answer");
    if (region.firstElementChild?.dataset.n === next?.dataset.n) return next;
    region.replaceChildren(...(next ? [document.importNode(next, true)] : []));
    enhance(region);
    return next;
  }

  // ---- the lessons of a guided game, shown one after the other; a cookie of this phone records which were read

  let lessons = [];
  const learnt = () => (cookie(document.body.dataset.learnt) || "").split(".").filter(Boolean);

  function noteLearnt(key) {
    note(document.body.dataset.learnt, [...new Set([...learnt(), key])].join("."));
    if (key === "all") note("no_guide", 1, "/");
    show({ regions: {} });
    focus(document.querySelector("#guide > .lesson") || decision());
  }

  // Show the first lesson that was not read. It waits while an answer or a question is shown, or a form is half filled.
  function nextLesson(isBusy) {
    const read = learnt();
    const next = isBusy || read.includes("all") ? null : lessons.find((lesson) => !read.includes(lesson.dataset.lesson)) || null;
    const region = document.getElementById("guide");
    if (region.firstElementChild?.dataset.lesson !== next?.dataset.lesson) region.replaceChildren(...(next ? [document.importNode(next, true)] : []));
    return next;
  }

  const lessonsIn = (text) => {
    const template = document.createElement("template");
    template.innerHTML = text;
    return [...template.content.children];
  };

  // When the next frame is painted. A page that nobody sees has none, and one that is left does it at once.
  const afterwards = [];
  const due = [];
  function later(work) {
    const isFirst = afterwards.push(work) === 1;
    if (document.hidden) soon();
    else if (isFirst) requestAnimationFrame(soon);
  }
  function soon() {
    due.push(...afterwards.splice(0));
    setTimeout(atOnce, AFTER_FRAME);
  }
  const atOnce = () => due.splice(0).forEach((work) => work());

  // ---- updating the page: only what changed, and never replacing a form that is still valid

  const held = new Map(); // updates of regions above a decision in progress, applied when it is done

  const place = (page) => page.body.dataset.place || "";

  // A table screen shows answers as scenes: its script says when what arrives is shown.
  function show(fresh) {
    uncover();
    window.stage ? window.stage(fresh, apply) : apply(fresh);
  }

  function apply(fresh) {
    if (fresh.document && place(fresh.document) !== place(document)) return location.reload(); // another table
    if (fresh.document && fresh.document.documentElement.lang !== root.lang) return location.reload(); // another language
    if (fresh.v !== undefined && fresh.v < version()) return; // older than what is shown
    if (fresh.page?.place !== undefined && fresh.page.place !== place(document)) return location.reload();
    const was = { ...document.body.dataset, answer: shownAnswer() };
    const asked = isAsking();
    const at = fresh.regions.question && { element: document.activeElement, top: scrollY };
    const isKept = keepsDecision(fresh);
    if (fresh.document) adopt(fresh.document);
    if (fresh.page) settle(fresh.page, fresh.v);
    else if (fresh.v !== undefined) stamp(fresh.v);
    let shown = null;
    for (const region of regions()) {
      const text = pieceFor(region, fresh, isKept);
      if (text === undefined) continue;
      const hadFocus = region.contains(document.activeElement);
      const isRefused = region.id === "problem" && text; // told again, even in the same words
      if (!fill(region, text) && !isRefused) continue;
      if (hadFocus || isRefused || region.id === "decision") shown = region;
    }
    const filling = isSeat() && classes(was.answer);
    later(entitle);
    if (!asked && isAsking()) interrupt(at, fresh.isVisit);
    else if (asked && !isAsking()) resume(filling || shown);
    else if (filling) focus(filling);
    else if (shown && !isFilled()) focus(shown);
    if (!fresh.isVisit && !fresh.isCovered) signal(filling, was);
    folds().forEach(freshen);
    lead();
    tell("shown", fresh.document);
    if (fresh.said) tell("said", fresh.said);
  }

  // For other scripts, when the update is painted: sounds take time to make.
  function signal(filling, was = {}) {
    const became = (name) => document.body.dataset[name] === "1" && was[name] === "0";
    const what = filling ? "answer" : became("asked") ? "question" : became("mine") ? "turn" : "";
    const shown = filling?.firstElementChild;
    if (what) later(() => tell(what, shown));
  }

  // Keep the decision, half filled in or not, while the choices are the same.
  function keepsDecision(fresh) {
    const region = decision();
    if (!region || fresh.isVisit) return false;
    const key = fresh.page ? fresh.page.key : region.dataset.key;
    if (region.dataset.key && key === region.dataset.key) return true;
    if (!fresh.isPushed || fresh.regions.decision === undefined) return false;
    if (isElsewhere()) return true;
    if (location.search) home();
    return false;
  }

  // The new content of a region; undefined if it stays. Updates above a decision in progress are postponed, so
  // that nothing moves under a finger.
  function pieceFor(region, fresh, isKept) {
    const { id } = region;
    if (id === "problem" && !fresh.isVisit) return undefined;
    if (id === "answer") {
      if (id in fresh.regions || fresh.all) hear(fresh.regions[id] ?? "", fresh.isPushed && !fresh.all);
      return undefined; // answers are shown one by one
    }
    if (id === "guide") {
      if (id in fresh.regions || fresh.all) lessons = lessonsIn(fresh.regions[id] ?? "");
      return undefined; // lessons are shown one by one
    }
    if (id === "decision" && isKept) return undefined;
    const isAbove = id === "latest" || id === "todo";
    const text = id in fresh.regions || fresh.all ? fresh.regions[id] ?? "" : held.get(id);
    if (text === undefined) return undefined;
    if (fresh.isPushed && isElsewhere() && (id === "new-code" || (id === "question" && !text))) return undefined; // shown by the page with a query string
    if (isAbove && isKept && document.body.dataset.mine === "1" && !document.body.classList.contains("answering")) {
      held.set(id, text);
      return undefined;
    }
    held.delete(id);
    return text;
  }

  function fill(region, text) {
    const template = document.createElement("template");
    template.innerHTML = text;
    const was = served.get(region.id);
    if (was.isEqualNode(template.content)) return false;
    if (region.id === "decision" || region.dataset.live === "anew") {
      region.replaceChildren(document.importNode(template.content, true));
      enhance(region);
    } else window.morph(region, was, template.content, enhance);
    served.set(region.id, template.content);
    return true;
  }

  // Apply the page-wide state.
  function settle(page, v) {
    const { body } = document;
    title = page.title;
    const mine = ["answering", "guided", "asking", "inside"].filter((name) => body.classList.contains(name));
    const kind = [page.kind, ...mine].join(" ");
    if (body.className !== kind) body.className = kind;
    for (const name of ["mine", "asked"]) if (page[name] !== undefined) body.dataset[name] = page[name];
    for (const name of ["follow", "shared"]) page[name] ? (body.dataset[name] = page[name]) : delete body.dataset[name];
    if (decision()) decision().dataset.key = page.key;
    for (const fold of folds()) {
      fold.hidden = !page.folds.includes(fold.dataset.fold);
      if (fold.hidden) fold.open = false;
    }
    stamp(v);
  }

  const stamp = (v) => (document.body.dataset.stamp = [code(), v, ...document.body.dataset.stamp.split(":").slice(2)].join(":"));

  function adopt(fresh) {
    for (const name of Object.keys(document.body.dataset)) delete document.body.dataset[name];
    Object.assign(document.body.dataset, fresh.body.dataset);
    document.body.className = fresh.body.className;
    title = fresh.title;
    document.querySelector("input[name=back]").value = fresh.querySelector("input[name=back]").value;
  }

  let title = ""; // of the page; an answer that fills it has its own
  function entitle() {
    const answer = document.querySelector("#answer > .answer h1");
    const wanted = answer ? `${answer.textContent} · ${code()}` : title;
    if (document.title !== wanted) document.title = wanted;
  }

  const shownAnswer = () => document.querySelector("#answer > .answer")?.dataset.n;
  const isFilled = () => ["answering", "guided"].some((name) => document.body.classList.contains(name));

  // An answer, a question or a form hides the rest of the page. Returns the answer region if it shows a new answer.
  function classes(before) {
    const lessonBefore = document.querySelector("#guide > .lesson")?.dataset.lesson;
    const answer = nextAnswer();
    const { classList } = document.body;
    document.body.dataset.answer = answer ? answer.dataset.n : "";
    classList.toggle("answering", !!answer);
    classList.toggle("asking", isAsking() && !answer);
    classList.toggle("inside", !!document.querySelector("[data-inside]"));
    const lesson = nextLesson(!!answer || isAsking() || classList.contains("inside"));
    classList.toggle("guided", !!lesson);
    if (lesson && lesson.dataset.lesson !== lessonBefore) return document.getElementById("guide");
    return answer && answer.dataset.n !== before ? document.getElementById("answer") : null;
  }

  const urgent = () => document.querySelector(".alert[tabindex]") || document.querySelector("#answer [data-focus], #guide [data-focus]");

  // Scroll in the next frame and focus after it: both need the layout, and the update should be visible first. Does
  // nothing where something else got the focus meanwhile, from another update or by hand.
  let focusing = 0;
  function focus(region) {
    const mine = ++focusing;
    const before = document.activeElement;
    requestAnimationFrame(() => scrollY && scrollTo({ top: 0 }));
    later(() => {
      const now = document.activeElement; // the body, if what had the focus is hidden now
      if (mine !== focusing || (now !== before && now !== document.body)) return;
      (urgent() || region.querySelector("[data-focus]"))?.focus({ preventScroll: true });
    });
  }

  // ---- folds: the content is fetched when one is opened, and again when the table changes

  async function freshen(fold) {
    const id = fold.dataset.fold;
    const wanted = version();
    if (!fold.open || fold.hidden || foldVersions.get(id) >= wanted) return;
    foldVersions.set(id, wanted);
    const inside = document.getElementById(id);
    inside.inert = true; // the old content must not be tapped
    const answer = await request(`${location.pathname}?fold=${id}`, {}).catch(() => null);
    const fresh = answer?.ok ? await answer.json().catch(() => null) : null;
    if (!fresh) foldVersions.delete(id);
    else if (fresh.regions?.[id] !== undefined) fill(inside, fresh.regions[id]);
    inside.inert = false;
  }

  document.addEventListener("toggle", (event) => event.target.matches("details[data-fold]") && freshen(event.target), true);

  // ---- a question interrupts: afterwards focus and scroll position are restored

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

  function resume(shown) {
    const { element, top } = interrupted || {};
    interrupted = null;
    const isKept = decision().contains(element) && shown?.id !== "decision";
    if (!isKept || urgent()) return focus(decision());
    element.focus({ preventScroll: true });
    scrollTo({ top });
  }

  // ---- rematch: a page that was open when the new game began goes there

  let leading = 0;
  let stays = false;

  function lead() {
    if (!document.body.dataset.follow || leading || stays || isSeat()) return; // a phone is never pulled away
    if (document.body.classList.contains("answering")) return; // wait until the answer is read
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

  // ---- start, and return to the page

  function enhance(within) {
    all("[data-stay]", within).forEach(staying);
    tell("enhance", within);
  }

  function asServed(element) {
    const content = document.createDocumentFragment();
    content.append(...[...element.childNodes].map((node) => node.cloneNode(true)));
    return content;
  }

  document.addEventListener("DOMContentLoaded", () => {
    title = document.title;
    regions().forEach((region) => served.set(region.id, asServed(region)));
    for (const fold of folds()) {
      const inside = document.getElementById(fold.dataset.fold);
      served.set(inside.id, asServed(inside));
      foldVersions.set(inside.id, version());
    }
    if (isSeat()) hear(document.getElementById("answer").innerHTML);
    if (isSeat()) lessons = lessonsIn(document.getElementById("guide").innerHTML);
    enhance(document);
    stays = !!document.body.dataset.follow; // opened to see an old result: do not follow
    const first = urgent() || document.querySelector("#question [data-focus]");
    first?.focus({ preventScroll: !first.matches("form .alert") }); // scroll to an error at a form
    const every = Number(document.body.dataset.every);
    if (every) setInterval(() => document.hidden || refresh(), every * 1000);
  });

  // After sleep the stream may be dead without notice: always open a new one.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return soon();
    readCookies();
    connect();
  });
  addEventListener("pageshow", (event) => {
    if (event.persisted && document.body.dataset.shared) location.reload(); // the curtain may be closed by now
    else {
      readCookies();
      connect();
    }
  });
  // Another player may navigate back on a shared phone: clear the page before it enters the back/forward cache.
  addEventListener("pagehide", () => {
    soon();
    atOnce();
    document.body.dataset.shared ? clear() : disconnect();
  });
  addEventListener("online", connect);
  addEventListener("offline", reconnect);
})();
