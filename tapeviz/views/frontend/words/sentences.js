/** A moment -> the words for it: what the slider says, what a screen reader hears. */

import { stepSentence } from "./steps.js";

/** @param {import("../types.js").Moment} moment */
export function place({ step, timeline }) {
  return `Step ${step} of ${timeline.length}`;
}

/**
 * @param {import("../types.js").Payload} payload
 * @param {import("../types.js").Moment} moment
 */
export function sentence(payload, moment) {
  const { step, timeline } = moment;
  if (step === 0) return timeline.run ? "Before the backward pass." : "Before the first op.";
  const rule = timeline.ruleAt(step);
  if (!rule) return `${place(moment)}: ${forwardSentence(payload, timeline.opAt(step))}`;
  return `${place(moment)}: ${rule.title}. ${moment.covered ? "What comes out?" : stepSentence(payload, rule)}`;
}

/**
 * @param {import("../types.js").Payload} payload
 * @param {number | null} position
 */
function forwardSentence({ kinds, ops, tensors }, position) {
  const op = ops[String(position)];
  if (!op) return "";
  const results = op.outputs.map((id) => tensors[id]).filter(Boolean);
  const told = results.map(({ name, value, shape }) => `${name} = ${value ?? `a tensor of shape ${shape}`}`);
  return `${kinds[op.kind].name} gives ${told.join(", ")}`;
}
