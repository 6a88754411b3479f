import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { stepSentence } from "../../../../tapeviz/views/frontend/words/steps.js";
import { Timeline } from "../../../../tapeviz/views/frontend/timeline/timeline.js";

const payload = (name) => JSON.parse(readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), "utf8"));
const cube = payload("cube");
const mlp = payload("mlp");
const [x, , y] = [0, 1, 2];
const each = (timeline, state) => Array.from({ length: timeline.length + 1 }, (_, step) => state(step));
const states = (timeline, ...boxes) => each(timeline, (step) => timeline.stateOf(boxes, step));
const edgeStates = (timeline, ...edges) => each(timeline, (step) => timeline.stateOfEdges(edges, step));
const index = (id) => cube.scene.nodes.findIndex((node) => node.id === id);
const [first, second] = cube.scene.nodes.flatMap(({ op }, box) => (op === null ? [] : [box]));

test("backward, an op waits, is reached, is active, is done", () => {
  const timeline = new Timeline(cube, 0);
  assert.deepEqual(states(timeline, second), ["reached", "active", "done"]);
  assert.deepEqual(states(timeline, first), ["waiting", "reached", "active"]);
  assert.deepEqual(
    [0, 1, 2, 3].map((step) => cube.ops[timeline.opAt(step)]?.box ?? null),
    [null, second, first, null],
  );
});

test("a use of a variable is active when its own op gives, and done when nothing more comes", () => {
  const timeline = new Timeline(cube, 0);
  assert.deepEqual(states(timeline, index("t0.0")), ["waiting", "waiting", "active"]);
  assert.deepEqual(states(timeline, index("t0.1")), ["waiting", "active", "reached"]);
});

test("a use of a variable that no gradient comes by stays as it is, though another use has one", () => {
  const [run] = cube.runs;
  const timeline = new Timeline({ ...cube, runs: [{ ...run, steps: run.steps.slice(0, 1) }] }, 0);
  assert.deepEqual(states(timeline, index("t0.0")), ["none", "none"]);
  assert.deepEqual(states(timeline, index("t0.1")), ["waiting", "active"]);
});

test("a wire is active in the step that sends a gradient back along it", () => {
  const timeline = new Timeline(cube, 0);
  cube.scene.edges.forEach(({ to }, edge) => {
    const last = to === second;
    assert.deepEqual(edgeStates(timeline, edge), ["waiting", last ? "active" : "waiting", last ? "done" : "active"]);
  });
});

test("forward, leaves are there from the start and ops follow in the order of the program", () => {
  const timeline = new Timeline(cube, -1);
  assert.equal(timeline.length, 2);
  assert.deepEqual(states(timeline, first), ["waiting", "active", "done"]);
  assert.deepEqual(states(timeline, second), ["waiting", "waiting", "active"]);
  assert.deepEqual(states(timeline, index("t0.0")), ["done", "done", "done"]);
});

test("a forward edge is in the state of the op it leads to", () => {
  const timeline = new Timeline(cube, -1);
  cube.scene.edges.forEach(({ to }, edge) => assert.deepEqual(edgeStates(timeline, edge), states(timeline, to)));
});

test("the gradient of x grows from nothing to 27 as the steps go by", () => {
  const timeline = new Timeline(cube, 0);
  assert.equal(timeline.gradientOf(x, 0), null);
  const told = [1, 2].map((step) => timeline.gradientOf(x, step));
  assert.deepEqual(told.map(({ text, parts, final }) => [text, parts, final]), [["9.0", 1, false], ["27.0", 3, true]]); // prettier-ignore
});

test("the seed of the target is there at step 0", () => {
  const { text, parts, final } = new Timeline(cube, 0).gradientOf(y, 0);
  assert.deepEqual([text, parts, final], ["1.0", 0, true]);
});

test("a step is told in words and numbers", () => {
  const timeline = new Timeline(cube, 0);
  assert.deepEqual(
    [1, 2].map((step) => stepSentence(cube, timeline.ruleAt(step))),
    [
      "g = 1.0. To mul: g · x = 1.0 · 3.0 = 3.0. To x: g · mul = 1.0 · 9.0 = 9.0.",
      "g = 3.0. To x: g · x = 3.0 · 3.0 = 9.0, the sum is 18.0. To x: g · x = 3.0 · 3.0 = 9.0, the sum is 27.0.",
    ],
  );
  assert.equal(timeline.ruleAt(0), null);
});

test("where numbers are many, a step is told by their norms", () => {
  const timeline = new Timeline(mlp, 0);
  const matmul = Array.from({ length: timeline.length }, (_, index) => timeline.ruleAt(index + 1)).find(
    ({ title }) => title === "matmul",
  );
  assert.match(stepSentence(mlp, matmul), /^g = norm [\d.]+\. To w2: \S+ᵀ g = norm [\d.]+\.$/);
});

test("a source without a gradient is none, one with a gradient is not, and nothing is forward", () => {
  const { gradients } = mlp.runs[0];
  const none = gradients.find(({ cotangent }) => cotangent === null);
  const some = gradients.find(({ cotangent }) => cotangent !== null);
  assert.ok(new Timeline(mlp, 0).isNone(none.source));
  assert.ok(!new Timeline(mlp, 0).isNone(some.source));
  assert.ok(!new Timeline(mlp, -1).isNone(none.source));
});

test("what no gradient reaches stays so", () => {
  const timeline = new Timeline(mlp, 0);
  const w1 = mlp.scene.nodes.findIndex(({ title }) => title === "w1");
  assert.ok(states(timeline, w1).every((state) => state === "none"));
});

test("what is seen as one is active in all of its steps, and done after the last", () => {
  const both = [first, second];
  assert.deepEqual(states(new Timeline(cube, 0), ...both), ["reached", "active", "active"]);
  assert.deepEqual(states(new Timeline(cube, -1), ...both), ["waiting", "active", "active"]);
  assert.deepEqual(states(new Timeline(cube, 0), index("t0.0"), index("t0.1")), ["waiting", "active", "active"]);
  assert.deepEqual(edgeStates(new Timeline(cube, 0), ...cube.scene.edges.keys()), ["waiting", "active", "active"]);
  assert.deepEqual(
    [0, 1, 2].map((step) => new Timeline(cube, 0).progress(both, step)),
    [[0, 2], [1, 2], [2, 2]], // prettier-ignore
  );
});
