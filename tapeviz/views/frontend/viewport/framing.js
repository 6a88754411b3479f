/** A picture, the room for it and where it stands -> where it should stand, and how large. */

/**
 * The size of the picture, and the point to open it at.
 * @typedef {{ width: number, height: number, across: boolean, home: { x: number, y: number } | null }} Extent `across`: it
 *   runs to the right, not down
 *
 * The part of the view that can be seen; what lies `right` of it is covered. `large`: for readers far away.
 * @typedef {{ width: number, right?: number, height: number, large?: boolean }} Room
 *
 * Where the picture's top left corner stands in the view.
 * @typedef {{ scale: number, x: number, y: number }} Place
 *
 * A part of the picture.
 * @typedef {{ x: number, y: number, w: number, h: number }} Rectangle
 *
 * The part of the picture that is in view, at what scale, and whether that is all of it.
 * @typedef {{ left: number, top: number, right: number, bottom: number, scale: number, whole: boolean }} View
 */

const MARGIN = 20;
/** Of a picture that is seen but for its blank upper border nothing is missing. */
const BLANK = 12;
const LARGEST = 3;
const SMALLEST = 0.08;
/**
 * Opening never makes text smaller than this, of which the smallest has 10 px, nor larger than its natural size by more
 * than that; and in a lecture.
 */
const READABLE = 0.9;
const NATURAL = 1.5;
/** Down to these all words, the classes of modules, and names can be read still: styles make them larger for it. */
const WORDS = 0.8;
const CLASSES = 0.72;
const NAMES = 0.65;
const LEAST = 0.54;
const LARGE = 2;
const LEGIBLE = 1;
/** How much of the picture stays in view, however far it is dragged. */
const LEFT_OVER = 60;

/**
 * The whole picture, in the middle of the room.
 *
 * @param {Extent} extent
 * @param {Room} room
 * @returns {Place}
 */
export function fitted(extent, room) {
  return centred(scaleOf(extent, room), extent.width / 2, extent.height / 2, room);
}

/**
 * How large a whole picture can be shown.
 *
 * @param {{ width: number, height: number }} size
 * @param {Room} room
 */
export function scaleOf(size, room) {
  return Math.max(Math.min(fitting(size, room), room.large ? LARGE : NATURAL), SMALLEST);
}

/**
 * Whether the whole picture can be seen at once, in letters that are easy to read.
 *
 * @param {{ width: number, height: number }} size
 * @param {Room} room
 */
export function readable(size, room) {
  return fitting(size, room) >= leastScale(room);
}

/**
 * Whether the whole picture can be seen at once, with the names of its boxes.
 *
 * @param {{ width: number, height: number }} size
 * @param {Room} room
 */
export function surveyable(size, room) {
  return fitting(size, room) >= (room.large ? LEGIBLE : LEAST);
}

/**
 * What styles have to make larger in a picture of a scale, so that it can be read: "words"; no more than "classes", of
 * modules, and names; "names" alone, or as large as boxes have room for, "least"; null: nothing.
 *
 * @param {number} scale
 */
export function overview(scale) {
  if (scale >= READABLE) return null;
  return scale >= WORDS ? "words" : scale >= CLASSES ? "classes" : scale >= NAMES ? "names" : "least";
}

/**
 * Everything if its names stay readable; else all that stands beside each other, and the point to open at in the middle.
 *
 * @param {Extent} extent
 * @param {Room} room
 * @returns {Place}
 */
export function opened(extent, room) {
  const { width, height, across, home } = extent;
  if (surveyable(extent, room) || !home) return fitted(extent, room);
  const beside = across ? (room.height - 2 * MARGIN) / height : (room.width - 2 * MARGIN) / width;
  const scale = Math.min(Math.max(beside, leastScale(room)), room.large ? LARGE : 1);
  const { x, y } = centred(scale, home.x, home.y, room);
  return {
    scale,
    x: settled(x, width * scale, room.width),
    y: settled(y, height * scale, room.height),
  };
}

/**
 * What is seen of a picture, also behind what covers it.
 *
 * @param {Place} place
 * @param {Extent} extent
 * @param {Room} room
 * @returns {View}
 */
export function viewed({ scale, x, y }, extent, room) {
  const [left, top] = [-x / scale, -y / scale];
  const [right, bottom] = [left + (room.width + (room.right ?? 0)) / scale, top + room.height / scale];
  const whole = left <= 0 && top <= BLANK && right >= extent.width && bottom >= extent.height;
  return { left, top, right, bottom, scale, whole };
}

/**
 * With a part of the picture in the room, moved no further than that asks for; sideways, if it fits, with all of it.
 *
 * @param {Place} place
 * @param {Extent} extent
 * @param {Room} room
 * @param {Rectangle} box
 * @returns {Place}
 */
export function revealed({ scale, x, y }, extent, room, box) {
  // What is written beside a box may reach beyond the picture.
  const left = Math.min(box.x, 0);
  const across = (Math.max(box.x + box.w, extent.width) - left) * scale;
  const whole = across <= room.width - 2 * MARGIN;
  const [start, size] = whole ? [left * scale, across] : [box.x * scale, box.w * scale];
  return {
    scale,
    x: x + shift(x + start, size, room.width),
    y: y + shift(y + box.y * scale, box.h * scale, room.height),
  };
}

/**
 * Larger or smaller about a point of the view that stays where it is.
 *
 * @param {Place} place
 * @param {number} factor
 * @param {number} x
 * @param {number} y
 * @returns {Place}
 */
export function zoomed(place, factor, x, y) {
  const scale = Math.min(Math.max(place.scale * factor, SMALLEST), LARGEST);
  return { scale, x: x - ((x - place.x) * scale) / place.scale, y: y - ((y - place.y) * scale) / place.scale };
}

/**
 * Not dragged out of the room.
 *
 * @param {Place} place
 * @param {Extent} extent
 * @param {Room} room
 * @returns {Place}
 */
export function kept({ scale, x, y }, extent, room) {
  return {
    scale,
    x: Math.min(Math.max(x, LEFT_OVER - extent.width * scale), room.width - LEFT_OVER),
    y: Math.min(Math.max(y, LEFT_OVER - extent.height * scale), room.height - LEFT_OVER),
  };
}

/** @param {Room} room */
function leastScale({ large }) {
  return large ? LEGIBLE : READABLE;
}

/**
 * @param {{ width: number, height: number }} size
 * @param {Room} room
 */
function fitting({ width, height }, room) {
  return Math.min((room.width - 2 * MARGIN) / Math.max(width, 1), (room.height - 2 * MARGIN) / Math.max(height, 1));
}

/**
 * @param {number} scale
 * @param {number} x of the picture, to stand in the middle
 * @param {number} y
 * @param {Room} room
 * @returns {Place}
 */
function centred(scale, x, y, room) {
  return { scale, x: room.width / 2 - x * scale, y: room.height / 2 - y * scale };
}

/**
 * How far a span must move to lie inside the room; one that is too long shows its start.
 *
 * @param {number} start
 * @param {number} size
 * @param {number} room
 */
function shift(start, size, room) {
  if (start < MARGIN || size > room - 2 * MARGIN) return MARGIN - start;
  return Math.min(room - MARGIN - size - start, 0);
}

/**
 * Where a span stands: in the middle if it fits, else with no empty band at either end.
 *
 * @param {number} start
 * @param {number} size
 * @param {number} room
 */
function settled(start, size, room) {
  if (size <= room - 2 * MARGIN) return (room - size) / 2;
  return Math.max(Math.min(start, MARGIN), room - MARGIN - size);
}
