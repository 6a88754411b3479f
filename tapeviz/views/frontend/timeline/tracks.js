/** Payload and run -> the tracks of boxes and edges: states as keyframes [step, state]. */

import { tensorsOf } from "./carried.js";

/** @typedef {[number, string][]} Track */
/** @typedef {import("../types.js").Payload} Payload */

/** @type {Track} */
const NEVER = [[0, "none"]];

/** The ops as they ran: leaves are there from the start, an op is active at its own step, and with it what leads to it. */
export class Program {
  #scene;
  /** @type {Map<number, number>} op -> step */
  #steps;

  /** @param {Payload} payload @param {number[]} ops */
  constructor({ scene }, ops) {
    this.#scene = scene;
    this.#steps = new Map(ops.map((op, index) => [op, index + 1]));
  }

  /** @param {number[]} boxes @returns {number[]} the steps of their ops, in order */
  stepsOf(boxes) {
    return stepsOfBoxes(this.#scene, boxes, this.#steps);
  }

  /** @param {number[]} boxes @returns {Track} */
  ofBoxes(boxes) {
    const steps = this.stepsOf(boxes);
    return steps.length ? working(steps) : [[0, "done"]];
  }

  /** @param {number[]} edges @returns {Track} */
  ofEdges(edges) {
    return this.ofBoxes([...new Set(edges.map((edge) => this.#scene.edges[edge].to))]);
  }
}

/** A backward pass: what is reached when, and what is sent along which edge. Step 0 is the moment after the seeds. */
export class Sweep {
  #ops;
  #scene;
  /** @type {Map<number, number>} op -> step */
  #steps = new Map();
  /** @type {Map<string, number>} "op.slot" -> step */
  #sent = new Map();
  /** @type {Map<number, number[]>} tensor -> the steps in which a gradient arrives */
  #arrivals = new Map();
  /** @type {number[][]} of every box, the edges that leave it */
  #leaving;

  /** @param {Payload} payload @param {import("../types.js").Run} run */
  constructor({ ops, scene }, run) {
    this.#ops = ops;
    this.#scene = scene;
    this.#leaving = scene.nodes.map(() => []);
    scene.edges.forEach(({ from }, edge) => this.#leaving[from].push(edge));
    const arrive = (/** @type {number} */ tensor, /** @type {number} */ step) => {
      const steps = this.#arrivals.get(tensor);
      if (steps) steps.push(step);
      else this.#arrivals.set(tensor, [step]);
    };
    for (const target of run.targets) arrive(target, 0);
    run.steps.forEach(({ op, sent }, index) => {
      this.#steps.set(op, index + 1);
      for (const { slot } of sent) {
        this.#sent.set(`${op}.${slot}`, index + 1);
        arrive(ops[op].inputs[slot], index + 1);
      }
    });
  }

  /** @param {number[]} boxes @returns {number[]} the steps of their ops, in order */
  stepsOf(boxes) {
    return stepsOfBoxes(this.#scene, boxes, this.#steps);
  }

  /** @param {number[]} boxes @returns {Track} */
  ofBoxes(boxes) {
    const ofOps = boxes.filter((box) => this.#scene.nodes[box].op !== null);
    const steps = this.#stepsInto(ofOps.length ? ofOps : boxes);
    if (ofOps.length) return steps.length ? working(this.stepsOf(boxes), steps[0]) : NEVER;
    const leaving = boxes.flatMap((box) => this.#leaving[box]);
    return arriving(leaving.length ? this.#sentAlong(leaving) : steps, steps[steps.length - 1]);
  }

  /** @param {number[]} edges @returns {Track} */
  ofEdges(edges) {
    return arriving(this.#sentAlong(edges));
  }

  /** @param {number[]} boxes @returns the steps in which a gradient arrives at their tensors, in order */
  #stepsInto(boxes) {
    const tensors = new Set(boxes.flatMap((box) => tensorsOf(this.#ops, this.#scene.nodes[box])));
    return [...tensors].flatMap((tensor) => this.#arrivals.get(tensor) ?? []).sort(ascending);
  }

  /** @param {number[]} edges */
  #sentAlong(edges) {
    const steps = edges.flatMap((edge) => {
      const { position, slot } = this.#scene.edges[edge];
      return this.#sent.get(`${position}.${slot}`) ?? [];
    });
    return [...new Set(steps)].sort(ascending);
  }
}

/** @param {Payload["scene"]} scene @param {number[]} boxes @param {Map<number, number>} steps */
function stepsOfBoxes({ nodes }, boxes, steps) {
  return boxes.flatMap((box) => steps.get(nodes[box].op ?? -1) ?? []).sort(ascending);
}

/**
 * The track of one op, or several: reached first, active in their steps, done after the last.
 *
 * @param {number[]} steps
 * @param {number | null} reached
 * @returns {Track}
 */
function working(steps, reached = null) {
  const rest = reached === null ? "waiting" : "reached";
  const between = steps.length > 1 ? "reached" : rest;
  /** @type {Track} */
  const active = steps.flatMap((step) => [
    [step, "active"],
    [step + 1, between],
  ]);
  /** @type {Track} */
  const done = steps.length ? [[steps[steps.length - 1] + 1, "done"]] : [];
  return frames([[0, "waiting"], [reached ?? 0, rest], ...active, ...done]); // prettier-ignore
}

/**
 * The track of something that gradients arrive at in these steps, in order; it is done after step `last`.
 *
 * @param {number[]} steps
 * @param {number} last
 * @returns {Track}
 */
function arriving(steps, last = steps[steps.length - 1]) {
  if (!steps.length) return NEVER;
  /** @type {Track} */
  const between = steps.flatMap((step) => [
    [step, step ? "active" : "reached"],
    [step + 1, "reached"],
  ]);
  return frames([[0, "waiting"], ...between, [last + 1, "done"]]);
}

/**
 * Keyframes without the overwritten ones (of one step the last counts) and the repeated ones.
 *
 * @param {Track} all
 * @returns {Track}
 */
function frames(all) {
  const byStep = new Map(all);
  /** @type {Track} */
  const kept = [];
  for (const step of [...byStep.keys()].sort(ascending)) {
    const state = /** @type {string} */ (byStep.get(step));
    if (!kept.length || kept[kept.length - 1][1] !== state) kept.push([step, state]);
  }
  return kept;
}

/** @param {number} a @param {number} b */
function ascending(a, b) {
  return a - b;
}
