/** A sign and a place -> the mark that is pressed to unfold a group, or to fold it again. */

import { svg } from "../elements/elements.js";

/** Its width, with the space beside it. */
export const MARK_ROOM = 22;

/**
 * @param {"+" | "−"} sign
 * @param {number} x of its middle
 * @param {number} y
 */
export function foldMark(sign, x, y) {
  return svg(
    "g.fold-mark",
    { "aria-hidden": "true" },
    svg("circle", { cx: x, cy: y, r: 7.5 }),
    svg("path", { d: `M${x - 3.5} ${y}h7${sign === "+" ? `M${x} ${y - 3.5}v7` : ""}` }),
  );
}
