/** A moment -> what the looks of the boxes mean, and a choice of what they show. */

import { html } from "../elements/elements.js";
import { ODDITIES } from "../timeline/health.js";
import { LENSES } from "../timeline/lens.js";
import { grouped } from "../words/numbers.js";

const STATES = { waiting: "waiting", reached: "has a gradient", active: "this step", done: "done", none: "None" };

/** The states of a step; or the ends of the scale of a lens; or how many boxes are odd in which way. */
export class Legend {
  #choice;
  #states;
  #odd = html("ul", { "aria-label": "Legend" });
  #low = html("span", {});
  #high = html("span", {});
  #scale = html("p", { class: "scale" }, this.#low, html("i", {}), this.#high);
  #shown = "";

  /** @param {import("../types.js").Context} context */
  constructor({ store, signal }) {
    const options = Object.entries(LENSES).map(([lens, word]) => html("option", { value: lens }, word));
    this.#choice = html("select", { class: "lens", "aria-label": "Boxes show" }, ...options);
    this.#choice.addEventListener("change", () => store.set({ lens: this.#choice.value }), { signal });
    const items = Object.entries(STATES).map(([state, word]) => html("li", { "data-state": state }, word));
    this.#states = html("ul", { "aria-label": "Legend" }, ...items);
    this.element = html("div", { class: "legend" }, this.#choice, this.#states, this.#scale, this.#odd);
  }

  /** @param {import("../types.js").Moment} moment */
  show({ lens, run, measured }) {
    this.#choice.value = lens;
    this.#states.hidden = lens !== "steps";
    this.#odd.hidden = lens !== "health";
    this.#scale.hidden = lens === "steps" || lens === "health";
    if (!measured || this.#shown === `${lens}.${run}`) return;
    this.#shown = `${lens}.${run}`;
    const { low, high, counts } = measured;
    this.#low.textContent = low;
    this.#high.textContent = high;
    this.#odd.replaceChildren(...counts.map((count, index) => html("li", { "data-odd": ODDITIES[index] }, `${grouped(count)} ${ODDITIES[index]}`))); // prettier-ignore
  }
}
