/** The panels -> one column beside the graph that scrolls as one: as wide as the reader wants it, or folded away. */

import { iconButtons } from "../elements/button.js";
import { attribute, html } from "../elements/elements.js";

/** What an arrow key moves, in px. */
const NUDGE = 40;
/** How wide it is for what stands side by side, and about how wide at first, in percent of the whole width. */
const WIDE = 62;
const AT_FIRST = 34;
/** @type {Record<string, number>} */
const NUDGES = { ArrowLeft: NUDGE, ArrowRight: -NUDGE };

/** The column, the bar at its edge that resizes it, and the button that folds it away. */
export class Inspector {
  #store;
  #around;
  #fold;
  #opened = { selected: -1, finding: -1 };
  bar = html("div.bar", { role: "separator", tabindex: 0, "aria-orientation": "vertical", "aria-label": "Width of the words beside the graph", title: "Drag, or press ← and →; twice: as wide as at first" }); // prettier-ignore
  actions = { words: () => this.#toggle(0), side: () => this.#toggle(WIDE) };

  /**
   * @param {import("../types.js").Context} context
   * @param {HTMLElement[]} panels
   * @param {() => HTMLElement} around what it stands in
   */
  constructor({ store }, panels, around) {
    this.#store = store;
    this.#around = around;
    this.element = html("div.side", ...panels);
    this.#fold = iconButtons(["words"], this.actions)[0];
    this.bar.addEventListener("pointerdown", ({ pointerId }) => this.bar.setPointerCapture(pointerId));
    this.bar.addEventListener("pointermove", (event) => this.bar.hasPointerCapture(event.pointerId) && this.#drag(event));
    this.bar.addEventListener("dblclick", () => store.set({ side: -1 }));
    this.bar.addEventListener("keydown", (event) => this.#key(event));
  }

  get button() {
    return this.#fold;
  }

  /** @param {import("../types.js").Moment} moment that the panels show by now */
  show({ side, selected, finding }) {
    this.element.hidden = this.bar.hidden = side === 0;
    this.#around().style.setProperty("--side", side < 0 ? "" : side ? `clamp(240px, ${side}%, 100% - 240px)` : "0px");
    attribute(this.#fold, "aria-expanded", String(side !== 0));
    attribute(this.bar, "aria-valuenow", side < 0 ? AT_FIRST : side);
    const opened = selected >= 0 && selected !== this.#opened.selected ? ".card" : finding !== this.#opened.finding ? ".finding[aria-expanded=true]" : ""; // prettier-ignore
    this.#opened = { selected, finding };
    const panel = opened && /** @type {HTMLElement | null} */ (this.element.querySelector(opened));
    if (panel) this.element.scrollTop = panel.offsetTop;
  }

  /** To that width, or back to the one at first. @param {number} side */
  #toggle(side) {
    this.#store.set({ side: this.#store.moment.side === side ? -1 : side });
  }

  /** @param {PointerEvent} event */
  #drag({ clientX }) {
    this.#reach(this.#around().getBoundingClientRect().right - clientX);
  }

  /** As wide as that, in px. @param {number} width */
  #reach(width) {
    this.#store.set({ side: Math.max(Math.round((100 * width) / this.#around().offsetWidth), 1) });
  }

  /** The arrows that step elsewhere move the bar here. @param {KeyboardEvent} event */
  #key(event) {
    const nudge = NUDGES[event.key];
    if (!nudge) return;
    event.preventDefault();
    event.stopPropagation();
    this.#reach(this.element.offsetWidth + nudge);
  }
}
