/** A moment -> one sentence for a screen reader. */

import { html } from "../elements/elements.js";
import { sentence } from "../words/sentences.js";

/** Says the step when it changes, and what was opened. */
export class Announcer {
  #payload;
  #step = -1;

  /** @param {import("../types.js").Context} context */
  constructor({ payload }) {
    this.#payload = payload;
    this.element = html("p.unseen", { role: "status", "aria-live": "polite" });
  }

  /** @param {string} text */
  say(text) {
    this.element.textContent = text;
  }

  /** @param {import("../types.js").Moment} moment */
  show(moment) {
    const opened = this.#payload.tensors[moment.selected];
    const stepped = moment.step !== this.#step;
    this.#step = moment.step;
    this.element.textContent =
      stepped || !opened
        ? sentence(this.#payload, moment)
        : `${opened.name}, shape ${opened.shape}, value ${opened.value ?? "not shown"}`;
  }
}
