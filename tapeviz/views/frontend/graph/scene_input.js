/** Clicks and keys on the graph -> what is selected, folded and focused. */

import { elementOf } from "./stops.js";
import { toggled } from "../sight/unfolding.js";

/** @typedef {import("./graph_world.js").Stop} Stop */

/** A click opens a card, a double click a group; the arrow keys walk from box to box. */
export class SceneInput {
  #context;
  #world;
  #viewport;

  /**
   * @param {import("../types.js").Context} context
   * @param {SVGElement} element
   * @param {import("./graph_world.js").GraphWorld} world
   * @param {import("../viewport/viewport.js").Viewport} viewport
   */
  constructor(context, element, world, viewport) {
    this.#context = context;
    this.#world = world;
    this.#viewport = viewport;
    element.addEventListener("click", (event) => this.#click(event));
    element.addEventListener("dblclick", (event) => this.#unfoldAt(event));
  }

  /** @param {string} action "above", "below" or "open", from the keyboard */
  act(action) {
    const here = this.focused;
    if (!here) return;
    if (action === "open") this.#open(here);
    else this.#walk(here, action === "below" ? 1 : -1);
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

  /** @param {number} group */
  toggle(group) {
    const { payload, store } = this.#context;
    store.set({ unfolded: toggled(payload.scene, store.moment.unfolded, group) });
  }

  /**
   * @param {Stop} here
   * @param {number} direction
   */
  #walk(here, direction) {
    const { order } = this.#world;
    const next = order[order.indexOf(here) + direction];
    if (!next) return;
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
    if (frame) this.toggle(Number(frame));
    else if (box && (box.data.group < 0 || target.closest(".fold-mark"))) this.#open(box);
  }

  /** @param {Event} event a double click */
  #unfoldAt(event) {
    const target = /** @type {Element} */ (event.target);
    const box = this.#boxAt(target);
    if (box && box.data.group >= 0 && !target.closest(".fold-mark")) this.toggle(box.data.group);
  }

  /** @param {Element} target */
  #boxAt(target) {
    return this.#world.box(target.closest(".box")?.getAttribute("data-id") ?? null);
  }

  /** @param {Stop} stop */
  #open({ data }) {
    if (data.group >= 0) return this.toggle(data.group);
    const { store } = this.#context;
    const tensor = "tensor" in data ? data.tensor : null;
    if (tensor !== null) store.set({ selected: tensor === store.moment.selected ? -1 : tensor });
  }
}
