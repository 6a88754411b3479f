import assert from "node:assert/strict";
import { test } from "node:test";

import { asking } from "../../../tapeviz/views/frontend/asking.js";

function modelThat(answers) {
  const listeners = new Set();
  const model = {
    sent: [],
    on: (name, listener) => name === "msg:custom" && listeners.add(listener),
    off: (_name, listener) => listeners.delete(listener),
    send: (message) => {
      model.sent.push(message);
      answers(message, (answer) => listeners.forEach((listener) => listener(answer)));
    },
    listeners,
  };
  return model;
}

const life = () => new AbortController();

test("an answer goes to the question with its id", async () => {
  const waiting = [];
  const model = modelThat((message) => waiting.push(message));
  const ask = asking(model, life().signal);
  const [one, other] = [ask({ ask: "check", step: 1 }), ask({ ask: "check", step: 2 })];
  const reply = (index, answer) => model.listeners.forEach((hear) => hear({ id: waiting[index].id, answer }));
  model.listeners.forEach((hear) => hear({ id: "of another view", answer: "wrong" }));
  reply(1, "second");
  reply(0, "first");
  assert.deepEqual(await Promise.all([one, other]), ["first", "second"]);
  assert.deepEqual(model.sent.map(({ step }) => step), [1, 2]);
});

test("an error says why", async () => {
  const ask = asking(modelThat(({ id }, reply) => reply({ id, error: "not kept" })), life().signal);
  await assert.rejects(ask({}), { message: "not kept" });
});

test("a silent kernel is given up on", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const asked = asking(modelThat(() => {}), life().signal)({});
  context.mock.timers.tick(60_000);
  await assert.rejects(asked, /kernel is busy, or gone/);
});

test("a kernel that cannot be reached is told at once", async () => {
  const model = modelThat(() => {
    throw new Error("comm is closed");
  });
  await assert.rejects(asking(model, life().signal)({}), /kernel is busy, or gone/);
});

test("a view that is gone listens no longer", () => {
  const model = modelThat(() => {});
  const ended = life();
  asking(model, ended.signal);
  assert.equal(model.listeners.size, 1);
  ended.abort();
  assert.equal(model.listeners.size, 0);
});
