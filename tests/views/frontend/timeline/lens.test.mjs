import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { boxesBetween } from "../../../../tapeviz/views/frontend/sight/between.js";
import { betweenRanks } from "../../../../tapeviz/views/frontend/timeline/between_ranks.js";
import { measure } from "../../../../tapeviz/views/frontend/timeline/lens.js";
import { oddity } from "../../../../tapeviz/views/frontend/words/numbers.js";
import { Timeline } from "../../../../tapeviz/views/frontend/timeline/timeline.js";

const payload = (name) => JSON.parse(readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), "utf8"));
const cube = payload("cube");
const mlp = payload("mlp");
const titled = ({ scene }, title) => scene.nodes.flatMap((node, index) => (node.title === title ? [index] : []));
const measured = (lens, shown) => measure(lens, shown, new Timeline(shown, 0));

test("the gradient of x³ at 3 by each: 27 at x, 3 at x², 1 at the target", () => {
  const { ofBoxes, low, high } = measured("gradient", cube);
  assert.deepEqual(ofBoxes(titled(cube, "x")), { level: 1, text: "27" });
  assert.deepEqual(ofBoxes(titled(cube, "y")), { level: 0, text: "1" });
  assert.equal(ofBoxes(titled(cube, "mul")).level.toFixed(4), (Math.log(3) / Math.log(27)).toFixed(4));
  assert.deepEqual([low, high], ["1", "27"]);
});

test("one size that is far from all others leaves those their differences", () => {
  const shown = structuredClone(cube);
  for (const [title, value] of [["x", "1e-12"], ["mul", "1"], ["y", "2"]]) {
    for (const index of titled(shown, title)) {
      const { op, tensor } = shown.scene.nodes[index];
      shown.tensors[tensor ?? shown.ops[op].outputs[0]].value = value;
    }
  }
  const { ofBoxes } = measured("value", shown);
  const [least, middle, most] = ["x", "mul", "y"].map((title) => ofBoxes(titled(shown, title)).level);
  assert.deepEqual([least, most], [0, 1]);
  assert.ok(middle > 0.6 && middle < 0.8, `${middle}`);
});

test("several boxes have a range, at the level of the largest", () => {
  const { ofBoxes } = measured("gradient", cube);
  const both = [...titled(cube, "x"), ...titled(cube, "mul")];
  assert.deepEqual(ofBoxes(both), { level: 1, text: "3 – 27" });
});

test("an edge has what is sent along it, several have the most of it", () => {
  const { ofEdges } = measured("gradient", cube);
  const into = cube.scene.edges.flatMap(({ to }, index) => (to === titled(cube, "y")[0] ? [index] : []));
  assert.deepEqual(into.map((edge) => ofEdges([edge]).text).sort(), ["3", "9"]);
  assert.equal(ofEdges(into).text, "9");
});

test("the peak is a box that has the most, or that a wire with the most comes from", () => {
  assert.ok(titled(cube, "x").includes(measured("gradient", cube).peak));
  assert.equal(measured("order", cube).peak, titled(cube, "y")[0]);
  assert.equal(measured("health", cube).peak, -1);
});

test("what no gradient reaches has none", () => {
  assert.equal(measured("gradient", mlp).ofBoxes(titled(mlp, "w1")), null);
  assert.notEqual(measured("value", mlp).ofBoxes(titled(mlp, "w1")), null);
});

test("memory is what rules ask for; order is counted from the first op", () => {
  const { ofBoxes } = measured("memory", cube);
  assert.deepEqual(titled(cube, "y").map((box) => ofBoxes([box]).text), ["8 B"]);
  assert.deepEqual([...titled(cube, "mul"), ...titled(cube, "y")].map((box) => measured("order", cube).ofBoxes([box]).text), ["#1", "#2"]); // prettier-ignore
});

