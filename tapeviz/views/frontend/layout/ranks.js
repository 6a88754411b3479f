/** Edges of a DAG -> the layer of every node, edges short and all pointing down. */

import { topologicalOrder } from "./topological.js";

const MAX_RANK_SWEEPS = 8;

/**
 * Layer of every node; every edge leads to a larger one. Throws an Error naming the nodes of a cycle.
 * @param {number} count
 * @param {[number, number][]} edges
 * @returns {number[]}
 */
export function rankNodes(count, edges) {
  const { up, down } = neighboursOf(count, edges);
  const order = rankedOrder(up, down);
  const { pendants, kept } = takeOffTrees(up, down);
  const keepOnly = (/** @type {number[]} */ near) => near.filter((v) => kept[v]);
  const rank = up.map(() => 0);
  settleRanks(keepOnly(order), up.map(keepOnly), down.map(keepOnly), rank);
  for (const [v, anchor, step] of pendants.reverse()) rank[v] = rank[anchor] + step;
  return rank;
}

/**
 * Give the ports among connected nodes a rank before all others (-1) or after all others (1).
 * @param {number[]} rank
 * @param {number[]} nodes
 * @param {Map<number, number>} ports
 */
export function moveToBorder(rank, nodes, ports) {
  const inner = nodes.filter((v) => !ports.has(v)).map((v) => rank[v]);
  if (!inner.length) return;
  const [first, last] = inner.reduce(([low, high], r) => [Math.min(low, r), Math.max(high, r)], [inner[0], inner[0]]);
  for (const v of nodes) {
    const side = ports.get(v);
    if (side !== undefined) rank[v] = side < 0 ? first - 1 : last + 1;
  }
}

/**
 * Tails above and heads below every node, each once, in the order of the edges.
 * @param {number} count
 * @param {[number, number][]} edges
 */
export function neighboursOf(count, edges) {
  /** @type {number[][]} */
  const up = Array.from({ length: count }, () => []);
  /** @type {number[][]} */
  const down = Array.from({ length: count }, () => []);
  const seen = new Set();
  for (const [tail, head] of edges) {
    const pair = tail * count + head;
    if (seen.has(pair)) continue;
    seen.add(pair);
    down[tail].push(head);
    up[head].push(tail);
  }
  return { up, down };
}

/** @param {number[][]} up @param {number[][]} down @throws an Error that names the nodes of a cycle */
function rankedOrder(up, down) {
  const waiting = up.map((near) => near.length);
  const order = topologicalOrder(waiting, down);
  if (order.length < up.length) {
    throw new Error(`the edges form a cycle through the nodes [${findCycle(up, waiting).join(", ")}]`);
  }
  return order;
}

/**
 * Walk upwards among the nodes that never became free: each has such a node above it, so the walk closes.
 * @param {number[][]} up
 * @param {number[]} waiting
 */
function findCycle(up, waiting) {
  let v = waiting.findIndex((left) => left > 0);
  const walk = [];
  /** @type {Map<number, number>} */
  const place = new Map();
  while (!place.has(v)) {
    place.set(v, walk.length);
    walk.push(v);
    v = /** @type {number} */ (up[v].find((u) => waiting[u] > 0));
  }
  return walk.slice(place.get(v)).reverse();
}

/**
 * Remove, again and again, every source and sink with one edge. Returns the removed as [node, anchor, -1 above or +1
 * below it] in the order of removal, and who was kept.
 * @param {number[][]} up
 * @param {number[][]} down
 */
function takeOffTrees(up, down) {
  const ups = up.map((near) => near.length);
  const downs = down.map((near) => near.length);
  const kept = up.map(() => true);
  const pendants = [];
  const stack = [...kept.keys()].reverse().filter((v) => ups[v] + downs[v] === 1);
  while (stack.length) {
    const v = /** @type {number} */ (stack.pop());
    if (ups[v] + downs[v] !== 1) continue; // its last neighbour was removed meanwhile
    kept[v] = false;
    const above = downs[v] === 1;
    const anchor = /** @type {number} */ ((above ? down[v] : up[v]).find((w) => kept[w]));
    pendants.push([v, anchor, above ? -1 : 1]);
    (above ? ups : downs)[anchor] -= 1;
    if (ups[anchor] + downs[anchor] === 1) stack.push(anchor);
  }
  return { pendants, kept };
}

/**
 * Rank the nodes of `order`: as low as possible, then up and down wherever the edges get shorter.
 * @param {number[]} order
 * @param {number[][]} up
 * @param {number[][]} down
 * @param {number[]} rank
 */
function settleRanks(order, up, down, rank) {
  const fromBelow = [...order].reverse();
  for (const v of fromBelow) {
    if (down[v].length) rank[v] = nextTo(rank, down[v], 1);
  }
  for (let sweep = 0; sweep < MAX_RANK_SWEEPS; sweep++) {
    const higher = moveRanks(order, up, down, rank, -1);
    const lower = moveRanks(fromBelow, down, up, rank, 1);
    if (!higher && !lower) return;
  }
}

/**
 * Move nodes as far up (-1) or down (1) as their `near` neighbours let them, unless those behind are more.
 * @param {number[]} order
 * @param {number[][]} near
 * @param {number[][]} far
 * @param {number[]} rank
 * @param {number} way
 */
function moveRanks(order, near, far, rank, way) {
  let shorter = false;
  for (const v of order) {
    if (!near[v].length || near[v].length < far[v].length) continue;
    const place = nextTo(rank, near[v], way);
    shorter = shorter || (way * place > way * rank[v] && near[v].length > far[v].length);
    rank[v] = place;
  }
  return shorter;
}

/** The rank beside the first of some nodes, on the way up (-1) or down (1). @param {number[]} rank @param {number[]} among @param {number} way */
function nextTo(rank, among, way) {
  let first = Infinity;
  for (const v of among) first = Math.min(first, way * rank[v]);
  return way * first - way;
}
