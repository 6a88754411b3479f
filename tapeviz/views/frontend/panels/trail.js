/** What one looked at -> back and forward through it. */

import { iconButton } from "../elements/button.js";
import { html } from "../elements/elements.js";

/** @type {("selected" | "unfolded" | "lens" | "between" | "line")[]} what makes another view; a step does not */
const SEEN = ["selected", "unfolded", "lens", "between", "line"];

/** Two buttons, and the views that they lead to. */
export class Trail {
  #store;
  /** @type {Partial<import("../types.js").Position>[]} */
  #views = [];
  #at = 0;
  #buttons;

  /** @param {import("../types.js").Context} context */
  constructor({ store, signal }) {
    this.#store = store;
    this.#views = [seen(store.moment)];
    this.#buttons = [
      iconButton({ name: "back", label: "Previous view", keys: "[", signal, press: () => this.go(-1) }),
      iconButton({ name: "onward", label: "Next view", keys: "]", signal, press: () => this.go(1) }),
    ];
    this.element = html("div", { class: "trail", role: "group", "aria-label": "What was seen" }, ...this.#buttons);
  }

  /** @param {import("../types.js").Moment} moment */
  show(moment) {
    const view = seen(moment);
    if (String(Object.values(view)) !== String(Object.values(this.#views[this.#at]))) {
      this.#views.splice(this.#at + 1, Infinity, view);
      this.#at = this.#views.length - 1;
    }
    const ends = [this.#at === 0, this.#at === this.#views.length - 1];
    this.#buttons.forEach((button, index) => button.setAttribute("aria-disabled", String(ends[index])));
    this.element.hidden = this.#views.length < 2;
  }

  /** @param {number} count of views */
  go(count) {
    const view = this.#views[this.#at + count];
    if (!view) return;
    this.#at += count;
    this.#store.set(view);
  }
}

/** @param {import("../types.js").Moment} moment @returns {Partial<import("../types.js").Position>} */
function seen(moment) {
  return Object.fromEntries(SEEN.map((name) => [name, moment[name]]));
}
