/** A grid of levels -> a small heat map; a row of levels -> a histogram. */

import { html, svg } from "./elements.js";

/** The letters of a heat map, the least first, as tapeviz/views/words/levels.py writes them. */
const LEVELS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";

/**
 * @param {import("../types.js").Grid | null | undefined} grid a letter for the level of each cell; a space: not finite
 * @param {string} label
 * @returns {HTMLElement | null}
 */
export function heatmap(grid, label) {
  if (!grid) return null;
  const cells = [...grid.levels].map((letter) => {
    const level = LEVELS.indexOf(letter) / (LEVELS.length - 1);
    return html("i", level < 0 ? { "data-odd": true } : { style: `--level:${Math.round(100 * level)}%` });
  });
  const { rows, cols } = grid;
  const style = `--columns:${cols};--rows:${rows}`;
  return html(
    "div",
    { class: "heatmap", role: "img", "aria-label": `${label}: ${rows} by ${cols} cells`, style },
    ...cells,
  );
}

const HISTOGRAM_WIDTH = 192;
const HISTOGRAM_HEIGHT = 40;

/**
 * @param {import("../types.js").Tensor | undefined} tensor
 * @param {string} label
 * @returns {HTMLElement | null}
 */
export function histogram(tensor, label) {
  if (!tensor?.histogram) return null;
  const [low, high] = tensor.statistics?.split(",") ?? [];
  const [width, height] = [HISTOGRAM_WIDTH, HISTOGRAM_HEIGHT];
  const bars = svg("path", { d: barsOf(tensor.histogram, 0, height, width, height) });
  const picture = svg("svg", { width, height, role: "img", "aria-label": `${label}: histogram from ${low} to ${high}` }, bars);
  return html("div", { class: "histogram" }, picture, html("span", {}, low), html("span", {}, high));
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
