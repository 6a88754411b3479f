/** Edges of a DAG -> its nodes, each after all that lead to it. */

/**
 * The nodes in such an order. `waiting` is counted down: what is left above 0 is in a cycle, or behind one.
 * @param {number[]} waiting how many edges lead to each node
 * @param {number[][]} after the nodes that each node leads to
 */
export function topologicalOrder(waiting, after) {
  const order = [...waiting.keys()].filter((v) => waiting[v] === 0);
  for (const v of order) {
    for (const w of after[v]) {
      waiting[w] -= 1;
      if (waiting[w] === 0) order.push(w);
    }
  }
  return order;
}
