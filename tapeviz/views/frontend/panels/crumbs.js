/** A moment -> breadcrumbs: the groups around what is looked at, outermost first; pressing one folds up to there. */

import { html } from "../elements/elements.js";
import { aroundGroup, toggled } from "../sight/unfolding.js";

/** Of the selected tensor, or else of the op of the step. */
export class Crumbs {
  #payload;
  #store;
  element = html("nav.crumbs", { "aria-label": "Where this is" });

  /** @param {import("../types.js").Context} context */
  constructor({ payload, store }) {
    this.#payload = payload;
    this.#store = store;
    this.element.addEventListener("click", (event) => this.#press(event));
  }

  /** @param {import("../types.js").Moment} moment */
  show({ selected, step, timeline, unfolded }) {
    const { scene, ops } = this.#payload;
    const chosen = scene.nodes.find(({ tensor }) => selected >= 0 && tensor === selected);
    const box = chosen ?? scene.nodes[ops[timeline.opAt(step) ?? -1]?.box ?? -1];
    const groups = box ? aroundGroup(scene, box.group) : [];
    const crumbs = groups.map((group) => {
      const folded = !unfolded.includes(group);
      return html("button", { "data-group": group, title: `${folded ? "Unfold" : "Fold"} ${scene.groups[group].title}` }, scene.groups[group].title); // prettier-ignore
    });
    this.element.replaceChildren(...crumbs);
    this.element.hidden = crumbs.length === 0;
  }

  /** @param {Event} event */
  #press(event) {
    const button = /** @type {Element} */ (event.target).closest("[data-group]");
    if (!button) return;
    const group = Number(button.getAttribute("data-group"));
    this.#store.set({ unfolded: toggled(this.#payload.scene, this.#store.moment, group) });
  }
}
