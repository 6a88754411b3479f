/** Payload, run and tensor -> what each rank brought to the reduction of its gradient, and what that left. */

import { html } from "../elements/elements.js";
import { written } from "../words/numbers.js";

/** Where a step of one rank crosses to the others. */
export class Meetings {
  /** @type {Map<string, import("../types.js").Meeting>} */
  #of;

  /** @param {import("../types.js").Payload} payload */
  constructor({ ranks }) {
    this.#of = new Map(ranks?.meetings.map((each) => [`${each.run}.${each.tensor}`, each]));
  }

  /**
   * @param {number} run
   * @param {number} tensor whose gradient is complete
   * @returns {HTMLElement | null} null where it meets none
   */
  at(run, tensor) {
    const found = this.#of.get(`${run}.${tensor}`);
    if (!found) return null;
    const { by, shares, left } = found;
    const rows = shares.map(({ of, text }) => html("li.row", html("span.label", of), amount(text)));
    return html(
      "div.meeting",
      { role: "group", "aria-label": "Across ranks" },
      html("ul", ...rows),
      html("p.row", html("span.label", "meet in ", html("code", by)), amount(left)),
    );
  }
}

/** @param {string} text */
function amount(text) {
  return html("span.value", written(text));
}
