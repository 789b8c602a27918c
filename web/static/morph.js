/* Updates a piece of a page without touching what the server did not change.

   Three trees are compared: what the server sent last, what it sends now, and what is on the page, which
   scripts and the user may have changed since. Where the first two are equal the third is left alone, so focus,
   ticks, scroll position, open folds and the cursor of a screen reader stay. */
(() => {
  "use strict";
  // Elements that scripts enhance are replaced whole, because scripts keep references to their parts.
  const WHOLE = "form, details.secret, .espion-board, [data-arrange], [data-board]";

  const isSplit = (was, now) => was.nodeType === Node.ELEMENT_NODE && was.nodeName === now.nodeName && !was.matches(WHOLE) && !now.matches(WHOLE);

  function attributes(live, was, now) {
    for (const { name } of [...was.attributes]) if (!now.hasAttribute(name)) live.removeAttribute(name);
    for (const { name, value } of now.attributes) if (was.getAttribute(name) !== value) live.setAttribute(name, value);
  }

  /** Change the children of `live` from what the server sent as `was` to what it sends as `now`. `enhance` is
      called with a holder of each piece that is new, before it is on the page. */
  function morph(live, was, now, enhance) {
    const [on, old, fresh] = [live, was, now].map((tree) => [...tree.childNodes]);
    if (on.length !== old.length) return fill(live, on, fresh, null, enhance); // changed by a script: replace it
    let start = 0;
    let end = 0;
    while (start < old.length && start < fresh.length && old[start].isEqualNode(fresh[start])) start += 1;
    while (end < old.length - start && end < fresh.length - start && old.at(-1 - end).isEqualNode(fresh.at(-1 - end))) end += 1;
    const middle = (nodes) => nodes.slice(start, nodes.length - end);
    const [here, before, after] = [on, old, fresh].map(middle);
    if (before.length !== after.length) return fill(live, here, after, on[on.length - end] || null, enhance);
    here.forEach((node, i) => one(node, before[i], after[i], enhance));
  }

  function one(live, was, now, enhance) {
    if (was.isEqualNode(now)) return;
    if (was.nodeType === Node.TEXT_NODE && now.nodeType === Node.TEXT_NODE) live.data = now.data;
    else if (isSplit(was, now)) {
      attributes(live, was, now);
      morph(live, was, now, enhance);
    } else fill(live.parentNode, [live], [now], live.nextSibling, enhance);
  }

  // Keep a box ticked when its form is replaced.
  const boxes = (node) => (node.nodeType === Node.ELEMENT_NODE ? [...node.querySelectorAll("input[type=checkbox]")] : []);

  function fill(parent, gone, fresh, before, enhance) {
    const ticked = new Set(gone.flatMap(boxes).filter((box) => box.checked).map((box) => box.name));
    const holder = document.createElement("div");
    holder.append(...fresh.map((node) => document.importNode(node, true)));
    for (const box of boxes(holder)) box.checked = box.checked || ticked.has(box.name);
    enhance(holder);
    gone.forEach((node) => node.remove());
    while (holder.firstChild) parent.insertBefore(holder.firstChild, before);
  }

  window.morph = morph;
})();
