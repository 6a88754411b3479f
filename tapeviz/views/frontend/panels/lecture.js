/** Two switches: "Lecture" fills the screen with large type, "Predict" covers the numbers of a step until asked. */

import { pressable } from "../elements/button.js";
import { html } from "../elements/elements.js";
import { wordsAndKeyOf } from "../words/commands.js";

/** @type {["lecture" | "predict", word: string][]} */
const SWITCHES = [
  ["lecture", "Lecture"],
  ["predict", "Predict"],
];

/** Also where the keys of a clicker end: Page Up and Page Down step, and Escape leaves the full screen by itself. */
export class Lecture {
  #store;
  #buttons;
  /** @type {() => Element | null} */
  #stage;
  actions = { lecture: () => this.#turn(), predict: () => this.#store.set({ predict: !this.#store.moment.predict }) };

  /**
   * @param {import("../types.js").Context} context
   * @param {() => Element | null} stage what is to fill the screen
   */
  constructor({ store, signal }, stage) {
    this.#store = store;
    this.#stage = stage;
    this.#buttons = SWITCHES.map(([name, word]) =>
      pressable({ class: "choice", title: wordsAndKeyOf(name), "aria-pressed": "false" }, this.actions[name], word),
    );
    this.element = html("div.choices", { role: "group", "aria-label": "Lecture" }, ...this.#buttons);
    const leave = () => document.fullscreenElement ?? store.set({ lecture: false });
    document.addEventListener("fullscreenchange", leave, { signal });
  }

  /** @param {import("../types.js").Moment} moment */
  show(moment) {
    SWITCHES.forEach(([name], index) => this.#buttons[index].setAttribute("aria-pressed", String(moment[name])));
  }

  /** A lecture begins, or ends. */
  #turn() {
    const { lecture } = this.#store.moment;
    this.#store.set({ lecture: !lecture });
    if (lecture && document.fullscreenElement) document.exitFullscreen();
    // A frame may not be allowed the whole screen: the type is large all the same.
    else if (!lecture) this.#stage()?.requestFullscreen?.().catch(() => {});
  }
}
