/** A grid of elements, as tapeviz/views/words/cells.py writes it -> its numbers, its slices, how strong a number is painted. */

import { digits } from "./numbers.js";

/** @typedef {import("../types.js").Grid} Grid */
/** @typedef {{ start: number, label: string }} Tile a slice: where it begins among the numbers, and which it is */
/** @typedef {(number | null)[]} Choice of each axis but rows and columns the index that is seen; null: all, a tile for each;
 *   COLOUR: all, as one picture in colour */

/** More tiles than this are not shown together. */
const MOST_TILES = 64;
const BYTES = 4;
/** An axis has at most so many ticks, one of these, ten times or a hundred times these, apart. */
const TICKS = 6;
const TICK_STEPS = [1, 2, 5];
export const COLOUR = -1;
/** Red, green and blue. */
export const CHANNELS = 3;

/** @param {Grid} grid */
export function floatsOf({ sides, numbers }) {
  const octets = Uint8Array.from(atob(numbers), (letter) => letter.charCodeAt(0));
  const count = product(sides);
  const kept = octets.length / count;
  const whole = new DataView(new ArrayBuffer(BYTES));
  return Float32Array.from({ length: count }, (_, index) => {
    for (let octet = 0; octet < kept; octet++) whole.setUint8(octet, octets[kept * index + octet]);
    return whole.getFloat32(0);
  });
}

/** @param {Grid} grid @returns {number[]} the axes that are neither rows nor columns */
export function slicedAxes({ sides, rows, columns }) {
  return sides.map((_, axis) => axis).filter((axis) => axis !== rows && axis !== columns);
}

/**
 * A picture in colour; else all of the last of them, if they are not too many; and the first of each other one.
 *
 * @param {Grid} grid
 * @returns {Choice}
 */
export function firstChoice(grid) {
  const last = slicedAxes(grid).at(-1) ?? -1;
  return grid.sides.map((side, axis) => (isColour(grid, axis) ? COLOUR : axis === last && side <= MOST_TILES ? null : 0));
}

/** Whether an axis has the channels of a picture in colour. @param {Grid} grid @param {number} axis */
export function isColour({ sides, strides, names }, axis) {
  return names[axis] === "channel" && sides[axis] === CHANNELS && strides[axis] === 1;
}

/**
 * The ends of what is painted black and in full colour: 0 and 1, or 0 and 255, where all numbers are between these.
 *
 * @param {ArrayLike<number>} numbers
 */
export function colourEnds(numbers) {
  let [low, high] = [0, 0];
  for (let index = 0; index < numbers.length; index++) {
    if (!Number.isFinite(numbers[index])) continue;
    low = Math.min(low, numbers[index]);
    high = Math.max(high, numbers[index]);
  }
  return [low, low < 0 || high > 255 ? high : high > 1 ? 255 : 1];
}

/** Whether the slices of an axis may be shown beside each other. @param {Grid} grid @param {Choice} choice @param {number} axis */
export function canTile({ sides, rows, columns }, choice, axis) {
  const others = sides.filter((_, each) => each !== axis && each !== rows && each !== columns && choice[each] === null);
  return product(others) * sides[axis] <= MOST_TILES;
}

/** @param {Grid} grid @param {Choice} choice @returns {Tile[]} */
export function tilesOf(grid, choice) {
  /** @type {Tile[]} */
  let tiles = [{ start: 0, label: "" }];
  for (const axis of slicedAxes(grid)) {
    const index = choice[axis];
    const shown = index === null ? Array.from({ length: grid.sides[axis] }, (_, each) => each) : [Math.max(index, 0)];
    const jump = jumpOf(grid, axis);
    tiles = tiles.flatMap(({ start, label }) =>
      shown.map((each) => ({ start: start + each * jump, label: index === null ? `${label}${label && ", "}${axisName(grid, axis)} ${each}` : label })),
    );
  }
  return tiles;
}

/** How far the next index of an axis is among the numbers. @param {Grid} grid @param {number} axis */
export function jumpOf({ sides }, axis) {
  return axis < 0 ? 0 : product(sides.slice(axis + 1));
}

/** @param {Grid} grid @param {number} axis */
export function axisName({ names }, axis) {
  return names[axis] || `axis ${axis}`;
}

/**
 * An element, by its place in a slice: its index in the tensor.
 *
 * @param {Grid} grid
 * @param {number} at among the numbers
 */
export function indexOf(grid, at) {
  return grid.sides.map((side, axis) => grid.strides[axis] * (Math.floor(at / jumpOf(grid, axis)) % side));
}

/** What of a tensor is not in its grid, in words; "" if all is. @param {Grid} grid @param {string} shape */
export function leftOut(grid, shape) {
  const lengths = (shape.match(/\d+/g) ?? []).map(Number);
  const told = grid.sides.flatMap((side, axis) => {
    const [name, stride] = [axisName(grid, axis), grid.strides[axis]];
    if (stride > 1) return [`${name}: one of every ${stride}`];
    return side < lengths[axis] ? [`${name}: the first ${side === 1 ? "" : `${side} `}of ${lengths[axis]}`] : [];
  });
  return told.length ? `Not all is shown. ${told.join("; ")}.` : "";
}

/**
 * The scale of numbers: from their size nearest to zero, which is zero where both signs are, to the largest; on a log scale
 * from the smallest size there is.
 *
 * @param {ArrayLike<number>} numbers
 * @param {boolean} log
 */
export function shadesOf(numbers, log) {
  let [low, least, high, above, below] = [Infinity, Infinity, 0, false, false];
  for (let index = 0; index < numbers.length; index++) {
    const size = Math.abs(numbers[index]);
    if (!Number.isFinite(size)) continue;
    low = Math.min(low, size);
    if (size) least = Math.min(least, size);
    high = Math.max(high, size);
    above ||= numbers[index] > 0;
    below ||= numbers[index] < 0;
  }
  return { low: log ? Math.min(least, high) : above && below ? 0 : Math.min(low, high), high, above, below, log };
}

/**
 * How strong a number is painted, from 0 to `most`; a constant is painted half as strong as can be. On a log scale zero alone
 * is not painted.
 *
 * @param {number} number
 * @param {{ low: number, high: number, log: boolean }} scale
 * @param {number} most
 */
export function shadeOf(number, { low, high, log }, most) {
  const size = Math.abs(number);
  if (!(high > low)) return size ? Math.round(most / 2) : 0;
  if (!log) return Math.round((most * (size - low)) / (high - low));
  return size ? 1 + Math.round(((most - 1) * Math.log(size / low)) / Math.log(high / low)) : 0;
}

/** @param {number} side @param {number} room for so many @returns {number[]} the indices along a side that have ticks, the first at least */
export function ticksOf(side, room) {
  const most = Math.max(1, Math.min(TICKS, room));
  const decade = 10 ** Math.floor(Math.log10(Math.max(1, side / most)));
  const step = decade * (TICK_STEPS.find((each) => decade * each * most >= side) ?? 10);
  return Array.from({ length: Math.ceil(side / step) }, (_, index) => index * step);
}

/** A number with as many digits as a grid has: six where its numbers are whole, else four. @param {Grid} grid @param {number} number */
export function cellText({ sides, numbers }, number) {
  return digits(number, (3 * numbers.length) / 4 < BYTES * product(sides) ? 4 : 6);
}

/** @param {number[]} sides */
function product(sides) {
  return sides.reduce((all, side) => all * side, 1);
}
