/* Interaction: hold to see a secret, tap cards in order, submit a form once. */
(() => {
  "use strict";
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  // ---- secrets are shown only while the button is held

  function hold(secret) {
    const summary = secret.querySelector("summary");
    const open = (is) => (secret.open = is);
    const isKey = (event) => event.key === " " || event.key === "Enter";
    let byHand = false;
    summary.addEventListener("click", (event) => {
      event.preventDefault();
      if (!byHand) open(!secret.open); // a screen reader sends a click without a press
      byHand = false;
    });
    summary.addEventListener("contextmenu", (event) => event.preventDefault());
    summary.addEventListener("pointerdown", (event) => {
      byHand = true;
      if (event.button === 0) open(true);
    });
    summary.addEventListener("keydown", (event) => {
      if (isKey(event)) {
        event.preventDefault();
        open(true);
      }
    });
    summary.addEventListener("keyup", (event) => {
      if (isKey(event)) {
        event.preventDefault();
        open(false);
      }
    });
    summary.addEventListener("blur", () => open(false));
  }

  const hide = () => all("details.secret").forEach((secret) => (secret.open = false));
  for (const name of ["pointerup", "pointercancel", "blur"]) addEventListener(name, hide);

  // ---- cards tapped one after the other

  function arrange(field) {
    const tap = field.querySelector("[data-tap]");
    const slots = all("[data-slot]", tap);
    const cards = all("[data-card]", tap);
    const undo = tap.querySelector("[data-undo]");
    const submit = field.closest("form").querySelector("button:not([type=button])");
    const order = [];

    const radios = (slot) => all(`input[name="${slot.dataset.slot}"]`, field);
    function draw() {
      slots.forEach((slot, place) => {
        const card = order[place];
        radios(slot).forEach((radio) => (radio.checked = !!card && radio.value === card.dataset.card));
        slot.querySelector(".slot-card").textContent = card ? card.textContent.trim() : "";
        slot.classList.toggle("is-next", place === order.length);
        slot.classList.toggle("is-filled", !!card);
      });
      cards.forEach((card) => {
        const place = order.indexOf(card);
        card.disabled = place >= 0 || order.length === slots.length;
        card.classList.toggle("is-used", place >= 0);
        if (place >= 0) card.dataset.place = slots[place].textContent.trim();
        else delete card.dataset.place;
      });
      undo.disabled = !order.length;
      submit.disabled = order.length < slots.length;
    }

    for (const slot of slots) {
      const picked = radios(slot).find((radio) => radio.checked);
      const card = picked && cards.find((c) => c.dataset.card === picked.value && !order.includes(c));
      if (card && order.length === slots.indexOf(slot)) order.push(card);
    }
    all("input", field).forEach((radio) => (radio.required = false));
    cards.forEach((card) => card.addEventListener("click", () => {
      order.push(card);
      draw();
      (submit.disabled ? cards.find((c) => !c.disabled) : submit).focus({ preventScroll: true });
      if (!submit.disabled) submit.scrollIntoView({ block: "nearest" });
    }));
    undo.addEventListener("click", () => {
      const card = order.pop();
      draw();
      card.focus({ preventScroll: true });
    });
    draw();
  }

  // ---- the button's text says what it will do; a form is submitted once

  function sentence(form) {
    const submit = form.querySelector("button:not([type=button])");
    const plain = submit.textContent;
    const draw = () => {
      let text = form.dataset.sentence;
      for (const radio of all("input:checked", form)) {
        const { name = radio.name.replace("field.", ""), text: picked = radio.getAttribute("aria-label") } = radio.dataset;
        text = text.replace(`{${name}}`, () => picked);
      }
      submit.textContent = /\{\w+\}/.test(text) ? plain : text;
    };
    form.addEventListener("change", draw);
    draw();
  }

  function once(form) {
    form.addEventListener("submit", (event) => {
      if (form.dataset.sent) event.preventDefault();
      form.dataset.sent = "1";
    });
  }

  // ---- for each new piece of the page

  document.addEventListener("referee:enhance", ({ detail: within }) => {
    all("details.secret", within).forEach(hold);
    all("[data-arrange]", within).forEach(arrange);
    all("form[data-sentence]", within).forEach(sentence);
    all("form[data-once]", within).forEach(once);
  });
  document.addEventListener("visibilitychange", hide);
  addEventListener("pageshow", () => {
    all("form[data-once]").forEach((form) => delete form.dataset.sent);
    // After navigating back the browser restores the choices; update the button's text.
    all("form[data-sentence]").forEach((form) => form.dispatchEvent(new Event("change")));
  });
})();
