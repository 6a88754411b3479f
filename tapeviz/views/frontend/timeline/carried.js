/** The payload's ops, boxes and edges -> their tensors: which op made one, which one a box stands for or an edge carries. */

/**
 * @param {Record<string, import("../types.js").Op>} ops
 * @returns {Map<number, number>} tensor -> the op that made it
 */
export function makersOf(ops) {
  return new Map(Object.entries(ops).flatMap(([op, { outputs }]) => outputs.map((tensor) => [tensor, Number(op)])));
}

/**
 * The tensors of a box: what its op made, or its leaf.
 *
 * @param {Record<string, import("../types.js").Op>} ops
 * @param {import("../types.js").Box} box
 */
export function tensorsOf(ops, { op, tensor }) {
  return op === null ? [tensor ?? -1] : ops[op].outputs;
}

/**
 * @param {import("../types.js").Run | null} run
 * @returns {(edge: import("../types.js").Wire) => number | undefined} the cotangent that is sent along an edge
 */
export function sentIn(run) {
  const steps = run?.steps ?? [];
  const sent = new Map(steps.flatMap(({ op, sent }) => sent.map(({ slot, cotangent }) => [`${op}.${slot}`, cotangent])));
  return ({ position, slot }) => sent.get(`${position}.${slot}`);
}
