/** A moment -> what the looks of the boxes mean, and a choice of what they show. */

import { pressable } from "../elements/button.js";
import { html } from "../elements/elements.js";
import { lookingAt } from "../sight/unfolding.js";
import { lensesOf, predicted } from "../timeline/lens.js";

const STATES = { waiting: "waiting", reached: "has a gradient", active: "this step", done: "done" };
/**
 * What a picture may have besides, and the word for it.
 *
 * @type {[look: string, word: string, has: (node: import("../types.js").Box) => boolean][]}
 */
const LOOKS = [
  ["none", "None", ({ flags }) => flags.includes("none")],
  ["variable", "variable", ({ kind }) => kind === "variable"],
  ["constant", "constant", ({ kind }) => kind === "constant"],
  ["state", "written into a variable", ({ kind }) => kind === "state"],
  ["faint", "no gradient passes", ({ flags }) => flags.includes("dead") || flags.includes("skipped")],
];

/** The lenses that show in which way boxes are odd; the others have a scale. */
const OF_ODDITIES = ["health", "ranks"];

/** The states of a step; or the ends of the scale of a lens; or how many boxes are odd in which way. */
export class Legend {
  #choice;
  #states;
  #reached;
  #odd = html("ul", { "aria-label": "Legend" });
  #low = html("span");
  #high;
  #scale;
  #peak = -1;
  #shown = "";
  #look;

  /** @param {import("../types.js").Context} context */
  constructor({ payload, store }) {
    this.#look = (/** @type {number} */ box) => store.set(lookingAt(payload.scene, store.moment, box));
    this.#high = pressable({ title: "Show the box that has the most" }, () => this.#look(this.#peak));
    this.#scale = html("p.scale", this.#low, html("i"), this.#high);
    const options = lensesOf(payload).map(([lens, word]) => html("option", { value: lens }, word));
    this.#choice = html("select.lens", ...options);
    this.#choice.addEventListener("change", () => store.set({ lens: this.#choice.value }));
    const items = Object.entries(STATES).map(([state, word]) => html("li", { "data-state": state }, word));
    const looks = LOOKS.filter(([, , has]) => payload.scene.nodes.some(has)).map(([look, word]) => html("li", { "data-look": look }, word)); // prettier-ignore
    this.#states = html("ul", { "aria-label": "Legend" }, ...items, ...looks);
    this.#reached = /** @type {HTMLElement} */ (this.#states.querySelector('[data-state="reached"]'));
    this.element = html("div.legend", html("label", "Boxes show ", this.#choice), this.#states, this.#scale, this.#odd);
  }

  /** @param {import("../types.js").Moment} moment */
  show(moment) {
    const { lens, run, measured } = moment;
    const told = !predicted(moment);
    this.#choice.value = lens;
    this.#states.hidden = lens !== "steps";
    this.#reached.textContent = run < 0 ? "has a value" : STATES.reached;
    const isOdd = OF_ODDITIES.includes(lens);
    this.#odd.hidden = !told || !isOdd;
    this.#scale.hidden = !told || lens === "steps" || isOdd;
    if (!measured || this.#shown === `${lens}.${run}`) return;
    this.#shown = `${lens}.${run}`;
    const { low, high, peak, odd } = measured;
    this.#low.textContent = low;
    this.#high.textContent = high;
    this.#high.hidden = peak < 0;
    this.#peak = peak;
    this.#odd.replaceChildren(...odd.map((each) => html("li", { "data-odd": each.kind }, this.#count(each))));
  }

  /** How many boxes are odd in one way; pressed, it shows the first. @param {{ text: string, first: number }} odd */
  #count({ text, first }) {
    return first < 0 ? text : pressable({ title: "Show the first of them" }, () => this.#look(first), text);
  }
}
