/** A step of the payload -> its description: the op, its upstream gradients, each contribution with rule and sum. */

import { shortText } from "./numbers.js";
import { lineOf, ruleInNumbers, ruleOf } from "./rules.js";

/**
 * @param {import("../types.js").Payload} payload
 * @param {import("../types.js").PackedStep} step
 * @returns {import("../types.js").Step}
 */
export function toldStep(payload, { op: position, upstream, sent }) {
  const { kinds, ops, tensors } = payload;
  const op = ops[position];
  const text = (/** @type {number} */ id) => shortText(tensors[id]);
  return {
    op: position,
    title: kinds[op.kind].name,
    upstream: op.outputs.flatMap((tensor, index) => {
      const cotangent = upstream[index];
      return cotangent === null ? [] : [{ tensor, text: text(cotangent), cotangent }];
    }),
    contributions: sent.map(({ slot, cotangent, total, parts, final }) => ({
      slot,
      tensor: op.inputs[slot],
      cotangent,
      text: text(cotangent),
      rule: ruleOf(payload, op, slot),
      numbers: ruleInNumbers(payload, op, slot, upstream),
      sum: text(total),
      parts,
      final,
    })),
  };
}

/**
 * `g = 1.0. To x: g · y = 1.0 · 9.0 = 9.0, the sum is 27.0.`
 *
 * @param {import("../types.js").Payload} payload
 * @param {import("../types.js").Step} step
 */
export function stepSentence({ tensors }, { upstream, contributions }) {
  const arrived = upstream.map(({ text }) => text).join(", ");
  const sent = contributions.map(({ tensor, rule, numbers, text, sum, parts }) => {
    const lines = [rule, numbers].flatMap((equation) => (equation ? [`${lineOf(equation)} = `] : []));
    const total = parts > 1 ? `, the sum is ${sum}` : "";
    return `To ${tensors[tensor].name}: ${lines.join("")}${text}${total}.`;
  });
  return [arrived ? `g = ${arrived}.` : "No gradient arrives.", ...sent].join(" ");
}
