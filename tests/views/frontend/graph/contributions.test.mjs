import assert from "node:assert/strict";
import { test } from "node:test";

import { placesOf } from "../../../../tapeviz/views/frontend/graph/contributions.js";

const upright = (x) => ({ text: "norm 0.25", side: 1, at: (share) => ({ x, y: 100 * share }) });

test("what one wire carries is told beside its middle", () => {
  const [{ share, side }] = placesOf([upright(0)], [], []);
  assert.deepEqual([share, side], [0.45, 1]);
});

test("a word goes to the other side before it lies across a wire", () => {
  const [first, second] = placesOf([upright(0), upright(40)], [], []);
  assert.deepEqual([first.side, second.side], [-1, 1]);
});

test("nor does it lie across a wire that carries nothing", () => {
  const other = { left: 30, top: -20, right: 30, bottom: 120 };
  const [{ side }] = placesOf([upright(0)], [], [other]);
  assert.equal(side, -1);
});

test("words between two walls stand one above the other", () => {
  const walls = [-90, 100].map((left) => ({ left, top: 0, right: left + 80, bottom: 100 }));
  const [first, second] = placesOf([upright(0), upright(2)], walls, []);
  assert.equal(first.side, second.side);
  assert.notEqual(first.share, second.share);
});

test("a word stands above or below a wire that lies flat", () => {
  const flat = { text: "28.0", side: 1, at: (share) => ({ x: 200 * share, y: 0 }) };
  const [{ drop, area }] = placesOf([flat], [], []);
  assert.notEqual(drop, 0);
  assert.ok(area.top > 0 || area.bottom < 0);
});

test("a word stands clear of the head of a wire", () => {
  const other = { text: "norm 0.25", side: 1, at: (share) => ({ x: 20, y: 36 - 100 * share }) };
  const [{ side }] = placesOf([upright(0), other], [], []);
  assert.equal(side, -1);
});
