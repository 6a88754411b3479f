import assert from "node:assert/strict";
import { test } from "node:test";

import { actionOf, keysAndWords, wordsAndKeyOf } from "../../../../tapeviz/views/frontend/words/commands.js";

const press = (key, place, held = {}) =>
  actionOf({ key, ctrlKey: false, metaKey: false, altKey: false, ...held }, place);

const CASES = [
  ["ArrowRight", "div", "next"],
  ["ArrowLeft", "div", "previous"],
  ["Home", "div", "first"],
  ["End", "div", "last"],
  [" ", "div", "play"],
  ["+", "div", "closer"],
  ["=", "div", "closer"],
  ["-", "div", "farther"],
  ["0", "div", "fit"],
  ["Escape", "button", "leave"],
  ["o", "div", "over"],
  ["O", "div", "backover"],
  ["d", "div", "turn"],
  ["w", "div", "parameters"],
  ["?", "div", "help"],
  ["a", "div", null],
  ["toString", "div", null],
  // the slider would step on its own, and so twice
  ["ArrowRight", "input", "next"],
  ["Home", "input", "first"],
  // what an element needs for itself
  [" ", "button", null],
  ["Enter", "button", null],
  ["ArrowRight", "button", "next"],
  ["ArrowRight", "select", null],
  ["ArrowDown", "select", null],
  ["ArrowRight", "scroller", null],
  [" ", "scroller", "play"],
  // only on the graph
  ["ArrowUp", "graph", "above"],
  ["ArrowDown", "graph", "below"],
  ["Enter", "graph", "open"],
  ["ArrowRight", "graph", "next"],
  ["ArrowDown", "div", null],
  ["Enter", "div", null],
];

for (const [key, place, action] of CASES) {
  test(`${JSON.stringify(key)} on ${place}: ${action}`, () => assert.equal(press(key, place), action));
}

test("with Ctrl, Alt or Meta a key is not ours", () => {
  for (const held of ["ctrlKey", "altKey", "metaKey"]) assert.equal(press("ArrowRight", "div", { [held]: true }), null);
});

test("a button names the first of its keys, as it stands on the keyboard", () => {
  assert.equal(wordsAndKeyOf("previous"), "Previous step (←)");
  assert.equal(wordsAndKeyOf("leave"), "Close what is open (Esc)");
});

test("the list has all keys, each once", () => {
  const keys = keysAndWords().flatMap(([each]) => each);
  assert.equal(new Set(keys).size, keys.length);
  assert.ok(["Space", "↑", "−", "=", "?"].every((key) => keys.includes(key)));
});
