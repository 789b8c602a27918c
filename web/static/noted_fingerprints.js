/* Stores the fingerprints that this device is shown during play, each with its version, to compare them with the
   record later and with the server's journal at every new stream. */

const TABLES = 12; // tables whose fingerprints are stored
const MOST = 200; // latest fingerprints of a table

function kept() {
  try {
    return JSON.parse(localStorage.getItem("fingerprints")) || {};
  } catch {
    return {}; // private window: nothing is stored, so nothing is compared
  }
}

const versionOf = (item) => Number(item.split(":")[0]);
const headOf = (item) => item.split(":")[1];

function stored(table) {
  const mine = kept()[table];
  return Array.isArray(mine) ? mine : [];
}

/** The fingerprints that this device stored at a table, oldest first. */
export function noted(table) {
  return stored(table).map(headOf);
}

/** The latest version that this device saw of a table, and its fingerprint: sent when a stream is opened, so that the
    server can tell whether its journal has less. */
window.latestSeen = (table) => {
  const latest = stored(table).reduce((one, other) => (versionOf(other) > versionOf(one) ? other : one), "0:");
  return versionOf(latest) ? { version: versionOf(latest), head: headOf(latest) } : null;
};

function note(view) {
  if (!view?.version) return; // nothing has happened yet
  const { [view.table]: mine = [], ...others } = kept();
  const item = `${view.version}:${view.head}`;
  if (mine[mine.length - 1] === item) return;
  const tables = Object.entries(others).slice(1 - TABLES);
  const all = Object.fromEntries([...tables, [view.table, [...mine, item].slice(-MOST)]]);
  try {
    localStorage.setItem("fingerprints", JSON.stringify(all));
  } catch {
    // storage is full or unavailable: nothing is stored
  }
}

document.addEventListener("referee:view", (event) => note(event.detail));
