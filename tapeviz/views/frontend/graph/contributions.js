/** Wires that carry contributions -> where each is written: how far along its wire and on which side, clear of boxes and words. */

import { takenBy } from "../sight/sight.js";
import { meet, PILL_HEIGHT } from "../sight/spots.js";

/** How far from its wire a contribution begins. */
export const CONTRIBUTION_BESIDE = 10;
/** How wide a letter of it is. */
const LETTER_WIDTH = 7.3;
/** Parts of the way from the tensor to the op, best first. */
const SHARES = [0.45, 0.25, 0.65, 0.85];
/** Points of a wire at which a text may lie across it, which is not as bad as across a box or another text. */
const POINTS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
const ACROSS_A_BOX = 100;

/** @typedef {import("../sight/spots.js").Area} Area */
/** @typedef {{ text: string, side: number, at(share: number): { x: number, y: number } }} Carried what a wire carries,
 *   the side that it has best (1: right, -1: left), and a point of the wire by the part of its way */
/** @typedef {{ share: number, side: number, area: Area }} CarriedPlace */

/**
 * Give the contribution on each wire its place.
 *
 * @param {import("./wire.js").Wire[]} wires
 * @param {import("../sight/sight.js").Sight} sight
 */
export function placeContributions(wires, { boxes, frames }) {
  const loaded = wires.flatMap((wire) => (wire.carried ? [{ wire, carried: wire.carried }] : []));
  if (!loaded.length) return;
  const ends = new Set(loaded.flatMap(({ wire: { data } }) => [data.tail, data.head]));
  const near = wires.filter(({ data }) => ends.has(data.tail) || ends.has(data.head));
  const empty = near.flatMap(({ carried, data }) => (carried ? [] : segments(data.points)));
  const places = placesOf(loaded.map(({ carried }) => carried), takenBy(boxes, frames), empty); // prettier-ignore
  loaded.forEach(({ wire }, index) => wire.place(places[index]));
}

/**
 * @param {[number, number][]} points
 * @returns {Area[]} what a wire along these points passes through
 */
function segments(points) {
  return points.slice(1).map(([x, y], index) => {
    const [before, above] = points[index];
    return { left: Math.min(before, x), top: Math.min(above, y), right: Math.max(before, x), bottom: Math.max(above, y) };
  });
}

/**
 * @param {Carried[]} all
 * @param {Area[]} taken
 * @param {Area[]} empty where wires of the same boxes pass that carry nothing
 * @returns {CarriedPlace[]}
 */
export function placesOf(all, taken, empty) {
  const occupied = [...taken];
  const lines = [...empty, ...all.flatMap(({ at }) => POINTS.map((share) => areaAround(at(share), 0, 0, 0)))];
  return all.map(({ text, side: own, at }) => {
    const places = SHARES.flatMap((share) =>
      [own, -own].map((side) => {
        const far = CONTRIBUTION_BESIDE + LETTER_WIDTH * text.length;
        const area = areaAround(at(share), side * CONTRIBUTION_BESIDE, side * far, PILL_HEIGHT / 2);
        const met = (/** @type {Area[]} */ areas) => areas.filter((each) => meet(area, each)).length;
        return { share, side, area, cost: ACROSS_A_BOX * met(occupied) + met(lines) };
      }),
    );
    const best = places.reduce((least, each) => (each.cost < least.cost ? each : least));
    occupied.push(best.area);
    return best;
  });
}

/** @param {{ x: number, y: number }} point @param {number} near @param {number} far @param {number} half */
function areaAround({ x, y }, near, far, half) {
  return { left: x + Math.min(near, far), top: y - half, right: x + Math.max(near, far), bottom: y + half };
}
