import assert from "node:assert/strict";
import { test } from "node:test";
import { signOf } from "../../../../tapeviz/views/frontend/words/signs.js";

const WORDS = { same: ["=", "the same value"], other: ["≠", "another value"], alone: ["○", "no counterpart"], unknown: ["?", "values not kept"] };

test("a box says what became of its value", () => {
  assert.deepEqual(signOf(["same"], false, false, WORDS), { look: "same", text: "=", words: "the same value" });
  assert.deepEqual(signOf(["same", "other"], false, false, WORDS), { look: "other", text: "≠", words: "another value" });
  assert.equal(signOf([], false, false, WORDS), null);
});

test("where the programs part stands before all else", () => {
  const sign = { look: "parts", text: "parts", words: "the programs part here: no counterpart" };
  assert.deepEqual(signOf(["alone"], true, false, WORDS), sign);
});

test("a folded group counts what differs in it", () => {
  const states = [...Array(1_000).fill("same"), "alone", "other", "other"];
  const words = "another value in 2 and no counterpart in 1 of 1,003";
  assert.deepEqual(signOf(states, false, true, WORDS), { look: "other", text: "≠ 2 ○ 1 of 1,003", words });
  assert.deepEqual(signOf(["same", "same"], false, true, WORDS), { look: "same", text: "=", words: "all 2 the same" });
});
