/** A moment -> what stands out in the graph: what is selected, highlighted, dimmed, and carried along wires. */

import { boxesBetween } from "../sight/between.js";
import { linesOf } from "../words/lines.js";
import { normText, oddity } from "../words/numbers.js";
import { tensorsOf } from "../timeline/carried.js";
import { partsOf } from "../timeline/gradients.js";

/** @typedef {import("../types.js").Moment} Moment */

/** The most letters on a wire; beyond that it shows the norm. */
const MOST_LETTERS = 30;

/** Remembers what takes longer to find out than to show. */
export class Highlights {
  #payload;
  #world;
  #indices;
  /** @type {{ key: string, value: Set<number> | null }} */
  #between = { key: "", value: null };
  /** @type {{ key: string, ops: number[] }} */
  #parts = { key: "", ops: [] };

  /**
   * @param {import("../types.js").Context} context
   * @param {import("./graph_world.js").GraphWorld} world
   */
  constructor({ payload }, world) {
    this.#payload = payload;
    this.#world = world;
    this.#indices = new Map(payload.scene.nodes.map(({ id }, index) => [id, index]));
  }

  /** @param {string} id of a box of the payload */
  seenAs(id) {
    return this.#world.seenAs(this.#indices.get(id));
  }

  /**
   * The box of a step's op, or the group that hides it.
   *
   * @param {Moment} moment
   * @param {number} step
   */
  boxAt({ timeline }, step) {
    const op = timeline.opAt(step);
    return op === null ? null : this.#world.seenAs(this.#payload.ops[op]?.box);
  }

  /**
   * Of the parameters that are tucked into an op, the place of the one that is a tensor; -1: none.
   *
   * @param {number[]} boxes of the payload: the op, and the parameters
   * @param {number} tensor
   */
  parameterAt([, ...parameters], tensor) {
    return parameters.findIndex((box) => this.#payload.scene.nodes[box].tensor === tensor);
  }

  /**
   * The boxes that stand for a tensor, folded groups that hide it among them.
   *
   * @param {number} tensor
   */
  holding(tensor) {
    if (tensor < 0) return [];
    const { nodes } = this.#payload.scene;
    const found = nodes.flatMap((node, index) => (node.tensor === tensor ? [this.#world.seenAs(index)] : []));
    return [...new Set(found)].flatMap((box) => box ?? []);
  }

  /** @param {number[]} boxes of the payload that are seen as one box @returns {number[]} the tensors of the first */
  tensorsOf([box]) {
    return tensorsOf(this.#payload.ops, this.#payload.scene.nodes[box]);
  }

  /** @param {Moment} moment @returns the boxes whose rules give the parts that the gradient of what is selected is the sum of */
  parts({ selected, run, timeline }) {
    const key = `${selected}.${run}`;
    if (this.#parts.key !== key) {
      const parts = timeline.run ? partsOf(this.#payload, timeline.run, selected) : [];
      this.#parts = { key, ops: parts.length > 1 ? parts.map(({ op }) => op) : [] };
    }
    return new Set(this.#parts.ops.map((op) => this.#world.seenAs(this.#payload.ops[op].box)));
  }

  /** @param {Moment} moment @returns the boxes that the open finding is about, and those of the ops of a line */
  lit({ finding, line }) {
    const { findings, ops, sites } = this.#payload;
    const boxes = (findings[finding]?.nodes ?? []).map((id) => this.seenAs(id));
    if (line) {
      for (const { site, box } of Object.values(ops)) {
        if (linesOf(sites[site ?? -1]).includes(line)) boxes.push(this.#world.seenAs(box));
      }
    }
    return new Set(boxes);
  }

  /** @param {Moment} moment the edges of the payload at which the open finding says that a gradient is lost */
  cut({ finding }) {
    return this.#payload.findings[finding]?.edges ?? [];
  }

  /** @param {Moment} moment @returns {(boxes: number[]) => boolean} whether boxes are off the paths that are asked for */
  dim({ between, run }) {
    if (between < 0) return () => false;
    const shown = this.#payload.runs[run] ?? this.#payload.runs.at(-1);
    const key = `${between}.${run}`;
    if (this.#between.key !== key) {
      this.#between = { key, value: boxesBetween(this.#payload.scene, between, shown?.begins ?? []) };
    }
    const kept = this.#between.value;
    return (boxes) => !boxes.some((box) => kept?.has(box));
  }

  /**
   * Whether the run that is shown contradicts a badge: it begins elsewhere than at this target, or gave other gradients
   * to these sources; or what it gave did not come by these boxes.
   *
   * @param {Moment} moment
   * @returns {(look: { claim: string | null, boxes: number[] }) => boolean}
   */
  contradicted({ timeline }) {
    const { run } = timeline;
    if (!run) return () => false;
    const { ops, scene, tensors } = this.#payload;
    const gave = new Map(run.gradients.map(({ source, cotangent }) => {
      return [source, cotangent === null ? "None" : oddity(tensors[cotangent])];
    })); // prettier-ignore
    return ({ claim, boxes }) => {
      if (!claim) return false;
      if (claim === "target") return !boxes.some((box) => run.begins.includes(box));
      const given = boxes.flatMap((box) => tensorsOf(ops, scene.nodes[box])).map((tensor) => gave.get(tensor));
      const elsewhere = claim !== "None" && timeline.stateOf(boxes, timeline.length) === "none";
      return given.some(Boolean) && (elsewhere || !given.includes(claim));
    };
  }

  /** @param {Moment} moment @returns {(wires: number[]) => string | null} the contribution that goes along wires */
  contribution({ timeline, step, covered }) {
    const rule = covered ? null : timeline.ruleAt(step);
    const { scene, tensors } = this.#payload;
    const told = (/** @type {string} */ text, /** @type {number} */ cotangent) =>
      (text.length > MOST_LETTERS ? normText(tensors[cotangent]) : null) ?? text;
    const texts = new Map(rule?.contributions.map(({ slot, text, cotangent }) => [slot, told(text, cotangent)]));
    const { edges } = scene;
    return (wires) => {
      const wire = rule && wires.length === 1 ? edges[wires[0]] : null;
      return wire?.position === rule?.op ? (texts.get(wire?.slot ?? -1) ?? null) : null;
    };
  }
}
