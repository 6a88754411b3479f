/** A note of the lecturer's -> a callout in the picture, beside the box that it speaks of. */

import { html } from "../elements/elements.js";
import { noteOf } from "../elements/prose.js";

/** How far from the box it stands, and from the sides of the view, in px. */
const CALLOUT_GAP = 18;
const CALLOUT_EDGE = 8;
/** Right of the box, left of it, below, above: the best first. */
const SIDES = [[1, 0], [-1, 0], [0, 1], [0, -1]]; // prettier-ignore
/** Where none of these is free, it stands at one of so many places across, and as many down. */
const PLACES = 12;
/** What a box that it covers weighs, and a stretch of a wire, in px of distance. */
const FAR = 1e4;
const CROSSED = 150;

/** @typedef {{ x: number, y: number, w: number, h: number }} Area */

/** Where it covers the fewest boxes, and few wires, the nearest such place; it follows the picture. */
export class Callout {
  #payload;
  #graph;
  /** @type {import("./box.js").Box | null | undefined} */
  #box = null;
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
    this.#stand();
  }

  #stand() {
    const view = this.#graph.element.getBoundingClientRect();
    if (!this.#box || !view.width) return;
    const { scale, x, y } = this.#graph.viewport.place;
    const { boxes, wires } = this.#graph.world.sight;
    const inView = (/** @type {Area} */ area) => ({ x: x + area.x * scale, y: y + area.y * scale, w: area.w * scale, h: area.h * scale });
    const seen = boxes.map(inView);
    const lines = wires.flatMap(({ points }) => points.slice(1).map((end, at) => inView(stretch(points[at], end))));
    const own = seen[this.#graph.world.boxes.indexOf(this.#box)];
    const [w, h] = [this.element.offsetWidth, this.element.offsetHeight];
    const [right, down] = [view.width - w - CALLOUT_EDGE, view.height - h - CALLOUT_EDGE];
    const middle = [own.x + (own.w - w) / 2, own.y + (own.h - h) / 2];
    const beside = SIDES.map(([across, along]) => [middle[0] + across * ((own.w + w) / 2 + CALLOUT_GAP), middle[1] + along * ((own.h + h) / 2 + CALLOUT_GAP)]);
    const grid = Array.from({ length: PLACES ** 2 }, (_, index) => [(right * (index % PLACES)) / PLACES, (down * Math.floor(index / PLACES)) / PLACES]);
    const places = [...beside, ...grid].map(([left, top], index) => {
      const at = [Math.max(Math.min(left, right), CALLOUT_EDGE), Math.max(Math.min(top, down), CALLOUT_EDGE)];
      const under = (/** @type {Area} */ each) => each.x < at[0] + w && at[0] < each.x + each.w && each.y < at[1] + h && at[1] < each.y + each.h;
      const hidden = seen.filter(under);
      const away = index < SIDES.length ? 0 : Math.abs(at[0] - middle[0]) + Math.abs(at[1] - middle[1]);
      return { at, cost: FAR * (hidden.length + (hidden.includes(own) ? seen.length : 0)) + CROSSED * lines.filter(under).length + away };
    });
    const { at } = places.reduce((best, each) => (each.cost < best.cost ? each : best));
    this.element.style.translate = `${at[0]}px ${at[1]}px`;
  }
}

/** Between two points of a wire. @param {[number, number]} start @param {[number, number]} end @returns {Area} */
function stretch([x, y], [right, bottom]) {
  return { x: Math.min(x, right), y: Math.min(y, bottom), w: Math.abs(right - x), h: Math.abs(bottom - y) };
}
