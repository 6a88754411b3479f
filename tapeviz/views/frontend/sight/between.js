/** Scene, a tensor and the boxes at which a run begins -> the boxes on the paths between them. */

/**
 * @param {import("../types.js").SceneData} scene
 * @param {number} source a tensor
 * @param {number[]} begins boxes, by their indices
 * @returns {Set<number>} boxes, by their indices
 */
export function boxesBetween({ nodes, edges }, source, begins) {
  const held = nodes.flatMap(({ tensor }, box) => (tensor === source ? [box] : []));
  const down = reachedFrom(held, edges.map(({ from, to }) => [from, to])); // prettier-ignore
  const up = reachedFrom(begins, edges.map(({ from, to }) => [to, from])); // prettier-ignore
  return new Set([...down].filter((box) => up.has(box)));
}

/**
 * @param {number[]} starts
 * @param {number[][]} steps from one box to another
 */
function reachedFrom(starts, steps) {
  /** @type {Map<number, number[]>} */
  const after = new Map();
  for (const [from, to] of steps) {
    const known = after.get(from);
    if (known) known.push(to);
    else after.set(from, [to]);
  }
  const reached = new Set(starts);
  for (const box of reached) for (const next of after.get(box) ?? []) reached.add(next);
  return reached;
}
