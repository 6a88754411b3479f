import assert from "node:assert/strict";
import { test } from "node:test";

import { latest } from "../../../../tapeviz/views/frontend/timeline/keyframes.js";

const TRACK = [
  [0, "waiting"],
  [3, "reached"],
  [3, "active"],
  [4, "done"],
];

test("the value is that of the last keyframe at or before the step", () => {
  const seen = [0, 1, 2, 3, 4, 9].map((step) => latest(TRACK, step));
  assert.deepEqual(seen, ["waiting", "waiting", "waiting", "active", "done", "done"]);
});

test("before the first keyframe, and without any, there is no value", () => {
  assert.equal(latest([[2, "done"]], 1), null);
  assert.equal(latest([], 5), null);
  assert.equal(latest(undefined, 5), null);
});

test("it agrees with a linear search on tracks of every length", () => {
  for (let length = 0; length < 40; length += 1) {
    const track = Array.from({ length }, (_, index) => [Math.floor((index * 7) / 3), index]);
    for (let step = -1; step < 100; step += 1) {
      const expected = track.filter(([at]) => at <= step).at(-1)?.[1] ?? null;
      assert.equal(latest(track, step), expected);
    }
  }
});
