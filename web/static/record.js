/* The proof on the record page: recomputes every hash, and reports faults. */

import { canonical, check, rematchFaults, seedHash } from "./fairness.js";
import { noted } from "./noted_fingerprints.js";

const CUT = ["verify.unreadable", "verify.twice", "verify.unreadable_entry", "verify.opening", "verify.link", "verify.head"];
const LARGEST = 8 * 1024 * 1024; // maximum bytes of a record file
const SIGNS = { "is-fine": "✓", "is-wrong": "✗", "is-unsure": "?" };

const sentences = document.getElementById("sentences").content;
const browser = document.getElementById("browser");
const page = browser.dataset;
let checked = null; // the record of this table, and its faults

function say(key, fields = {}) {
  let text = sentences.querySelector(`[data-key="${key}"]`).textContent;
  for (const [name, value] of Object.entries(fields)) text = text.replace(`{${name}}`, () => value);
  return text;
}

function element(name, className, text) {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

const grouped = (digest) => digest.match(/.{1,4}/g).join(" ");
const short = (digest) => grouped(String(digest).slice(0, 16));

// ---- results: one sentence each, with an icon

const fine = (key, fields) => ({ is: "is-fine", text: say(`page.record.fine.${key}`, fields) });
const wrong = (text) => ({ is: "is-wrong", text });

/** List the faults of a record, and what verifies. */
function results({ record, faults }) {
  const keys = faults.map((fault) => fault.key);
  const found = faults.map((fault) => wrong(say(fault.key, fault)));
  const isBroken = keys.some((key) => CUT.includes(key));
  if (!["verify.checksum", "verify.unreadable", "verify.twice"].some((key) => keys.includes(key))) found.push(fine("checksum"));
  if (!isBroken) {
    const seals = record.entries.filter((item) => item.commitment).length;
    if (!keys.includes("verify.commitment")) found.push(fine("seals", { n: seals }));
    found.push(fine("chain", { n: record.entries.length }));
  }
  return found;
}

const unsure = (key) => ({ is: "is-unsure", text: say(key) });

/** The result for this page's own game. */
function asOnPage(record) {
  return record?.head === page.head ? fine("page") : wrong(say("page.record.wrong.page"));
}

/** Compare with the fingerprints that this device stored during play. */
function asSeen(record) {
  const mine = noted(record?.table);
  if (!mine.length) return unsure("page.record.not_seen");
  const stray = outOfPlace(mine, record.entries || []);
  return stray ? wrong(say("page.record.wrong.seen", { code: short(stray) })) : fine("seen", { n: mine.length });
}

/** The numbers that this device added to the dice of a table: [what for, { nonce, seed }]. */
function ownDice(table) {
  let kept = {};
  try {
    kept = JSON.parse(localStorage.getItem("dice")) || {};
  } catch { /* private window */ }
  return Object.entries(kept).filter(([key]) => key.startsWith(`${table}/`)).map(([key, own]) => [key.slice(table.length + 1), own]);
}

/** Whether the seed is the one that was announced to this device, and its number is in the chain. */
function asThrown(record) {
  const mine = ownDice(record?.table).filter(([seat]) => seat !== "rematch");
  if (!mine.length) return unsure("page.record.dice.not_mine");
  const joins = (seat, nonce) => record.entries.some((item) => item.type === "joins" && item.seat === seat && item.fields.nonce === nonce);
  const isSo = mine.every(([seat, { nonce, seed }]) => joins(seat, nonce) && seed === seedHash(record.seed));
  return isSo ? fine("dice") : wrong(say("page.record.wrong.dice"));
}

/** A rematch, compared with the record of the table before it, which is fetched. */
async function asBound(record) {
  const { before } = record;
  if (!before) return [];
  const asked = ownDice(before.table).find(([what]) => what === "rematch");
  const own = asked ? [asked[1].nonce === before.nonce ? fine("dice.asked") : unsure("page.record.dice.other_asked")] : [];
  try {
    const answer = await fetch(`/api/tables/${encodeURIComponent(before.table)}/record`, { cache: "no-store" });
    if (!answer.ok) throw new Error(`refused: ${answer.status}`);
    const earlier = check(await answer.text());
    return [...asFollowing(record, earlier), ...own];
  } catch {
    return [{ is: "is-unsure", text: say("page.record.before.unreachable", { table: before.table }) }, ...own];
  }
}

/** What is wrong with a game as the rematch of an earlier one, or that nothing is. */
function asFollowing(record, earlier) {
  const { table } = record.before;
  if (earlier.faults.length) return [wrong(say("page.record.wrong.before", { table }))];
  const faults = rematchFaults(record, earlier.record);
  return faults.length ? faults.map((fault) => wrong(say(fault.key))) : [fine("before", { table })];
}

/** Compare a file about this page's table with the server's record. */
function asKept(record) {
  if (record.head !== page.head) return wrong(say("page.record.wrong.file"));
  const own = checked?.record;
  if (!own) return fine("page");
  const differs = ["outcome", "names"].find((part) => canonical(record[part]) !== canonical(own[part]));
  return differs ? wrong(say(`page.record.wrong.file.${differs}`)) : fine("file");
}

/** The first of these fingerprints that is not found, in order, among the entries. */
function outOfPlace(heads, entries) {
  let at = 0;
  return heads.find((head) => {
    while (at < entries.length && entries[at]?.head !== head) at += 1;
    return at === entries.length;
  });
}

function draw(place, found) {
  const isFine = found.every((result) => result.is !== "is-wrong");
  const verdict = element("p", `verdict ${isFine ? "is-fine" : "is-wrong"}`, say(`page.record.${isFine ? "fine" : "wrong"}.all`));
  place.replaceChildren(verdict, list(found));
}

function list(found) {
  const all = element("ul", "checks", "");
  all.append(...found.map((result) => element("li", result.is, result.text)));
  return all;
}

// ---- this table's record

async function checkThisTable() {
  try {
    const answer = await fetch(page.record, { cache: "no-store" });
    if (!answer.ok) throw new Error(`refused: ${answer.status}`);
    checked = check(await answer.text());
  } catch {
    return browser.replaceChildren(list([wrong(say("page.record.unreachable"))]));
  }
  const seen = asSeen({ ...checked.record, table: page.code });
  const isWhole = !checked.faults.some((fault) => CUT.includes(fault.key));
  const dice = isWhole ? [asThrown(checked.record), ...(await asBound(checked.record))] : [];
  draw(browser, [...results(checked), asOnPage(checked.record), seen, ...dice]);
  markStep();
  for (const line of document.querySelectorAll("[data-line]")) markLine(line);
}

/** The status of a line: its own faults, else whether the chain verifies up to it. */
function lineResults(n) {
  const faults = checked.faults.filter((fault) => fault.n === n);
  if (faults.length) return faults.map((fault) => wrong(say(fault.key, { n })));
  const isCut = checked.faults.some((fault) => fault.n < n && fault.key !== "verify.commitment");
  if (isCut || !checked.record?.entries?.[n - 1]) return [{ is: "is-unsure", text: say("page.record.unsure.step") }];
  return [fine("step")];
}

function markStep() {
  const step = document.getElementById("step");
  const place = document.querySelector("[data-step-checks]");
  if (!checked || !step.dataset.head) return;
  const item = checked.record?.entries?.[step.dataset.n - 1];
  const isShown = item?.head === step.dataset.head && (item?.commitment || "") === step.dataset.commitment;
  const found = isShown ? lineResults(Number(step.dataset.n)) : [wrong(say("page.record.wrong.step"))];
  place.replaceChildren(...found.map((result) => element("li", result.is, result.text)));
}

function markLine(line) {
  const [result] = lineResults(Number(line.dataset.line));
  const mark = element("span", `mark ${result.is}`, SIGNS[result.is]);
  mark.setAttribute("role", "img");
  mark.setAttribute("aria-label", result.text);
  line.prepend(mark);
}

// ---- another step is shown: its own proof

document.addEventListener("replay:step", () => {
  const { n, head, commitment } = document.getElementById("step").dataset;
  const place = document.getElementById("step-proof");
  place.hidden = false;
  place.querySelector("[data-line-number]").textContent = say("page.record.line", { n });
  for (const [name, digest] of Object.entries({ head, commitment })) {
    const code = place.querySelector(`[data-digest=${name}]`);
    code.textContent = digest ? grouped(digest) : "";
    code.closest("div").hidden = !digest;
  }
  markStep();
});

// ---- the printed sheet, and a saved file

/** Where a stored or printed fingerprint is found: at the end, a number of entries earlier, or nowhere. */
function notedHead(digits, entries) {
  if (!/^[0-9a-f]{16,64}$/.test(digits)) return { is: "short" };
  const at = entries.map((item) => String(item?.head).startsWith(digits)).lastIndexOf(true);
  if (at < 0) return { is: "other" };
  const n = entries.length - 1 - at;
  return { is: n ? "earlier" : "same", n };
}

document.getElementById("compare").addEventListener("submit", (event) => {
  event.preventDefault();
  const digits = document.getElementById("printed").value.replace(/\s/g, "").toLowerCase();
  const { is, n } = notedHead(digits, checked?.record?.entries || []);
  const isFine = is === "same" || is === "earlier";
  const result = element("li", isFine ? "is-fine" : "is-wrong", say(`page.record.printed.${is}`, { n }));
  document.getElementById("compared").replaceChildren(result);
});

// Choosing a file of the same name fires no change event, though its content may differ: reset the input.
document.getElementById("file").addEventListener("click", (event) => {
  event.target.value = "";
  document.getElementById("file-checked").replaceChildren();
});

document.getElementById("file").addEventListener("change", (event) => {
  const [file] = event.target.files;
  if (!file) return;
  const reader = new FileReader();
  reader.addEventListener("loadend", () => checkFile(file, reader.result));
  reader.readAsText(file.size > LARGEST ? file.slice(0, 1) : file);
});

function checkFile(file, text) {
  const found = check(text || "");
  const place = document.getElementById("file-checked");
  draw(place, [...results(found), ...beside(found)]);
  place.prepend(element("p", "file-name", file.name));
  const { table, head } = found.record || {};
  if (head) place.append(element("p", "hint", say("page.record.file.of", { table, code: short(head) })));
}

/** What the hashes of a file cannot prove: compare with what is known here, and say who can replay it. */
function beside({ record, faults }) {
  if (faults.some((fault) => CUT.includes(fault.key))) return [];
  const kept = record.table === page.code ? [asKept(record)] : [];
  return [...kept, asSeen(record), unsure("page.record.file.replay")];
}

checkThisTable();
