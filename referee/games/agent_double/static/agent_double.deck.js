/* The deck editor: one line of text for each card, which fills the fields below it. Lines are completed while they
   are typed, Enter goes to the next one, and a table that is pasted fills as many lines as it has. Without this
   script the fields themselves are shown. */
(() => {
  "use strict";
  const all = (selector, within) => [...within.querySelectorAll(selector)];
  const plain = (text) => text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase().trim();
  const MOST = 6; // hints shown at once
  const EFFECTS = 3; // fields for effects of a card; without this script a third one comes when two are saved

  let words = null; // of this page's language
  let rows = [];

  // ---- reading a line: `back value name or special; effect; effect; returns`

  function read(line) {
    const found = /^\s*"?(0\s*\/\s*7|\?|[0-7])"?(?=[\s,;]|$)[\s,;]*/.exec(line);
    if (!found) return { error: words.no_back };
    const back = found[1].replace(/\s/g, "");
    let rest = line.slice(found[0].length);
    const worth = /^"?([0-7])"?(?=[\s,;]|$)[\s,;]*/.exec(rest);
    if (worth) rest = rest.slice(worth[0].length);
    const card = { back, value: worth ? worth[1] : /^[0-7]$/.test(back) ? back : "" };
    const parts = rest.split(/[\t;,]/).map((part) => part.trim().replace(/^"(.*)"$/, "$1")).filter(Boolean);
    if (!card.value) return { ...card, error: words.no_value };
    return back === "?" ? action(card, parts) : simple(card, parts);
  }

  const matching = (names, text) => names.find(([id, name]) => plain(text) === id || plain(name).startsWith(plain(text)))?.[0];

  function simple(card, parts) {
    for (const part of parts) {
      card.special = matching(words.specials, part);
      if (!card.special) return { ...card, error: words.unread.replace("{text}", () => part) };
    }
    return card;
  }

  function action(card, [name, ...parts]) {
    if (!name) return { ...card, error: words.no_name };
    card.name = name;
    for (const part of parts) {
      const kind = matching(words.after, part);
      if (!kind) return { ...card, error: words.unread.replace("{text}", () => part) };
      if (kind === "returns") card.returns = true;
      else card.effect = kind === "nothing" ? [] : [...(card.effect || []), kind];
    }
    return card;
  }

  // ---- a card's fields and its line say the same

  const fields = (row) => ({
    back: row.querySelector("[data-back]"),
    value: row.querySelector("[data-value]"),
    special: row.querySelector("select[name$='.special:some']"),
    name: row.querySelector("input[name$='.name:some']"),
    returns: row.querySelector("input[name$='.returns']"),
    effects: all("select[name$='.effect:all']", row),
  });

  function fill(row, card) {
    const { back, value, special, name, returns, effects } = fields(row);
    back.value = card.back || "";
    value.value = card.value || "";
    special.value = card.special || "";
    name.value = card.name || "";
    returns.checked = !!card.returns;
    effects.forEach((field, place) => (field.value = card.effect?.[place] ? JSON.stringify([card.effect[place]]) : ""));
    if (card.effect && !card.effect.length) effects[0].value = "[]";
    draw(row);
  }

  function lineOf(row) {
    const { back, value, special, name, returns, effects } = fields(row);
    if (!back.value) return "";
    const start = /^[0-7]$/.test(back.value) && (!value.value || value.value === back.value) ? back.value : `${back.value} ${value.value}`.trim();
    if (back.value !== "?") return [start, special.value && special.selectedOptions[0].textContent.toLowerCase()].filter(Boolean).join(" ");
    const named = effects.filter((field) => field.value).map((field) => field.selectedOptions[0].textContent);
    return [`${start} ${name.value}`.trim(), ...named, ...(returns.checked ? [words.returns] : [])].join("; ");
  }

  function draw(row) {
    const { back, value } = fields(row);
    const isAction = back.value === "?";
    row.classList.toggle("is-action", isAction);
    for (const input of all("[data-action] select, [data-action] input, input[data-action]", row)) input.disabled = !isAction;
    for (const input of all("[data-simple] select", row)) input.disabled = isAction;
    row.classList.toggle("is-entered", !!back.value && value.value !== "" && !row.querySelector("[data-read]").textContent);
  }

  // ---- progress

  function progress() {
    const place = document.getElementById("deck-progress");
    const done = rows.filter((row) => row.classList.contains("is-entered")).length;
    const eithers = rows.filter((row) => fields(row).back.value === "0/7").length;
    place.querySelector("progress").value = done;
    place.querySelector("b").textContent = place.dataset.words.replace("{n}", done);
    place.querySelector("span").textContent = place.dataset.eithers.replace("{n}", eithers);
  }

  function take(row) {
    const text = row.querySelector("[data-text]");
    const card = text.value.trim() ? read(text.value) : {};
    row.querySelector("[data-read]").textContent = card.error || "";
    text.setAttribute("aria-invalid", String(!!card.error));
    fill(row, card);
    row.querySelector(".flaw")?.remove(); // it was about what stood there before
    progress();
  }

  // ---- completing: what the part before the caret may become

  function hints(row) {
    const text = row.querySelector("[data-text]");
    const list = row.querySelector("[role=listbox]");
    const isAction = /^\s*\?/.test(text.value);
    const start = isAction ? text.value.lastIndexOf(";") + 1 : text.value.search(/[^\d\s/]/);
    const typed = start > 0 ? plain(text.value.slice(start)) : "";
    const names = isAction ? words.after : words.specials;
    const fitting = start > 0 && (typed || isAction) ? names.filter(([, name]) => plain(name).includes(typed) && plain(name) !== typed) : [];
    list.replaceChildren(...fitting.slice(0, MOST).map(([, name], place) => {
      const item = document.createElement("li");
      item.id = `${list.id}-${place}`;
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", "false");
      item.textContent = name;
      item.addEventListener("pointerdown", (event) => {
        event.preventDefault(); // the caret stays in the line
        accept(row, name);
      });
      return item;
    }));
    list.hidden = !fitting.length;
    text.setAttribute("aria-expanded", String(!list.hidden));
    text.removeAttribute("aria-activedescendant");
  }

  const chosen = (row) => row.querySelector("[role=option][aria-selected=true]");

  function choose(row, by) {
    const text = row.querySelector("[data-text]");
    const items = all("[role=option]", row);
    const place = items.indexOf(chosen(row)) + by;
    items.forEach((item, n) => item.setAttribute("aria-selected", String(n === place)));
    if (items[place]) text.setAttribute("aria-activedescendant", items[place].id);
    else text.removeAttribute("aria-activedescendant");
  }

  function accept(row, name) {
    const text = row.querySelector("[data-text]");
    const isAction = /^\s*\?/.test(text.value);
    const start = isAction ? text.value.lastIndexOf(";") + 1 : text.value.search(/[^\d\s/]/);
    text.value = `${text.value.slice(0, start).trimEnd()} ${isAction ? name : name.toLowerCase()}`;
    fold(row);
    take(row);
  }

  function fold(row) {
    const list = row.querySelector("[role=listbox]");
    list.replaceChildren();
    list.hidden = true;
    row.querySelector("[data-text]").setAttribute("aria-expanded", "false");
  }

  const goTo = (n) => rows[n]?.querySelector("[data-text]").focus();

  function keyed(event, row) {
    const isOpen = !row.querySelector("[role=listbox]").hidden;
    if (event.key === "Enter") {
      event.preventDefault(); // the form is sent by its button
      if (isOpen && chosen(row)) return accept(row, chosen(row).textContent);
      fold(row);
      goTo(rows.indexOf(row) + 1);
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const by = event.key === "ArrowDown" ? 1 : -1;
      if (isOpen) choose(row, by);
      else goTo(rows.indexOf(row) + by);
    } else if (event.key === "Escape" && isOpen) fold(row);
    else if (event.key === "Tab" && isOpen && chosen(row)) accept(row, chosen(row).textContent);
  }

  // ---- a pasted table: a card in each line, from this row on; a heading above it is left out

  function pasted(event, row) {
    const lines = event.clipboardData.getData("text").split(/\r?\n/).filter((line) => line.trim());
    if (lines.length < 2) return;
    event.preventDefault();
    if (read(lines[0]).error === words.no_back && !read(lines[1]).error) lines.shift();
    const from = rows.indexOf(row);
    const filled = lines.slice(0, rows.length - from);
    filled.forEach((line, n) => {
      rows[from + n].querySelector("[data-text]").value = line.replace(/\s*\t\s*/g, "; ").replace(/^([^;]*); ([0-7])(?:; |$)/, "$1 $2 ").trim();
      take(rows[from + n]);
    });
    goTo(Math.min(from + filled.length, rows.length - 1));
  }

  // The line of text of a row, a copy of the page's template; the row's fields work without it.
  function addLine(row, n) {
    const holder = document.createElement("template");
    holder.innerHTML = document.getElementById("deck-line").innerHTML.replaceAll("{n}", n + 1);
    row.querySelector(".deck-fields").before(holder.content);
    const effects = all(".deck-effects label", row);
    if (effects.length < EFFECTS) effects.at(-1).after(anotherEffect(effects.at(-1), effects.length));
  }

  function anotherEffect(label, count) {
    const more = label.cloneNode(true);
    more.firstChild.data = more.firstChild.data.replace(count, count + 1);
    more.querySelector("select").value = "";
    return more;
  }

  function ready(row, n) {
    addLine(row, n);
    const text = row.querySelector("[data-text]");
    text.value = lineOf(row);
    text.addEventListener("input", () => {
      take(row);
      hints(row);
    });
    text.addEventListener("keydown", (event) => keyed(event, row));
    text.addEventListener("paste", (event) => pasted(event, row));
    text.addEventListener("blur", () => fold(row));
    const button = row.querySelector("[data-unfold]");
    button.addEventListener("click", () => {
      button.setAttribute("aria-expanded", String(row.classList.toggle("is-open")));
    });
    const { back, value } = fields(row);
    row.querySelector(".deck-fields").addEventListener("change", (event) => {
      if (event.target === back && /^[0-7]$/.test(back.value)) value.value = back.value;
      draw(row);
      text.value = lineOf(row);
      progress();
    });
    draw(row); // keep a refused value as it was entered
  }

  document.addEventListener("DOMContentLoaded", () => {
    const deck = document.querySelector("[data-deck]");
    if (!deck) return;
    words = JSON.parse(deck.dataset.deck);
    words.specials = Object.entries(words.specials);
    words.after = [...words.effects.split("|").map((each) => each.split("=")), ["nothing", words.nothing], ["returns", words.returns]];
    rows = all("[data-card-of-deck]", deck);
    rows.forEach(ready);
    progress();
  });
})();
