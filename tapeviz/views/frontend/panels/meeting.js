/** Payload -> of a gradient in a run what each rank brought to where it meets those of others, and what that left. */

import { html } from "../elements/elements.js";
import { written } from "../words/numbers.js";

/**
 * Where a step of one rank crosses to the others.
 *
 * @param {import("../types.js").Payload} payload
 * @returns {(run: number, tensor: number) => HTMLElement | null} of a tensor whose gradient is complete, or a seed; null
 *   where it meets none
 */
export function meetingsOf({ meetings }) {
  const known = new Map(meetings?.map((each) => [`${each.run}.${each.tensor}`, each]));
  return (run, tensor) => {
    const found = known.get(`${run}.${tensor}`);
    return found ? meeting(found) : null;
  };
}

/** @param {import("../types.js").Meeting} found */
function meeting({ by, shares, left }) {
  const rows = shares.map(({ of, text }) => html("li.row", html("span.label", of), amount(text)));
  return html(
    "div.meeting",
    { role: "group", "aria-label": "Across ranks" },
    html("ul", ...rows),
    html("p.row", html("span.label", "meet in ", html("code", by)), amount(left)),
  );
}

/** @param {string} text */
function amount(text) {
  return html("span.value", written(text));
}
