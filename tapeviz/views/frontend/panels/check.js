/** A moment -> the Check button of its step, and what finite differences say beside each contribution. */

import { pressable } from "../elements/button.js";
import { attribute, html } from "../elements/elements.js";

const AGREES = "Finite differences agree.";
const DIFFERS = "Finite differences do not agree.";

/** Asks once for each step; what it was told stays until the program runs anew. */
export class Check {
  #ask;
  #button;
  #status = html("p.check-status", { role: "status" });
  /** @type {Map<string, { text: string, comparisons?: import("../types.js").Checked["comparisons"] }>} by "run.step" */
  #told = new Map();
  /** @type {Map<number, HTMLElement>} slot -> where to write */
  #spots = new Map();
  #key = "";

  /** @param {import("../types.js").Context} context */
  constructor({ ask }) {
    this.#ask = ask;
    const title = "Compare this step with finite differences";
    this.#button = pressable({ class: "check", title }, () => this.#press(), "Check");
  }

  /**
   * The button and what came of it, for a step whose contributions are about to be written; null on a saved page, as a
   * check runs the op again.
   *
   * @param {import("../types.js").Moment} moment
   */
  at({ run, step }) {
    this.#key = `${run}.${step}`;
    this.#spots.clear();
    this.#status.replaceChildren();
    if (!this.#ask) return null;
    return html("div.checking", this.#button, this.#status);
  }

  /** @param {number} slot of a contribution */
  spot(slot) {
    const spot = html("p.verdict", { hidden: true });
    this.#spots.set(slot, spot);
    return spot;
  }

  /** Write what is known of the step, once its contributions are there. */
  show() {
    const told = this.#told.get(this.#key);
    if (!told) return;
    this.#status.textContent = told.text;
    for (const { slot, verdict, text } of told.comparisons ?? []) {
      const spot = this.#spots.get(slot);
      if (!spot) continue;
      spot.textContent = text;
      attribute(spot, "data-verdict", verdict);
      spot.hidden = false;
    }
  }

  async #press() {
    const key = this.#key;
    const [run, step] = key.split(".").map(Number);
    if (!this.#told.get(key)?.comparisons) await this.#inquire(key, run, step);
    if (key === this.#key) this.show();
  }

  /**
   * @param {string} key
   * @param {number} run
   * @param {number} step
   */
  async #inquire(key, run, step) {
    this.#told.set(key, { text: "Checking…" });
    this.show();
    try {
      const told = await this.#ask?.({ ask: "check", run, step });
      if (told) this.#told.set(key, { text: told.agrees ? AGREES : DIFFERS, comparisons: told.comparisons });
    } catch (error) {
      this.#told.set(key, { text: /** @type {Error} */ (error).message });
    }
  }
}
