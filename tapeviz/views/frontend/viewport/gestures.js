/** Pointers and wheel over an element -> pan and zoom of a viewport. */

const DRAG_PX = 4;

/** @typedef {{ x: number, y: number }} Point */
/** @typedef {{ pan(right: number, down: number): void, zoomAt(factor: number, x: number, y: number): void }} Target */

/** Dragging pans, the wheel and two fingers zoom: the wheel once the reader has clicked in, so a page scrolls past. */
export class Gestures {
  #element;
  #target;
  #moved = 0;
  /** @type {Map<number, Point>} */
  #pointers = new Map();

  /**
   * @param {Element} element
   * @param {Target} target
   */
  constructor(element, target) {
    this.#element = element;
    this.#target = target;
    const listeners = {
      pointerdown: (/** @type {PointerEvent} */ event) => this.#press(event),
      pointermove: (/** @type {PointerEvent} */ event) => this.#move(event),
      pointerup: (/** @type {PointerEvent} */ event) => this.#pointers.delete(event.pointerId),
      pointercancel: (/** @type {PointerEvent} */ event) => this.#pointers.delete(event.pointerId),
      wheel: (/** @type {WheelEvent} */ event) => this.#wheel(event),
    };
    for (const [type, listener] of Object.entries(listeners)) {
      element.addEventListener(type, /** @type {EventListener} */ (listener), { passive: false });
    }
  }

  /** Was the last press a drag? */
  get dragged() {
    return this.#moved > DRAG_PX;
  }

  /** @param {PointerEvent} event */
  #press({ button, pointerId, clientX, clientY }) {
    if (button !== 0) return;
    if (this.#pointers.size === 0) this.#moved = 0;
    this.#pointers.set(pointerId, { x: clientX, y: clientY });
  }

  /** @param {PointerEvent} event */
  #move({ pointerId, clientX, clientY, buttons }) {
    const last = this.#pointers.get(pointerId);
    if (!last) return;
    // Let go outside, before it was a drag.
    if (!buttons) return void this.#pointers.delete(pointerId);
    const now = { x: clientX, y: clientY };
    this.#moved += distance(last, now);
    this.#pointers.set(pointerId, now);
    if (!this.dragged) return;
    this.#element.setPointerCapture(pointerId);
    const resting = [...this.#pointers].find(([id]) => id !== pointerId)?.[1];
    if (resting) this.#pinch(distance(now, resting) / Math.max(distance(last, resting), 1), resting);
    else this.#target.pan(now.x - last.x, now.y - last.y);
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    const clickedIn = /** @type {ShadowRoot} */ (this.#element.getRootNode()).activeElement !== null;
    if (!event.ctrlKey && !clickedIn) return;
    event.preventDefault();
    const pixels = event.deltaMode === 0 ? event.deltaY : event.deltaY * 30;
    // A pinch on a touchpad arrives as a wheel with ctrlKey, in much smaller portions.
    this.#pinch(Math.exp(-pixels * (event.ctrlKey ? 0.01 : 0.002)), { x: event.clientX, y: event.clientY });
  }

  /**
   * @param {number} factor
   * @param {Point} about
   */
  #pinch(factor, about) {
    const { left, top } = this.#element.getBoundingClientRect();
    this.#target.zoomAt(factor, about.x - left, about.y - top);
  }
}

/**
 * @param {Point} a
 * @param {Point} b
 */
function distance(a, b) {
  return Math.sqrt((a.x - b.x) ** 2 + (a.y - b.y) ** 2);
}
