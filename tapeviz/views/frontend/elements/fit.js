/** Lines and the room for them -> the largest type, up to their own, at which nothing of them is cut off. */

import { html } from "./elements.js";

/** How often it is measured again: the space between letters does not shrink with them. */
const MOST_ROUNDS = 3;

/** Refits them whenever the room is another; what is written anew is fitted by `fit`. */
export class Fit {
  #selector;
  #within;
  /** As wide as what it stands in, and a letter high, whatever else stands there: to measure is not to move. */
  #gauge = html("div", { class: "gauge", "aria-hidden": "true" });

  /**
   * @param {HTMLElement} within what stands in it
   * @param {string} selector of the lines
   * @param {AbortSignal} signal
   */
  constructor(within, selector, signal) {
    this.#within = within;
    this.#selector = selector;
    within.before(this.#gauge);
    const observer = new ResizeObserver(() => this.fit());
    observer.observe(this.#gauge);
    signal.addEventListener("abort", () => observer.disconnect());
  }

  fit() {
    let lines = /** @type {HTMLElement[]} */ ([...this.#within.querySelectorAll(this.#selector)]);
    for (const line of lines) line.style.fontSize = "";
    for (let round = 0; round < MOST_ROUNDS && lines.length; round++) {
      const wide = lines.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
      const sizes = wide.map((line) => (parseFloat(getComputedStyle(line).fontSize) * line.clientWidth) / line.scrollWidth);
      wide.forEach((line, index) => (line.style.fontSize = `${Math.floor(10 * sizes[index]) / 10}px`));
      lines = wide;
    }
  }
}
