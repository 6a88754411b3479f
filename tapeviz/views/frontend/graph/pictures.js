/** The graph on screen -> a picture of all of it, to copy or to save: SVG, PNG. */

import { pressable } from "../elements/button.js";
import { html } from "../elements/elements.js";

const PAINTED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "display", "font-family", "font-size", "font-weight", "text-anchor", "paint-order", "stroke-linejoin", "transform"]; // prettier-ignore
/** Browsers paint no canvas with a longer side, and some none with more pixels. */
const LONGEST = 16_000;
const MOST_PIXELS = 64_000_000;
const SHARP = 2;

/** A menu of what can be done with the picture. */
export class Pictures {
  #graph;
  #menu;
  #said = html("p", { role: "status" });

  /** @param {import("./debugged_graph.js").DebuggedGraph} graph */
  constructor(graph) {
    this.#graph = graph;
    /** @type {Record<string, () => Promise<unknown> | void>} */
    const actions = {
      "Copy as SVG": () => navigator.clipboard.writeText(this.#text),
      "Copy as PNG": async () => navigator.clipboard.write([new ClipboardItem({ "image/png": await this.#png() })]),
      "Save as SVG": () => save(new Blob([this.#text], { type: "image/svg+xml" }), "tape.svg"),
      "Save as PNG": async () => save(await this.#png(), "tape.png"),
    };
    const buttons = Object.entries(actions).map(([word, action]) => pressable({ class: "choice" }, () => this.#do(word, action), word));
    this.#menu = html("div.menu", ...buttons, this.#said);
    this.element = html("details.pictures", html("summary.choice", "Picture"), this.#menu);
  }

  /** The menu closes. @param {Node | null} [pressed] unless that is in it @returns {boolean} was it open? */
  leave(pressed = null) {
    const { open } = this.element;
    if (!this.element.contains(pressed)) this.element.open = false;
    return open;
  }

  /**
   * @param {string} word
   * @param {() => Promise<unknown> | void} action
   */
  async #do(word, action) {
    try {
      await action();
      const small = word.endsWith("PNG") && this.#scale < 1 ? ` At ${Math.round(100 * this.#scale)} % of its size: a larger PNG no browser paints. As SVG it is whole.` : ""; // prettier-ignore
      this.#said.textContent = (word.startsWith("Copy") ? "Copied." : "Saved.") + small;
    } catch (error) {
      this.#said.textContent = `The browser does not allow it here: ${/** @type {Error} */ (error).message}`;
    }
  }

  get #text() {
    return this.#graph.whole(() => this.#svg());
  }

  /** How many pixels of a PNG a px of the picture becomes. */
  get #scale() {
    const { width, height } = this.#graph.extent;
    return Math.min(SHARP, LONGEST / Math.max(width, height), Math.sqrt(MOST_PIXELS / (width * height)));
  }

  #svg() {
    const { element, extent } = this.#graph;
    const picture = /** @type {SVGElement} */ (element.cloneNode(true));
    const [ours, theirs] = [element, picture].map((root) => [root, ...root.querySelectorAll("*")]);
    ours.forEach((each, index) => {
      const look = getComputedStyle(each);
      const copy = /** @type {SVGElement} */ (theirs[index]);
      copy.removeAttribute("tabindex");
      copy.setAttribute("style", PAINTED.map((name) => `${name}:${look.getPropertyValue(name)}`).join(";"));
    });
    /** @type {SVGElement} */ (picture.querySelector(".world")).style.transform = "none";
    const paper = getComputedStyle(/** @type {Element} */ (element.parentElement)).backgroundColor;
    const { width, height } = extent;
    picture.setAttribute("style", `background:${paper}`);
    for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) {
      picture.setAttribute(name, String(value));
    }
    return new XMLSerializer().serializeToString(picture);
  }

  /** @returns {Promise<Blob>} */
  async #png() {
    const { width, height } = this.#graph.extent;
    const scale = this.#scale;
    const image = new Image(width * scale, height * scale);
    image.src = `data:image/svg+xml,${encodeURIComponent(this.#text)}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: Math.round(width * scale), height: Math.round(height * scale) });
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    pen.drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("too large")))));
  }
}

/**
 * @param {Blob} content
 * @param {string} name of the file
 */
function save(content, name) {
  const href = URL.createObjectURL(content);
  html("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}
