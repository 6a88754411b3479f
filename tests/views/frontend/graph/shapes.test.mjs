import assert from "node:assert/strict";
import { test } from "node:test";

import { placeShapes, shapeText } from "../../../../tapeviz/views/frontend/graph/shapes.js";

const scene = {
  nodes: [{ op: 3 }, { op: null }, { op: 5 }],
  edges: [{ from: 0, tensor: 7 }, { from: 1, tensor: 8 }, { from: 2, tensor: 9 }, { from: 2, tensor: 10 }],
};
const tensors = {
  7: { shape: "(2, 12, 48)", dtype: "float32" },
  8: { shape: "(5,)", dtype: "float32" },
  9: { shape: "(2, 12, 48)", dtype: "bool" },
  10: { shape: "()", dtype: "float32" },
};

test("a wire between ops has its shape, and a dtype that is not the usual one", () => {
  const text = (...edges) => shapeText({ scene, tensors }, edges);
  assert.deepEqual([text(0), text(2), text(3)], ["2×12×48", "2×12×48 bool", ""]);
  assert.equal(text(1), "", "it stands on the box of the leaf");
  assert.equal(text(0, 1), "2×12×48");
  assert.equal(text(0, 2), "", "they differ");
});

/** A straight wire down, and what is told on it. */
function wire(x, badge = null) {
  const made = { data: { points: [[x, 0], [x, 60]], wires: [0], badge, spot: null, room: 0 }, side: 1, length: 60, told: null };
  return Object.assign(made, { at: (share) => ({ x, y: 60 * share }), tell: (text, place) => (made.told = place ? { text, ...place } : null) });
}
const box = (left, right) => ({ left, top: 0, right, bottom: 60 });
const place = (wires, taken = [], size = 11) => placeShapes(wires, false, taken, () => "2×3", size);

test("it stands beside its wire, clear of boxes, other wires and other words; else it is left out", () => {
  const alone = wire(0);
  place([alone]);
  assert.deepEqual([alone.told.text, alone.told.anchor], ["2×3", "start"]);
  const [left, right] = [wire(0), wire(20)];
  place([left, right]);
  assert.deepEqual([left.told.anchor, right.told.anchor], ["end", "start"]);
  const between = wire(0);
  place([between], [box(5, 55), box(-55, -5)]);
  assert.equal(between.told, null);
  const cut = wire(0, "None");
  place([cut]);
  assert.equal(cut.told, null);
});

test("letters that are larger need more room, and a shape that has none any more is taken away", () => {
  const [made, beside] = [wire(0), [box(32, 60), box(-60, -5)]];
  place([made], beside);
  assert.equal(made.told.anchor, "start");
  place([made], beside, 16.8);
  assert.equal(made.told, null);
});
