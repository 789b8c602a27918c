/* Stores the fingerprints that this device is shown during play, to compare them with the record later. */

const TABLES = 12; // tables whose fingerprints are stored

function kept() {
  try {
    return JSON.parse(localStorage.getItem("fingerprints")) || {};
  } catch {
    return {}; // private window: nothing is stored, so nothing is compared
  }
}

/** The fingerprints that this device stored at a table, oldest first. */
export function noted(table) {
  const mine = kept()[table];
  return Array.isArray(mine) ? mine : [];
}

function note(view) {
  if (!view?.version) return; // nothing has happened yet
  const { [view.table]: mine = [], ...others } = kept();
  if (mine[mine.length - 1] === view.head) return;
  const tables = Object.entries(others).slice(1 - TABLES);
  const all = Object.fromEntries([...tables, [view.table, [...mine, view.head]]]);
  try {
    localStorage.setItem("fingerprints", JSON.stringify(all));
  } catch {
    // storage is full or unavailable: nothing is stored
  }
}

document.addEventListener("referee:view", (event) => note(event.detail));
