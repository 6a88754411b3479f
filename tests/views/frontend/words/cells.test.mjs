import assert from "node:assert/strict";
import { test } from "node:test";

import { canTile, cellText, COLOUR, colourEnds, firstChoice, floatsOf, indexOf, leftOut, shadeOf, shadesOf, ticksOf, tilesOf } from "../../../../tapeviz/views/frontend/words/cells.js";

const written = (numbers, kept) => {
  const octets = numbers.flatMap((number) => {
    const whole = new DataView(new ArrayBuffer(4));
    whole.setFloat32(0, number);
    return Array.from({ length: kept }, (_, octet) => whole.getUint8(octet));
  });
  return btoa(String.fromCharCode(...octets));
};
/** Two images of three heads, two rows and two columns of each, every second. */
const grid = { sides: [2, 3, 2, 2], strides: [1, 1, 2, 2], names: ["", "head", "query", "key"], rows: 2, columns: 3, numbers: "" };

test("numbers have three octets, or four", () => {
  const numbers = [1, -2.5, 0, NaN, Infinity, -0.1];
  const whole = floatsOf({ ...grid, sides: [6], numbers: written(numbers, 4) });
  assert.deepEqual([...whole], numbers.map(Math.fround));
  const fewer = floatsOf({ ...grid, sides: [6], numbers: written(numbers, 3) });
  assert.deepEqual([...fewer].slice(0, 5), numbers.slice(0, 5));
  assert.ok(Math.abs(fewer[5] + 0.1) < 1e-5);
});

test("Python's own example", () => {
  assert.deepEqual([...floatsOf({ ...grid, sides: [1, 2], numbers: "P4AAAEAAAAA=" })], [1, 2]);
});

test("three channels are one picture in colour at first, wherever they stand, if none is left out", () => {
  const last = { ...grid, sides: [2, 4, 4, 3], strides: [1, 1, 1, 1], names: ["image", "row", "column", "channel"], rows: 1, columns: 2 };
  const first = { ...last, sides: [2, 3, 4, 4], names: ["image", "channel", "row", "column"], rows: 2, columns: 3 };
  assert.deepEqual([firstChoice(last), firstChoice(first)], [[0, 0, 0, COLOUR], [0, COLOUR, 0, 0]]);
  assert.deepEqual(tilesOf(first, [1, COLOUR, 0, 0]), [{ start: 48, label: "" }]);
  assert.deepEqual(firstChoice({ ...last, sides: [2, 4, 4, 4] }), [0, 0, 0, null]);
  assert.deepEqual(firstChoice({ ...first, strides: [1, 2, 1, 1] }), [0, null, 0, 0]);
});

test("colours span what pictures have: to 1, to 255, or what there is", () => {
  assert.deepEqual([[0, 0.5], [0, 1, 200], [-2, 3], [0, 300], [NaN, Infinity]].map(colourEnds), [[0, 1], [0, 255], [-2, 3], [0, 300], [0, 1]]);
});

test("all slices of the last axis are seen at first, if they are not too many", () => {
  assert.deepEqual(firstChoice(grid), [0, null, 0, 0]);
  assert.deepEqual(tilesOf(grid, firstChoice(grid)), [
    { start: 0, label: "head 0" },
    { start: 4, label: "head 1" },
    { start: 8, label: "head 2" },
  ]);
  assert.deepEqual(tilesOf(grid, [1, 2, 0, 0]), [{ start: 20, label: "" }]);
  assert.equal(tilesOf(grid, [null, null, 0, 0])[5].label, "axis 0 1, head 2");
  assert.deepEqual(firstChoice({ ...grid, sides: [2, 65, 2, 2] }), [0, 0, 0, 0]);
  assert.ok(canTile(grid, firstChoice(grid), 0));
  assert.ok(!canTile({ ...grid, sides: [22, 3, 2, 2] }, firstChoice(grid), 0));
});

test("of channels last, and of a vector, each slice is found", () => {
  const last = { ...grid, sides: [2, 2, 3], strides: [1, 1, 1], names: ["row", "column", "channel"], rows: 0, columns: 1 };
  assert.deepEqual(tilesOf(last, [0, 0, null]).map(({ start }) => start), [0, 1, 2]);
  const vector = { ...grid, sides: [5], strides: [3], names: [""], rows: -1, columns: 0 };
  assert.deepEqual(tilesOf(vector, firstChoice(vector)), [{ start: 0, label: "" }]);
  assert.deepEqual(indexOf(vector, 4), [12]);
});

test("an element is told by its index in the tensor, and what is not here by words", () => {
  assert.deepEqual(indexOf(grid, 23), [1, 2, 2, 2]);
  assert.equal(leftOut(grid, "(8, 3, 3, 4)"), "Not all is shown. axis 0: the first 2 of 8; query: one of every 2; key: one of every 2.");
  assert.equal(leftOut({ ...grid, sides: [1, 3, 2, 2], strides: [1, 1, 1, 1] }, "(8, 3, 2, 2)"), "Not all is shown. axis 0: the first of 8.");
  assert.equal(leftOut({ ...grid, strides: [1, 1, 1, 1] }, "(2, 3, 2, 2)"), "");
});

test("the scale begins at zero where both signs are, and on a log scale at the smallest", () => {
  const both = shadesOf([-2, 0, NaN, Infinity, 1], false);
  assert.deepEqual([both.low, both.high, both.above, both.below], [0, 2, true, true]);
  assert.deepEqual([-2, 0, 1, 0.5].map((number) => shadeOf(number, both, 12)), [12, 0, 6, 3]);
  const near = shadesOf([100, 101], false);
  assert.deepEqual([100, 101].map((number) => shadeOf(number, near, 12)), [0, 12]);
  const log = shadesOf([0, -1e-8, 1e-4, 1], true);
  assert.deepEqual([0, -1e-8, 1e-4, 1].map((number) => shadeOf(number, log, 13)), [0, 1, 7, 13]);
  for (const each of [false, true]) {
    assert.equal(shadeOf(3, shadesOf([3, 3], each), 12), 6);
    assert.equal(shadeOf(0, shadesOf([0, 0], each), 12), 0);
    assert.equal(shadesOf([NaN], each).high, 0);
  }
});

test("a number has as many digits as are known of it", () => {
  const [whole, fewer] = [4, 3].map((kept) => ({ ...grid, sides: [2], numbers: written([0, 0], kept) }));
  assert.equal(cellText(whole, 1.23456789), "1.23457");
  assert.equal(cellText(fewer, -1.23456789), "−1.235");
  assert.deepEqual([1e-7, 123456789, NaN, -Infinity, 0].map((number) => cellText(fewer, number)), ["1e-7", "1.235e+8", "NaN", "−inf", "0"]);
});

test("ticks stand where there is room for them, six at most, and the first always", () => {
  assert.deepEqual(ticksOf(5, 9), [0, 1, 2, 3, 4]);
  assert.deepEqual(ticksOf(64, 100), [0, 20, 40, 60]);
  assert.deepEqual(ticksOf(8, 2.3), [0, 5]);
  assert.deepEqual([ticksOf(8, 1.2), ticksOf(64, 0.1), ticksOf(1, 1)], [[0], [0], [0]]);
});
