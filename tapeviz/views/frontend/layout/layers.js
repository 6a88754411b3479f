/** Ranks and edges -> a layered graph: vertices in layers, joined by segments from one layer to the next. */

import { neighboursOf } from "./ranks.js";

/**
 * Vertices below `count` are the nodes, the others are bends of long edges. Long edges of one node that are of similar
 * length share one trunk of bends: `trunks` of a node are its trunks by `trunkClass`, each from top to bottom.
 * @typedef {{count: number, rank: number[], up: number[][], down: number[][], trunks: number[][][],
 *            layers: number[][]}} Layered
 */

/**
 * Edges of 1, 2-3, 4-7, 8-15, ... bends go together.
 * @param {number} bends
 */
export function trunkClass(bends) {
  return 31 - Math.clz32(bends);
}

/**
 * Replace edges over several layers by trunks; the least rank is the first layer; layers are not ordered yet.
 * @param {number[]} ranks
 * @param {[number, number][]} edges
 * @returns {Layered}
 */
export function buildLayers(ranks, edges) {
  const count = ranks.length;
  const near = neighboursOf(count, edges);
  const first = ranks.reduce((least, r) => Math.min(least, r), Infinity);
  const rank = ranks.map((r) => r - first);
  /** @type {number[][]} */
  const up = rank.map(() => []);
  /** @type {number[][]} */
  const down = rank.map(() => []);
  const trunks = ranks.map((_, v) => growTrunks(v, near.down[v], rank, up, down));
  for (let w = 0; w < count; w++) {
    for (const v of near.up[w]) {
      const bends = rank[w] - rank[v] - 1;
      const above = bends ? trunks[v][trunkClass(bends)][bends - 1] : v;
      up[w].push(above);
      down[above].push(w);
    }
  }
  /** @type {number[][]} */
  const layers = [];
  rank.forEach((r, v) => {
    while (layers.length <= r) layers.push([]);
    layers[r].push(v);
  });
  return { count, rank, up, down, trunks, layers };
}

/**
 * Add the bends of all long edges from `v` to `rank`, `up` and `down`.
 * @param {number} v
 * @param {number[]} heads
 * @param {number[]} rank
 * @param {number[][]} up
 * @param {number[][]} down
 */
function growTrunks(v, heads, rank, up, down) {
  /** @type {number[]} bends of the longest edge of every class */
  const lengths = [];
  for (const w of heads) {
    const bends = rank[w] - rank[v] - 1;
    if (!bends) continue;
    const kind = trunkClass(bends);
    while (lengths.length <= kind) lengths.push(0);
    lengths[kind] = Math.max(lengths[kind], bends);
  }
  return lengths.map((length) => {
    const trunk = [];
    let above = v;
    for (let i = 0; i < length; i++) {
      const bend = rank.length;
      rank.push(rank[above] + 1);
      up.push([above]);
      down.push([]);
      down[above].push(bend);
      trunk.push(bend);
      above = bend;
    }
    return trunk;
  });
}
