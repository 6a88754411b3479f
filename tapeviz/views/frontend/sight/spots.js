/**
 * Boxes, wires, words -> where the word of a wire stands: beside it, clear of the boxes and of the other words.
 *
 * The same program as tapeviz/views/scene/spots.py, where the reasons are told, and its twin.
 */

import { overlaps } from "./areas.js";

const FROM_WIRE = 12;
/** Of the pill that a word stands in. */
export const PILL_HEIGHT = 16;
const UP = [20, 50];

/** @typedef {[number, number]} Point */
/** @typedef {import("./areas.js").Area} Area */
/** @typedef {{ onWire: Point, badge: Point }} Spot */

/**
 * @param {[Point[], number][]} wires the points of each, and the width of its word
 * @param {Area[]} taken
 * @param {boolean} across does the flow run to the right?
 * @returns {Spot[]}
 */
export function spots(wires, taken, across) {
  const occupied = [...taken];
  return wires.map(([points, width]) => {
    const found = candidates(points, width, across);
    const areas = found.map((spot) => areaOf(spot, width));
    const free = areas.findIndex((area) => !occupied.some((other) => overlaps(area, other)));
    occupied.push(areas[Math.max(free, 0)]);
    return found[Math.max(free, 0)];
  });
}

/** @param {Point[]} points @param {number} width @param {boolean} across @returns {Spot[]} */
function candidates(points, width, across) {
  const middle = Math.ceil((points.length - 1) / 2);
  /** @type {Point[]} */
  const places = [[middle, 0.5], [points.length - 1, 0.75], [1, 0.25]]; // prettier-ignore
  return places.flatMap(([segment, share]) => {
    const [x, y] = alongSegment(points[segment - 1], points[segment], share, across);
    /** @type {Point[]} */
    const badges = across ? UP.flatMap((up) => [[x, y - up], [x, y + up]]) : [1, -1].map((side) => [x + side * (FROM_WIRE + width / 2), y]); // prettier-ignore
    return badges.map((badge) => ({ onWire: /** @type {Point} */ ([x, y]), badge }));
  });
}

/** @param {Point} start @param {Point} end @param {number} share @param {boolean} across @returns {Point} */
export function alongSegment(start, end, share, across) {
  if (across) {
    const [down, along] = alongSegment([start[1], start[0]], [end[1], end[0]], share, false);
    return [along, down];
  }
  const bend = share * share * (3 - 2 * share);
  const middle = (start[1] + end[1]) / 2;
  const rest = 1 - share;
  const y = rest ** 3 * start[1] + 3 * rest * share * middle + share ** 3 * end[1];
  return [inHundredths(start[0] + (end[0] - start[0]) * bend), inHundredths(y)];
}

/** @param {Spot} spot @param {number} width @returns {Area} */
function areaOf({ onWire: [x, y], badge: [middle, level] }, width) {
  const left = Math.min(x - FROM_WIRE, middle - width / 2);
  const right = Math.max(x + FROM_WIRE, middle + width / 2);
  return { left, top: Math.min(y, level) - PILL_HEIGHT / 2, right, bottom: Math.max(y, level) + PILL_HEIGHT / 2 };
}

/** @param {number} length */
export function inHundredths(length) {
  return Math.round(length * 100) / 100;
}
