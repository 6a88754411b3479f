/** Layered graph -> the orders of its layers from which the search for few crossings starts. */

/** @typedef {import("./layers.js").Layered} Layered */

/**
 * Depth first from the sinks, depth first from the sources, breadth first in all directions; each is made when called.
 * @param {Layered} graph
 * @returns {(() => number[][])[]}
 */
export function orderStarts(graph) {
  const nodes = [...Array(graph.count).keys()];
  return [
    () => sortIntoLayers(graph, depthFirst(graph.up, nodes.filter((v) => !graph.down[v].length))),
    () => sortIntoLayers(graph, depthFirst(graph.down, nodes.filter((v) => !graph.up[v].length))),
    () => sortIntoLayers(graph, breadthFirst(graph)),
  ];
}

/**
 * Vertices in the order in which a walk along `near` first meets them.
 * @param {number[][]} near
 * @param {number[]} roots
 */
function depthFirst(near, roots) {
  const order = [];
  const seen = near.map(() => false);
  const stack = roots.reverse();
  while (stack.length) {
    const v = /** @type {number} */ (stack.pop());
    if (seen[v]) continue;
    seen[v] = true;
    order.push(v);
    for (let i = near[v].length - 1; i >= 0; i--) stack.push(near[v][i]);
  }
  return order;
}

/**
 * Vertices by their distance from the first source, down and up.
 * @param {Layered} graph
 */
function breadthFirst({ up, down }) {
  const order = [up.findIndex((near) => !near.length)];
  const seen = up.map(() => false);
  seen[order[0]] = true;
  for (const v of order) {
    for (const near of [down[v], up[v]]) {
      for (const w of near) {
        if (seen[w]) continue;
        seen[w] = true;
        order.push(w);
      }
    }
  }
  return order;
}

/** @param {Layered} graph @param {number[]} order */
function sortIntoLayers(graph, order) {
  /** @type {number[][]} */
  const layers = graph.layers.map(() => []);
  for (const v of order) layers[graph.rank[v]].push(v);
  return layers;
}
