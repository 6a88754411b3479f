/** A sight and the part of it that is in view -> a small map of all of it, to press and drag. */

import { html } from "./elements.js";

const MAP_WIDTH = 150;
const MAP_HEIGHT = 110;
const STRETCHED = 10;

/** Shown while some of the picture is out of view. */
export class Minimap {
  #viewport;
  #canvas = /** @type {HTMLCanvasElement} */ (
    html("canvas", { class: "minimap", width: 2 * MAP_WIDTH, height: 2 * MAP_HEIGHT, "aria-hidden": "true", hidden: true })
  );
  /** @type {() => import("./sight.js").Sight} */
  #sight;

  /**
   * @param {import("./viewport.js").Viewport} viewport
   * @param {() => import("./sight.js").Sight} sight
   * @param {AbortSignal} signal
   */
  constructor(viewport, sight, signal) {
    this.#viewport = viewport;
    this.#sight = sight;
    viewport.onMove(() => this.draw());
    const seek = (/** @type {PointerEvent} */ event) => event.buttons && this.#seek(event);
    this.#canvas.addEventListener("pointerdown", seek, { signal });
    this.#canvas.addEventListener("pointermove", seek, { signal });
  }

  get element() {
    return this.#canvas;
  }

  draw() {
    const { whole, left, top, right, bottom } = this.#viewport.view;
    this.#canvas.hidden = whole;
    if (whole) return;
    const pen = /** @type {CanvasRenderingContext2D} */ (this.#canvas.getContext("2d"));
    const [across, down] = this.#scales;
    const { color, accentColor } = getComputedStyle(this.#canvas);
    pen.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    pen.fillStyle = color;
    for (const { x, y, w, h } of this.#sight().boxes) {
      pen.fillRect(x * across, y * down, Math.max(w * across, 1), Math.max(h * down, 1));
    }
    pen.strokeStyle = accentColor;
    pen.lineWidth = 3;
    pen.strokeRect(left * across, top * down, (right - left) * across, Math.max((bottom - top) * down, 4));
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
