import assert from "node:assert/strict";
import { test } from "node:test";
import { bisectRight, popHeap, pushHeap } from "../../../../tapeviz/views/frontend/layout/bisect.js";
import { layout } from "../../../../tapeviz/views/frontend/layout/layout.js";

const boxes = (count) => Array.from({ length: count }, () => ({ width: 40, height: 20 }));

test("a chain is a straight column, however long", () => {
  const edges = Array.from({ length: 99_999 }, (_, i) => [i, i + 1]);
  const placed = layout(boxes(100_000), edges);
  assert.equal(new Set(placed.x).size, 1);
  assert.ok(placed.edges.every((line) => line.length === 2));
});

test("an edge over a layer goes round the box in it", () => {
  const placed = layout(boxes(3), [[0, 1], [1, 2], [0, 2]]);
  const [, , round] = placed.edges;
  assert.ok(round.slice(1, -1).every(([x]) => Math.abs(x - placed.x[1]) > 20));
});

test("nothing is laid out as nothing", () => {
  assert.deepEqual(layout([], []), { x: [], y: [], edges: [], width: 0, height: 0, crossings: 0 });
});

test("cycles and edges to nowhere are refused and named", () => {
  assert.throws(() => layout(boxes(3), [[0, 1], [1, 2], [2, 1]]), /cycle through the nodes \[(1, 2|2, 1)\]/);
  assert.throws(() => layout(boxes(1), [[0, 0]]), /cycle through the nodes \[0\]/);
  assert.throws(() => layout(boxes(2), [[0, 2]]), /edge 0 joins nodes 0 and 2, but there are 2 nodes/);
});

test("a heap gives numbers back in order", () => {
  const numbers = Array.from({ length: 200 }, (_, i) => (i * 7919) % 101);
  const heap = [];
  for (const value of numbers) pushHeap(heap, value);
  const sorted = numbers.map(() => popHeap(heap));
  assert.deepEqual(sorted, [...numbers].sort((a, b) => a - b));
});

test("a value is inserted after its equals", () => {
  assert.deepEqual([0, 1, 2, 3].map((value) => bisectRight([1, 1, 2], value)), [0, 2, 3, 3]);
});
