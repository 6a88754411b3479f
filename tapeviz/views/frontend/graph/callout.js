/** A note of the lecturer's -> a callout in the picture, beside the box that it speaks of. */

import { html } from "../elements/elements.js";
import { noteOf } from "../elements/prose.js";

/** How far from the box it stands, and from the sides of the view, in px. */
const CALLOUT_GAP = 18;
const CALLOUT_EDGE = 8;
/** @type {[side: string, right: number, down: number][]} the best first */
const SIDES = [["right", 1, 0], ["left", -1, 0], ["below", 0, 1], ["above", 0, -1]]; // prettier-ignore

/** Where it covers the fewest boxes; it follows the picture. */
export class Callout {
  #payload;
  #graph;
  /** @type {import("./box.js").Box | null | undefined} */
  #box = null;
  element = html("div", { class: "callout", role: "note", hidden: true });

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
    const seen = this.#graph.world.sight.boxes.map((box) => ({ x: x + box.x * scale, y: y + box.y * scale, w: box.w * scale, h: box.h * scale }));
    const own = seen[this.#graph.world.boxes.indexOf(this.#box)];
    const [w, h] = [this.element.offsetWidth, this.element.offsetHeight];
    const within = (/** @type {number} */ at, /** @type {number} */ most) => Math.max(Math.min(at, most - CALLOUT_EDGE), CALLOUT_EDGE);
    const places = SIDES.map(([side, right, down]) => {
      const left = within(own.x + (own.w - w) / 2 + (right * (own.w + w)) / 2 + right * CALLOUT_GAP, view.width - w);
      const top = within(own.y + (own.h - h) / 2 + (down * (own.h + h)) / 2 + down * CALLOUT_GAP, view.height - h);
      const covered = seen.filter((each) => each.x < left + w && left < each.x + each.w && each.y < top + h && top < each.y + each.h);
      return { side, left, top, cost: covered.length + Number(covered.includes(own)) };
    });
    const { side, left, top } = places.reduce((best, each) => (each.cost < best.cost ? each : best));
    this.element.dataset.side = side;
    this.element.style.translate = `${left}px ${top}px`;
  }
}
