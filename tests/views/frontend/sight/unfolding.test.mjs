import assert from "node:assert/strict";
import { test } from "node:test";

import { toggled } from "../../../../tapeviz/views/frontend/sight/unfolding.js";

/** Groups of 100 boxes each; the last holds one more of 60. */
const groups = [0, 1, 2].map((group) => ({ parent: -1, end: group }));
groups.push({ parent: 2, end: 3 });
groups[2].end = 3;
const boxes = (group, count) => Array.from({ length: count }, () => ({ group, home: group, tensor: null }));
const scene = { groups, nodes: [...boxes(0, 100), ...boxes(1, 100), ...boxes(2, 99), ...boxes(3, 60)] };

test("what is folded unfolds, and folds again", () => {
  assert.deepEqual(toggled(scene, { unfolded: [], tucked: false }, 1), [1]);
  assert.deepEqual(toggled(scene, { unfolded: [0, 1], tucked: false }, 1), [0]);
});

test("a group inside a folded one unfolds with what it is in", () => {
  assert.deepEqual(toggled(scene, { unfolded: [], tucked: false }, 3), [2, 3]);
});

test("before too many boxes are seen, what was unfolded first is folded", () => {
  assert.deepEqual(toggled(scene, { unfolded: [1, 0], tucked: false }, 2), [1, 0, 2]);
  assert.deepEqual(toggled(scene, { unfolded: [1, 0, 2], tucked: false }, 3), [0, 2, 3]);
});

test("a group that is too large by itself stays folded", () => {
  const large = { groups: [{ parent: -1, end: 0 }], nodes: boxes(0, 301) };
  assert.deepEqual(toggled(large, { unfolded: [], tucked: false }, 0), []);
});

test("a parameter that is tucked into its op is no box, as it stands now and not as it did at first", () => {
  const parameters = Array.from({ length: 90 }, (_, box) => [box, 90]);
  const [inner, outer] = [boxes(0, 200), boxes(1, 190)];
  const tucking = { groups: [0, 1].map((end) => ({ parent: -1, end })), nodes: [...inner, ...outer], parameters, tucked: true };
  assert.deepEqual(toggled(tucking, { unfolded: [0], tucked: true }, 1), [0, 1]);
  assert.deepEqual(toggled(tucking, { unfolded: [0], tucked: false }, 1), [1]);
});
