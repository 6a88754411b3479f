/** Wires that carry contributions -> where each is written: how far along its wire and on which side, clear of boxes and words. */

import { aroundAll, countOverlaps, overlaps, segments } from "../sight/areas.js";

/** How far from its wire a contribution begins. */
const CONTRIBUTION_BESIDE = 10;
/** The least size of its letters, and how wide and high one is to that, with the halo that sets it off from what is behind it. */
const CONTRIBUTION_SIZE = 12;
const LETTER = { w: 0.61, h: 1.5 };
/** Parts of the way from the tensor to the op, best first. */
const SHARES = [0.45, 0.25, 0.65, 0.85];
/** A wire that is longer, such as one to another row, has it near the op, so many px from there, best first. */
const LONG = 600;
const NEAR = [70, 110, 30, 160];
/** How far it stands below the point of the wire beside which it is written, best first: clear of a wire that lies flat. */
const DROPS = [0, 10, -10];
/** Where the flow runs to the right: how far its middle stands above or below the wire, best first: clear of boxes, too. */
const ABOVE = [12, 28, 50];
/** Points of a wire at which a text may lie across it, which is not as bad as across a box or another text. */
const POINTS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
/** The size of the head of a wire that carries a contribution. */
export const HEAD = { w: 10.8, h: 9 };
const [ACROSS_A_BOX, ACROSS_A_HEAD] = [100, 3];
/** How many places are tried after every contribution has one. */
const TRIES = 1000;

/** @typedef {import("../sight/areas.js").Area} Area */
/** @typedef {{ text: string, side: number, size?: number, across: boolean, length?: number,
 *   at(share: number): { x: number, y: number } }} Carried what a wire carries, the side that it has best (1: right or below,
 *   -1: left or above), how large the letters are, how long it is, and a point of it by the part of its way */
/** @typedef {{ share: number, right: number, down: number, anchor: string, area: Area }} CarriedPlace where it stands
 *   from that point */

/**
 * Give the contribution on each wire its place; is there any?
 *
 * @param {import("./wire.js").Wire[]} wires
 * @param {Area[]} taken by boxes and words
 * @param {number} size of the words in the picture, in px of it
 */
export function placeContributions(wires, taken, size) {
  const loaded = wires.flatMap((wire) => (wire.carried ? [{ wire, carried: wire.carried }] : []));
  if (!loaded.length) return false;
  const ends = new Set(loaded.flatMap(({ wire: { data } }) => [data.tail, data.head]));
  const near = wires.filter(({ data }) => ends.has(data.tail) || ends.has(data.head));
  const empty = near.flatMap(({ carried, data }) => (carried ? [] : segments(data.points)));
  const places = placesOf(loaded.map(({ carried }) => ({ ...carried, size: Math.max(size, CONTRIBUTION_SIZE) })), taken, empty);
  loaded.forEach(({ wire }, index) => wire.place(places[index]));
  return true;
}

/**
 * @param {Carried[]} all
 * @param {Area[]} taken
 * @param {Area[]} empty where wires of the same boxes pass that carry nothing
 * @returns {CarriedPlace[]}
 */
export function placesOf(all, taken, empty) {
  const lines = [...empty, ...all.flatMap(({ at }) => POINTS.map((share) => areaAround(at(share), 0, 0, 0)))];
  const heads = all.map(({ at, across }) => headAt(at(0), across));
  const choices = all.map(placesBeside);
  const around = aroundAll(choices.flat().map(({ area }) => area));
  const near = taken.filter((each) => overlaps(each, around));
  const cost = (/** @type {Area} */ area) =>
    ACROSS_A_BOX * countOverlaps(area, near) + ACROSS_A_HEAD * countOverlaps(area, heads) + countOverlaps(area, lines);
  return cheapest(choices.map((places) => places.map((place) => ({ place, cost: cost(place.area) }))));
}

/** @param {Carried} carried @returns {CarriedPlace[]} where it may stand, best first */
export function placesBeside({ text, side: own, size = CONTRIBUTION_SIZE, across, length = 0, at }) {
  const [width, half] = [LETTER.w * size * text.length, (LETTER.h * size) / 2];
  const shares = length > LONG ? NEAR.map((near) => 1 - near / length) : SHARES;
  return shares.flatMap((share) => {
    const { x, y } = at(share);
    if (across) {
      return ABOVE.flatMap((above) =>
        [own, -own].map((side) => {
          const area = areaAround({ x, y: y + side * above }, -width / 2, width / 2, half);
          return { share, right: 0, down: side * above, anchor: "middle", area };
        }),
      );
    }
    return DROPS.flatMap((down) =>
      [own, -own].map((side) => {
        const right = side * CONTRIBUTION_BESIDE;
        const area = areaAround({ x, y: y + down }, right, right + side * width, half);
        return { share, right, down, anchor: side < 0 ? "end" : "start", area };
      }),
    );
  });
}

/**
 * One place for each, so that they cost least together: depth first, the cheapest next to those before it first, as far
 * as the tries go.
 *
 * @param {{ place: CarriedPlace, cost: number }[][]} choices
 * @returns {CarriedPlace[]}
 */
function cheapest(choices) {
  /** @type {CarriedPlace[]} */
  let best = [];
  let [bound, tries] = [Infinity, TRIES];
  const choose = (/** @type {CarriedPlace[]} */ chosen, /** @type {number} */ spent) => {
    if (chosen.length === choices.length) [best, bound] = [chosen, spent];
    const areas = chosen.map(({ area }) => area);
    const next = (choices[chosen.length] ?? []).map(({ place, cost }) => ({ place, cost: spent + cost + ACROSS_A_BOX * countOverlaps(place.area, areas) })); // prettier-ignore
    for (const { place, cost } of next.sort((one, other) => one.cost - other.cost)) {
      if (cost >= bound || (best.length && !tries--)) return;
      choose([...chosen, place], cost);
    }
  };
  choose([], 0);
  return best;
}

/** @param {{ x: number, y: number }} start of a wire, where a contribution arrives @param {boolean} across */
function headAt({ x, y }, across) {
  if (across) return areaAround({ x, y }, 0, HEAD.h, HEAD.w / 2);
  return areaAround({ x, y: y + HEAD.h / 2 }, -HEAD.w / 2, HEAD.w / 2, HEAD.h / 2);
}

/** @param {{ x: number, y: number }} point @param {number} near @param {number} far @param {number} half */
function areaAround({ x, y }, near, far, half) {
  return { left: x + Math.min(near, far), top: y - half, right: x + Math.max(near, far), bottom: y + half };
}
