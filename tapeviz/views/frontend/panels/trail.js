/** What the reader looked at -> a history, with back and forward. */

import { iconButtons } from "../elements/button.js";
import { html } from "../elements/elements.js";

/** @type {("selected" | "unfolded" | "lens" | "between" | "line")[]} what makes another view; a step does not */
const SEEN = ["selected", "unfolded", "lens", "between", "line"];

/** Two buttons, and the views that they lead to. */
export class Trail {
  #store;
  #viewport;
  /** @type {{ seen: Partial<import("../types.js").Position>, place: import("../viewport/viewport.js").Viewport["place"] }[]} */
  #views;
  #at = 0;
  #buttons;
  actions = { back: () => this.#go(-1), onward: () => this.#go(1) };

  /**
   * @param {import("../types.js").Context} context
   * @param {import("../viewport/viewport.js").Viewport} viewport
   */
  constructor({ store }, viewport) {
    this.#store = store;
    this.#viewport = viewport;
    this.#views = [{ seen: seen(store.moment), place: viewport.place }];
    this.#buttons = iconButtons(["back", "onward"], this.actions);
    this.element = html("div.trail", { role: "group", "aria-label": "What was seen" }, ...this.#buttons);
  }

  /** @param {import("../types.js").Moment} moment that the graph does not show yet */
  show(moment) {
    const view = seen(moment);
    if (String(Object.values(view)) !== String(Object.values(this.#views[this.#at].seen))) {
      this.#leave();
      this.#views.splice(this.#at + 1, Infinity, { seen: view, place: this.#viewport.place });
      this.#at = this.#views.length - 1;
    }
    const ends = [this.#at === 0, this.#at === this.#views.length - 1];
    this.#buttons.forEach((button, index) => button.setAttribute("aria-disabled", String(ends[index])));
    this.element.hidden = this.#views.length < 2;
  }

  /** @param {number} count of views: -1 or 1 */
  #go(count) {
    const view = this.#views[this.#at + count];
    if (!view) return;
    this.#leave();
    this.#at += count;
    this.#store.set(view.seen);
    this.#viewport.restore(view.place);
  }

  #leave() {
    this.#views[this.#at].place = this.#viewport.place;
  }
}

/** @param {import("../types.js").Moment} moment @returns {Partial<import("../types.js").Position>} */
function seen(moment) {
  return Object.fromEntries(SEEN.map((name) => [name, moment[name]]));
}