test("None is where no gradient arrives, and only where one is missing", () => {
  const { ofBoxes, ofEdges, odd } = measured("health", mlp);
  assert.deepEqual(ofBoxes(titled(mlp, "w1")), { level: 0, text: "None", odd: "None" });
  assert.deepEqual(ofBoxes(titled(mlp, "w2")), { level: 0, text: "finite", odd: "finite" });
  assert.equal(ofBoxes(titled(mlp, "x")), null);
  const [lost] = titled(mlp, "w1");
  const leaving = mlp.scene.edges.flatMap(({ from }, index) => (from === lost ? [index] : []));
  assert.deepEqual(ofEdges(leaving), { level: 0, text: "None", odd: "None" });
  const none = mlp.scene.nodes.filter((_, index) => ofBoxes([index])?.odd === "None").length;
  assert.deepEqual(odd[2], { kind: "None", text: `${none} None`, first: -1 });
  assert.ok(ofBoxes([...titled(mlp, "w1"), ...titled(mlp, "w2")]).odd === "None");
});

test("what nobody asked for, and is on no way from there, misses no gradient", () => {
  const aside = structuredClone(mlp);
  const [w2] = titled(mlp, "w2");
  const op = Object.values(aside.ops)[0];
  const tensor = { ...Object.values(aside.tensors)[0], name: "labels" };
  aside.tensors[9999] = tensor;
  aside.ops[9999] = { ...op, box: aside.scene.nodes.length, outputs: [9999] };
  aside.scene.nodes.push({ ...aside.scene.nodes[w2], kind: "op", op: 9999, tensor: 9999, flags: ["recorded"], title: "one_hot" });
  assert.equal(measured("health", aside).ofBoxes(titled(aside, "one_hot")), null);
  assert.deepEqual(measured("health", aside).odd, measured("health", mlp).odd);
});

test("zero, NaN and infinity are told by the value or by the counts of its card", () => {
  const card = (shape, value, statistics) => ({ shape, value, statistics });
  const told = [
    card("()", "0.0", null), card("()", "-0.0", null), card("()", "NaN", null), card("()", "-inf", null), card("()", "1e-9", null),
    card("(2,)", null, "0,0,0,0.0,2"), card("(2,)", null, "0,1,0.5,1.0,1"), card("(2,)", null, ",,,,,2"), card("(2,)", null, "0,0,0,0.0,1,,1"),
    card("(2,)", null, ",,,5.0"), card("()", null, null), card("(2,)", null, null),
  ].map(oddity); // prettier-ignore
  assert.deepEqual(told, ["zero", "zero", "NaN", "inf", "finite", "zero", "finite", "NaN", "inf", "finite", "", ""]);
  assert.equal(oddity(undefined), "");
});

test("a strip is of the gradient where the lens is", () => {
  const [y] = titled(cube, "y");
  assert.equal(measured("value", cube).strip(y), "27.0");
  assert.equal(measured("gradient", cube).strip(y), "1.0");
  assert.equal(measured("memory", cube).strip(y), null);
});

test("between a source and the target lies what leads from one to the other", () => {
  const [run] = mlp.runs;
  const source = mlp.scene.nodes[titled(mlp, "b2")[0]].tensor;
  const titles = [...boxesBetween(mlp.scene, source, run.begins)].map((box) => mlp.scene.nodes[box].title);
  assert.deepEqual(titles.sort(), ["b2", "logits", "loss", "square", "sub"]);
});

test("what ranks did otherwise is told ahead of their numbers, in a group by how many ranks", () => {
  const shown = structuredClone(cube);
  const differences = [
    { kind: "spread", ranks: [], text: "1 – 2", level: 0.5 },
    { kind: "otherwise", ranks: [3], text: "rank 3: cos", level: 0 },
    { kind: "otherwise", ranks: [5], text: "not on rank 5", level: 0 },
  ];
  shown.ranks = { boxes: shown.scene.nodes.map((_, index) => differences[index] ?? null) };
  const { odd, ofBoxes } = betweenRanks(shown);
  assert.deepEqual(odd, [
    { kind: "otherwise", text: "2 done otherwise", first: 1 },
    { kind: "spread", text: "1 numbers apart", first: -1 },
  ]);
  assert.deepEqual(ofBoxes([0]), { level: 0.5, text: "1 – 2", odd: "spread" });
  assert.deepEqual(ofBoxes([0, 1]), { level: 0, text: "rank 3: cos", odd: "otherwise" });
  assert.equal(ofBoxes([0, 1, 2]).text, "2 ranks otherwise");
  assert.equal(ofBoxes([3]), null);
});
