/** A scene and the room for it -> the sight of it that shows it largest: running down, to the right, or wrapped into rows. */

import { readable, scaleOf } from "../viewport/framing.js";
import { sightOf } from "../sight/sight.js";

/** With more boxes than this, only one way is laid out. */
const MOST_TRIED = 300;
/** How much larger rows must show a picture that is too small to read. */
const WORTH_IT = 1.3;

/**
 * @param {import("../types.js").SceneData} scene
 * @param {number[]} unfolded
 * @param {import("../viewport/framing.js").Room} room
 * @param {boolean} tucked
 * @param {boolean | null} across the way that the reader has chosen; null: none
 * @returns {import("../sight/sight.js").Sight}
 */
export function flowing(scene, unfolded, room, tucked, across) {
  const sight = (/** @type {boolean} */ right, /** @type {number} */ aspect) => sightOf(scene, unfolded, { across: right, aspect }, tucked);
  const first = sight(across ?? false, 0);
  if (first.boxes.length > MOST_TRIED) return first;
  const ways = across === null ? [false, true] : [across];
  const straight = [first, ...ways.slice(1).map((way) => sight(way, 0))];
  const best = shownLargest(straight, room);
  if (readable(best, room)) return best;
  const inRows = shownLargest(ways.map((way) => sight(way, way ? room.width / room.height : room.height / room.width)), room); // prettier-ignore
  return scaleOf(inRows, room) > WORTH_IT * scaleOf(best, room) ? inRows : best;
}

/**
 * @param {import("../sight/sight.js").Sight[]} sights
 * @param {import("../viewport/framing.js").Room} room
 */
function shownLargest(sights, room) {
  return sights.reduce((best, each) => (scaleOf(each, room) > scaleOf(best, room) ? each : best));
}
