/* Verifies records in the browser: SHA-256, canonical JSON, commitments, the hash chain, the faults of a record.
   Mirrors referee/fairness/commitments.py and referee/fairness/verify.py. SHA-256 is implemented here because
   browsers provide crypto.subtle only over https. */

// ---- SHA-256 (FIPS 180-4)

const ROUND = new Uint32Array([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]);
const START = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];

/** Hex SHA-256 of bytes. */
export function sha256(bytes) {
  const state = Uint32Array.from(START);
  const blocks = padded(bytes);
  for (let at = 0; at < blocks.byteLength; at += 64) mix(state, blocks, at);
  return [...state].map((word) => word.toString(16).padStart(8, "0")).join("");
}

/** The message, a single 1 bit, zeros, and its length in bits: whole blocks of 64 bytes. */
function padded(bytes) {
  const blocks = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  blocks.set(bytes);
  blocks[bytes.length] = 0x80;
  const view = new DataView(blocks.buffer);
  view.setUint32(blocks.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(blocks.length - 4, bytes.length << 3);
  return view;
}

const rotated = (word, by) => (word >>> by) | (word << (32 - by));

function mix(state, blocks, at) {
  const words = schedule(blocks, at);
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i++) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const one = (h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + choice + ROUND[i] + words[i]) | 0;
    const two = ((rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + majority) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] += word));
}

function schedule(blocks, at) {
  const words = new Uint32Array(64);
  for (let i = 0; i < 16; i++) words[i] = blocks.getUint32(at + 4 * i);
  for (let i = 16; i < 64; i++) {
    const [near, far] = [words[i - 2], words[i - 15]];
    const late = rotated(near, 17) ^ rotated(near, 19) ^ (near >>> 10);
    const early = rotated(far, 7) ^ rotated(far, 18) ^ (far >>> 3);
    words[i] = words[i - 16] + early + words[i - 7] + late;
  }
  return words;
}

// ---- text

export class Unreadable extends Error {}

const LONE = /[\ud800-\udfff]/u; // with the u flag, surrogate pairs do not match

/** Encode as UTF-8. A lone surrogate is an error; the browser would silently replace it. */
export function utf8(text) {
  return new TextEncoder().encode(whole(text));
}

function whole(text) {
  if (LONE.test(text)) throw new Unreadable("half a character");
  return text;
}

/** The bytes of 64 hexadecimal digits. */
function unhex(digits) {
  if (typeof digits !== "string" || !/^[0-9a-f]{64}$/.test(digits)) throw new Unreadable("no salt or seed");
  return Uint8Array.from(digits.match(/../g), (pair) => parseInt(pair, 16));
}

/** Canonical JSON: keys sorted by code points, no spaces, integers only. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (isObject(value)) {
    const keys = Object.keys(value).sort(byCharacters);
    return `{${keys.map((key) => `${JSON.stringify(whole(key))}:${canonical(value[key])}`).join(",")}}`;
  }
  if (typeof value === "number" && !Number.isSafeInteger(value)) throw new Unreadable("no whole number");
  if (typeof value === "string") return JSON.stringify(whole(value));
  if (value === undefined) throw new Unreadable("nothing there");
  return Object.is(value, -0) ? "0" : JSON.stringify(value);
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Compare by code points. UTF-16 order differs for characters beyond U+FFFF. */
function byCharacters(one, other) {
  const [a, b] = [[...one], [...other]];
  const at = a.findIndex((character, i) => character !== b[i]);
  if (at < 0) return a.length - b.length;
  return b[at] === undefined ? 1 : a[at].codePointAt(0) - b[at].codePointAt(0);
}

// ---- commitments and the chain

const hashed = (text) => sha256(utf8(text));

export function commitment(salt, table, n, seat, type, fields) {
  const [first, text] = [unhex(salt), utf8(canonical({ table, n, seat, type, fields }))];
  const both = new Uint8Array(first.length + text.length);
  both.set(first);
  both.set(text, first.length);
  return sha256(both);
}

/** The commitment to a seed. The seed of a rematch is bound by the seed of the table before it. */
export const seedHash = (seed) => sha256(unhex(seed));

export function genesis(table, game, rules, options, seed, before = null) {
  return linked("", { table, game, rules, options, seed: seedHash(seed), ...(before === null ? {} : { before }) });
}

