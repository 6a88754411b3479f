import assert from "node:assert/strict";
import { test } from "node:test";

import { endsOf, parameterRows, sortedRows } from "../../../../tapeviz/views/frontend/timeline/parameters.js";

const card = (name, shape, value, statistics) => ({ name, shape, value, statistics });
const tensors = {
  0: card("a.0.weight", "(2, 2)", null, null),
  1: card("a.10.weight", "(2, 2)", null, null),
  2: card("b.2.bias", "()", "1.0", null),
  3: card("loss", "()", "4.0", null),
  4: card("none", "(2,)", null, null),
  10: card("", "(2, 2)", null, "-1,3,0.5,3.5,2"),
  11: card("", "(2, 2)", null, ",,,0.02"),
  12: card("", "()", "-0.25", null),
  13: card("", "()", "1.0", null),
};
const run = {
  targets: [3],
  gradients: [[0, 10, 0.01], [1, 11, null], [2, 12, null], [3, 13, null], [4, null, null]].map(
    ([source, cotangent, update]) => ({ source, cotangent, update }),
  ),
};
const rows = parameterRows({ tensors }, run);
const names = (found) => found.map(({ name }) => name);

test("a row tells norm, ends, zeros and update of a gradient; the target, whose gradient is the seed, has none", () => {
  assert.deepEqual(names(rows), ["a.0.weight", "a.10.weight", "b.2.bias", "none"]);
  const [{ norm, min, max, zeros, update }] = rows;
  assert.deepEqual([norm, min, max, zeros, update], [3.5, -1, 3, 0.5, 0.01]);
  assert.deepEqual(rows.map(({ text }) => text), ["norm 3.5", "norm 0.02", "−0.25", "None"]);
  assert.deepEqual([rows[2].norm, rows[2].min, rows[2].zeros], [0.25, -0.25, 0]);
  assert.ok(rows[3].none && Number.isNaN(rows[3].norm));
});

test("rows are sorted by a column, rising or falling, what is not known last", () => {
  assert.deepEqual(names(sortedRows(rows, "", "norm", false)), ["a.10.weight", "b.2.bias", "a.0.weight", "none"]);
  assert.deepEqual(names(sortedRows(rows, "", "norm", true)), ["a.0.weight", "b.2.bias", "a.10.weight", "none"]);
  assert.equal(sortedRows(rows, "", "update", true)[0].name, "a.0.weight");
});

test("names are sorted as their numbers count, and filtered by words", () => {
  assert.deepEqual(names(sortedRows(rows, "weight", "name", false)), ["a.0.weight", "a.10.weight"]);
  assert.deepEqual(names(sortedRows(rows, "10 WEIGHT", "name", false)), ["a.10.weight"]);
});

test("the ends are the smallest and the largest that are not zero", () => {
  assert.deepEqual(names(endsOf(rows)), ["a.10.weight", "a.0.weight"]);
  assert.deepEqual(endsOf(rows.slice(0, 1)), []);
});
