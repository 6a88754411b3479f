/** Wires between ops -> the shapes of what they carry, each written beside its wire where there is room. */

import { placesBeside } from "./contributions.js";
import { overlaps } from "../sight/areas.js";
import { boundsOf } from "./wire.js";

/** In a picture of more wires none has its shape. */
const MOST_SHAPED = 150;
/** Points of a wire, so far apart in px, at which a text may lie across it. */
const APART = 12;
/** A text that stands farther above or below its wire might be taken for that of another. */
const FARTHEST = 12;
/** What is most common goes without saying. */
const USUAL = "float32";

/**
 * What a wire carries, or several that are seen as one: a shape, if all have the same, and a dtype that is not the usual
 * one; "" for numbers, and for leaves, on whose boxes it stands.
 *
 * @param {import("../types.js").Payload} payload
 * @param {number[]} edges
 */
export function shapeText({ scene, tensors }, edges) {
  const carried = edges.filter((edge) => scene.nodes[scene.edges[edge].from].op !== null).map((edge) => tensors[scene.edges[edge].tensor]);
  const texts = new Set(carried.map((tensor) => (tensor && /\d/.test(tensor.shape) ? `${sides(tensor.shape)}${tensor.dtype === USUAL ? "" : ` ${tensor.dtype}`}` : "")));
  return texts.size === 1 ? [...texts][0] : "";
}

/** @param {string} shape as Python writes it @returns {string} its sides, as one writes them */
function sides(shape) {
  return (shape.match(/\d+/g) ?? []).join("×");
}

/**
 * Those that find no free place are left out.
 *
 * @param {import("./wire.js").Wire[]} wires
 * @param {boolean} across does the flow run to the right?
 * @param {import("../sight/areas.js").Area[]} occupied by boxes and words
 * @param {(edges: number[]) => string} textOf
 * @param {number} size of its letters, in px of the picture
 */
export function placeShapes(wires, across, occupied, textOf, size) {
  for (const wire of wires) wire.tell("");
  if (wires.length > MOST_SHAPED) return;
  const taken = [...occupied];
  const told = wires.map((wire) => ({ wire, text: wire.data.badge ? "" : textOf(wire.data.wires) })).filter(({ text }) => text);
  const lines = told.length ? wires.map(tracedBy) : [];
  told.forEach(({ wire, text }) => {
    const places = placesBeside({ text, side: wire.side, size, across, length: wire.length, at: (share) => wire.at(share) });
    const free = places.find(({ down, area }) => Math.abs(down) <= FARTHEST && !taken.some((each) => overlaps(area, each)) && !lines.some((line) => passes(line, area)));
    if (!free) return;
    taken.push(free.area);
    wire.tell(text, free);
  });
}

/** @typedef {{ around: import("../sight/areas.js").Area, points: { x: number, y: number }[] }} Line */

/** @param {import("./wire.js").Wire} wire @returns {Line} */
function tracedBy(wire) {
  const { x, y, w, h } = boundsOf({ ...wire.data, spot: null });
  const count = Math.ceil(wire.length / APART);
  const points = Array.from({ length: count + 1 }, (_, index) => wire.at(index / count));
  return { around: { left: x - 1, top: y - 1, right: x + w + 1, bottom: y + h + 1 }, points };
}

/** @param {Line} line @param {import("../sight/areas.js").Area} area */
function passes({ around, points }, area) {
  const { left, top, right, bottom } = area;
  return overlaps(around, area) && points.some(({ x, y }) => x > left && x < right && y > top && y < bottom);
}
