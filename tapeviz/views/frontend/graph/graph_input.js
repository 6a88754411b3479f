/** Clicks and keys on the graph -> what is chosen, folded and focused. */

import { elementOf } from "./stops.js";

/** @typedef {import("./graph_world.js").Stop} Stop */
/** @typedef {import("./box.js").Box} Box */

/** A click chooses a box, a double click unfolds a group; the arrow keys walk from box to box. */
export class GraphInput {
  #world;
  #viewport;
  #acts;
  /** What is told besides of what one points to. @type {((data: Box["data"] | import("./wire.js").Wire["data"]) => string) | null} */
  tell = null;

  /**
   * @param {{ toggle(group: number): void, choose(box: Box): void }} acts
   * @param {SVGElement} element
   * @param {import("./graph_world.js").GraphWorld} world
   * @param {import("../viewport/viewport.js").Viewport} viewport
   */
  constructor(acts, element, world, viewport) {
    this.#acts = acts;
    this.#world = world;
    this.#viewport = viewport;
    element.addEventListener("click", (event) => this.#click(event));
    element.addEventListener("dblclick", (event) => this.#unfoldAt(event));
    element.addEventListener("pointerover", ({ target }) => this.#name(/** @type {Element} */ (target)));
  }

  /** @returns {Stop | null} */
  get focused() {
    const root = this.#world.element.getRootNode();
    const focused = root instanceof ShadowRoot ? root.activeElement : null;
    return focused && (this.#world.order.find((stop) => elementOf(stop) === focused) ?? null);
  }

  /** @param {Stop} stop */
  focus(stop) {
    elementOf(stop).setAttribute("tabindex", "0");
    elementOf(stop).focus({ preventScroll: true });
  }

  /** @param {number} steps down from what has the focus, in reading order; further than there are: to the last */
  walk(steps) {
    const here = this.focused;
    if (!here) return;
    const { order } = this.#world;
    const at = order.indexOf(here);
    const next = order[Math.min(Math.max(at + steps, 0), order.length - 1)];
    if (next === here) return;
    elementOf(here).setAttribute("tabindex", "-1");
    this.#viewport.reveal("settle" in next ? next.data : { ...next.data, h: 30 });
    this.focus(next);
  }

  /** @param {Event} event */
  #click(event) {
    if (this.#viewport.dragged) return;
    const target = /** @type {Element} */ (event.target);
    const box = this.#boxAt(target);
    const frame = target.closest(".frame-head")?.getAttribute("data-fold");
    if (frame) this.#acts.toggle(Number(frame));
    else if (box && target.closest(".fold-mark")) this.#acts.toggle(box.data.group);
    else if (box) this.#acts.choose(box);
  }

  /** What one points to says in full what it is: no box and no wire needs these words before. @param {Element} target */
  #name(target) {
    const element = target.closest(".wire");
    const part = this.#boxAt(target) ?? this.#world.wires.find((each) => each.element === element);
    part?.name(this.tell?.(part.data) ?? "");
  }

  /** @param {Event} event a double click */
  #unfoldAt(event) {
    const target = /** @type {Element} */ (event.target);
    const box = this.#boxAt(target);
    if (box && box.data.group >= 0 && !target.closest(".fold-mark")) this.#acts.toggle(box.data.group);
  }

  /** @param {Element} target */
  #boxAt(target) {
    return this.#world.box(target.closest(".box")?.getAttribute("data-id") ?? null);
  }

  /** What has the focus unfolds or folds, or is chosen. */
  open() {
    const here = this.focused;
    if (!here) return;
    if (here.data.group >= 0) this.#acts.toggle(here.data.group);
    else if ("settle" in here) this.#acts.choose(here);
  }
}
