/** What is written beside the graph -> the clipboard: the number, formula or sentence one points to, or the next by a key. */

import { iconButtons } from "../elements/button.js";
import { html } from "../elements/elements.js";

/** What can be copied; a formula says in `data-text` how it is written on one line. */
const COPIED = ":is(.op h3, .card-head h3, .value, .formula, .sentence, .prose, .summary, .edge, .listing)";
/** The margins that the button stands in, in px. */
const SIDE_MARGIN = 18;
const DONE_MS = 900;

/** One button, which goes to what one points to. */
export class Copier {
  #side;
  #announcer;
  #button;
  /** @type {Element | null} beside which the button stands */
  #at = null;
  actions = { copy: () => this.#next() };

  /**
   * @param {HTMLElement} side
   * @param {import("./announcer.js").Announcer} announcer
   */
  constructor(side, announcer) {
    this.#side = side;
    this.#announcer = announcer;
    this.#button = iconButtons(["copy"], { copy: () => this.#copy() })[0];
    // The key reaches all that the button does.
    this.#button.tabIndex = -1;
    side.prepend(html("div.copier", this.#button));
    side.addEventListener("pointerover", ({ target }) => this.#point(/** @type {Element} */ (target)));
    side.addEventListener("pointerleave", () => this.#stand(null));
    this.#stand(null);
  }

  /** What is written anew is elsewhere. */
  show() {
    if (!this.#at?.isConnected) this.#stand(null);
  }

  /** @param {Element} target */
  #point(target) {
    const near = target.closest(COPIED);
    if (near && near !== this.#at) this.#stand(near);
  }

  /** @param {Element | null} at */
  #stand(at) {
    this.#at = at;
    this.#button.hidden = !at;
    this.#button.removeAttribute("data-done");
    if (!at) return;
    const [side, own] = [this.#side, at].map((each) => each.getBoundingClientRect());
    // What stands in a row has words to its left: beside it is the margin at its other end.
    const x = at.closest(".row, .sum, h4") ? this.#side.clientWidth : own.left - side.left;
    this.#button.style.translate = `${x - SIDE_MARGIN}px ${own.top - side.top + this.#side.scrollTop}px`;
  }

  #next() {
    const all = [...this.#side.querySelectorAll(COPIED)].filter((each) => each.getClientRects().length);
    const next = all[(this.#at ? all.indexOf(this.#at) + 1 : 0) % all.length];
    if (!next) return;
    next.scrollIntoView({ block: "nearest" });
    this.#stand(next);
    this.#copy();
  }

  async #copy() {
    const at = /** @type {HTMLElement | null} */ (this.#at);
    const text = (at?.dataset.text ?? at?.innerText ?? "").replaceAll("\u00a0", " ").replaceAll("−", "-").trim();
    try {
      await navigator.clipboard.writeText(text);
      this.#announcer.say(`Copied: ${text}`);
      this.#button.setAttribute("data-done", "");
      setTimeout(() => this.#button.removeAttribute("data-done"), DONE_MS);
    } catch {
      this.#announcer.say("The browser does not allow copying here.");
    }
  }
}
