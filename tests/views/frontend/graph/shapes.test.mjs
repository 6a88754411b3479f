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
  return Object.assign(made, { at: (share) => ({ x, y: 60 * share }), tell: (text, place) => (made.told = { text, ...place }) });
}
const sight = (boxes) => ({ boxes, frames: [], flow: { across: false } });
const box = (x, w) => ({ x, y: 0, w, h: 60, badge: null, room: 0 });

test("it stands beside its wire, clear of boxes, other wires and other words; else it is left out", () => {
  const alone = wire(0);
  placeShapes([alone], sight([]), () => "2×3");
  assert.deepEqual([alone.told.text, alone.told.anchor], ["2×3", "start"]);
  const [left, right] = [wire(0), wire(20)];
  placeShapes([left, right], sight([]), () => "2×3");
  assert.deepEqual([left.told.anchor, right.told.anchor], ["end", "start"]);
  const between = wire(0);
  placeShapes([between], sight([box(5, 50), box(-55, 50)]), () => "2×3");
  assert.equal(between.told, null);
  const cut = wire(0, "None");
  placeShapes([cut], sight([]), () => "2×3");
  assert.equal(cut.told, null);
});
