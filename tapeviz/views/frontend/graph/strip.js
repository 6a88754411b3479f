/** What a box shows of its value, or of its gradient: a few numbers, or a histogram -> its SVG element. */

import { svg } from "../elements/elements.js";
import { barsOf } from "../elements/heatmap.js";

/** How far a strip is from the sides of its box, more where that is round, and from its lower side; its highest bar. */
const STRIP_SIDE = 10;
const ROUND_SIDE = 18;
const STRIP_FOOT = 7;
const HIGHEST_BAR = 12;

/**
 * @param {import("../types.js").Look} box
 * @param {string} strip as tapeviz/views/words/levels.py writes it: a histogram after a colon, or numbers
 */
export function stripOf({ kind, w, h }, strip) {
  const histogram = strip.startsWith(":");
  if (!histogram) return svg("text", { class: "strip", x: w / 2, y: h - STRIP_FOOT - 1 }, strip);
  const side = kind === "variable" ? ROUND_SIDE : STRIP_SIDE;
  return svg("path", { class: "strip", d: barsOf(strip.slice(1), side, h - STRIP_FOOT, w - 2 * side, HIGHEST_BAR) });
}
