/** A picture in a view -> what of it is seen: pan, zoom, fit, reveal. */

import { attribute } from "../elements/elements.js";
import { fitted, kept, opened, overview, revealed, surveyable, viewed, zoomed } from "./framing.js";
import { Gestures } from "./gestures.js";

/** How much of the view's right the zoom buttons cover, and how wide it has to be for nothing else to stand there. */
const ZOOM = 44;
const LEAST_BESIDE_ZOOM = 400;

/** Until the reader pans, zooms or walks through the picture, a change of the room opens it anew. */
export class Viewport {
  #svg;
  #world;
  #extent;
  #gestures;
  /** @type {import("./framing.js").Place} */
  #place = { scale: 1, x: 0, y: 0 };
  #width = 0;
  #height = 0;
  /** Where the view begins, and how much what came to stand above it since the picture was opened has taken of its height. */
  #top = 0;
  #above = 0;
  #touched = false;
  /** How the picture stands where the reader has not put it elsewhere. */
  #standing = opened;
  #large = false;
  /** What was brought into view last stays there when the room changes. @type {import("./framing.js").Rectangle[]} */
  #revealed = [];
  /** Has it been brought into view since the picture was opened in this size? */
  #walked = false;
  #onSize = () => {};
  #onWords = () => {};
  /** @type {(() => void)[]} */
  #onMove = [];

