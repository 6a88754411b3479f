/** What a box shows of its value, a few numbers or a histogram, and of its gradient -> SVG elements. */

import { svg } from "../elements/elements.js";
import { barsOf } from "../elements/histogram.js";

/** How far a strip is from the sides of its box, more where that is round, and from its lower side; its highest bar. */
const STRIP_SIDE = 10;
const ROUND_SIDE = 18;
const STRIP_FOOT = 7;
const HIGHEST_BAR = 12;
/** What a strip adds to the height of a box, and its gradient likewise. */
export const STRIP_HEIGHT = 14;

/**
 * @param {Pick<import("../types.js").Look, "kind" | "w" | "h"> & { gradient: boolean }} box
 * @param {string} strip as tapeviz/views/words/levels.py writes it: a histogram after a colon, or numbers
 */
export function stripOf({ kind, w, h, gradient }, strip) {
  const histogram = strip.startsWith(":");
  const foot = h - STRIP_FOOT - (gradient ? STRIP_HEIGHT : 0);
  if (!histogram) return svg("text.strip", { x: w / 2, y: foot - 1 }, strip);
  const side = kind === "variable" ? ROUND_SIDE : STRIP_SIDE;
  return svg("path.strip", { d: barsOf(strip.slice(1), side, foot, w - 2 * side, HIGHEST_BAR) });
}

/** @param {Pick<import("../types.js").Look, "w" | "h">} box @param {string} text of its gradient */
export function gradientOf({ w, h }, text) {
  return svg("text.gradient", { x: w / 2, y: h - STRIP_FOOT - 1 }, text);
}
