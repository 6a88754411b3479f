import assert from "node:assert/strict";
import { test } from "node:test";

import { bytesOf, factor, shortText, statisticsText } from "../../../../tapeviz/views/frontend/words/numbers.js";
import { edgesOf, lineOf, primalOf, ruleInNumbers, ruleOf } from "../../../../tapeviz/views/frontend/words/rules.js";

const scalar = (name, value) => ({ name, shape: "()", dtype: "float32", value, short: null, statistics: null });
const tensors = [scalar("x", "3.0"), scalar("w", "-2.0"), scalar("h", "9.0"), scalar("g", "1.0"), scalar("n", "4")];
const formula = (line) => ({ math: `<math><mtext>${line}</mtext></math>`, line });
const kinds = [
  { name: "div", arguments: ["x", "y"], formula: formula("{out} = {x} / {(y)}"), rules: [formula("{g} / {(y)}"), null], edges: ["{y} = 0: infinite"] },
  { name: "concat", arguments: ["axis", "xs"], formula: formula("{out} = [{xs}]"), rules: [null, formula("{g}[{xs}]")] },
  { name: "double", arguments: ["x"], formula: null, rules: [formula("2\u2062{g}")] },
];
const payload = { kinds, tensors };
const op = (kind, inputs, more = {}) => ({ kind, inputs, outputs: [2], summed: [], read: [], words: [], ...more });
const line = (equation) => equation && lineOf(equation);

test("names come into their places, in parentheses where they have to", () => {
  const named = { ...payload, tensors: [...tensors, { ...scalar("w[0]", "1.0") }] };
  assert.equal(line(primalOf(payload, op(0, [0, 1]))), "h = x / w");
  assert.equal(line(primalOf(named, op(0, [0, 5]))), "h = x / (w[0])");
  assert.equal(line(primalOf(payload, op(0, [0, 1], { outputs: [] }))), "out = x / w");
  const divided = (/** @type {string} */ by) => lineOf({ ...formula("{out} / {(y)}"), names: { y: by }, times: " " });
  assert.deepEqual(["(a + b)", "√(a)", "(a)(b)"].map(divided), ["out / (a + b)", "out / √(a)", "out / ((a)(b))"]);
});

test("a power of a number is one less, and the first is not written", () => {
  const power = { name: "pow", arguments: ["x", "y"], formula: null, rules: [{ math: "<math><msup><mi>{x}</mi><mrow><mi>{y}</mi><mo>−</mo><mn>1</mn></mrow></msup></math>", line: "{y} · {(x)}^({y} − 1)" }] };
  const lowered = (/** @type {string} */ name) => {
    const { math, ...equation } = ruleOf({ kinds: [power], tensors: [tensors[0], scalar(name, name)] }, op(0, [0, 1]), 0);
    return [math.replace(/<\/?(math|mi)>/g, ""), lineOf({ math, ...equation })];
  };
  assert.deepEqual(lowered("2.0"), ["{x}", "2.0 · x"]);
  assert.deepEqual(lowered("3.0"), ["<msup>{x}<mn>2</mn></msup>", "3.0 · x^2"]);
  assert.deepEqual(lowered("0.5"), ["<msup>{x}<mn>−0.5</mn></msup>", "0.5 · x^(−0.5)"]);
  assert.equal(lowered("w")[1], "w · x^(w − 1)");
});

test("edges are told by the names of the operands", () => {
  assert.deepEqual(edgesOf(payload, op(0, [0, 1])), ["w = 0: infinite"]);
});

test("numbers come in place of names, where all are single numbers", () => {
  assert.equal(line(ruleInNumbers(payload, op(0, [0, 1]), 0, [3])), "1.0 / (−2.0)");
  assert.equal(line(ruleInNumbers(payload, op(2, [0]), 0, [3])), "2 · 1.0");
  assert.equal(line(ruleOf(payload, op(2, [0]), 0)), "2 g");
  const row = { ...scalar("v", "[1.0, 2.0]"), shape: "(2,)" };
  assert.equal(ruleInNumbers({ ...payload, tensors: [row, ...tensors.slice(1)] }, op(0, [0, 1]), 0, [3]), null);
  assert.equal(ruleInNumbers(payload, op(0, [0, 1]), 0, [null]), null);
});

test("a variable has the number that the op read", () => {
  const read = op(0, [0, 1], { read: [{ slot: 1, text: "5.0" }] });
  assert.equal(line(ruleInNumbers(payload, read, 0, [3])), "1.0 / 5.0");
});

test("what was stretched to fit the others gets a sum", () => {
  const told = ruleOf(payload, op(2, [0], { summed: [0] }), 0);
  assert.equal(line(told), "∑ 2 g");
  assert.match(told.math, /^<math><mo>∑<\/mo><mrow><mtext>.*<\/mtext><\/mrow><\/math>$/);
});

test("an argument without a rule has none", () => {
  assert.equal(ruleOf(payload, op(0, [0, 1]), 1), null);
});

test("a list of arguments is the one that is meant, or all, and a long one its ends", () => {
  assert.equal(line(ruleOf(payload, op(1, [4, 0, 1, 2]), 2)), "g[w]");
  assert.equal(line(primalOf(payload, op(1, [4, 0, 1]))), "h = [x, w]");
  assert.equal(line(primalOf(payload, op(1, [4, 0, 1, 0, 1]))), "h = [x, w, …, w]");
});

test("a value on one line", () => {
  const large = { shape: "(2, 3)", value: null, short: null, statistics: "0,3,1.5,3.5,2,,1" };
  assert.equal(shortText(tensors[0]), "3.0");
  assert.equal(shortText(large), "norm 3.5");
  assert.equal(shortText({ ...large, short: "[1.0, 2.0]" }), "[1.0, 2.0]");
  assert.equal(shortText({ ...large, statistics: null }), "not kept");
  assert.equal(shortText(undefined), "not kept");
  const told = statisticsText(large) ?? "";
  assert.equal(told.replaceAll("\u00a0", " "), "min 0 · max 3 · mean 1.5 · norm 3.5 · 2 of 6 zero · 1 of 6 inf");
  assert.equal(told.split(" · ").join("").includes(" "), false, "a line breaks between two of them alone");
  assert.equal(statisticsText(tensors[0]), null);
  assert.deepEqual(["-1.0", "1.0", "1e-09", "False"].map(factor), ["(-1.0)", "1.0", "(1e-09)", "False"]);
});

test("the bytes of a tensor follow from its shape and dtype", () => {
  const cases = [["()", "float32", 4], ["(2, 3)", "float64", 48], ["(5,)", "bool", 5], ["(4,)", "complex64", 32], ["(0, 3)", "int8", 0], ["()", "string", 0], ["(3,)", "bfloat16", 6], ["(8,)", "float8_e4m3fn", 8], ["(8,)", "float8_e5m2", 8], ["unknown", "unknown", 0]]; // prettier-ignore
  for (const [shape, dtype, bytes] of cases) assert.equal(bytesOf({ shape, dtype }), bytes, `${shape} ${dtype}`);
});
