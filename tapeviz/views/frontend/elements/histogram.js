/** Letters for the heights of bars -> a histogram. */

import { html, svg } from "./elements.js";

/** The letters, the lowest first, as tapeviz/views/words/levels.py writes them. */
const LEVELS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
const WIDTH = 192;
const HEIGHT = 40;
/** Between the bars of what is below zero, and those of what is above. */
const GAP = 8;

/**
 * The sizes of the elements on a log scale, those below zero to the left; where these are not known, the elements from the
 * least to the greatest.
 *
 * @param {import("../types.js").Tensor | undefined} tensor
 * @param {string} label
 * @returns {HTMLElement | null}
 */
export function histogram(tensor, label) {
  const { spread, histogram, statistics } = tensor ?? {};
  if (!spread) {
    const [low, high] = statistics?.split(",") ?? [];
    return histogram ? barsIn(`${label}: histogram from ${low} to ${high}`, [low, high], [["above", histogram]]) : null;
  }
  const { above, below, least, most } = spread;
  const ends = below ? [`−${most}`, `±${least}`, most] : [least, most];
  const sides = [...(below ? [["below", [...below].reverse().join("")]] : []), ["above", above]];
  const signs = below ? `, below zero from −${most} to −${least}` : "";
  return barsIn(`${label}: histogram on a log scale from ${least} to ${most}${signs}`, [...ends], sides);
}

/**
 * @param {string} label
 * @param {string[]} ends
 * @param {string[][]} sides their names and letters
 */
function barsIn(label, ends, sides) {
  const wide = (WIDTH - GAP * (sides.length - 1)) / sides.length;
  const paths = sides.map(([side, letters], index) => svg("path", { "data-side": side, d: barsOf(letters, index * (wide + GAP), HEIGHT, wide, HEIGHT) }));
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label }, ...paths);
  return html("div.histogram", picture, ...ends.map((end) => html("span", end)));
}

/**
 * The outline of a histogram, as `bars` in tapeviz/views/drawing/picture.py.
 *
 * @param {string} letters
 * @param {number} left
 * @param {number} foot
 * @param {number} width
 * @param {number} highest
 */
export function barsOf(letters, left, foot, width, highest) {
  const wide = width / letters.length;
  const tops = [...letters].map((letter) => foot - (highest * LEVELS.indexOf(letter)) / (LEVELS.length - 1));
  return `M${left} ${foot}${tops.map((top) => `V${top.toFixed(1)}h${wide.toFixed(2)}`).join("")}V${foot}z`;
}
