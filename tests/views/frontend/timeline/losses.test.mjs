import assert from "node:assert/strict";
import { test } from "node:test";

import { lossesOf } from "../../../../tapeviz/views/frontend/timeline/losses.js";

/* w -> a (op 0) -> b (op 1, in a loop with op 2) -> c (op 2) -> loss (op 3), and w -> loss (op 3) by a smaller part. */
const [W, A, B, C, LOSS] = [0, 1, 2, 3, 4];
const op = (kind, site, inputs, output) => ({ kind, site, inputs, outputs: [output] });
const ops = { 0: op(0, 5, [W], A), 1: op(1, 6, [A], B), 2: op(1, 6, [B], C), 3: op(2, 7, [C, W], LOSS) };
const norms = { 10: 1, 11: 0.8, 12: 0.001, 13: 0.08, 14: 0.008, 15: 0.004, 16: 0.005 };
const number = (value) => ({ shape: "()", value: String(value), statistics: null });
const tensors = Object.fromEntries(Object.entries(norms).map(([id, norm]) => [id, number(norm)]));
const step = (of, upstream, ...cotangents) => ({ op: of, upstream: [upstream], sent: cotangents.map((cotangent, slot) => ({ slot, cotangent })) });
const steps = [step(3, 10, 11, 12), step(2, 11, 13), step(1, 13, 14), step(0, 14, 15)];
const run = { steps, gradients: [{ source: W, cotangent: 16 }] };

test("on the path that most of a gradient took, ops at one place are told as one, and little losses are not", () => {
  const { part, losses } = lossesOf({ tensors, ops }, run, W);
  assert.equal(part, 0.005);
  assert.deepEqual(losses.map(({ op, steps }) => [op, steps]), [[1, 2]]); // op 3 leaves 0.8, op 0 half
  assert.ok(Math.abs(losses[0].left - 0.01) < 1e-9);
});

test("what the largest gradient passed, too, is left out, unless all was lost there", () => {
  const [V, ALIKE] = [5, 6]; // v -> c, and alike -> loss, which share what is lost at op 3
  const more = { ...ops, 3: op(2, 7, [C, W, ALIKE], LOSS), 2: op(1, 6, [B, V], C) };
  const sizes = Object.fromEntries(Object.entries({ ...norms, 11: 0.2, 13: 0.02, 17: 0.18, 18: 0.1 }).map(([id, norm]) => [id, number(norm)]));
  const passes = [step(3, 10, 11, 12, 18), step(2, 11, 13, 17), step(1, 13, 14), step(0, 14, 15)];
  const all = { steps: passes, gradients: [{ source: W, cotangent: 16 }, { source: V, cotangent: 17 }, { source: ALIKE, cotangent: 18 }] };
  const told = (/** @type {number} */ source) => lossesOf({ tensors: sizes, ops: more }, all, source).losses.map(({ op }) => op);
  assert.deepEqual([told(W), told(V), told(ALIKE)], [[1], [3], [3]]);
});

test("nothing is told of a tensor that no gradient reaches, nor of numbers that are not known", () => {
  assert.deepEqual(lossesOf({ tensors, ops }, run, LOSS).losses, []);
  assert.equal(lossesOf({ tensors, ops }, run, B).part, 0); // no source of the run
  assert.deepEqual(lossesOf({ tensors: {}, ops }, run, W).losses, []);
  assert.ok(Number.isNaN(lossesOf({ tensors: {}, ops }, run, W).part));
});
