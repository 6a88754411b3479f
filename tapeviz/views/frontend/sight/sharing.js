/**
 * What is seen, a box for every use of a leaf -> the same, with one box for all uses where that crosses no wire.
 *
 * The same program as tapeviz/views/scene/sharing.py, where the reasons are told, and its twin.
 */

import { joinWires } from "./fold.js";

/** In a picture of more boxes, every use of a leaf has one of its own. */
const MOST_SHARING = 40;

/** @typedef {import("./fold.js").Folded} Folded */
/** @typedef {import("./nest.js").Nested} Nested */

/**
 * @param {Folded} folded
 * @param {(string | null)[]} looks for every box, what uses of one leaf have in common that look the same
 * @param {[number, number][]} wires
 * @param {import("./fold.js").FoldSpan[]} groups
 * @param {(folded: Folded) => Nested} place
 * @returns {[Folded, Nested]}
 */
export function share(folded, looks, wires, groups, place) {
  /** @type {[Folded, Nested]} */
  let best = [folded, place(folded)];
  if (folded.seen.length > MOST_SHARING) return best;
  /** @type {Map<string, number[]>} */
  const uses = new Map();
  for (const { box, group } of folded.seen) {
    const look = group < 0 ? looks[box] : null;
    if (look !== null) uses.set(look, [...(uses.get(look) ?? []), box]);
  }
  for (const boxes of uses.values()) {
    if (boxes.length < 2) continue;
    const shared = asOne(best[0], boxes, wires, groups);
    const placed = place(shared);
    if (placed.crossings <= best[1].crossings) best = [shared, placed];
  }
  return best;
}

/** @param {Folded} folded @param {number[]} boxes @param {[number, number][]} wires @param {import("./fold.js").FoldSpan[]} groups */
function asOne({ seen, ofBox }, boxes, wires, groups) {
  const uses = boxes.map((box) => ofBox[box]);
  const parent = uses.map((use) => seen[use].parent).reduce((one, other) => innermostAround(groups, one, other));
  /** @type {Folded} */
  const found = { seen: [], ofBox: [], wires: [] };
  /** @type {number[]} */
  const numbers = [];
  seen.forEach((each, index) => {
    const known = uses.indexOf(index);
    if (known > 0) return void numbers.push(numbers[uses[0]]);
    numbers.push(found.seen.push(known === 0 ? { ...each, parent } : each) - 1);
  });
  found.ofBox = ofBox.map((index) => numbers[index]);
  joinWires(found, wires);
  return found;
}

/** @param {import("./fold.js").FoldSpan[]} groups @param {number} one @param {number} other */
function innermostAround(groups, one, other) {
  while (one !== other) {
    if (one > other) one = groups[one].parent;
    else other = groups[other].parent;
  }
  return one;
}
