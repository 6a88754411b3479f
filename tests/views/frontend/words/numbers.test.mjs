import assert from "node:assert/strict";
import { test } from "node:test";

import { normText, shortText } from "../../../../tapeviz/views/frontend/words/numbers.js";

const matrix = { shape: "(2, 2)", value: null, short: "[[3.6, 0.0], [7.2, 0.0]]", statistics: "0,7.2,2.7,8.05,2" };

test("of a few numbers all are told, of many the norm", () => {
  assert.equal(shortText(matrix), "[[3.6, 0.0], [7.2, 0.0]]");
  assert.equal(shortText({ ...matrix, short: null }), "norm 8.05");
  assert.equal(shortText({ ...matrix, short: null, statistics: null }), "not kept");
});

test("a norm that is not finite is none", () => {
  assert.equal(normText({ ...matrix, statistics: "0,7.2,2.7,,2,1" }), null);
});
