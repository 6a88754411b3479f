/** Boxes and wires that are too many to be elements -> those in view as elements, or all of them on a canvas. */

import { html } from "../elements/elements.js";
import { strokeCurve } from "./curves.js";

/** Below this scale no word can be read. */
const LEAST_READABLE = 0.3;

/** Only what is in view is an element; where that is too small to read, boxes without words are painted. */
export class Crowd {
  #world;
  #viewport;
  element = html("canvas.crowd", { "aria-hidden": "true", hidden: true });

  /**
   * @param {import("./graph_world.js").GraphWorld} world
   * @param {import("../viewport/viewport.js").Viewport} viewport
   */
  constructor(world, viewport) {
    this.#world = world;
    this.#viewport = viewport;
    viewport.onMove(() => this.paint());
  }

  paint() {
    this.element.hidden = true;
    if (!this.#world.isCrowd) return;
    const { left, top, right, bottom, scale } = this.#viewport.view;
    /** @param {import("../viewport/framing.js").Rectangle} area */
    const within = ({ x, y, w, h }) => x < right && x + w > left && y < bottom && y + h > top;
    const painted = scale < LEAST_READABLE;
    this.element.hidden = !painted;
    this.#world.attach(painted ? () => false : within);
    if (painted) this.#paint(left, right, top, bottom);
  }

  /** @param {number} left @param {number} right @param {number} top @param {number} bottom */
  #paint(left, right, top, bottom) {
    const { element } = this;
    const { clientWidth, clientHeight } = element;
    const sharp = devicePixelRatio;
    if (element.width !== clientWidth * sharp) element.width = clientWidth * sharp;
    if (element.height !== clientHeight * sharp) element.height = clientHeight * sharp;
    const pen = /** @type {CanvasRenderingContext2D} */ (element.getContext("2d"));
    const scale = (clientWidth * sharp) / (right - left);
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, element.width, element.height);
    pen.setTransform(scale, 0, 0, scale, -left * scale, -top * scale);
    const look = getComputedStyle(element);
    const colour = (/** @type {string} */ role) => look.getPropertyValue(`--tv-${role}`);
    const { boxes, wires, frames, flow } = this.#world.sight;
    pen.strokeStyle = colour("frame-line");
    for (const { x, y, w, h } of frames) if (y < bottom && y + h > top) pen.strokeRect(x, y, w, h);
    pen.strokeStyle = colour("edge");
    pen.lineWidth = Math.max(1, 0.7 / scale);
    pen.beginPath();
    for (const { points } of wires) {
      const [[startX, startY], [endX, endY]] = [points[0], points[points.length - 1]];
      const isSeen = flow.across ? endX > left && startX < right : endY > top && startY < bottom;
      if (isSeen || flow.aspect) strokeCurve(pen, points, flow.across);
    }
    pen.stroke();
    boxes.forEach(({ x, y, w, h, kind }, index) => {
      if (x > right || x + w < left || y > bottom || y + h < top) return;
      const state = this.#world.stateOf(index);
      const lit = state === "active" ? "gradient" : state === "done" ? "gradient-soft" : "";
      pen.fillStyle = colour(lit || (kind === "op" ? "op-line" : `${kind}-line`));
      pen.fillRect(x, y, w, h);
    });
  }
}
