import assert from "node:assert/strict";
import { test } from "node:test";

import { curve, strokeCurve } from "../../../../tapeviz/views/frontend/graph/curves.js";

test("in one column an edge is a straight line", () => {
  assert.equal(
    curve([
      [5, 0],
      [5, 20],
      [5, 40],
    ]),
    "M5 0V20V40",
  );
});

test("from column to column it is an S that leaves and arrives along the flow", () => {
  assert.equal(
    curve([
      [0, 0],
      [10, 40],
    ]),
    "M0 0C0 20 10 20 10 40",
  );
});

test("on a canvas it is the same path", () => {
  const drawn = [];
  const pen = Object.fromEntries(["moveTo", "lineTo", "bezierCurveTo"].map((name) => [name, (...at) => drawn.push([name, ...at])])); // prettier-ignore
  const points = [[0, 0], [10, 40], [10, 60]]; // prettier-ignore
  strokeCurve(pen, points);
  assert.deepEqual(drawn, [["moveTo", 0, 0], ["bezierCurveTo", 0, 20, 10, 20, 10, 40], ["lineTo", 10, 60]]); // prettier-ignore
});

test("where the flow runs to the right, so do its straight lines and the ends of its S", () => {
  assert.equal(curve([[0, 5], [20, 5], [60, 25]], true), "M0 5H20C40 5 40 25 60 25"); // prettier-ignore
});
