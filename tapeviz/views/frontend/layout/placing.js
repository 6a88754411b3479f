/** Columns -> x of every vertex. */

import { popHeap, pushHeap } from "./bisect.js";
import { topologicalOrder } from "./topological.js";

/** @typedef {import("./layers.js").Layered} Layered */
/** @typedef {[number, number][]} Beside neighbours of a column on one side, with the least distance */

/**
 * Centre x of every vertex, the leftmost border at 0. The longest column is placed first; then, again and again, the
 * longest of those that are joined to a placed one, as near as it can to the median of the columns it is joined to.
 * @param {Layered} graph
 * @param {number[][]} columns
 * @param {number[]} widths
 * @param {{node: number, edge: number}} gaps
 */
export function placeColumns(graph, columns, widths, gaps) {
  const sorted = columnsFromLeft(graph, columns);
  const widthOf = (/** @type {number} */ v) => (v < graph.count ? widths[v] : 0);
  const at = growColumns(sorted.map((column) => column.length), linkColumns(graph, sorted, widthOf, gaps));
  const x = graph.rank.map(() => 0);
  sorted.forEach((column, c) => column.forEach((v) => (x[v] = at[c])));
  let border = Infinity;
  x.forEach((centre, v) => (border = Math.min(border, centre - widthOf(v) / 2)));
  return x.map((centre) => centre - border);
}

/**
 * The columns so sorted that whatever stands beside another in some layer comes before what is right of it.
 * @param {Layered} graph
 * @param {number[][]} columns
 */
function columnsFromLeft(graph, columns) {
  const columnOf = columnOfVertex(graph, columns);
  /** @type {number[][]} */
  const right = columns.map(() => []);
  const waiting = columns.map(() => 0);
  for (const layer of graph.layers) {
    for (let i = 1; i < layer.length; i++) {
      right[columnOf[layer[i - 1]]].push(columnOf[layer[i]]);
      waiting[columnOf[layer[i]]] += 1;
    }
  }
  return topologicalOrder(waiting, right).map((c) => columns[c]);
}

/** @param {Layered} graph @param {number[][]} columns */
function columnOfVertex(graph, columns) {
  const columnOf = graph.rank.map(() => 0);
  columns.forEach((column, c) => column.forEach((v) => (columnOf[v] = c)));
  return columnOf;
}

/**
 * What ties columns together, by column index: neighbours on both sides, and columns at the other end of segments.
 * @param {Layered} graph
 * @param {number[][]} columns
 * @param {(v: number) => number} widthOf
 * @param {{node: number, edge: number}} gaps
 */
function linkColumns(graph, columns, widthOf, gaps) {
  const columnOf = columnOfVertex(graph, columns);
  /** @type {Beside[]} */
  const left = columns.map(() => []);
  /** @type {Beside[]} */
  const right = columns.map(() => []);
  /** @type {number[][]} */
  const joined = columns.map(() => []);
  for (const layer of graph.layers) {
    for (let i = 1; i < layer.length; i++) {
      const [v, w] = [layer[i - 1], layer[i]];
      const gap = v < graph.count && w < graph.count ? gaps.node : gaps.edge;
      const apart = (widthOf(v) + widthOf(w)) / 2 + gap;
      right[columnOf[v]].push([columnOf[w], apart]);
      left[columnOf[w]].push([columnOf[v], apart]);
    }
  }
  graph.down.forEach((near, v) => {
    for (const w of near) {
      if (columnOf[v] === columnOf[w]) continue;
      joined[columnOf[v]].push(columnOf[w]);
      joined[columnOf[w]].push(columnOf[v]);
    }
  });
  return { left, right, joined };
}

/**
 * Place columns one by one, from the longest outwards.
 * @param {number[]} lengths
 * @param {{left: Beside[], right: Beside[], joined: number[][]}} links
 */
function growColumns(lengths, links) {
  const count = lengths.length;
  const at = lengths.map(() => 0);
  const low = lengths.map(() => -Infinity);
  const high = lengths.map(() => Infinity);
  const placed = lengths.map(() => false);
  let longest = 0;
  for (const length of lengths) longest = Math.max(longest, length);
  const heap = [lengths.indexOf(longest)];
  while (heap.length) {
    const c = popHeap(heap) % count;
    if (placed[c]) continue;
    placed[c] = true;
    const anchors = links.joined[c].filter((d) => placed[d]).map((d) => at[d]);
    at[c] = Math.min(Math.max(medianOf(anchors.sort((a, b) => a - b)), low[c]), high[c]);
    low[c] = high[c] = at[c];
    pushBounds(c, links.right, low, placed, 1);
    pushBounds(c, links.left, high, placed, -1);
    for (const d of links.joined[c]) if (!placed[d]) pushHeap(heap, (longest - lengths[d]) * count + d);
  }
  return at;
}

/** @param {number[]} ascending */
function medianOf(ascending) {
  const middle = ascending.length >> 1;
  if (!ascending.length) return 0;
  return ascending.length % 2 ? ascending[middle] : (ascending[middle - 1] + ascending[middle]) / 2;
}

/**
 * Pass the bound of a placed column on to the unplaced ones at its right (sign 1) or left (-1), in order of distance.
 * @param {number} start
 * @param {Beside[]} beside
 * @param {number[]} bound
 * @param {boolean[]} placed
 * @param {1 | -1} sign
 */
function pushBounds(start, beside, bound, placed, sign) {
  const heap = [sign * start];
  while (heap.length) {
    const c = sign * popHeap(heap);
    for (const [d, apart] of beside[c]) {
      const limit = bound[c] + sign * apart;
      if (placed[d] || sign * (limit - bound[d]) <= 0) continue;
      bound[d] = limit;
      pushHeap(heap, sign * d);
    }
  }
}