  /**
   * @param {SVGElement} element
   * @param {SVGElement} world
   * @param {import("./framing.js").Extent} extent
   * @param {AbortSignal} signal
   */
  constructor(element, world, extent, signal) {
    this.#svg = element;
    this.#world = world;
    this.#extent = extent;
    this.#gestures = new Gestures(element, this);
    const observer = new ResizeObserver(([entry]) => this.#resize(entry.contentRect));
    observer.observe(element);
    signal.addEventListener("abort", () => observer.disconnect());
  }

  /** Was the last press a drag? */
  get dragged() {
    return this.#gestures.dragged;
  }

  /** @param {() => void} listener called when the view has a size, before the picture gets its place in it */
  onSize(listener) {
    this.#onSize = listener;
  }

  /** @param {() => void} listener called when words are another size in the picture than they were, seen from nearer or farther */
  onWords(listener) {
    this.#onWords = listener;
  }

  /** The room that the picture is to be made for; null where it stays as it is, since the reader put it there. */
  get free() {
    return this.#width && !this.#touched ? this.#room : null;
  }

  /** @param {import("./framing.js").Extent} extent of another picture, which is to open anew */
  exchange(extent) {
    this.#extent = extent;
    this.#revealed = [];
    this.#walked = false;
    this.#place = this.#stood(this.#standing);
  }

  /** @param {() => void} listener called whenever the picture stands elsewhere */
  onMove(listener) {
    this.#onMove.push(listener);
  }

  get view() {
    return viewed(this.#place, this.#extent, this.#room);
  }

  /** @param {number} x of the picture, to stand in the middle @param {number} y */
  centre(x, y) {
    const { scale } = this.#place;
    this.#touched = true;
    this.#move({ scale, x: this.#width / 2 - x * scale, y: this.#height / 2 - y * scale });
  }

  /** Where the picture stands, and whether the reader has put it there. */
  get place() {
    return { ...this.#place, touched: this.#touched };
  }

  /** @param {Viewport["place"]} place where it stood before, or the picture that was here before */
  restore(place) {
    this.#touched = place.touched;
    if (this.#width) this.#move(place, true);
    else this.#place = place;
  }

  /**
   * Another picture, of which this part stands where it stood.
   *
   * @param {import("./framing.js").Extent} extent
   * @param {number} dx from where the part is now to where it was
   * @param {number} dy
   */
  change(extent, dx, dy) {
    this.#extent = extent;
    if (this.#width === 0) return;
    const { scale, x, y } = this.#place;
    this.#move({ scale, x: x + dx * scale, y: y + dy * scale });
  }

  /** The whole picture, in the middle. */
  fit() {
    this.#stand(fitted);
  }

  /** As it was opened: what can be read of it. */
  open() {
    this.#stand(opened);
  }

  /** @param {typeof opened} standing how, in this room and in the next */
  #stand(standing) {
    this.#touched = this.#walked = false;
    this.#revealed = [];
    this.#above = 0;
    this.#standing = standing;
    if (this.#width) this.#move(this.#stood(standing), true);
  }

  /** @param {boolean} large for readers far away */
  enlarge(large) {
    if (this.#large === large) return;
    this.#large = large;
    this.#touched = this.#walked = false;
    this.#standing = opened;
    if (this.#width) this.#show(this.#stood(opened));
  }

  /** What is painted of the part in view, painted anew. */
  repaint() {
    for (const listener of this.#onMove) listener();
  }

  /** @param {number} factor about the middle of the view */
  zoom(factor) {
    this.zoomAt(factor, this.#width / 2, this.#height / 2, true);
  }

  /**
   * @param {number} factor
   * @param {number} x of the point that stays where it is
   * @param {number} y
   * @param {boolean} [glide]
   */
  zoomAt(factor, x, y, glide = false) {
    this.#touched = true;
    this.#move(zoomed(this.#place, factor, x, y), glide);
  }

  /** @param {number} right @param {number} down */
  pan(right, down) {
    this.#touched = true;
    const { scale, x, y } = this.#place;
    this.#move({ scale, x: x + right, y: y + down });
  }

  /** @param {import("./framing.js").Rectangle[]} boxes to bring into view, the most important last */
  reveal(...boxes) {
    // Where all of it can be seen, nothing needs to move.
    this.keep(boxes, !this.#touched && surveyable(this.#extent, this.#whole) ? this.#stood(opened) : this.#place);
  }

  /** Likewise, from where it stands: what was pressed does not run away. @param {import("./framing.js").Rectangle[]} boxes @param {import("./framing.js").Place} [from] */
  keep(boxes, from = this.#place) {
    this.#revealed = boxes;
    if (this.#width === 0) return;
    this.#walked = true;
    this.#show(from, true);
  }

  /** The view without what the zoom buttons cover. */
  get #room() {
    const right = this.#width > LEAST_BESIDE_ZOOM ? ZOOM : 0;
    return { width: this.#width - right, right, height: this.#height, large: this.#large };
  }

  /** The room in which the picture was opened. */
  get #whole() {
    return { ...this.#room, height: this.#height + this.#above };
  }

  /** @param {typeof opened} standing @returns {import("./framing.js").Place} */
  #stood(standing) {
    const { scale, x, y } = standing(this.#extent, this.#whole);
    return { scale, x, y: y - this.#above };
  }

  /** What comes to stand above the view, as a trail does, takes room of it and moves nothing. @param {{ width: number, height: number }} size of the view */
  #resize({ width, height }) {
    if (width === 0 || height === 0) return;
    const top = /** @type {HTMLElement} */ (this.#svg.parentElement).offsetTop;
    const lower = top - this.#top;
    const held = width === this.#width && Math.abs(this.#height - height - lower) < 1;
    this.#above = held ? this.#above + lower : 0;
    [this.#width, this.#height, this.#top] = [width, height, top];
    if (!held) this.#onSize();
    const { scale, x, y } = this.#place;
    if (held) this.#place = { scale, x, y: y - lower };
    if (this.#touched) this.#move(this.#place);
    else this.#show(held || (this.#walked && !surveyable(this.#extent, this.#room)) ? this.#place : this.#stood(this.#standing));
  }

  /** From there, with what was brought into view. @param {import("./framing.js").Place} from @param {boolean} [glide] */
  #show(from, glide = false) {
    const [extent, room] = [this.#extent, this.#room];
    this.#move(this.#revealed.reduce((place, box) => revealed(place, extent, room, box), from), glide);
  }

  /** @param {import("./framing.js").Place} place @param {boolean} [glide] */
  #move(place, glide = false) {
    this.#place = kept(place, this.#extent, this.#room);
    const { scale, x, y } = this.#place;
    this.#svg.toggleAttribute("data-gliding", glide);
    this.#world.style.transform = `translate(${x}px,${y}px) scale(${scale})`;
    const words = overview(scale);
    const before = this.#world.dataset.overview;
    attribute(this.#world, "data-overview", words);
    if (words !== (before ?? null)) this.#onWords();
    this.repaint();
  }
}
