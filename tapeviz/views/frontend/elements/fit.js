/** Lines of text and the room for them -> their size: their own, or as much smaller as it takes to cut nothing off. */

import { html } from "./elements.js";

/** How often it is measured again: the space between letters does not shrink with them. */
const MOST_ROUNDS = 3;

/** Fits the lines again whenever the room changes; after another text is written, `fit` has to be called. */
export class Fit {
  #selector;
  #within;
  /** As wide as what it stands in, whatever else stands there: fitting the lines does not change what is observed. */
  #gauge = html("div.gauge", { "aria-hidden": "true" });

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
