/** A sight -> its SVG elements; with the next sight, what stays moves there and the rest is exchanged. */

import { Box } from "./box.js";
import { placeContributions } from "./contributions.js";
import { svg } from "../elements/elements.js";
import { Frame } from "./frame.js";
import { DOWN } from "../sight/nest.js";
import { takenBy } from "../sight/sight.js";
import { placeShapes } from "./shapes.js";
import { meanArrivals, Wire } from "./wire.js";

/** @typedef {Box | Frame} Stop something the arrow keys go to */
/** @typedef {Box | Wire | Frame} Part */
/** @typedef {import("./looks.js").Looks} Looks */

/** At most so many boxes move smoothly as elements. */
const MOST_ELEMENTS = 700;

/** Frames behind, wires over them, the heads of frames over these, boxes on top. */
export class GraphWorld {
  #frames = svg("g");
  #wires = svg("g");
  #heads = svg("g");
  #boxes = svg("g");
  /** @type {Map<string, Box>} */
  #byId = new Map();
  /** @type {Set<Part>} what is an element of the document */
  #attached = new Set();
  /** @type {Looks | null} */
  #looks = null;
  /** @type {Stop[] | null} */
  #order = null;
  /** @type {Box | null} */
  #home = null;
  /** @type {number[] | null} the boxes at which the run that is shown first begins */
  begins = null;
  /** @type {number[]} the edges of the payload at which the first finding says that a gradient is lost */
  cut = [];
  /** What wires carry, by the edges of the payload that they stand for. @type {((edges: number[]) => string) | null} */
  shapeOf = null;
  /** Where boxes and words of the sight are. @type {import("../sight/areas.js").Area[] | null} */
  #taken = null;
  /** The size of its words, which is larger in a picture that is shown small, in px of it. */
  #words = 11;
  /** Are the shapes in their places? */
  #shaped = false;
  /** @type {Box[]} parallel to those of the sight */
  boxes = [];
  /** @type {Wire[]} */
  wires = [];
  /** @type {Frame[]} */
  frames = [];
  /** @type {import("../sight/sight.js").Sight} */
  sight = { boxes: [], wires: [], frames: [], ofBox: [], width: 0, height: 0, flow: DOWN };

