/** Layers and x of every vertex -> y, the points of every edge, and the size of the picture. */

import { trunkClass } from "./layers.js";

/** @typedef {import("./layers.js").Layered} Layered */
/** @typedef {import("./layout.js").LayoutNode} LayoutNode */
/** @typedef {import("./layout.js").LayoutPair} LayoutPair */
/** @typedef {import("./layout.js").LayoutPoint} LayoutPoint */
/** @typedef {{top: number[], bottom: number[]}} LayerBands */
/** @typedef {{graph: Layered, sizes: LayoutNode[], x: number[], y: number[], bands: LayerBands}} Positions */

const PORT_LEAN = 0.25; // how far an end of an edge moves along the border towards where the edge goes
const PARALLEL_STEP = 8; // px between edges with the same ends
const SIDEWAYS_SLOPE = 0.08; // px of gap for every px that an edge runs sideways in it
const MAX_EXTRA_GAP = 60;
const SAME_PLACE = 1e-6; // px

/**
 * @param {Layered} graph
 * @param {LayoutNode[]} sizes
 * @param {LayoutPair[]} edges
 * @param {number[]} x
 * @param {{edge: number, layer: number}} gaps
 */
export function routeEdges(graph, sizes, edges, x, gaps) {
  const bands = stackLayers(graph, sizes, x, gaps.layer);
  const y = sizes.map((_, v) => (bands.top[graph.rank[v]] + bands.bottom[graph.rank[v]]) / 2);
  const offsets = parallelOffsets(sizes, edges, gaps.edge);
  /** @type {LayoutPoint[][]} */
  const points = edges.map(() => []);
  const positions = { graph, sizes, x, y, bands };
  edgesLeaving(graph, edges).forEach((ids, tail) => {
    for (const [e, line] of forkLines(positions, tail, ids, edges)) {
      points[e] = line.map(([px, py]) => [px + offsets[e], py]);
    }
  });
  let width = 0;
  x.forEach((centre, v) => (width = Math.max(width, centre + (v < graph.count ? sizes[v].width / 2 : 0))));
  return { x: x.slice(0, graph.count), y, edges: points, width, height: bands.bottom[bands.bottom.length - 1] };
}

/**
 * Stack the layers; a gap in which an edge runs far sideways is higher.
 * @param {Layered} graph
 * @param {LayoutNode[]} sizes
 * @param {number[]} x
 * @param {number} gap
 * @returns {LayerBands}
 */
function stackLayers(graph, sizes, x, gap) {
  /** @type {LayerBands} */
  const bands = { top: [], bottom: [] };
  let edge = 0;
  for (const layer of graph.layers) {
    let height = 0;
    let sideways = 0;
    for (const v of layer) {
      if (v < graph.count) height = Math.max(height, sizes[v].height);
      for (const w of graph.down[v]) sideways = Math.max(sideways, Math.abs(x[v] - x[w]));
    }
    bands.top.push(edge);
    bands.bottom.push(edge + height);
    edge += height + gap + Math.min(MAX_EXTRA_GAP, SIDEWAYS_SLOPE * sideways);
  }
  return bands;
}

/**
 * Shift to the side of every edge: edges with the same ends run side by side, within both boxes and `room`.
 * @param {LayoutNode[]} sizes
 * @param {LayoutPair[]} edges
 * @param {number} room
 */
function parallelOffsets(sizes, edges, room) {
  /** @type {Map<number, number[]>} */
  const same = new Map();
  edges.forEach(([tail, head], e) => {
    const pair = tail * sizes.length + head;
    const group = same.get(pair);
    if (group) group.push(e);
    else same.set(pair, [e]);
  });
  const offsets = edges.map(() => 0);
  for (const group of same.values()) {
    const [tail, head] = edges[group[0]];
    const step = Math.min(PARALLEL_STEP, Math.min(room, sizes[tail].width / 2, sizes[head].width / 2) / group.length);
    group.forEach((e, i) => (offsets[e] = (i - (group.length - 1) / 2) * step));
  }
  return offsets;
}

/**
 * Edges that leave every node, the shortest first.
 * @param {Layered} graph
 * @param {LayoutPair[]} edges
 */
function edgesLeaving(graph, edges) {
  /** @type {number[][]} */
  const leaving = Array.from({ length: graph.count }, () => []);
  edges.forEach(([tail], e) => leaving[tail].push(e));
  for (const ids of leaving) ids.sort((e, f) => graph.rank[edges[e][1]] - graph.rank[edges[f][1]]);
  return leaving;
}

/**
 * Lines of the edges that leave `tail`: a trunk is walked once, every edge leaves it where its head comes.
 * @param {Positions} positions
 * @param {number} tail
 * @param {number[]} ids
 * @param {LayoutPair[]} edges
 * @returns {[number, LayoutPoint[]][]} edge and line
 */
function forkLines(positions, tail, ids, edges) {
  const { graph, x, bands } = positions;
  /** @type {number[]} */
  let trunk = [];
  /** @type {LayoutPoint[]} */
  let walk = [];
  let walked = 0;
  return ids.map((e) => {
    const head = edges[e][1];
    const bends = graph.rank[head] - graph.rank[tail] - 1;
    const kin = bends ? graph.trunks[tail][trunkClass(bends)] : [];
    if (!bends || kin !== trunk) {
      [trunk, walk, walked] = [kin, [], 0];
      leaveNode(walk, positions, tail, bends ? x[trunk[0]] : x[head]);
    }
    for (; walked < bends; walked++) {
      const bend = trunk[walked];
      extendLine(walk, x[bend], bands.top[graph.rank[bend]]);
      extendLine(walk, x[bend], bands.bottom[graph.rank[bend]]);
    }
    const line = [...walk];
    arriveAtNode(line, positions, head);
    return [e, line];
  });
}

/** @param {LayoutPoint[]} line @param {Positions} positions @param {number} tail @param {number} towards */
function leaveNode(line, positions, tail, towards) {
  const { width, height } = positions.sizes[tail];
  const port = portOf(positions.x[tail], width, towards);
  extendLine(line, port, positions.y[tail] + height / 2);
  extendLine(line, port, positions.bands.bottom[positions.graph.rank[tail]]);
}

/** @param {LayoutPoint[]} line @param {Positions} positions @param {number} head */
function arriveAtNode(line, positions, head) {
  const { width, height } = positions.sizes[head];
  const port = portOf(positions.x[head], width, line[line.length - 1][0]);
  extendLine(line, port, positions.bands.top[positions.graph.rank[head]]);
  extendLine(line, port, positions.y[head] - height / 2);
}

/**
 * x on a border: the centre for a straight edge, off it for one that comes from the side.
 * @param {number} centre
 * @param {number} width
 * @param {number} towards
 */
function portOf(centre, width, towards) {
  return centre + Math.max(-width / 4, Math.min(width / 4, PORT_LEAN * (towards - centre)));
}

/**
 * Add a point, unless only rounding parts it from the last; a vertical run keeps only its two ends.
 * @param {LayoutPoint[]} line
 * @param {number} x
 * @param {number} y
 */
function extendLine(line, x, y) {
  const last = line[line.length - 1];
  const before = line[line.length - 2];
  if (last && last[0] === x && y - last[1] < SAME_PLACE) return;
  if (before && last[0] === x && before[0] === x) line[line.length - 1] = [x, y];
  else line.push([x, y]);
}
