/* The board as a form: shades what a camera or killer sees, previews a tap, enters paths. */
(() => {
  "use strict";
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  const left = (cell) => 40 + 100 * "ABCDEFGH".indexOf(cell[0]);
  const top = (cell) => 10 + 100 * (9 - Number(cell.slice(1)));

  function mark(board, cells) {
    const marks = board.querySelector(".marks");
    marks.setAttribute("d", cells.map((cell) => `M${left(cell)} ${top(cell)}h100v100h-100z`).join(""));
    marks.dataset.cells = cells.join(" ");
  }

  // ---- tapping a camera or killer shows what it sees; tapping it again hides that

  function pieces(board) {
    const seeing = all("[data-sees]", board);
    function toggle(piece) {
      const isOn = piece.getAttribute("aria-pressed") !== "true";
      seeing.forEach((one) => one.setAttribute("aria-pressed", String(one === piece && isOn)));
      mark(board, isOn ? piece.dataset.sees.split(" ") : []);
    }
    seeing.forEach((piece) => {
      piece.addEventListener("click", () => toggle(piece));
      piece.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        toggle(piece);
      });
    });
  }

  // ---- preview of the form as filled in: squares seen or covered, walls that would be built

  const SIDES = { N: [0, 0, "h100"], S: [0, 100, "h100"], W: [0, 0, "v100"], E: [100, 0, "v100"] };

  // The squares of a straight line, from its first and last.
  function squaresOf(run) {
    const [fromColumn, toColumn] = [run[0], run[2]].map((letter) => letter.charCodeAt());
    const cells = [];
    for (let column = fromColumn; column <= toColumn; column += 1) {
      for (let line = Number(run[1]); line <= Number(run[3]); line += 1) cells.push(String.fromCharCode(column) + line);
    }
    return cells;
  }

  function edge(wall) {
    const [cell, side] = wall.split(":");
    const [dx, dy, stroke] = SIDES[side];
    return `M${left(cell) + dx} ${top(cell) + dy}${stroke}`;
  }

  function preview(field) {
    const data = field.querySelector("[data-would]");
    if (!data) return;
    const form = field.closest("form");
    const would = JSON.parse(data.textContent);
    const picked = (name) => {
      const input = form.querySelector(`input[name="field.${name}"]:checked, input[type=hidden][name="field.${name}"]`);
      const value = input ? JSON.parse(input.value) : "";
      return would.named?.[value] ?? value;
    };
    const marksOf = (now) => {
      if (!would.cells) return would.marks[now];
      const [first, cell] = now.split(" ");
      return cell && would.marks[first]?.split(" ")[would.cells.match(/../g).indexOf(cell)];
    };
    const draw = () => {
      const now = would.by.map(picked).join(" ");
      mark(field, ((marksOf(now) || "").match(/..../g) || []).flatMap(squaresOf));
      field.querySelector(".would-walls").setAttribute("d", (would.walls?.[now] || []).map(edge).join(""));
    };
    form.addEventListener("change", draw);
    draw();
  }

  // ---- once a square is picked, scroll to the button below the board; above it, it would cover squares

  const button = (field) => field.closest("form").querySelector("button:not([type=button])");

  function picked(field) {
    field.addEventListener("change", () => button(field).scrollIntoView({ block: "nearest" }));
  }

  // ---- the spy's path, square by square; the possible squares are not marked, because others may see the phone

  function tapOn(cell) {
    const tap = document.createElement("button");
    tap.type = "button";
    tap.dataset.tap = cell;
    tap.setAttribute("aria-label", cell);
    return tap;
  }

  function path(field) {
    const squares = field.querySelector("[data-path]");
    if (!squares) return;
    const list = field.querySelector("[data-paths]");
    const radios = all("input", list);
    const refusal = field.querySelector("[data-not-there]");
    const submit = button(field);
    const cells = [...Array(72).keys()].map((i) => "ABCDEFGH"[i % 8] + (9 - Math.floor(i / 8)));
    if ("turned" in squares.dataset) cells.reverse();
    const taps = cells.map(tapOn);
    squares.replaceChildren(...taps);
    const begins = (steps) => radios.some((radio) => steps.every((cell, i) => JSON.parse(radio.value)[i] === cell));
    let steps = [];

    function draw() {
      const value = JSON.stringify(steps);
      radios.forEach((radio) => (radio.checked = radio.value === value));
      submit.disabled = !radios.some((radio) => radio.checked);
      taps.forEach((tap) => {
        const place = steps.indexOf(tap.dataset.tap);
        tap.textContent = place < 0 ? "" : String(place + 1);
        tap.classList.toggle("is-step", place >= 0);
      });
    }

    function refuse(text) {
      refusal.querySelector("[data-words]").textContent = text;
      const why = refusal.querySelector("a");
      if (why) why.hidden = !text;
      if (text) refusal.scrollIntoView({ block: "nearest" });
    }

    function tapped(cell) {
      refuse("");
      if (steps.at(-1) === cell) steps.pop();
      else if (begins([...steps, cell])) steps.push(cell);
      else if (begins([cell])) steps = [cell];
      else refuse(refusal.dataset.notThere.replace("{cell}", cell));
      draw();
      if (!submit.disabled) submit.scrollIntoView({ block: "nearest" });
    }

    radios.forEach((radio) => (radio.required = false));
    steps = JSON.parse(radios.find((radio) => radio.checked)?.value || "[]");
    taps.forEach((tap) => tap.addEventListener("click", () => tapped(tap.dataset.tap)));
    draw();
  }

  document.addEventListener("referee:enhance", ({ detail: within }) => {
    all(".espion-board", within).forEach(pieces);
    all("[data-board]", within).forEach((field) => {
      preview(field);
      picked(field);
      path(field);
    });
  });
})();