  constructor() {
    this.element = svg("g.world", this.#frames, this.#wires, this.#heads, this.#boxes);
  }

  /** @param {import("../sight/sight.js").Sight} sight */
  build(sight) {
    const { boxes, wires, frames, flow } = sight;
    this.sight = sight;
    const before = this.#byId;
    this.boxes = boxes.map((data) => {
      const known = before.get(data.id);
      if (known?.data.boxes.length !== data.boxes.length) return new Box(data);
      known.move(data);
      return known;
    });
    this.#byId = new Map(this.boxes.map((box) => [box.data.id, box]));
    const arrivals = meanArrivals(wires, flow.across);
    this.wires = wires.map((wire) => new Wire(wire, /** @type {number} */ (arrivals.get(wire.head)), flow.across));
    this.frames = frames.map((frame) => new Frame(frame));
    this.#order = this.#home = this.#looks = this.#taken = null;
    this.#shaped = false;
    const seen = this.isCrowd ? [] : this.boxes;
    const parts = this.isCrowd ? [] : [...this.frames, ...this.wires];
    for (const layer of [this.#frames, this.#wires, this.#heads]) layer.replaceChildren();
    for (const [id, box] of before) if (this.isCrowd || this.#byId.get(id) !== box) box.element.remove();
    seen.forEach(({ element }, index) => {
      // Inserting an element again would take its focus away, and end its transition.
      if (this.#boxes.children[index] !== element) this.#boxes.insertBefore(element, this.#boxes.children[index] ?? null);
    });
    this.#attached = new Set(seen);
    this.#add(parts);
  }

  /** Are there more boxes than move smoothly as elements? */
  get isCrowd() {
    return this.boxes.length > MOST_ELEMENTS;
  }

  /** @param {Looks} looks of now, also of what is attached later */
  show(looks) {
    this.#looks = looks;
    for (const part of this.#attached) this.#show(part);
    this.#write();
  }

  /** What stands on wires: shapes, but while they carry contributions. */
  #write() {
    this.element.toggleAttribute("data-carrying", placeContributions(this.wires, this.taken, this.#words));
    if (this.#shaped || this.isCrowd || !this.shapeOf || !this.element.isConnected) return;
    placeShapes(this.wires, this.sight.flow.across, this.taken, this.shapeOf, this.#words);
    this.#shaped = true;
  }

  /** Where boxes and words are, but what stands on wires. */
  get taken() {
    return (this.#taken ??= takenBy(this.sight.boxes, this.sight.frames));
  }

  /** @param {number} index of a box of the sight */
  stateOf(index) {
    return this.#looks?.state(this.sight.boxes[index].boxes) ?? "none";
  }

  /**
   * Of a crowd, only some boxes as elements, with the wires that touch them and the frames around.
   *
   * @param {(area: import("../viewport/framing.js").Rectangle) => boolean} within
   */
  attach(within) {
    const { wires } = this.sight;
    const kept = new Set(this.boxes.flatMap(({ data }, index) => (within(data) ? [index] : [])));
    const parts = new Set([
      ...this.frames.filter(({ data }) => within(data)),
      ...this.wires.filter((_, index) => kept.has(wires[index].tail) || kept.has(wires[index].head)),
      ...[...kept].map((index) => this.boxes[index]),
    ]);
    const gone = [...this.#attached].filter((part) => !parts.has(part));
    for (const part of gone) {
      for (const [, element] of this.#layered(part)) element.remove();
      this.#attached.delete(part);
    }
    const added = [...parts].filter((part) => !this.#attached.has(part));
    this.#add(added);
    for (const part of added) {
      this.#show(part);
      if (!(part instanceof Frame)) part.settle();
    }
    this.#write();
  }

  /** @param {Part[]} parts */
  #add(parts) {
    for (const part of parts) {
      this.#attached.add(part);
      for (const [layer, element] of this.#layered(part)) layer.append(element);
    }
  }

  /** @param {Part} part @returns {[SVGElement, SVGElement][]} its elements, each after the layer that it lies in */
  #layered(part) {
    if (part instanceof Frame) return [[this.#frames, part.element], [this.#heads, part.button]]; // prettier-ignore
    return [[part instanceof Box ? this.#boxes : this.#wires, part.element]];
  }

  /** @param {Part} part */
  #show(part) {
    if (!this.#looks) return;
    if (part instanceof Box) part.show(this.#looks.box(part));
    else if (part instanceof Wire) part.show(this.#looks.wire(part.data));
    else part.show(this.#looks.frame(part));
  }

  /** @returns {Stop[]} in reading order */
  get order() {
    return (this.#order ??= [...this.boxes, ...this.frames].sort((a, b) => this.#further(a, b)));
  }

  /** The target of the run that is shown first, or else the last box. */
  get home() {
    const begun = (/** @type {Box} */ { data }) =>
      this.begins?.some((box) => data.boxes.includes(box)) ?? data.flags.includes("target");
    const last = () => [...this.boxes].sort((a, b) => this.#further(b, a))[0];
    return (this.#home ??= this.boxes.find(begun) ?? last() ?? null);
  }

  /** How much further along the flow one stands than another; where they stand alike, how much beside it. @param {Stop} one @param {Stop} other */
  #further({ data: one }, { data: other }) {
    const [right, down] = [one.x - other.x, one.y - other.y];
    return this.sight.flow.across ? right || down : down || right;
  }

  get extent() {
    const { width, height, flow, wires } = this.sight;
    const lost = wires.find((wire) => wire.wires.some((each) => this.cut.includes(each)));
    const [x, y] = lost?.spot?.onWire ?? [];
    const home = x !== undefined && y !== undefined ? { x, y } : (this.home?.centre ?? null);
    return { width, height, across: flow.across, home };
  }

  /** @param {number | null | undefined} index of a box of the payload */
  seenAs(index) {
    return index === null || index === undefined ? null : this.boxes[this.sight.ofBox[index]];
  }

  /** @param {number[]} groups @returns {Stop | null} the box of the first that is seen, or its frame */
  stopOf(groups) {
    const seen = (/** @type {Stop} */ { data }) => groups.includes(data.group);
    return this.boxes.find(seen) ?? this.frames.find(seen) ?? null;
  }

  /**
   * The boxes that an op reads, and that its rule gives gradients to.
   *
   * @param {Box} op
   */
  inputs(op) {
    const index = this.boxes.indexOf(op);
    return this.sight.wires.filter(({ head }) => head === index).map(({ tail }) => this.boxes[tail]);
  }

  /** @param {string | null} id */
  box(id) {
    return this.#byId.get(id ?? "") ?? null;
  }

  /** Once texts can be measured; again, when they have another size. */
  settle() {
    this.#words = parseFloat(getComputedStyle(this.element).getPropertyValue("--words"));
    for (const part of this.#attached) if (!(part instanceof Frame)) part.settle();
    this.#shaped = false;
    this.#write();
  }
}
