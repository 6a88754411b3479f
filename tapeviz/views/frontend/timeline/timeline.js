/** Payload and run -> what holds at each step: the state of every box and edge, the op of the step, gradients, what a lens measures. */

import { gradientKeyframes } from "./gradients.js";
import { latest } from "./keyframes.js";
import { measure } from "./lens.js";
import { toldStep } from "../words/steps.js";
import { Program, Sweep } from "./tracks.js";

/** Step 0 is the moment before the first op or rule; step k is at the k-th. */
export class Timeline {
  #payload;
  /** @type {number[]} the op of each step, by its position */
  #stops;
  #tracks;
  /** @type {WeakMap<number[], [number, string][]>} */
  #made = new WeakMap();
  /** @type {Map<string, import("./lens.js").Measured>} */
  #measured = new Map();
  /** @type {ReturnType<typeof gradientKeyframes>} */
  #gradients;

  /**
   * @param {import("../types.js").Payload} payload
   * @param {number} run -1: forward
   */
  constructor(payload, run) {
    this.#payload = payload;
    /** @type {import("../types.js").Run | null} null: forward */
    this.run = payload.runs[run] ?? null;
    this.#stops = this.run ? this.run.steps.map(({ op }) => op) : Object.keys(payload.ops).map(Number);
    this.#tracks = this.run ? new Sweep(payload, this.run) : new Program(payload, this.#stops);
    this.#gradients = this.run ? gradientKeyframes(payload, this.run) : new Map();
  }

  get length() {
    return this.#stops.length;
  }

  /**
   * @param {number[]} boxes that are seen as one, by their indices
   * @param {number} step
   */
  stateOf(boxes, step) {
    return latest(this.#kept(boxes, () => this.#tracks.ofBoxes(boxes)), step) ?? "none";
  }

  /**
   * @param {number[]} edges that are seen as one, by their indices
   * @param {number} step
   */
  stateOfEdges(edges, step) {
    return latest(this.#kept(edges, () => this.#tracks.ofEdges(edges)), step) ?? "none";
  }

  /**
   * How many of the steps inside a group have been done.
   *
   * @param {number[]} boxes
   * @param {number} step
   * @returns {[number, number]} so many, of so many
   */
  progress(boxes, step) {
    const steps = this.#tracks.stepsOf(boxes);
    return [steps.filter((each) => each <= step).length, steps.length];
  }

  /** @param {number} tensor */
  isNone(tensor) {
    return this.run?.gradients.some(({ source, cotangent }) => source === tensor && cotangent === null) ?? false;
  }

  /** @param {number} step */
  opAt(step) {
    return this.#stops[step - 1] ?? null;
  }

  /** @param {number} step */
  ruleAt(step) {
    const found = this.run?.steps[step - 1];
    return found ? toldStep(this.#payload, found) : null;
  }

  /**
   * @param {number} tensor
   * @param {number} step
   * @returns {import("../types.js").GradientSoFar | null}
   */
  gradientOf(tensor, step) {
    return latest(this.#gradients.get(tensor), step);
  }

  /** @param {string} lens one of LENSES but "steps" */
  measured(lens) {
    const known = this.#measured.get(lens) ?? measure(lens, this.#payload, this);
    this.#measured.set(lens, known);
    return known;
  }

  /**
   * @param {number[]} key
   * @param {() => [number, string][]} make
   */
  #kept(key, make) {
    const track = this.#made.get(key) ?? make();
    this.#made.set(key, track);
    return track;
  }
}
