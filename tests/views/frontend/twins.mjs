/** A payload -> what the front end writes of all of it, as plain values. */

import { gradientLine } from "../../../tapeviz/views/frontend/timeline/gradients.js";
import { Timeline } from "../../../tapeviz/views/frontend/timeline/timeline.js";
import { lineOf, ruleOf } from "../../../tapeviz/views/frontend/words/rules.js";

/** The rule of every argument of every op. */
export function ruleLines(payload) {
  const line = (equation) => equation && lineOf(equation);
  return Object.values(payload.ops).map((op) => op.inputs.map((_, slot) => line(ruleOf(payload, op, slot))));
}

/** What stands on the box of these tensors of its gradient, at every step of the first run. */
export function gradientLines(payload, tensors) {
  const timeline = new Timeline(payload, 0);
  return Array.from({ length: timeline.length + 1 }, (_, step) => gradientLine(tensors, timeline, step));
}
