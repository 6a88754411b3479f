import assert from "node:assert/strict";
import { test } from "node:test";

import { placesOf } from "../../../../tapeviz/views/frontend/graph/contributions.js";

const upright = (x) => ({ text: "norm 0.25", side: 1, across: false, at: (share) => ({ x, y: 100 * share }) });
const flat = (y, length) => ({ text: "norm 0.25", side: 1, across: true, at: (share) => ({ x: length * share, y }) });

test("what one wire carries is told beside its middle", () => {
  const [{ share, right, anchor }] = placesOf([upright(0)], [], []);
  assert.deepEqual([share, right, anchor], [0.45, 10, "start"]);
});

test("a word goes to the other side before it lies across a wire", () => {
  const [first, second] = placesOf([upright(0), upright(40)], [], []);
  assert.deepEqual([first.anchor, second.anchor], ["end", "start"]);
});

test("nor does it lie across a wire that carries nothing", () => {
  const other = { left: 30, top: -20, right: 30, bottom: 120 };
  const [{ right }] = placesOf([upright(0)], [], [other]);
  assert.equal(right, -10);
});

test("words between two walls stand one above the other", () => {
  const walls = [-90, 100].map((left) => ({ left, top: 0, right: left + 80, bottom: 100 }));
  const [first, second] = placesOf([upright(0), upright(2)], walls, []);
  assert.equal(first.anchor, second.anchor);
  assert.notEqual(first.share, second.share);
});

test("a word stands above or below a wire that lies flat", () => {
  const lying = { text: "28.0", side: 1, across: false, at: (share) => ({ x: 200 * share, y: 0 }) };
  const [{ down, area }] = placesOf([lying], [], []);
  assert.notEqual(down, 0);
  assert.ok(area.top > 0 || area.bottom < 0);
});

test("a word stands clear of the head of a wire", () => {
  const other = { text: "norm 0.25", side: 1, across: false, at: (share) => ({ x: 20, y: 36 - 100 * share }) };
  const [{ right }] = placesOf([upright(0), other], [], []);
  assert.equal(right, -10);
});

test("where the flow runs to the right, a word stands below the middle of its wire, or above", () => {
  const [alone] = placesOf([flat(0, 200)], [], []);
  assert.deepEqual([alone.right, alone.down, alone.anchor], [0, 12, "middle"]);
  const below = { left: 0, top: 5, right: 200, bottom: 40 };
  assert.equal(placesOf([flat(0, 200)], [below], [])[0].down, -12);
});

test("between two boxes that leave it no room it stands clear of both", () => {
  const boxes = [-100, 56].map((left) => ({ left, top: -34, right: left + 100, bottom: 34 }));
  const [{ area }] = placesOf([flat(0, 56)], boxes, []);
  assert.ok(area.bottom < -34 || area.top > 34);
});
