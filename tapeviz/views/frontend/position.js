/** Payload, or where the reader stands -> where one stands at first, and what of a position holds in another recording. */

import { BY_MODULE } from "./sight/regrouped.js";

/** @typedef {import("./types.js").Position} Position */

/** Nothing is open: no card, no finding, no part of the graph, no line of source. */
export const CLOSED = { selected: -1, finding: -1, between: -1, line: "" };

/** Before the first step of a recording, with nothing open. @param {import("./types.js").Payload} payload @returns {Position} */
export function firstPosition({ run, scene }) {
  const { unfolded, tucked, way = BY_MODULE } = scene;
  const ways = { lens: "steps", side: -1, lecture: false, predict: false, covered: false };
  return { run, step: 0, way, unfolded, tucked, ...CLOSED, ...ways };
}

/** Whether something is open. @param {Position} position */
export function isOpen({ selected, finding, between, line }) {
  return selected >= 0 || finding >= 0 || between >= 0 || line !== CLOSED.line;
}

/**
 * What another recording takes over: how one looks at it, and the finding that is open. Groups by module are its own.
 *
 * @param {Position} position
 * @returns {Partial<Position>}
 */
export function keptFrom({ finding, way, unfolded, lens, side, lecture, predict }) {
  return { finding, way, lens, side, lecture, predict, ...(way === BY_MODULE ? {} : { unfolded }) };
}
