/** Scene, a tensor and targets -> the boxes on the ways from the one to the others. */

/**
 * @param {import("../types.js").SceneData} scene
 * @param {number} source a tensor
 * @param {number[]} targets tensors
 * @returns {Set<number>} boxes, by their indices
 */
export function boxesBetween({ nodes, edges }, source, targets) {
  const of = (/** @type {number[]} */ tensors) => nodes.flatMap(({ tensor }, box) => (tensors.includes(tensor ?? -1) ? [box] : []));
  const down = reachedFrom(of([source]), edges.map(({ from, to }) => [from, to])); // prettier-ignore
  const up = reachedFrom(of(targets), edges.map(({ from, to }) => [to, from])); // prettier-ignore
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