export function link(head, n, seat, type, fields, bound) {
  return linked(head, { n, seat, type, fields, commitment: bound });
}

const linked = (head, entry) => hashed(`${head}\n${canonical(entry)}`);

// ---- a record

const TEXTS = /"(?:[^"\\]|\\.)*"/g;
const SIGNS = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;
const STRANGE_NUMBER = /\d[.eE]|-0|\d{16}/; // JSON.parse reads 1.0 as 1; records contain integers only

const FORMAT = 3;
const PARTS = ["table", "game", "rules", "options", "seed", "before", "names", "entries", "outcome", "head", "checksum"];

class Twice extends Error {}

/** Parse a record from the text of its file. */
export function read(text) {
  if (STRANGE_NUMBER.test(text.replace(TEXTS, '""'))) throw new Unreadable("no whole number");
  const record = JSON.parse(text);
  checkEachOnce(text);
  return record;
}

/** Detect duplicate keys: JSON.parse silently keeps the last one. */
function checkEachOnce(text) {
  const open = [];
  let last = "";
  for (const [sign] of text.matchAll(SIGNS)) {
    if (sign === "{" || sign === "[") open.push(new Set());
    else if (sign === "}" || sign === "]") open.pop();
    else if (sign === ":") note(open[open.length - 1], JSON.parse(last));
    else last = sign;
  }
}

function note(keys, key) {
  if (keys.has(key)) throw new Twice(key);
  keys.add(key);
}

const shown = (name) => [...name].slice(0, 40).join("");

/** The faults of a record's text, [{key, n or name}], empty if it verifies; and the parsed record. */
export function check(text) {
  let record = null;
  try {
    record = read(text);
  } catch (error) {
    const isTwice = error instanceof Twice;
    const fault = isTwice ? { key: "verify.twice", name: shown(error.message) } : { key: "verify.unreadable" };
    return { record, faults: [fault] };
  }
  const faults = [formFaults, checksumFaults, chainFaults].flatMap((faultsOf) => found(faultsOf, record));
  const isSame = (one, other) => ["key", "n", "name"].every((part) => one[part] === other[part]);
  const isNew = (fault, i) => faults.findIndex((f) => isSame(f, fault)) === i;
  return { record, faults: faults.filter(isNew) };
}

/** A text that cannot be parsed as a record is one fault. */
function found(faultsOf, record) {
  try {
    return [...faultsOf(record)];
  } catch {
    return [{ key: "verify.unreadable" }];
  }
}

const has = (whole, name) => Object.keys(whole).includes(name);

function part(whole, name) {
  if (!isObject(whole) || !has(whole, name)) throw new Unreadable(`no ${name}`);
  return whole[name];
}

function object(whole, name) {
  const value = part(whole, name);
  if (!isObject(value)) throw new Unreadable(`${name} has no fields`);
  return value;
}

function* formFaults(record) {
  if (!isObject(record)) throw new Unreadable("no record");
  const isWhole = PARTS.every((name) => has(record, name));
  if (isWhole && record.format !== FORMAT) yield { key: "verify.format" };
  const strange = Object.keys(record).filter((name) => name !== "format" && !PARTS.includes(name));
  yield* strange.sort(byCharacters).map((name) => ({ key: "verify.unknown", name: shown(name) }));
  const names = Object.entries(object(record, "names"));
  if (!names.every(([seat, name]) => isName(record, seat, name))) yield { key: "verify.names" };
  if (!isBefore(part(record, "before"))) yield { key: "verify.before" };
  if (part(record, "outcome") === null) yield { key: "verify.unfinished" };
}

/** Of which game this is the rematch, or null. */
function isBefore(before) {
  if (before === null) return true;
  if (!isObject(before) || !Object.values(before).every((value) => typeof value === "string")) return false;
  return Object.keys(before).sort().join() === "head,nonce,table" && /^[0-9a-f]{0,64}$/.test(before.nonce);
}

/** A name is text, or null for a seat that nobody took. */
function isName(record, seat, name) {
  if (name !== null) return typeof name === "string";
  return !part(record, "entries").some((item) => part(item, "type") === "joins" && part(item, "seat") === seat);
}

