import assert from "node:assert/strict";
import { test } from "node:test";

import { normText, rowsText, shortText } from "../../../../tapeviz/views/frontend/words/numbers.js";

const matrix = { shape: "(2, 2)", value: null, short: "[[3.6, 0.0], [7.2, 0.0]]", statistics: "0,7.2,2.7,8.05,2" };

test("of a few numbers all are told, of many the norm", () => {
  assert.equal(shortText(matrix), "[[3.6, 0.0], [7.2, 0.0]]");
  assert.equal(shortText({ ...matrix, short: null }), "norm 8.05");
  assert.equal(shortText({ ...matrix, short: null, statistics: null }), "not kept");
});

test("where there is room a small matrix is told in its rows", () => {
  const rows = { ...matrix, shape: "(2, 3)", short: null, value: "[[1. 2. 3.]\n [4. 5. 6.]]" };
  assert.equal(rowsText(rows), rows.value);
  assert.equal(rowsText({ ...rows, value: `${rows.value}\n\n\n` }), "norm 8.05");
  assert.equal(rowsText({ ...rows, value: `[${"1. ".repeat(20)}]` }), "norm 8.05");
  assert.equal(rowsText(matrix), matrix.short);
  assert.equal(rowsText(undefined), "not kept");
});

test("a norm that is not finite is none", () => {
  assert.equal(normText({ ...matrix, statistics: "0,7.2,2.7,,2,1" }), null);
});
