/** The payload's scene and the unfolded groups -> what is seen and where it stands; as `scene` in views/scene/. */

import { fold } from "./fold.js";
import { DOWN, nest } from "./nest.js";
import { share } from "./sharing.js";
import { FRAME_HEAD } from "./nest_plan.js";
import { inHundredths, PILL_HEIGHT, spots } from "./spots.js";

const SIGHT_MARGIN = 16;
/** So much room to the right for badges at the corners of boxes. */
const BADGE_ROOM = 32;
/** How far left of a box's right side the middle of its badge is, and how far right of it the badge ends at most. */
const BADGE_CORNER = 4;
const BADGE_OUT = 16;
/** The widths of " +" and of a digit on a badge. */
const MORE_WIDTH = 11.9;
const DIGIT_WIDTH = 7;

/** @typedef {import("../types.js").Look & { boxes: number[], group: number, tensor: number | null, strip: string | null,
 *   gradient: boolean, whole: string | null, x: number, y: number }} SeenBox
 *   a box, or a leaf's uses in one group, or the folded `group` (else -1), with its top left corner; `boxes` are the
 *   indices of all that it stands for */
/** @typedef {{ tail: number, head: number, wires: number[], points: [number, number][], flags: string[],
 *   badge: string | null, room: number, spot: import("./spots.js").Spot | null }} SeenWire */
/** @typedef {{ group: number, title: string, x: number, y: number, w: number, h: number }} SeenFrame */
/** @typedef {{ boxes: SeenBox[], wires: SeenWire[], frames: SeenFrame[], ofBox: number[], width: number,
 *   height: number, flow: import("./nest.js").Flow }} Sight */

/**
 * @param {import("../types.js").SceneData} scene
 * @param {number[]} unfolded
 * @param {import("./nest.js").Flow} [flow]
 * @param {boolean} [hides] are parameters tucked into the ops that read them?
 * @returns {Sight}
 */
export function sightOf({ nodes, edges, groups, parameters, tucked }, unfolded, flow = DOWN, hides = tucked) {
  const ends = edges.map(({ from, to }) => /** @type {[number, number]} */ ([from, to]));
  const looksOf = (/** @type {import("./fold.js").Folded} */ { seen }) => seen.map(({ box, group }) => (group < 0 ? nodes[box] : groups[group]));
  const place = (/** @type {import("./fold.js").Folded} */ folded) =>
    nest(
      looksOf(folded).map(({ w, h }) => ({ width: w, height: h })),
      folded.seen.map(({ parent }) => parent),
      folded.wires.map(({ tail, head }) => [tail, head]),
      groups.map(({ parent }) => parent),
      groups.map(({ heading }) => heading),
      flow,
    );
  const [folded, placed] = share(fold(nodes, ends, groups, new Set(unfolded), hides ? parameters : []), nodes.map(asLeaf), ends, groups, place);
  const { seen, ofBox, wires: joined } = folded;
  const looks = looksOf(folded);
  const boxes = looks.map((look, index) => ({
    ...look,
    ...own(seen[index].group < 0 ? nodes[seen[index].box] : null),
    group: seen[index].group,
    boxes: seen[index].group < 0 ? [seen[index].box] : /** @type {number[]} */ ([]),
    x: placed.x[index] - look.w / 2 + SIGHT_MARGIN,
    y: placed.y[index] - look.h / 2 + SIGHT_MARGIN,
  }));
  ofBox.forEach((at, index) => index !== seen[at].box && boxes[at].boxes.push(index));
  const wires = joined.map((wire, index) => ({
    ...wire,
    ...joinedLook(wire.wires.map((each) => edges[each])),
    points: placed.lines[index].map(([x, y]) => /** @type {[number, number]} */ ([x + SIGHT_MARGIN, y + SIGHT_MARGIN])),
    spot: null,
  }));
  const frames = placed.frames.map(({ group, x, y, w, h }) => ({
    group,
    title: groups[group].title,
    x: x + SIGHT_MARGIN,
    y: y + SIGHT_MARGIN,
    w,
    h,
  }));
  placeWords(wires, boxes, frames, flow);
  const [width, height] = [placed.width + 2 * SIGHT_MARGIN + BADGE_ROOM, placed.height + 2 * SIGHT_MARGIN];
  return { boxes, wires, frames, ofBox, width, height, flow };
}

/** What uses of one leaf have in common that look the same; null for what is no leaf. @param {import("../types.js").Box} box */
function asLeaf({ kind, tensor, subtitle, strip }) {
  return kind === "variable" || kind === "constant" ? `${tensor} ${subtitle} ${strip}` : null;
}

/** @param {import("../types.js").Box | null} box null: a folded group, which has none of this */
function own(box) {
  return { tensor: box?.tensor ?? null, strip: box?.strip ?? null, gradient: box?.gradient ?? false, whole: box?.whole ?? null };
}

/**
 * The spot of every wire with a word: clear of boxes, of their badges and of the titles of frames.
 *
 * @param {SeenWire[]} wires
 * @param {SeenBox[]} boxes
 * @param {SeenFrame[]} frames
 * @param {import("./nest.js").Flow} flow
 */
function placeWords(wires, boxes, frames, { across }) {
  const worded = wires.filter(({ badge }) => badge);
  if (!worded.length) return;
  const found = spots(worded.map(({ points, room }) => [points, room]), takenBy(boxes, frames), across); // prettier-ignore
  worded.forEach((wire, index) => (wire.spot = found[index]));
}

/** @param {number} w of a box @param {number} room of its badge @returns {number} where the middle of the badge is */
export function badgeMiddle(w, room) {
  return w + Math.min(-BADGE_CORNER, BADGE_OUT - room / 2);
}

/**
 * What boxes, their badges and the titles of frames take up.
 *
 * @param {SeenBox[]} boxes
 * @param {SeenFrame[]} frames
 */
export function takenBy(boxes, frames) {
  const taken = boxes.flatMap(({ x, y, w, h, badge, room }) => {
    const [left, top] = [inHundredths(x), inHundredths(y)];
    const middle = left + badgeMiddle(w, room);
    const pill = { left: middle - room / 2, top: top - PILL_HEIGHT / 2, right: middle + room / 2, bottom: top + PILL_HEIGHT / 2 };
    return [{ left, top, right: left + w, bottom: top + h }, ...(badge ? [pill] : [])];
  });
  for (const { x, y, w } of frames) {
    const [left, top] = [inHundredths(x), inHundredths(y)];
    taken.push({ left, top, right: left + inHundredths(w), bottom: top + FRAME_HEAD / 2 });
  }
  return taken;
}

/**
 * How wires look that are seen as one: as the worst of them, faint if all are.
 *
 * @param {import("../types.js").Wire[]} wires
 */
function joinedLook(wires) {
  const cut = wires.filter(({ flags }) => flags.includes("cut"));
  const worded = (cut.length ? cut : wires).filter(({ badge }) => badge);
  const more = worded.length > 1 ? String(worded.length - 1) : "";
  const room = (worded[0]?.room ?? 0) + (more ? MORE_WIDTH + DIGIT_WIDTH * more.length : 0);
  const worst = ["cut", "recorded", "skipped", "dead"].find((flag) => wires.some(({ flags }) => flags.includes(flag)));
  const badge = worded.length ? worded[0].badge + (more && ` +${more}`) : null;
  return { flags: worst ? [worst] : [], badge, room: inHundredths(room) };
}
