/** A grid of levels -> a small heat map. */

import { html } from "./elements.js";

/** The letters of a heat map, the least first, as tapeviz/views/numbers.py writes them. */
const LEVELS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";

/**
 * @param {import("./types.js").Grid | null | undefined} grid a letter for the level of each cell; a space: not finite
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
