/** Payload and timeline -> where the gradient is None, zero, NaN or infinite: a word for every box and every wire. */

import { sentIn, tensorsOf } from "./carried.js";
import { grouped, oddity } from "../words/numbers.js";

/** The worst first. */
const ODDITIES = ["NaN", "inf", "None", "zero", "finite"];

/** The flags of what stands between a source without a gradient and the place where it is lost. */
const LOST = ["dead", "cut"];

/**
 * Without a backward pass, the same of the values.
 *
 * @param {import("../types.js").Payload} payload
 * @param {import("../types.js").Timeline} timeline
 * @returns {import("./lens.js").Measured}
 */
export function health({ scene, ops, tensors }, timeline) {
  const { run, length } = timeline;
  const sent = sentIn(run);
  // A gradient is missing only from a source that was asked for, and from what stands between it and a cut.
  const loses = run?.gradients.some(({ cotangent }) => cotangent === null) ?? false;
  const missing = (/** @type {string[]} */ flags, /** @type {number[]} */ tensors) =>
    tensors.some((each) => timeline.isNone(each)) || (loses && flags.some((flag) => LOST.includes(flag))) ? "None" : "";
  const boxes = scene.nodes.map((node) => {
    const own = tensorsOf(ops, node);
    if (!run) return worst(own.map((each) => oddity(tensors[each])).map((word) => (isTold(word, node) ? word : "finite")));
    return worst(own.map((each) => {
      const found = timeline.gradientOf(each, length);
      return found ? oddity(tensors[found.cotangent ?? -1]) : missing(node.flags, [each]);
    })); // prettier-ignore
  });
  const edges = scene.edges.map((edge) => {
    if (!run) return oddity(tensors[edge.tensor]);
    const cotangent = sent(edge);
    if (cotangent !== undefined) return oddity(tensors[cotangent]);
    return edge.slot === null ? "" : missing(edge.flags, [edge.tensor]);
  });
  return {
    low: "",
    high: "",
    peak: -1,
    odd: ODDITIES.map((kind) => ({ kind, text: `${grouped(boxes.filter((each) => each === kind).length)} ${kind}`, first: -1 })),
    ofBoxes: (indices) => told(indices.map((each) => boxes[each])),
    ofEdges: (indices) => told(indices.map((each) => edges[each])),
    strip: () => null,
  };
}

/**
 * An infinity that makes nothing odd, such as a mask before a softmax, is not mentioned.
 *
 * @param {string} word
 * @param {import("../types.js").Box} node
 */
function isTold(word, { flags }) {
  return word !== "inf" || flags.includes("inf");
}

/** @param {string[]} words */
function worst(words) {
  return ODDITIES.find((each) => words.includes(each)) ?? "";
}

/**
 * @param {string[]} words
 * @returns {import("./lens.js").Measure | null}
 */
function told(words) {
  const odd = worst(words);
  const count = words.filter((each) => each === odd).length;
  return odd ? { level: 0, text: count > 1 && odd !== "finite" ? `${count} ${odd}` : odd, odd } : null;
}
