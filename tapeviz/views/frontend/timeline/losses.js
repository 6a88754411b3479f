/** Payload, run, source -> where its gradient lost most, on the path that most of it took: as diagnosis/numbers/shrinking.py. */

import { normOf } from "../words/numbers.js";

/** A step that leaves more of what arrives lost little. */
const LEAVES = 0.5;
const MOST_NAMED = 3;

/** @typedef {{ op: number, left: number, steps: number }} Loss an op, the first of so many `steps` that ran at its place; together they hand on `left` times what they get */

/**
 * @param {import("../types.js").Payload} payload
 * @param {import("../types.js").Run} run
 * @param {number} source
 * @returns {{ part: number, losses: Loss[] }} `part`: its norm beside that of the seed; 0 or NaN: not known
 */
export function lossesOf({ tensors, ops }, { steps, gradients }, source) {
  const norm = (/** @type {number | null | undefined} */ id) => normOf(tensors[id ?? -1]) || 0;
  const longest = (/** @type {(number | null)[]} */ ids) => ids.reduce((/** @type {number} */ best, id, at) => (norm(id) > norm(ids[best]) ? at : best), 0);
  /** @type {Map<number, [length: number, step: import("../types.js").PackedStep]>} */
  const most = new Map();
  for (const step of steps) {
    for (const { slot, cotangent } of step.sent) {
      const [tensor, length] = [ops[step.op].inputs[slot], norm(cotangent)];
      if (length > (most.get(tensor)?.[0] ?? 0)) most.set(tensor, [length, step]);
    }
  }
  /** @type {Record<string, Loss>} */
  const places = {};
  for (let tensor = source, sent; (sent = most.get(tensor)); ) {
    most.delete(tensor);
    const [length, { op, upstream }] = sent;
    const at = longest(upstream);
    const left = length / norm(upstream[at]);
    const { kind, site, outputs } = ops[op];
    tensor = outputs[at];
    if (left >= LEAVES) continue;
    const place = (places[`${kind} ${site}`] ??= { op, left: 1, steps: 0 });
    place.left *= left;
    place.steps += 1;
  }
  const seed = steps[0]?.upstream ?? [];
  const part = norm(gradients.find((each) => each.source === source)?.cotangent) / norm(seed[longest(seed)]);
  return { part, losses: Object.values(places).sort((a, b) => a.left - b.left).slice(0, MOST_NAMED) };
}
