/** A lens, payload and timeline -> how much of it every box and wire has: gradient, value, memory, order. */

import { sentIn, tensorsOf } from "./carried.js";
import { health } from "./health.js";
import { briefly, bytesOf, bytesText, normOf } from "../words/numbers.js";

/** @typedef {{ level: number, text: string, odd?: string }} Measure `level` from 0 to 1; `odd`: one of ODDITIES */
/**
 * The ends of the scale, a box that has the most of it or that a wire with the most comes from (`peak`; -1: none), and
 * how many boxes are odd in which way; `ofBoxes` and `ofEdges`: of those that are seen as one, by their indices; `strip`:
 * what a box shows of it.
 * @typedef {{
 *   low: string, high: string, peak: number, counts: number[], ofBoxes(indices: number[]): Measure | null,
 *   ofEdges(indices: number[]): Measure | null, strip(index: number): string | null }} Measured
 */

/** @type {Record<string, string>} */
export const LENSES = {
  steps: "Steps",
  gradient: "Gradient norm",
  value: "Value norm",
  memory: "Memory kept",
  order: "Order in time",
  health: "None, zero, NaN",
};

/**
 * @param {string} lens one of LENSES but "steps"
 * @param {import("../types.js").Payload} payload
 * @param {import("../types.js").Timeline} timeline
 * @returns {Measured}
 */
export function measure(lens, payload, timeline) {
  if (lens === "health") return health(payload, timeline);
  const { scene, ops, tensors } = payload;
  const [ofTensor, ofEdge, text] = sizes(lens, payload, timeline);
  const order = new Map(Object.keys(ops).map((position, index) => [Number(position), index + 1]));
  const boxes = scene.nodes.map((node) => {
    const { op } = node;
    if (lens === "order") return op === null ? NaN : (order.get(op) ?? NaN);
    if (lens === "memory" && op !== null) return sum(ops[op].saved.map((each) => bytesOf(tensors[each])));
    return largest(tensorsOf(ops, node).map(ofTensor));
  });
  const edges = scene.edges.map(ofEdge);
  const every = [...boxes, ...edges];
  const all = every.filter((size) => size > 0 && size < Infinity);
  const [level, low, high] = levels(all, lens === "order" ? (size) => size : Math.log);
  const peak = every.indexOf(high);
  return {
    low: all.length ? text(low) : "none",
    high: all.length ? text(high) : "",
    peak: scene.edges[peak - boxes.length]?.from ?? peak,
    ofBoxes: (indices) => measured(indices.map((each) => boxes[each]), level, (least, most) => (least === most ? text(most) : `${text(least)} – ${text(most)}`)), // prettier-ignore
    ofEdges: (indices) => measured(indices.map((each) => edges[each]), level, (_, most) => text(most)),
    counts: [],
    strip: (index) => {
      const node = scene.nodes[index];
      if (lens !== "gradient") return lens === "value" ? node.strip : null;
      const [own] = tensorsOf(ops, node);
      return stripText(tensors[timeline.gradientOf(own, timeline.length)?.cotangent ?? -1]);
    },
  };
}

/**
 * Between 0 and 1 by size and by rank, half each, so that the others still differ beside an outlier.
 *
 * @param {number[]} all sizes, none of them 0
 * @param {(size: number) => number} scale
 * @returns {[level: (size: number) => number, low: number, high: number]}
 */
function levels(all, scale) {
  const sorted = [...new Set(all)].sort((a, b) => a - b);
  const ranks = new Map(sorted.map((size, rank) => [size, rank / (sorted.length - 1)]));
  const [low, high] = [sorted[0], sorted[sorted.length - 1]];
  const part = (/** @type {number} */ size) => (scale(size) - scale(low)) / (scale(high) - scale(low));
  return [(size) => (!(size > 0) ? 0 : size >= high ? 1 : (part(size) + (ranks.get(size) ?? 0)) / 2), low, high];
}

/**
 * Of several, as a folded group has them, the level is that of the largest.
 *
 * @param {number[]} sizes
 * @param {(size: number) => number} level
 * @param {(least: number, most: number) => string} text
 * @returns {Measure | null}
 */
function measured(sizes, level, text) {
  const known = sizes.filter((size) => size >= 0);
  const most = largest(known);
  return known.length ? { level: level(most), text: text(known.reduce((a, b) => Math.min(a, b)), most) } : null;
}

/**
 * The size of a tensor, of an edge, and how a size is written.
 *
 * @param {string} lens
 * @param {import("../types.js").Payload} payload
 * @param {import("../types.js").Timeline} timeline
 * @returns {[(tensor: number) => number, (edge: import("../types.js").Wire) => number, (size: number) => string]}
 */
function sizes(lens, { tensors }, timeline) {
  const none = () => NaN;
  const norm = (/** @type {number | null | undefined} */ tensor) => normOf(tensors[tensor ?? -1]);
  if (lens === "order") return [none, none, (size) => `#${size}`];
  if (lens === "memory") {
    const kept = (/** @type {number} */ tensor) => (tensors[tensor]?.saved ? bytesOf(tensors[tensor]) : 0);
    return [kept, none, bytesText];
  }
  if (lens === "value") return [norm, ({ tensor }) => norm(tensor), briefly];
  const sent = sentIn(timeline.run);
  const arrived = (/** @type {number} */ tensor) => norm(timeline.gradientOf(tensor, timeline.length)?.cotangent);
  return [arrived, (edge) => norm(sent(edge)), briefly];
}

/**
 * As `strip` in tapeviz/views/words/levels.py.
 *
 * @param {import("../types.js").Tensor | undefined} tensor
 */
function stripText(tensor) {
  if (!tensor) return null;
  return tensor.histogram ? `:${tensor.histogram}` : (tensor.short ?? (tensor.shape === "()" ? tensor.value : null));
}

/** @param {number[]} numbers @returns {number} NaN where there is none */
function largest(numbers) {
  return numbers.reduce((high, each) => (each > high || Number.isNaN(high) ? each : high), NaN);
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, each) => total + each, 0);
}
