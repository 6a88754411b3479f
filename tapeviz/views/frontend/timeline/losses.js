/**
 * Payload, run, source -> where its gradient lost most, on the path that most of it took: as diagnosis/numbers/shrinking.py.
 *
 * What the largest gradient passed, too, as the mean of a loss, is left out where others lost as well: it made all small.
 */

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
  /** The steps on that path, from the tensor to the target: by the place of their op, and what they leave. */
  const way = (/** @type {number} */ tensor) => {
    /** @type {[place: string, op: number, left: number][]} */
    const found = [];
    for (let sent; (sent = most.get(tensor)) && found.length < steps.length; ) {
      const [length, { op, upstream }] = sent;
      const at = longest(upstream);
      const { kind, site, outputs } = ops[op];
      found.push([`${kind} ${site}`, op, length / norm(upstream[at])]);
      tensor = outputs[at];
    }
    return found;
  };
  const largest = gradients[longest(gradients.map(({ cotangent }) => cotangent))]?.source;
  const shared = new Set(largest === source ? [] : way(largest).map(([, op]) => op));
  const passed = way(source);
  const own = passed.filter(([, op]) => !shared.has(op));
  /** @type {Record<string, Loss>} */
  const places = {};
  for (const [key, op, left] of own.some((each) => each[2] < LEAVES) ? own : passed) {
    if (left >= LEAVES) continue;
    const place = (places[key] ??= { op, left: 1, steps: 0 });
    place.left *= left;
    place.steps += 1;
  }
  const seed = steps[0]?.upstream ?? [];
  const part = norm(gradients.find((each) => each.source === source)?.cotangent) / norm(seed[longest(seed)]);
  return { part, losses: Object.values(places).sort((a, b) => a.left - b.left).slice(0, MOST_NAMED) };
}