function* checksumFaults(record) {
  part(record, "checksum");
  const { checksum, ...rest } = record;
  if (checksum !== hashed(canonical(rest))) yield { key: "verify.checksum" };
}

function* chainFaults(record) {
  const opening = ["table", "game", "rules"].map((name) => part(record, name));
  const before = part(record, "before") === null ? null : object(record, "before");
  let head = genesis(...opening, object(record, "options"), part(record, "seed"), before);
  if (!Array.isArray(part(record, "entries"))) throw new Unreadable("no entries");
  for (const [at, item] of record.entries.entries()) {
    const n = at + 1;
    let keys = null;
    try {
      [keys, head] = entryFaults(record.table, head, n, item);
    } catch {
      return yield { key: "verify.unreadable_entry", n };
    }
    yield* keys.map((key) => ({ key, n }));
    if (keys.some((key) => key !== "verify.commitment")) return;
  }
  if (part(record, "head") !== head) yield { key: "verify.head" };
}

/** The faults of an entry, and the head after it. */
function entryFaults(table, before, n, item) {
  const keys = [];
  const bound = part(item, "commitment");
  if (bound !== sealedAs(table, item)) keys.push("verify.commitment");
  const head = link(before, n, part(item, "seat"), part(item, "type"), object(item, "fields"), bound);
  const isLinked = part(item, "n") === n && part(item, "head") === head;
  if (!isLinked) keys.push(n > 1 ? "verify.link" : "verify.opening");
  return [keys, head];
}

function sealedAs(table, item) {
  if (!has(item, "sealed") && !has(item, "salt")) return null;
  const sealed = object(item, "sealed");
  const [n, type, fields] = [part(sealed, "n"), part(sealed, "type"), object(sealed, "fields")];
  return commitment(part(item, "salt"), table, n, part(item, "seat"), type, fields);
}

// ---- a rematch

const UNPLAYED = ["joins", "returns", "taken", "asks", "answers", "reissue"]; // changes that end no game

/** What is wrong with a record as the rematch of another one; both verify. Like `follows` in Python, except that
    the browser does not know the rules: see `ends`. */
export function rematchFaults(record, earlier) {
  const { before } = record;
  if (before === null || before.table !== earlier.table) return [{ key: "verify.before.other" }];
  const faults = [];
  if (seedHash(record.seed) !== earlier.seed) faults.push({ key: "verify.before.seed" });
  const changes = changesOf(earlier.entries);
  const possible = ends(changes);
  const at = possible.find((n) => earlier.entries[n].head === before.head);
  if (at === undefined) faults.push({ key: "verify.before.head" });
  const free = freeAt(earlier, changes, at ?? possible[0]);
  if (adding(record).some((seat) => !free.has(seat))) faults.push({ key: "verify.before.nonce" });
  return faults;
}

/** What each entry changed: [kind, seat]. A question changes something at the entry that settles it. */
function changesOf(entries) {
  let asked = null;
  let waiting = new Set();
  return entries.map(({ type, seat, fields }) => {
    if (type === "asks") [asked, waiting] = [fields, new Set(fields.of)];
    if (type === "answers") {
      waiting.delete(seat);
      if (!fields.accept) asked = null;
    }
    if (!asked || waiting.size) return [type, seat];
    const settled = [asked.question, asked.seat];
    asked = null;
    return settled;
  });
}

/** Where a game can have ended: at its last change, except that a correction after it may have left it over. Only
    the rules tell at which of these. */
function ends(changes) {
  let found = [];
  changes.forEach(([kind], at) => {
    if (kind === "correct") found.push(at);
    else if (!UNPLAYED.includes(kind)) found = [at];
  });
  return found;
}

/** The seats that were free at an entry: nobody had joined, or it had a new key that nobody had used. */
function freeAt(record, changes, end) {
  const free = new Set(Object.keys(record.names));
  for (const [kind, seat] of changes.slice(0, end + 1)) {
    if (kind === "joins") free.delete(seat);
    if (kind === "reissue") free.add(seat);
  }
  return free;
}

/** The seats that added a number to the dice: at a join before the deal. */
function adding(record) {
  const free = new Set(Object.keys(record.names));
  return record.entries.filter(({ type, seat, fields }) => {
    if (type !== "joins" || !free.size) return false;
    free.delete(seat);
    return "nonce" in fields;
  }).map(({ seat }) => seat);
}
