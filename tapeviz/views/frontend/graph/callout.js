/** A note of the lecturer's -> a callout in the picture, beside the box that it speaks of. */

import { countOverlaps, overlaps, segments, sidesOf } from "../sight/areas.js";
import { html } from "../elements/elements.js";
import { noteOf } from "../elements/prose.js";
import { alongSegment } from "../sight/spots.js";

/** How far from its box it stands, and from all else and the sides of the view, in px. */
const CALLOUT_GAP = 18;
const CALLOUT_EDGE = 8;
/** How wide it is at most, best first: where it would cover something, another width may have room. */
const WIDTHS = ["14em", "24em", "9em"];
/** Right of the box, left of it, below, above: the best first. */
const SIDES = [[1, 0], [-1, 0], [0, 1], [0, -1]]; // prettier-ignore
/** Where none of these is free, it stands at one of so many places across, and as many down. */
const PLACES = 24;
/** What it weighs to cover a box or words, or to break a formula that has room, and to cover a piece of a wire, in px of distance: wires only where nothing else is free. */
const FAR = 1e7;
const CROSSED = 1e4;
/** Between two of its points a wire is so many pieces, each straight enough. */
const PIECES = 4;
const EVEN = Array.from({ length: PIECES + 1 }, (_, index) => index / PIECES);

/** @typedef {import("../sight/areas.js").Area} Area */

/** It follows the picture; where it finds no place that covers no box, it stands below the picture, which gives it room. */
export class Callout {
  #payload;
  #graph;
  /** @type {import("./box.js").Box | null | undefined} */
  #box = null;
  /** Has the note no place yet? Once it stands below, it stays there: the picture has another room then. */
  #fresh = false;
  element = html("div.callout", { role: "note", hidden: true });

  /**
   * @param {import("../types.js").Payload} payload
   * @param {import("./debugged_graph.js").DebuggedGraph} graph
   */
  constructor(payload, graph) {
    this.#payload = payload;
    this.#graph = graph;
    graph.viewport.onMove(() => this.#stand());
  }

  /** @param {import("../types.js").Moment} moment that the graph shows by now */
  show(moment) {
    const note = this.#payload.notes[moment.step];
    this.#box = note && moment.timeline.run ? this.#graph.stopAt(moment) : null;
    this.element.hidden = !this.#box;
    if (!note || !this.#box) return;
    this.element.replaceChildren(noteOf(note));
    this.#fresh = true;
    this.#stand();
  }

  #stand() {
    const stage = this.element.offsetParent;
    if (!this.#box || !stage || (!this.#fresh && "below" in this.element.dataset)) return;
    const { scale, x, y, touched } = this.#graph.viewport.place;
    const { sight, wires, taken, isCrowd } = this.#graph.world;
    const inView = (/** @type {Area} */ { left, top, right, bottom }) => ({ left: x + left * scale, top: y + top * scale, right: x + right * scale, bottom: y + bottom * scale });
    const written = wires.flatMap(({ written, data }) => (written ? [sidesOf(written.data), ...piecesOf(data.points, sight.flow.across)] : []));
    const around = /** @type {NodeListOf<HTMLElement>} */ (stage.querySelectorAll(".zoom, .minimap"));
    const over = [...around].map((each) => sidesOf({ x: each.offsetLeft, y: each.offsetTop, w: each.offsetWidth, h: each.offsetHeight }));
    const solid = [...[...taken, ...written].map(inView), ...over];
    // A crowd has too many to look at while it is dragged.
    const lines = (isCrowd ? [] : sight.wires).flatMap(({ points }) => piecesOf(points, sight.flow.across)).map(inView);
    const own = inView(sidesOf(this.#box.data));
    const { clientWidth: width, clientHeight: height } = stage;
    const formulas = /** @type {NodeListOf<HTMLElement>} */ (this.element.querySelectorAll(".whole"));
    this.element.removeAttribute("data-below");
    const places = WIDTHS.map((most) => {
      this.element.style.maxWidth = most;
      const { offsetWidth, offsetHeight } = this.element;
      const high = [...formulas].reduce((sum, formula) => sum + formula.offsetHeight, 0);
      return { most, high, ...calloutPlace({ width: offsetWidth, height: offsetHeight }, { width, height }, own, solid, lines) };
    });
    const least = Math.min(...places.map(({ high }) => high));
    for (const place of places) if (place.high > least) place.cost += FAR; // a formula is broken
    const best = places.reduce((one, other) => (other.cost < one.cost ? other : one));
    this.element.style.maxWidth = best.most;
    this.element.style.translate = best.at.map((each) => `${each}px`).join(" ");
    this.element.toggleAttribute("data-below", best.cost >= FAR && !touched);
    this.element.parentElement?.style.setProperty("--below", `${this.element.offsetHeight}px`);
    this.#fresh = false;
  }
}

/**
 * Where a note covers neither its own box nor others, nor words, and no wire; or else the least of it; of such places the
 * nearest.
 *
 * @param {{ width: number, height: number }} size of the note
 * @param {{ width: number, height: number }} view
 * @param {Area} own the box that it speaks of
 * @param {Area[]} taken boxes and words, that one too, and the wires that carry something
 * @param {Area[]} lines pieces of wires
 * @returns {{ at: number[], cost: number }} left and top, and what is covered, by its weight, and the distance
 */
export function calloutPlace({ width, height }, view, own, taken, lines) {
  const seen = { left: 0, top: 0, right: view.width, bottom: view.height };
  const [solid, crossed] = [taken, lines].map((areas) => areas.filter((each) => overlaps(each, seen)));
  const [right, down] = [view.width - width - CALLOUT_EDGE, view.height - height - CALLOUT_EDGE];
  const middle = [(own.left + own.right - width) / 2, (own.top + own.bottom - height) / 2];
  const reach = [(own.right - own.left + width) / 2 + CALLOUT_GAP, (own.bottom - own.top + height) / 2 + CALLOUT_GAP];
  const beside = SIDES.map((side) => side.map((way, axis) => middle[axis] + way * reach[axis]));
  const grid = Array.from({ length: PLACES ** 2 }, (_, index) => [(right * (index % PLACES)) / (PLACES - 1), (down * Math.floor(index / PLACES)) / (PLACES - 1)]);
  const places = [...beside, ...grid].map((place, index) => {
    const [left, top] = [right, down].map((most, axis) => Math.max(Math.min(place[axis], most), CALLOUT_EDGE));
    const area = { left: left - CALLOUT_EDGE, top: top - CALLOUT_EDGE, right: left + width + CALLOUT_EDGE, bottom: top + height + CALLOUT_EDGE };
    const away = index < SIDES.length ? 0 : Math.abs(left - middle[0]) + Math.abs(top - middle[1]);
    const hidden = countOverlaps(area, solid) + (overlaps(area, own) ? solid.length : 0);
    return { at: [left, top], cost: FAR * hidden + CROSSED * countOverlaps(area, crossed) + away };
  });
  return places.reduce((best, each) => (each.cost < best.cost ? each : best));
}

/** What a wire passes through. @param {[number, number][]} points @param {boolean} across @returns {Area[]} */
function piecesOf(points, across) {
  return points.slice(1).flatMap((end, index) => segments(EVEN.map((share) => alongSegment(points[index], end, share, across))));
}
