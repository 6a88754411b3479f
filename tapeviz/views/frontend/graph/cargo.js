/** Wires that carry contributions -> where along the wire, and on which side, each is written: clear of boxes and words. */

import { takenBy } from "../sight/sight.js";
import { meet, PILL_HEIGHT } from "../sight/spots.js";

/** How far from its wire a word begins. */
export const CARGO_BESIDE = 10;
/** How wide a letter of it is. */
const CARGO_LETTER = 7.3;
/** Parts of the way from the tensor to the op, best first. */
const SHARES = [0.45, 0.25, 0.65, 0.85];
/** Points of a wire at which a word may lie across it, which is not as bad as across a box or another word. */
const POINTS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
const ACROSS_A_BOX = 100;

/** @typedef {{ share: number, side: number, area: import("../sight/spots.js").Area }} Berth
 *   `side` 1: to the right of the wire, -1: to its left */
/** @typedef {{ text: string, side: number, at(share: number): { x: number, y: number } }} Carrier
 *   a wire with the side that is its own, and a point of it by the part of its way */

/**
 * Give the contribution on each wire its place.
 *
 * @param {import("./wire.js").Wire[]} wires
 * @param {import("../sight/sight.js").Sight} sight
 */
export function settleCargo(wires, { boxes, frames }) {
  const loaded = wires.flatMap((wire) => (wire.carrier ? [{ wire, carrier: wire.carrier }] : []));
  if (!loaded.length) return;
  const ends = new Set(loaded.flatMap(({ wire: { data } }) => [data.tail, data.head]));
  const beside = wires.filter(({ data }) => ends.has(data.tail) || ends.has(data.head));
  const others = beside.flatMap(({ carrier, data }) => (carrier ? [] : segments(data.points)));
  const found = berths(loaded.map(({ carrier }) => carrier), takenBy(boxes, frames), others); // prettier-ignore
  loaded.forEach(({ wire }, index) => wire.berth(found[index]));
}

/**
 * @param {[number, number][]} points
 * @returns {import("../sight/spots.js").Area[]} what a wire along these points passes through
 */
function segments(points) {
  return points.slice(1).map(([x, y], index) => {
    const [before, above] = points[index];
    return { left: Math.min(before, x), top: Math.min(above, y), right: Math.max(before, x), bottom: Math.max(above, y) };
  });
}

/**
 * @param {Carrier[]} carriers
 * @param {import("../sight/spots.js").Area[]} taken
 * @param {import("../sight/spots.js").Area[]} others where wires of the same boxes pass that carry nothing
 * @returns {Berth[]}
 */
export function berths(carriers, taken, others) {
  const occupied = [...taken];
  const lines = [...others, ...carriers.flatMap(({ at }) => POINTS.map((share) => areaAround(at(share), 0, 0, 0)))];
  return carriers.map(({ text, side: own, at }) => {
    const found = SHARES.flatMap((share) =>
      [own, -own].map((side) => {
        const area = areaAround(at(share), side * CARGO_BESIDE, side * (CARGO_BESIDE + CARGO_LETTER * text.length), PILL_HEIGHT / 2);
        const met = (/** @type {typeof taken} */ areas) => areas.filter((each) => meet(area, each)).length;
        return { share, side, area, cost: ACROSS_A_BOX * met(occupied) + met(lines) };
      }),
    );
    const best = found.reduce((least, each) => (each.cost < least.cost ? each : least));
    occupied.push(best.area);
    return best;
  });
}

/** @param {{ x: number, y: number }} point @param {number} near @param {number} far @param {number} half */
function areaAround({ x, y }, near, far, half) {
  return { left: x + Math.min(near, far), top: y - half, right: x + Math.max(near, far), bottom: y + half };
}
