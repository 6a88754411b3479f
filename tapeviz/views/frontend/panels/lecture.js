/** Two switches: "Lecture" fills the screen with large type, "Predict" covers the numbers of a step until asked. */

import { pressable } from "../elements/button.js";
import { html } from "../elements/elements.js";

/** @type {Record<"lecture" | "predict", [string, string]>} */
const SWITCHES = {
  lecture: ["Lecture", "Full screen and large type (l)"],
  predict: ["Predict", "Cover the numbers of each step until the next key (p)"],
};

/** Also where the keys of a clicker end: Page Up and Page Down step, and Escape leaves the full screen by itself. */
export class Lecture {
  #store;
  #buttons;
  /** @type {() => Element | null} */
  #stage;

  /**
   * @param {import("../types.js").Context} context
   * @param {() => Element | null} stage what is to fill the screen
   */
  constructor({ store, signal }, stage) {
    this.#store = store;
    this.#stage = stage;
    this.#buttons = Object.entries(SWITCHES).map(([name, [word, title]]) =>
      pressable({ class: "choice", title, "aria-pressed": "false" }, () => this.toggle(name), word),
    );
    this.element = html("div", { class: "choices", role: "group", "aria-label": "Lecture" }, ...this.#buttons);
    const leave = () => document.fullscreenElement ?? store.set({ lecture: false });
    document.addEventListener("fullscreenchange", leave, { signal });
  }

  /** @param {import("../types.js").Moment} moment */
  show(moment) {
    const on = [moment.lecture, moment.predict];
    this.#buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(on[index])));
  }

  /** @param {string} name of a switch */
  toggle(name) {
    const { lecture, predict } = this.#store.moment;
    if (name === "predict") return this.#store.set({ predict: !predict });
    this.#store.set({ lecture: !lecture });
    if (lecture && document.fullscreenElement) document.exitFullscreen();
    // A frame may not be allowed the whole screen: the type is large all the same.
    else if (!lecture) this.#stage()?.requestFullscreen?.().catch(() => {});
  }
}
