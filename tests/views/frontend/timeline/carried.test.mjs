import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { makersOf, sentIn, tensorsOf } from "../../../../tapeviz/views/frontend/timeline/carried.js";

const cube = JSON.parse(readFileSync(new URL("../fixtures/cube.json", import.meta.url), "utf8"));
const { ops, scene, runs } = cube;

test("an op made what its box carries; a leaf was made by none", () => {
  const makers = makersOf(ops);
  const made = scene.nodes.map((node) => tensorsOf(ops, node).map((tensor) => makers.get(tensor) ?? null));
  assert.deepEqual(made, scene.nodes.map(({ op }) => [op]));
});

test("along an edge goes the cotangent of its slot; along none before there is a run", () => {
  const sent = sentIn(runs[0]);
  const steps = new Map(runs[0].steps.map(({ op, sent }) => [op, sent]));
  for (const edge of scene.edges) assert.equal(sent(edge), steps.get(edge.position)[edge.slot].cotangent);
  assert.deepEqual([...new Set(scene.edges.map(sentIn(null)))], [undefined]);
});
