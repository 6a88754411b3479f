/** Layered graph, ordered -> columns: runs of vertices that will stand in one straight vertical line. */

import { bisectRight } from "./bisect.js";

/** @typedef {import("./layers.js").Layered} Layered */
/** @typedef {[number, number, number]} Segment tail, head, importance */

/**
 * Partition the vertices into columns, each a run through consecutive layers, no two of them crossing. Long edges come
 * first, then the longest paths, each followed to both its ends.
 * @param {Layered} graph
 * @returns {number[][]}
 */
export function straightColumns(graph) {
  const choice = new ColumnChoice(graph);
  const segments = segmentsByImportance(graph, choice.place);
  /** @type {Segment[][]} */
  const leaving = graph.rank.map(() => []);
  /** @type {Segment[][]} */
  const entering = graph.rank.map(() => []);
  for (const segment of segments) {
    leaving[segment[0]].push(segment);
    entering[segment[1]].push(segment);
  }
  for (const segment of segments) {
    if (!choice.take(segment)) continue;
    choice.follow(segment, leaving, 1);
    choice.follow(segment, entering, 0);
  }
  return graph.layers.flat().filter((v) => choice.upper[v] < 0).map((v) => choice.column(v));
}

/** The segments chosen to be straight, so far. */
class ColumnChoice {
  /** @param {Layered} graph */
  constructor(graph) {
    this.rank = graph.rank;
    this.place = graph.rank.map(() => 0);
    for (const layer of graph.layers) layer.forEach((v, i) => (this.place[v] = i));
    this.lower = graph.rank.map(() => -1);
    this.upper = graph.rank.map(() => -1);
    /** @type {{tops: number[], bottoms: number[]}[]} places of both ends, ascending */
    this.between = graph.layers.map(() => ({ tops: [], bottoms: [] }));
  }

  /**
   * Choose a segment if its ends are free and it crosses no chosen one.
   * @param {Segment} segment
   */
  take([v, w]) {
    if (this.lower[v] >= 0 || this.upper[w] >= 0) return false;
    const { tops, bottoms } = this.between[this.rank[v]];
    const at = bisectRight(tops, this.place[v]);
    if (at > 0 && bottoms[at - 1] > this.place[w]) return false;
    if (at < tops.length && bottoms[at] < this.place[w]) return false;
    tops.splice(at, 0, this.place[v]);
    bottoms.splice(at, 0, this.place[w]);
    this.lower[v] = w;
    this.upper[w] = v;
    return true;
  }

  /**
   * Choose on along the path, segments of equal importance, down (end 1) or up (end 0).
   * @param {Segment} segment
   * @param {Segment[][]} beyond
   * @param {0 | 1} end
   */
  follow(segment, beyond, end) {
    /** @type {Segment | undefined} */
    let following = segment;
    while (following) following = beyond[following[end]].find((s) => s[2] === segment[2] && this.take(s));
  }

  /**
   * The column that starts at `v`.
   * @param {number} v
   */
  column(v) {
    const column = [];
    for (let w = v; w >= 0; w = this.lower[w]) column.push(w);
    return column;
  }
}

/**
 * All segments: trunks first, then by the longest path, then the middle ones of a fan, then by argument.
 * @param {Layered} graph
 * @param {number[]} place
 */
function segmentsByImportance(graph, place) {
  const { above, below } = pathLengths(graph);
  const eccentric = offCentre(graph, place);
  const size = graph.rank.length;
  /** @type {Segment[]} */
  const segments = [];
  /** @type {number[]} */
  const keys = [];
  graph.up.forEach((near, w) => {
    for (const v of near) {
      const inside = v >= graph.count && w >= graph.count;
      const length = inside ? size + 1 : above[v] + below[w];
      keys.push((size + 1 - length) * 2 * size + /** @type {number} */ (eccentric.get(v * size + w)));
      segments.push([v, w, length]);
    }
  });
  return [...keys.keys()].sort((i, j) => keys[i] - keys[j]).map((i) => segments[i]);
}

/**
 * Nodes on the longest path that ends at every vertex, and on the longest that starts there.
 * @param {Layered} graph
 */
function pathLengths(graph) {
  const above = graph.rank.map(() => 0);
  const below = graph.rank.map(() => 0);
  const grow = (/** @type {number} */ v, /** @type {number[]} */ length, /** @type {number[]} */ near) => {
    for (const u of near) length[v] = Math.max(length[v], length[u]);
    if (v < graph.count) length[v] += 1;
  };
  for (const layer of graph.layers) for (const v of layer) grow(v, above, graph.up[v]);
  for (const layer of [...graph.layers].reverse()) for (const v of layer) grow(v, below, graph.down[v]);
  return { above, below };
}

/**
 * How far every segment (tail * vertices + head) is from the middle of the fans at both its ends.
 * @param {Layered} graph
 * @param {number[]} place
 */
function offCentre(graph, place) {
  const size = graph.rank.length;
  /** @type {Map<number, number>} */
  const off = new Map();
  const met = graph.rank.map(() => 0); // segments seen so far at every head: they come from left to right
  for (const v of graph.layers.flat()) {
    const fan = [...graph.down[v]].sort((a, b) => place[a] - place[b]);
    fan.forEach((w, i) => {
      off.set(v * size + w, fromMiddle(i, fan.length) + fromMiddle(met[w], graph.up[w].length));
      met[w] += 1;
    });
  }
  return off;
}

/**
 * Steps from the middle one, or the nearer of the middle two, of `count`.
 * @param {number} i
 * @param {number} count
 */
function fromMiddle(i, count) {
  return Math.abs(2 * i + 1 - count) >> 1;
}
