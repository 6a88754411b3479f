/** Payload -> the head of the debugger: what is shown, which run, which direction, what to know of the recording. */

import { pressable } from "../elements/button.js";
import { html } from "../elements/elements.js";
import { prose } from "../elements/prose.js";

/** Title, a choice of runs where there are several, "Forward | Backward", and what else is handed in. */
export class Heading {
  #store;
  #directions;
  #runs;
  #lastRun;

  /**
   * @param {import("../types.js").Context} context
   * @param {HTMLElement[]} before the directions
   * @param {HTMLElement[]} after them
   */
  constructor({ payload, store }, before, after) {
    const { runs, title, remark } = payload;
    this.#store = store;
    this.#lastRun = runs.length - 1;
    this.#directions = ["Forward", "Backward"].map((name, backward) =>
      pressable({ class: "choice" }, () => this.#turn(backward), name),
    );
    const options = runs.map(({ label }, index) => html("option", { value: index }, label));
    this.#runs = html("select.runs", { "aria-label": "Run" }, ...options);
    this.#runs.addEventListener("change", () => store.set({ run: Number(this.#runs.value), step: 0 }));
    const one = runs.length === 1 ? html("span.run", { title: runs[0].label }, runs[0].label) : null;
    const row = html(
      "div.heading",
      html("h2", { title }, title),
      runs.length > 1 ? this.#runs : one,
      ...before,
      runs.length
        ? html("div.choices", { role: "group", "aria-label": "Direction" }, ...this.#directions)
        : null,
      ...after,
    );
    this.element = html("div.head", row, remark ? prose(remark) : null);
  }

  /** @param {import("../types.js").Moment} moment */
  show({ run }) {
    if (run >= 0) this.#lastRun = run;
    this.#runs.value = String(this.#lastRun);
    this.#runs.disabled = run < 0;
    this.#directions.forEach((button, backward) => {
      button.setAttribute("aria-pressed", String(run >= 0 === Boolean(backward)));
    });
  }

  /** @param {number} backward 0 or 1 */
  #turn(backward) {
    const run = backward ? this.#lastRun : -1;
    if (run !== this.#store.moment.run) this.#store.set({ run, step: 0 });
  }
}
