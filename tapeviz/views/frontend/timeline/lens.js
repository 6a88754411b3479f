/** A lens, payload and timeline -> how much of it every box and wire has: gradient, value, memory, order, ranks apart. */

import { sentIn, tensorsOf } from "./carried.js";
import { health } from "./health.js";
import { briefly, bytesOf, bytesText, normOf, written } from "../words/numbers.js";

/** @typedef {import("../types.js").Payload} Payload */
/** @typedef {import("../types.js").Timeline} Timeline */
/** @typedef {{ level: number, text: string, odd?: string }} Measure `level` from 0 to 1; `odd`: in which way it is odd */
/**
 * The ends of the scale, a box that has the most of it or that a wire with the most comes from (`peak`; -1: none), and
 * the ways in which boxes are odd, with how many are in words, and the `first` to look at (-1: none); `ofBoxes` and `ofEdges`: of those that are seen as one, by their indices; `strip`:
 * what a box shows of it.
 * @typedef {{
 *   low: string, high: string, peak: number, odd: { kind: string, text: string, first: number }[], ofBoxes(indices: number[]): Measure | null,
 *   ofEdges(indices: number[]): Measure | null, strip(index: number): string | null }} Measured
 */
/**
 * The size of a box and of an edge (NaN: none), how it is written, on which scale sizes are compared, and what a box
 * shows in place of its value.
 * @typedef {{
 *   box(node: import("../types.js").Box): number, edge?(edge: import("../types.js").Wire): number,
 *   text(size: number): string, scale?(size: number): number,
 *   strip?(node: import("../types.js").Box): string | null }} Lens
 */

/** @type {Record<string, string>} */
export const LENSES = {
  steps: "Steps",
  gradient: "Gradient norm",
  value: "Value norm",
  memory: "Memory kept",
  order: "Order in time",
  health: "None, zero, NaN",
  ranks: "Differences of ranks",
};

/** Those that there is something to show of. @param {Payload} payload */
export function lensesOf({ ranks }) {
  return Object.entries(LENSES).filter(([lens]) => lens !== "ranks" || ranks?.measured);
}

/** @type {Record<string, (payload: Payload, timeline: Timeline) => Lens>} lenses that measure a size */
const SIZES = {
  gradient: ({ ops, tensors }, timeline) => {
    const sent = sentIn(timeline.run);
    const arrived = (/** @type {number} */ tensor) => tensors[timeline.gradientOf(tensor, timeline.length)?.cotangent ?? -1];
    return {
      box: (node) => largest(tensorsOf(ops, node).map((tensor) => normOf(arrived(tensor)))),
      edge: (edge) => normOf(tensors[sent(edge) ?? -1]),
      text: briefly,
      strip: (node) => stripText(arrived(tensorsOf(ops, node)[0])),
    };
  },
  value: ({ ops, tensors }) => ({
    box: (node) => largest(tensorsOf(ops, node).map((tensor) => normOf(tensors[tensor]))),
    edge: ({ tensor }) => normOf(tensors[tensor]),
    text: briefly,
    strip: ({ strip }) => strip,
  }),
  memory: ({ ops, tensors }) => {
    const kept = (/** @type {number} */ tensor) => (tensors[tensor]?.saved ? bytesOf(tensors[tensor]) : 0);
    return {
      box: ({ op, tensor }) => (op === null ? kept(tensor ?? -1) : sum(ops[op].saved.map((each) => bytesOf(tensors[each])))),
      text: bytesText,
    };
  },
  order: ({ ops }) => {
    const steps = new Map(Object.keys(ops).map((position, index) => [Number(position), index + 1]));
    return { box: ({ op }) => steps.get(op ?? -1) ?? NaN, text: (step) => `#${step}`, scale: (step) => step };
  },
};

/** Whether the colours tell gradients that are to be predicted. @param {import("../types.js").Moment} moment */
export function predicted({ predict, lens, step, timeline }) {
  return predict && ["gradient", "health"].includes(lens) && step < timeline.length;
}

/**
 * @param {string} lens one of LENSES but "steps"
 * @param {Payload} payload
 * @param {Timeline} timeline
 * @returns {Measured}
 */
export function measure(lens, payload, timeline) {
  if (lens === "health") return health(payload, timeline);
  if (lens === "ranks" && payload.ranks?.measured) return payload.ranks.measured;
  const { nodes, edges } = payload.scene;
  const { box, edge = () => NaN, text, scale = Math.log, strip = () => null } = SIZES[lens](payload, timeline);
  const [ofBoxes, ofEdges] = [nodes.map(box), edges.map(edge)];
  const every = [...ofBoxes, ...ofEdges];
  const all = every.filter((size) => size > 0 && size < Infinity);
  const [level, low, high] = levels(all, scale);
  const peak = every.indexOf(high);
  return {
    low: all.length ? text(low) : "none",
    high: all.length ? text(high) : "",
    peak: edges[peak - nodes.length]?.from ?? peak,
    ofBoxes: (indices) => measured(indices.map((each) => ofBoxes[each]), level, (least, most) => (least === most ? text(most) : `${text(least)} – ${text(most)}`)), // prettier-ignore
    ofEdges: (indices) => measured(indices.map((each) => ofEdges[each]), level, (_, most) => text(most)),
    odd: [],
    strip: (index) => strip(nodes[index]),
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
 * What a box shows of a tensor, as `looks` in tapeviz/views/scene/looks.py: a number, a row of few, or a histogram.
 *
 * @param {import("../types.js").Tensor | undefined} tensor
 */
export function stripText(tensor) {
  if (!tensor) return null;
  const { shape, value, short, histogram } = tensor;
  const few = shape === "()" ? value : short?.startsWith("[") ? short : null; // else it is a norm
  return histogram ? `:${histogram}` : few && written(few);
}

/** @param {number[]} numbers @returns {number} NaN where there is none */
function largest(numbers) {
  return numbers.reduce((high, each) => (each > high || Number.isNaN(high) ? each : high), NaN);
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, each) => total + each, 0);
}
