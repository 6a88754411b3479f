/** The keys and what each does -> a list over the picture, which `?` opens and closes. */

import { html } from "../elements/elements.js";

/** @type {[keys: string, what: string][]} */
const TOLD = [
  ["← →", "Step back, or on"],
  ["Home End", "First step, last step"],
  ["Space", "Play, or pause"],
  ["o O i", "Over a folded group, back over it, into it"],
  ["↑ ↓ Enter", "From box to box; open one"],
  ["u", "Unfold everything, or fold it again"],
  ["g", "By module, by function and line, or flat"],
  ["w", "Parameters in boxes of their own, or tucked in"],
  ["d", "Down, or from left to right"],
  ["+ − 0", "Closer, farther, all of it"],
  ["v s", "Words wide, or folded away"],
  ["c", "Copy a number, formula or sentence; again: the next"],
  ["/", "Find"],
  ["[ ]", "What was seen before, and after"],
  ["l p n", "Lecture; predict; a window for the speaker"],
  ["Esc", "Close what is open"],
];

/** Over the picture, and closed at first. */
export class KeysHelp {
  element = html(
    "div.keys-help",
    { role: "group", "aria-label": "Keys", hidden: true },
    html("h3", "Keys"),
    html("dl.facts", ...TOLD.flatMap(([keys, what]) => [html("dt", ...keys.split(" ").map((key) => html("kbd", key))), html("dd", what)])), // prettier-ignore
  );
  actions = { help: () => void (this.element.hidden = !this.element.hidden) };

  /** It closes. @returns {boolean} was it open? */
  leave() {
    const open = !this.element.hidden;
    this.element.hidden = true;
    return open;
  }
}
