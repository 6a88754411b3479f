/** Payload -> the position of the reader (run, step, selected tensor, open finding, ...), and who listens to it. */

import { firstPosition } from "./position.js";
import { BY_MODULE } from "./sight/regrouped.js";
import { lensesOf } from "./timeline/lens.js";
import { Timeline } from "./timeline/timeline.js";

/** Every change of the screen goes through `set`; a change that leaves all as it was tells nobody. */
export class Store {
  #payload;
  /** @type {import("./types.js").Position} */
  #position;
  /** @type {Map<number, Timeline>} */
  #timelines = new Map();
  /** @type {Set<(moment: import("./types.js").Moment) => void>} */
  #listeners = new Set();

  /**
   * @param {import("./types.js").Payload} payload
   * @param {Partial<import("./types.js").Position>} [start]
   */
  constructor(payload, start = {}) {
    this.#payload = payload;
    this.#position = covering(this.#clamp({ ...firstPosition(payload), ...start }));
  }

  /** @returns {import("./types.js").Moment} */
  get moment() {
    const { run, lens } = this.#position;
    const last = this.timeline(run < 0 ? this.#payload.runs.length - 1 : run);
    return { ...this.#position, timeline: this.timeline(run), measured: lens === "steps" ? null : last.measured(lens) };
  }

  /** @param {number} run */
  timeline(run) {
    const known = this.#timelines.get(run) ?? new Timeline(this.#payload, run);
    this.#timelines.set(run, known);
    return known;
  }

  /** @param {Partial<import("./types.js").Position>} change */
  set(change) {
    const before = this.#position;
    const next = this.#clamp({ ...before, ...change });
    const stepped = next.step !== before.step || next.run !== before.run || (next.predict && !before.predict);
    this.#position = stepped ? covering(next) : next;
    const now = /** @type {Record<string, unknown>} */ (this.#position);
    if (Object.entries(before).every(([key, value]) => String(now[key]) === String(value))) return;
    for (const listener of this.#listeners) listener(this.moment);
  }

  /** @param {number} count steps to go on, or back; what is covered is shown before one goes on */
  advance(count) {
    const { step, covered } = this.#position;
    this.set(covered && count > 0 ? { covered: false } : { step: step + count });
  }

  /**
   * @param {(moment: import("./types.js").Moment) => void} listener
   * @param {AbortSignal} signal
   */
  subscribe(listener, signal) {
    this.#listeners.add(listener);
    signal.addEventListener("abort", () => this.#listeners.delete(listener));
  }

  /** @param {import("./types.js").Position} position */
  #clamp({ run, step, selected, finding, way, unfolded, tucked, between, lens, line, side, lecture, predict, covered }) {
    const { scene } = this.#payload;
    // Of other groups than these, the next store knows how many there are.
    const count = way === (scene.way ?? BY_MODULE) ? scene.groups.length : Infinity;
    const known = within(run, -1, this.#payload.runs.length - 1);
    return {
      run: known,
      step: within(step, 0, this.timeline(known).length),
      selected: this.#tensor(selected),
      finding: within(finding, -1, this.#payload.findings.length - 1),
      unfolded: [...new Set(unfolded)].filter((group) => Number.isInteger(group) && group >= 0 && group < count),
      way: String(way),
      tucked: Boolean(tucked),
      between: this.#tensor(between),
      lens: lensesOf(this.#payload).some(([known]) => known === lens) ? lens : "steps",
      line: String(line),
      side: within(side, -1, 80),
      lecture: Boolean(lecture),
      predict: Boolean(predict),
      covered: Boolean(covered) && Boolean(predict),
    };
  }

  /** @param {number} id */
  #tensor(id) {
    return String(id) in this.#payload.tensors ? id : -1;
  }
}

/** @param {import("./types.js").Position} position of which a step just began: are its numbers covered? */
function covering(position) {
  return { ...position, covered: position.predict && position.step > 0 && position.run >= 0 };
}

/**
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */
function within(value, low, high) {
  return Math.min(Math.max(Math.trunc(value) || 0, low), high);
}
