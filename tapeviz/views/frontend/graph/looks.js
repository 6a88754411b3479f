/** A moment -> the looks of boxes, wires and frames at it. */

import { gradientLine } from "../timeline/gradients.js";
import { predicted } from "../timeline/lens.js";

/** The states of what no gradient has reached. */
const STILL = ["none", "waiting"];
/** And of what the steps have told a gradient of. */
const OVER = ["active", "done"];

/**
 * @typedef {{
 *   state(boxes: number[]): string,
 *   box(box: import("./box.js").Box): import("./box.js").BoxLook,
 *   wire(wire: import("../sight/sight.js").SeenWire): import("./wire.js").WireLook,
 *   frame(frame: import("./frame.js").Frame): boolean }} Looks
 */

/**
 * @param {import("../types.js").Moment} moment
 * @param {import("./graph_world.js").GraphWorld} world
 * @param {import("./highlights.js").Highlights} highlights
 * @param {import("./graph_world.js").Stop | null} focused
 * @returns {Looks}
 */
export function looksAt(moment, world, highlights, focused) {
  const { step, selected, timeline, measured, covered } = moment;
  const until = covered ? step - 1 : step;
  const hidden = predicted(moment);
  const untold = (/** @type {string} */ state) => hidden && !OVER.includes(state);
  const holding = new Set(highlights.holding(selected));
  const parts = highlights.parts(moment);
  const lit = highlights.lit(moment);
  const dim = highlights.dim(moment);
  const contribution = highlights.contribution(moment);
  const cut = highlights.cut(moment);
  const contradicted = highlights.contradicted(moment);
  const own = [...holding].find(({ data }) => data.tensor === selected);
  const reachable = focused ?? own ?? world.home;
  const active = highlights.boxAt(moment, step);
  const passed = (/** @type {string} */ state) => timeline.run !== null && !STILL.includes(state);
  return {
    state: (boxes) => timeline.stateOf(boxes, step),
    box: (box) => {
      const { boxes, group } = box.data;
      const state = timeline.stateOf(boxes, step);
      const unknown = group >= 0 || (!timeline.run && state === "waiting");
      const parameter = box.data.kind === "op" ? highlights.parameterAt(boxes, selected) : -1;
      const [done, all] = box === active && group >= 0 ? timeline.progress(boxes, step) : [0, 0];
      return {
        state,
        selected: holding.has(box),
        parameter,
        part: parts.has(box),
        lit: lit.has(box),
        dim: dim(boxes),
        contradicted: contradicted(box.data) || (moment.predict && step < timeline.length && ![null, "target"].includes(box.data.claim)),
        passed: passed(state),
        measure: untold(timeline.stateOf(boxes, until)) ? null : (measured?.ofBoxes(boxes) ?? null),
        reachable: box === reachable,
        strip: unknown || untold(timeline.stateOf(boxes, until)) ? null : measured ? measured.strip(boxes[0]) : box.data.strip,
        gradient: measured ? "" : gradientLine(highlights.tensorsOf(boxes), timeline, until),
        note: all ? `${done} of its ${all} steps` : null,
      };
    },
    wire: ({ wires, tail, head }) => {
      const state = timeline.stateOfEdges(wires, step);
      return {
        state,
        passed: passed(state),
        lit: cut.some((edge) => wires.includes(edge)),
        dim: [tail, head].some((end) => dim(world.sight.boxes[end].boxes)),
        measure: untold(timeline.stateOfEdges(wires, until)) ? null : (measured?.ofEdges(wires) ?? null),
        contribution: contribution(wires),
      };
    },
    frame: (frame) => frame === reachable,
  };
}
