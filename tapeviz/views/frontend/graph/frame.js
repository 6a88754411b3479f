/** An unfolded group -> its frame, and the head of it: a title and a mark that folds it again. */

import { attribute, svg } from "../elements/elements.js";
import { foldMark } from "./fold_mark.js";

/** Lies behind the boxes in it, its head over the wires that run through it. */
export class Frame {
  /** @param {import("../sight/sight.js").SeenFrame} frame */
  constructor(frame) {
    this.data = frame;
    const { group, title, x, y, w, h } = frame;
    const place = `translate(${x} ${y})`;
    this.button = svg(
      "g.frame-head",
      {
        role: "button",
        tabindex: -1,
        "aria-expanded": "true",
        "aria-label": `Fold ${title}`,
        "data-fold": group,
        transform: place,
      },
      svg("rect.catch", { width: w, height: 26, rx: 9 }),
      foldMark("−", 16, 14),
      svg("text", { x: 30, y: 18 }, title),
    );
    this.element = svg(
      "g.frame",
      { "data-group": group, transform: place },
      svg("rect.border", { width: w, height: h, rx: 9 }),
    );
  }

  /** @param {boolean} reachable by the Tab key */
  show(reachable) {
    attribute(this.button, "tabindex", reachable ? 0 : -1);
  }
}
