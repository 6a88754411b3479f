/** Places of the ends of segments -> how many of the segments cross. */

import { bisectRight } from "./bisect.js";

/**
 * Pairs of segments that cross, given where the segments of every vertex of a layer, left to right, end below.
 * @param {number[][]} fans
 */
export function crossingsOf(fans) {
  /** @type {number[]} */
  const met = [];
  let total = 0;
  for (const ends of fans) {
    for (const end of ends) total += met.length - bisectRight(met, end);
    for (const end of ends) met.splice(bisectRight(met, end), 0, end);
  }
  return total;
}

/**
 * Pairs (a of left, b of right) with a > b; both ascending.
 * @param {number[]} left
 * @param {number[]} right
 */
export function inversionsOf(left, right) {
  if (!left.length || !right.length || left[left.length - 1] <= right[0]) return 0;
  let total = 0;
  let smaller = 0;
  for (const a of left) {
    while (smaller < right.length && right[smaller] < a) smaller += 1;
    total += smaller;
  }
  return total;
}
