/* The overview's alarm: a sound when one more table stands still, if the host has switched it on on this device. */
(() => {
  "use strict";
  const store = {
    get: () => { try { return localStorage.getItem("alarm") === "1"; } catch { return false; } },
    set: (isOn) => { try { localStorage.setItem("alarm", isOn ? "1" : "0"); } catch { /* private window: not stored */ } },
  };
  let audio = null;
  let still = 0;
  let isOn = store.get();

  // Two tones. A browser plays none before the first tap on the page.
  function sound() {
    audio ||= new AudioContext();
    for (const [at, tone] of [[0, 660], [0.25, 880]]) {
      const [wave, loud] = [audio.createOscillator(), audio.createGain()];
      wave.frequency.value = tone;
      loud.gain.setValueAtTime(0.2, audio.currentTime + at);
      loud.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + at + 0.22);
      wave.connect(loud).connect(audio.destination);
      wave.start(audio.currentTime + at);
      wave.stop(audio.currentTime + at + 0.25);
    }
    document.dispatchEvent(new CustomEvent("overview:alarm"));
  }

  function look() {
    const now = Number(document.querySelector("[data-still]").dataset.still);
    if (isOn && now > still) sound();
    still = now;
    const plain = document.title.replace(/^\(\d+\) /, "");
    document.title = now ? `(${now}) ${plain}` : plain;
  }

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("alarm-sound");
    const draw = () => button.setAttribute("aria-pressed", String(isOn));
    button.addEventListener("click", () => {
      isOn = !isOn;
      store.set(isOn);
      draw();
      if (isOn) sound();
    });
    document.getElementById("still").addEventListener("change", (event) => event.target.form.submit());
    draw();
    look();
  });
  document.addEventListener("referee:shown", look);
})();
