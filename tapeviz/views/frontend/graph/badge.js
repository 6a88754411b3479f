/** A word -> a pill with it, on a wire or at a corner of a box: a badge to the right, a sign to the left. */

import { attribute, svg } from "../elements/elements.js";
import { PILL_HEIGHT } from "../sight/spots.js";

/** A sign stands out to the left of its box and above it, and keeps so far from the arrow that comes in at the middle. */
const SIGN_OUT = 5;
const SIGN_UP = -3;
const BESIDE_ARROW = 8;

/**
 * A word in a pill, about a point.
 *
 * @param {string} word
 * @param {number} x
 * @param {number} y
 */
export function badgeAt(word, x, y) {
  const pill = svg("rect", { y: -PILL_HEIGHT / 2, height: PILL_HEIGHT, rx: PILL_HEIGHT / 2 });
  return svg("g.badge", { transform: `translate(${x} ${y})` }, pill, svg("text", { y: 3.5 }, word));
}

/** @param {SVGElement | null} badge whose pill is to be as wide as its word @returns {number} how wide that is */
export function settleBadge(badge) {
  if (!badge) return 0;
  const [pill, text] = /** @type {[SVGRectElement, SVGTextElement]} */ ([...badge.children]);
  const width = text.getComputedTextLength() + 14;
  attribute(pill, "x", -width / 2);
  attribute(pill, "width", width);
  return width;
}

/** @param {import("../words/signs.js").Sign} sign of a box, to be settled */
export function signBadge({ text, words }) {
  const pill = badgeAt(text, 0, SIGN_UP);
  for (const [name, value] of Object.entries({ class: "sign", role: "img", "aria-label": words })) attribute(pill, name, value);
  return pill;
}

/** @param {SVGElement | null} pill of a sign, which is to stand where it belongs @param {{ x: number, w: number }} box */
export function settleSign(pill, { x, w }) {
  if (!pill) return;
  const width = settleBadge(pill);
  const left = Math.max(1 - x, Math.min(-SIGN_OUT, w / 2 - BESIDE_ARROW - width));
  attribute(pill, "transform", `translate(${left + width / 2} ${SIGN_UP})`);
}
