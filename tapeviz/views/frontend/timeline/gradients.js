/** A run -> the gradient of every tensor, as far as each step has come, and the parts that it is the sum of. */

import { normOf, NOT_KEPT, shortText } from "../words/numbers.js";

/** @typedef {{ op: number, cotangent: number }} Part of a gradient, and the op whose rule gives it */

/**
 * @param {import("../types.js").Payload} payload
 * @param {import("../types.js").Run} run
 * @returns {Map<number, [number, import("../types.js").GradientSoFar][]>} tensor id -> keyframes; a seed is there at step 0
 */
export function gradientKeyframes({ ops, tensors }, run) {
  /** @type {Map<number, [number, import("../types.js").GradientSoFar][]>} */
  const keyframes = new Map();
  run.steps.forEach(({ op, upstream, sent }, index) => {
    const { inputs, outputs } = ops[op];
    upstream.forEach((cotangent, output) => {
      if (cotangent === null || keyframes.has(outputs[output])) return;
      const seed = { text: shortText(tensors[cotangent]), parts: 0, final: true, cotangent };
      keyframes.set(outputs[output], [[0, seed]]);
    });
    for (const { slot, total, parts, final } of sent) {
      const known = keyframes.get(inputs[slot]) ?? [];
      keyframes.set(inputs[slot], known);
      known.push([index + 1, { text: shortText(tensors[total]), parts, final, cotangent: total }]);
    }
  });
  return keyframes;
}

/**
 * What stands on a box of its gradient, as in tapeviz/views/reading/gradients.py: that of the first tensor whose numbers are known.
 *
 * @param {number[]} tensors that the box stands for
 * @param {import("../types.js").Timeline} timeline
 * @param {number} step
 * @returns {string} "": none has arrived
 */
export function gradientLine(tensors, timeline, step) {
  const known = tensors.map((tensor) => timeline.gradientOf(tensor, step)).find((each) => each && each.text !== NOT_KEPT);
  return known ? `∇ ${known.text}${known.final ? "" : " + …"}` : "";
}

/**
 * The largest first.
 *
 * @param {import("../types.js").Payload} payload
 * @param {import("../types.js").Run} run
 * @param {number} tensor
 */
export function partsOf({ ops, tensors }, { steps }, tensor) {
  const norm = (/** @type {Part} */ { cotangent }) => normOf(tensors[cotangent]) || 0;
  const given = steps.flatMap(({ op, sent }) => sent.flatMap(({ slot, cotangent }) => (ops[op].inputs[slot] === tensor ? { op, cotangent } : [])));
  return given.sort((one, other) => norm(other) - norm(one));
}
