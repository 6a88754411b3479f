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
  const { step, selected, timeline } = moment;
  const own = highlights.holding(selected).find(({ data }) => data.tensor === selected);
  const reachable = focused ?? own ?? world.home;
  return {
    state: (boxes) => timeline.stateOf(boxes, step),
    box: boxLooks(moment, highlights, reachable),
    wire: wireLooks(moment, world, highlights),
    frame: (frame) => frame === reachable,
  };
}

/**
 * @param {import("../types.js").Moment} moment
 * @param {import("./highlights.js").Highlights} highlights
 * @param {import("./graph_world.js").Stop | null} reachable
 * @returns {Looks["box"]}
 */
function boxLooks(moment, highlights, reachable) {
  const { step, selected, timeline, measured } = moment;
  const { until, isTold } = tellable(moment);
  const holding = new Set(highlights.holding(selected));
  const parts = highlights.parts(moment);
  const lit = highlights.lit(moment);
  const dim = highlights.dim(moment);
  const contradicted = highlights.contradicted(moment);
  const active = highlights.boxAt(moment, step);
  return (box) => {
    const { boxes, group, kind, claim } = box.data;
    const state = timeline.stateOf(boxes, step);
    const unknown = group >= 0 || (!timeline.run && state === "waiting");
    const told = isTold(timeline.stateOf(boxes, until));
    const [done, all] = box === active && group >= 0 ? timeline.progress(boxes, step) : [0, 0];
    return {
      state,
      selected: holding.has(box),
      parameter: kind === "op" ? highlights.parameterAt(boxes, selected) : -1,
      part: parts.has(box),
      lit: lit.has(box),
      dim: dim(boxes),
      contradicted: contradicted(box.data) || (moment.predict && step < timeline.length && ![null, "target"].includes(claim)),
      passed: isPassed(timeline, state),
      measure: told ? (measured?.ofBoxes(boxes) ?? null) : null,
      reachable: box === reachable,
      strip: unknown || !told ? null : measured ? measured.strip(boxes[0]) : box.data.strip,
      gradient: measured ? "" : gradientLine(highlights.tensorsOf(boxes), timeline, until),
      note: all ? `${done} of its ${all} steps` : null,
    };
  };
}

/**
 * @param {import("../types.js").Moment} moment
 * @param {import("./graph_world.js").GraphWorld} world
 * @param {import("./highlights.js").Highlights} highlights
 * @returns {Looks["wire"]}
 */
function wireLooks(moment, world, highlights) {
  const { step, timeline, measured } = moment;
  const { until, isTold } = tellable(moment);
  const dim = highlights.dim(moment);
  const cut = highlights.cut(moment);
  const contribution = highlights.contribution(moment);
  return ({ wires, tail, head }) => {
    const state = timeline.stateOfEdges(wires, step);
    return {
      state,
      passed: isPassed(timeline, state),
      lit: cut.some((edge) => wires.includes(edge)),
      dim: [tail, head].some((end) => dim(world.sight.boxes[end].boxes)),
      measure: isTold(timeline.stateOfEdges(wires, until)) ? (measured?.ofEdges(wires) ?? null) : null,
      contribution: contribution(wires),
    };
  };
}

/**
 * Up to which step numbers are told, and of what, by its state then: a reader who predicts is told nothing of what is to come.
 *
 * @param {import("../types.js").Moment} moment
 */
function tellable(moment) {
  const hidden = predicted(moment);
  const isTold = (/** @type {string} */ state) => !hidden || OVER.includes(state);
  return { until: moment.covered ? moment.step - 1 : moment.step, isTold };
}

/** Whether a gradient has reached what is in this state. @param {import("../types.js").Timeline} timeline @param {string} state */
function isPassed({ run }, state) {
  return run !== null && !STILL.includes(state);
}
