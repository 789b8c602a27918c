/* A witness: keeps the fingerprints that this device was shown during play, to compare them with the record. */

const TABLES = 12; // whose fingerprints are kept

function kept() {
  try {
    return JSON.parse(localStorage.getItem("fingerprints")) || {};
  } catch {
    return {}; // a private window keeps nothing: then there is nothing to compare
  }
}

/** The fingerprints that this device noted at a table, oldest first. */
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
    // full or private: as above
  }
}

document.addEventListener("referee:view", (event) => note(event.detail));
