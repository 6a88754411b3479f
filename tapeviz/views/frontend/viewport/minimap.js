/** A sight and the part of it that is in view -> a small map of all of it, to press and drag. */

import { html } from "../elements/elements.js";

const MAP_WIDTH = 150;
const MAP_HEIGHT = 110;
const STRETCHED = 10;
const LEAST_SIDE = 48;
/** How far it stands from the sides of the view, or from the zoom buttons in its corner. */
const MAP_INSET = 12;
const BESIDE_ZOOM = 60;
/** How much room around a box its badge and its halo take. */
const AROUND_BOX = 12;
/** Right or left, bottom or top: where it may stand, the best first. */
const MAP_CORNERS = [[1, 1], [0, 1], [1, 0], [0, 0]]; // prettier-ignore

/** Shown while some of the picture is out of view, in the corner where it covers least of it. */
export class Minimap {
  #viewport;
  #canvas = html("canvas.minimap", { width: 2 * MAP_WIDTH, height: 2 * MAP_HEIGHT, "aria-hidden": "true", hidden: true }); // prettier-ignore
  /** @type {() => import("../sight/sight.js").Sight} */
  #sight;
  #corner = MAP_CORNERS[0];

  /**
   * @param {import("./viewport.js").Viewport} viewport
   * @param {() => import("../sight/sight.js").Sight} sight
   */
  constructor(viewport, sight) {
    this.#viewport = viewport;
    this.#sight = sight;
    viewport.onMove(() => this.draw());
    const seek = (/** @type {PointerEvent} */ event) => event.buttons && this.#seek(event);
    this.#canvas.addEventListener("pointerdown", seek);
    this.#canvas.addEventListener("pointermove", seek);
  }

  get element() {
    return this.#canvas;
  }

  draw() {
    const { view } = this.#viewport;
    this.#canvas.hidden = view.whole;
    if (view.whole) return;
    const { left, top, right, bottom } = view;
    const { width, height, boxes } = this.#sight();
    const [across, down] = this.#scales;
    const size = { width: Math.max(width * across, LEAST_SIDE), height: Math.max(height * down, LEAST_SIDE) };
    Object.assign(this.#canvas, size);
    // Under the reader's hand it stays where it is.
    if (!this.#canvas.matches(":active")) this.#stand(view, size.width / 2, size.height / 2);
    const pen = /** @type {CanvasRenderingContext2D} */ (this.#canvas.getContext("2d"));
    const { color, accentColor } = getComputedStyle(this.#canvas);
    pen.fillStyle = color;
    for (const { x, y, w, h } of boxes) {
      pen.fillRect(x * across, y * down, Math.max(w * across, 1), Math.max(h * down, 1));
    }
    pen.strokeStyle = accentColor;
    pen.lineWidth = 3;
    const [x, y] = [Math.max(left * across, 2), Math.max(top * down, 2)];
    const [endX, endY] = [Math.min(right * across, size.width - 2), Math.min(bottom * down, size.height - 2)];
    pen.strokeRect(x, y, Math.max(endX - x, 4), Math.max(endY - y, 4));
  }

  /**
   * Stays in a corner where it covers no box; else goes to the first that is free, or to the one with the fewest.
   *
   * @param {import("./framing.js").View} view
   * @param {number} width
   * @param {number} height
   */
  #stand({ left, top, right, bottom, scale }, width, height) {
    const { boxes } = this.#sight();
    const hidden = ([across, down] = this.#corner) => {
      const x = across ? right - (BESIDE_ZOOM + width) / scale : left + MAP_INSET / scale;
      const y = down ? bottom - (MAP_INSET + height) / scale : top + MAP_INSET / scale;
      const [endX, endY] = [x + width / scale + AROUND_BOX, y + height / scale + AROUND_BOX];
      return boxes.filter((box) => box.x < endX && box.y < endY && box.x + box.w > x - AROUND_BOX && box.y + box.h > y - AROUND_BOX).length; // prettier-ignore
    };
    let fewest = hidden();
    for (const corner of MAP_CORNERS) {
      const count = fewest ? hidden(corner) : fewest;
      if (count < fewest) [this.#corner, fewest] = [corner, count];
    }
    const [across, down] = this.#corner;
    this.#canvas.toggleAttribute("data-over", fewest > 0);
    this.#canvas.style.inset = [down ? "auto" : `${MAP_INSET}px`, across ? `${BESIDE_ZOOM}px` : "auto", down ? `${MAP_INSET}px` : "auto", across ? "auto" : `${MAP_INSET}px`].join(" "); // prettier-ignore
    this.#canvas.style.width = `${width}px`;
    this.#canvas.style.height = `${height}px`;
  }

  /** Across and down; what is much longer than wide is drawn wider than it is. */
  get #scales() {
    const { width, height } = this.#sight();
    const [across, down] = [(2 * MAP_WIDTH) / width, (2 * MAP_HEIGHT) / height];
    return [Math.min(across, STRETCHED * down), Math.min(down, STRETCHED * across)];
  }

  /** @param {PointerEvent} event */
  #seek({ offsetX, offsetY }) {
    const [across, down] = this.#scales;
    this.#viewport.centre((2 * offsetX) / across, (2 * offsetY) / down);
  }
}
