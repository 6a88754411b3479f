/**
 * Box sizes and edges of a DAG -> where every box stands and how every edge runs.
 *
 * The same program as tapeviz/views/layout/ in Python, module by module, and its twin to the last bit: plain += loops,
 * stable sorts, no function whose last digit may differ. The reasons are told there.
 */

import { straightColumns } from "./columns.js";
import { connectedParts, packParts } from "./components.js";
import { buildLayers } from "./layers.js";
import { orderLayers } from "./order.js";
import { placeColumns } from "./placing.js";
import { moveToBorder, rankNodes } from "./ranks.js";
import { routeEdges } from "./routes.js";
import { wrapped } from "./wrapping.js";

/** @typedef {{width: number, height: number}} LayoutNode the box of one node, in px */
/** @typedef {[number, number]} LayoutPair indices of tail and head */
/** @typedef {[number, number]} LayoutPoint x and y, in px */
/** @typedef {{node: number, edge: number, layer: number}} LayoutGaps least distances, in px */
/** @type {LayoutGaps} */
const GAPS = { node: 24, edge: 14, layer: 36 };
/** @type {LayoutGaps} where the flow runs to the right */
export const ACROSS_GAPS = { node: 24, edge: 14, layer: 56 };

/**
 * Centres of the boxes and points of the edges, from the top left corner, in the order they were given. Between two of
 * its points an edge runs straight along the flow, or changes lanes in the gap between two layers: painted as an S with
 * its ends along the flow, it meets no box.
 * @typedef {{x: number[], y: number[], edges: LayoutPoint[][], width: number, height: number, crossings: number}} LayoutResult
 */

/**
 * Lay out a DAG in layers, sources first. Throws an Error that names node indices for an edge to a node that is not
 * there and for a cycle.
 * @param {LayoutNode[]} nodes
 * @param {LayoutPair[]} edges equal pairs are drawn side by side
 * @param {Map<number, number> | null} [ports]
 * @param {LayoutGaps} [gaps]
 * @param {number} [aspect] of the room, along the flow to across; 0: what is long is not wrapped
 * @returns {LayoutResult}
 */
export function layout(nodes, edges, ports = null, gaps = GAPS, aspect = 0) {
  checkEnds(nodes.length, edges);
  const rank = rankNodes(nodes.length, edges);
  const parts = connectedParts(nodes.length, edges);
  if (ports) for (const part of parts) moveToBorder(rank, part.nodes, ports);
  const pictures = parts.map((part) =>
    layoutPart(part.nodes.map((v) => nodes[v]), part.edges, part.nodes.map((v) => rank[v]), gaps, aspect),
  ); // prettier-ignore
  const { corners, width, height } = packParts(pictures, gaps.node, ports !== null);
  /** @type {LayoutResult} */
  const result = { x: nodes.map(() => 0), y: nodes.map(() => 0), edges: edges.map(() => []), width, height, crossings: 0 };
  parts.forEach((part, p) => {
    const [left, top] = corners[p];
    result.crossings += pictures[p].crossings;
    part.nodes.forEach((v, i) => {
      result.x[v] = pictures[p].x[i] + left;
      result.y[v] = pictures[p].y[i] + top;
    });
    part.edgeIds.forEach((e, i) => {
      result.edges[e] = pictures[p].edges[i].map(([x, y]) => [x + left, y + top]);
    });
  });
  return result;
}

/**
 * Lay out one connected component, its top left corner at (0, 0).
 * @param {LayoutNode[]} nodes
 * @param {LayoutPair[]} edges
 * @param {number[]} rank
 * @param {LayoutGaps} gaps
 * @param {number} aspect
 * @returns {LayoutResult}
 */
function layoutPart(nodes, edges, rank, gaps, aspect) {
  const graph = buildLayers(rank, edges);
  const crossings = orderLayers(graph);
  const widths = nodes.map((node) => node.width);
  const x = placeColumns(graph, straightColumns(graph), widths, gaps);
  const placed = { ...routeEdges(graph, nodes, edges, x, gaps), crossings };
  return aspect ? wrapped(rank, nodes, edges, placed, aspect) : placed;
}

/** @param {number} count @param {LayoutPair[]} edges */
function checkEnds(count, edges) {
  edges.forEach(([tail, head], e) => {
    if (!(tail >= 0 && tail < count && head >= 0 && head < count)) {
      throw new Error(`edge ${e} joins nodes ${tail} and ${head}, but there are ${count} nodes`);
    }
  });
}
