import assert from "node:assert/strict";
import { test } from "node:test";

import { calloutPlace } from "../../../../tapeviz/views/frontend/graph/callout.js";
import { overlaps } from "../../../../tapeviz/views/frontend/sight/areas.js";

const NOTE = { width: 200, height: 60 };
const VIEW = { width: 1000, height: 600 };
const area = (left, top, right, bottom) => ({ left, top, right, bottom });
const OWN = area(450, 270, 550, 330);

/** Where it stands, and what of the areas it covers. */
function stands(taken, lines) {
  const [left, top] = calloutPlace(NOTE, VIEW, OWN, [OWN, ...taken], lines).at;
  const own = area(left, top, left + NOTE.width, top + NOTE.height);
  return { left, top, covered: [OWN, ...taken].filter((each) => overlaps(own, each)), crossed: lines.filter((each) => overlaps(own, each)) };
}

test("a note stands right of its box where nothing else does", () => {
  assert.deepEqual(stands([], []), { left: 568, top: 270, covered: [], crossed: [] });
});

test("it gives way to a box, and to a wire, however far it has to go", () => {
  const right = area(560, 0, 1000, 600);
  assert.deepEqual(stands([right], []), { left: 232, top: 270, covered: [], crossed: [] });
  const lines = [area(0, 265, 449, 335), area(450, 331, 1000, 600), area(450, 90, 1000, 269), area(0, 90, 449, 264), area(551, 270, 1000, 330)];
  const { covered, crossed, top } = stands([], lines);
  assert.deepEqual([covered, crossed], [[], []]);
  assert.ok(top <= 30 || top >= 336);
});

test("where nothing is free it covers wires, as few as there are, and no box", () => {
  const boxes = [area(0, 0, 440, 600), area(560, 0, 1000, 600), area(440, 0, 560, 200)];
  const { covered } = stands(boxes, []);
  assert.equal(covered.length, 1);
  const wires = [area(0, 0, 1000, 265), area(0, 335, 1000, 600), area(0, 336, 1000, 600), area(0, 266, 449, 334), area(551, 266, 1000, 334)];
  const { covered: none, crossed } = stands([], wires);
  assert.deepEqual([none, crossed.length], [[], 1]);
});
