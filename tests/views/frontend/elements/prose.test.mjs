import assert from "node:assert/strict";
import { test } from "node:test";

import { prose } from "../../../../tapeviz/views/frontend/elements/prose.js";

/** Just enough of a document to see which element holds which text. */
class Element {
  classList = { add() {} };
  constructor(tag) {
    this.tag = tag;
    this.children = [];
  }
  setAttribute() {}
  append(...children) {
    this.children.push(...children);
  }
}
globalThis.document = { createElement: (tag) => new Element(tag) };

const told = (text) =>
  prose(text).children.map((part) => (typeof part === "string" ? part : [part.tag, ...part.children]));

test("what stands in backticks is code", () => {
  assert.deepEqual(told("Use `tf.cast(x)` instead."), ["Use ", ["code", "tf.cast(x)"], " instead."]);
});

test("markup stays text", () => {
  assert.deepEqual(told("<b>`<i>`</b>"), ["<b>", ["code", "<i>"], "</b>"]);
});

test("a backtick without a partner takes nothing along", () => {
  assert.deepEqual(told("a ` b"), ["a ` b"]);
});

test("code with backticks in it stands between more of them", () => {
  assert.deepEqual(told("`` `w` x `` is `a`, ``` `` ```"), [
    "",
    ["code", "`w` x"],
    " is ",
    ["code", "a"],
    ", ",
    ["code", "``"],
    "",
  ]);
});
