import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Store } from "../../../tapeviz/views/frontend/store.js";

const cube = JSON.parse(readFileSync(new URL("fixtures/cube.json", import.meta.url), "utf8"));
const position = ({ run, step, selected, finding }) => ({ run, step, selected, finding });

test("it opens before the last run, with nothing selected", () => {
  assert.deepEqual(position(new Store(cube).moment), { run: 0, step: 0, selected: -1, finding: -1 });
});

test("a tape without a run opens forward", () => {
  const { run, timeline } = new Store({ ...cube, runs: [] }).moment;
  assert.deepEqual([run, timeline.length], [-1, 2]);
});

test("what lies outside is brought inside", () => {
  const store = new Store(cube);
  store.set({ step: 99, run: 7, selected: 4711, finding: 3 });
  assert.deepEqual(position(store.moment), { run: 0, step: 2, selected: -1, finding: -1 });
  store.set({ step: -4 });
  assert.equal(store.moment.step, 0);
  store.set({ step: Number.NaN, selected: 1 });
  assert.deepEqual([store.moment.step, store.moment.selected], [0, 1]);
});

test("a lens measures once, and the last run where one steps forward", () => {
  const store = new Store(cube, { lens: "gradient" });
  const { measured } = store.moment;
  assert.equal(measured.high, "27");
  store.set({ run: -1 });
  assert.equal(store.moment.measured, measured);
  store.set({ lens: "steps" });
  assert.equal(store.moment.measured, null);
});

test("listeners hear of every change once, and of nothing that is no change", () => {
  const store = new Store(cube);
  const heard = [];
  const stop = new AbortController();
  store.subscribe(({ step }) => heard.push(step), stop.signal);
  store.advance(1);
  store.advance(1);
  store.advance(1);
  store.set({ step: 2 });
  assert.deepEqual(heard, [1, 2]);
  stop.abort();
  store.set({ step: 0 });
  assert.deepEqual(heard, [1, 2]);
});

test("a shorter run takes the step along as far as it goes", () => {
  const [run] = cube.runs;
  const store = new Store({ ...cube, runs: [{ ...run, steps: run.steps.slice(0, 1) }, run] }, { step: 2 });
  store.set({ run: 0 });
  assert.equal(store.moment.step, 1);
});

test("groups unfold by their index, each once, as far as there are any", () => {
  const groups = [{ parent: -1, end: 0 }, { parent: -1, end: 1 }]; // prettier-ignore
  const store = new Store({ ...cube, scene: { ...cube.scene, groups, unfolded: [1] } });
  const heard = [];
  store.subscribe(({ unfolded }) => heard.push(unfolded), new AbortController().signal);
  assert.deepEqual(store.moment.unfolded, [1]);
  store.set({ unfolded: [1, 0, 1, 7, -1, 0.5] });
  store.set({ unfolded: [1, 0] });
  assert.deepEqual(heard, [[1, 0]]);
});

test("to predict, a step comes covered, and is shown before one goes on", () => {
  const store = new Store(cube, { predict: true });
  const seen = [];
  for (let presses = 0; presses < 5; presses += 1) {
    store.advance(1);
    seen.push([store.moment.step, store.moment.covered]);
  }
  assert.deepEqual(seen, [[1, true], [1, false], [2, true], [2, false], [2, false]]); // prettier-ignore
  store.advance(-1);
  assert.deepEqual([store.moment.step, store.moment.covered], [1, true]);
  store.set({ predict: false });
  assert.equal(store.moment.covered, false);
  assert.equal(new Store(cube, { predict: true, step: 1 }).moment.covered, true);
});

test("a lens that there is not is none", () => {
  const store = new Store(cube);
  store.set({ lens: "gradient" });
  assert.equal(store.moment.lens, "gradient");
  store.set({ lens: "toString" });
  assert.equal(store.moment.lens, "steps");
});
