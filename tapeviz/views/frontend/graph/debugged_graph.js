/** The payload's picture -> the graph on screen; a moment sets states, and what is seen where groups fold. */

import { looksAt } from "./looks.js";
import { Highlights } from "./highlights.js";
import { GraphView } from "./graph_view.js";
import { shapeText } from "./shapes.js";
import { nextWay } from "../sight/regrouped.js";
import { toggled } from "../sight/unfolding.js";
import { around } from "./stops.js";
import { lineAbout } from "../words/numbers.js";
import { boundsOf } from "./wire.js";

/** Of what changes from moment to moment, what was shown before the first. */
const UNSEEN = { step: -1, selected: -1, finding: -1, run: -2, line: "" };

/** @typedef {"evidence" | "chosen" | "step" | "start"} Looked a finding's or a line's boxes, the chosen box, the box of the
 *   step, or where the run starts */

/** The graph of the debugger, which shows a moment. */
export class DebuggedGraph extends GraphView {
  #scene;
  #store;
  #highlights;
  #shown = { ...UNSEEN, unfolded: "", tucked: false };
  /** What the reader looked at last. @type {Looked} */
  #looked = "step";

  /** @param {import("../types.js").Context} context */
  constructor(context) {
    const { payload, store, signal } = context;
    super(payload, store.moment.unfolded, signal, store.moment.tucked);
    this.#scene = payload.scene;
    this.#store = store;
    this.world.shapeOf = (edges) => shapeText(payload, edges);
    this.#highlights = new Highlights(context, this.world);
    const { nodes, edges } = payload.scene;
    this.input.tell = (data) => {
      const tensors = "wires" in data ? data.wires.map((edge) => edges[edge].tensor) : data.boxes.map((box) => nodes[box].tensor);
      return [...new Set(tensors)].flatMap((id) => lineAbout(payload.tensors[id ?? -1])).join("\n");
    };
    Object.assign(this.actions, {
      over: () => this.#over(1),
      backover: () => this.#over(-1),
      into: () => this.#into(),
      all: () => this.#all(),
      parameters: () => this.#store.set({ tucked: !this.#store.moment.tucked }),
    });
    if ((this.#scene.ways?.length ?? 1) > 1) this.actions.regroup = () => this.#store.set(nextWay(this.#scene));
  }

  /**
   * @template T
   * @param {() => T} action done while every box is an element, however many they are
   */
  whole(action) {
    this.world.attach(() => true);
    const done = action();
    this.crowd.paint();
    return done;
  }

  /** @param {import("../types.js").Moment} moment */
  show(moment) {
    const { run, step, selected, finding, line, unfolded, tucked } = moment;
    if (String(unfolded) !== this.#shown.unfolded || tucked !== this.#shown.tucked) this.#fold(unfolded, tucked);
    this.world.show(looksAt(moment, this.world, this.#highlights, this.input.focused));
    this.#follow(moment);
    this.crowd.paint();
    this.#shown = { run, step, selected, finding, line, unfolded: String(unfolded), tucked };
  }

  /** After it was built anew, it looks as the moment asks. */
  rebuilt() {
    const { moment } = this.#store;
    this.world.show(looksAt(moment, this.world, this.#highlights, this.input.focused));
    this.#look(moment);
    this.crowd.paint();
  }

  /** @param {import("../types.js").Moment} moment is its step inside a folded group? */
  isFolded(moment) {
    return (this.#highlights.boxAt(moment, moment.step)?.data.group ?? -1) >= 0;
  }

  /** The box of its step; before the first, that of the target. @param {import("../types.js").Moment} moment */
  stopAt(moment) {
    return this.#highlights.boxAt(moment, moment.step) ?? this.world.seenAs(moment.timeline.run?.begins[0]);
  }

  /** @param {number} by 1 or -1: on, or back, to the nearest step that is the first of its box */
  #over(by) {
    const { moment } = this.#store;
    const { step, timeline } = moment;
    const box = (/** @type {number} */ at) => this.#highlights.boxAt(moment, at);
    let next = step + by;
    while (next > 0 && next < timeline.length && box(next) === box(next - 1)) next += by;
    this.#store.set({ step: next });
  }

  /** Everything unfolds, however many boxes that are; or all of it folds again. */
  #all() {
    this.#store.set({ unfolded: this.allOrFirst(this.#store.moment.unfolded) });
    this.open();
    const { moment } = this.#store;
    this.#look(moment, this.#highlights.holding(moment.selected).length ? "chosen" : "step");
  }

  /** The group of the step unfolds, and the step stays in view. */
  #into() {
    const stop = () => this.#highlights.boxAt(this.#store.moment, this.#store.moment.step);
    const group = stop()?.data.group ?? -1;
    if (group < 0) return;
    this.toggle(group);
    this.reveal(stop());
  }

  /** @param {number} group */
  toggle(group) {
    this.#store.set({ unfolded: toggled(this.#scene, this.#store.moment, group) });
  }

  /** The card of a box opens, or closes again. @param {import("./box.js").Box} box */
  choose({ data }) {
    if (data.tensor !== null) this.#store.set({ selected: data.tensor === this.#store.moment.selected ? -1 : data.tensor });
  }

  /** What is seen changes. @param {number[]} unfolded @param {boolean} tucked */
  #fold(unfolded, tucked) {
    if (this.#shown.unfolded === "" && this.#shown.step < 0) return;
    const before = this.#shown.unfolded ? this.#shown.unfolded.split(",").map(Number) : [];
    this.fold(before, unfolded, undefined, tucked);
  }

  /**
   * What changed comes into view: the finding's place, the ops of a line, the chosen box, or the box of the step.
   *
   * @param {import("../types.js").Moment} moment
   */
  #follow(moment) {
    const { run, step, selected, finding, line } = moment;
    const shown = this.#shown;
    const stepped = step !== shown.step || run !== shown.run;
    const lit = (finding !== shown.finding || line !== shown.line) && this.#evidence(moment).length > 0;
    if (lit) this.#look(moment, "evidence");
    else if (stepped && this.#highlights.boxAt(moment, step)) this.#look(moment, "step");
    else if (run !== shown.run && shown.run !== UNSEEN.run && moment.timeline.run?.begins.length) this.#look(moment, "start");
    else if (selected !== shown.selected) this.#look(moment, "chosen");
  }

  /**
   * It comes into view; and again, when the picture was built anew.
   *
   * @param {import("../types.js").Moment} moment
   * @param {Looked} what
   */
  #look(moment, what = this.#looked) {
    this.#looked = what;
    if (what === "step") return this.reveal(this.#highlights.boxAt(moment, moment.step));
    if (what === "start") return this.reveal(this.world.seenAs(moment.timeline.run?.begins[0]));
    const chosen = what === "chosen";
    const boxes = chosen ? this.#highlights.holding(moment.selected).slice(0, 1) : this.#evidence(moment);
    if (!boxes.length) return;
    if (chosen) this.viewport.keep([boxes[0].data]);
    else this.viewport.reveal(around(boxes), boxes[boxes.length - 1].data);
  }

  /** What the open finding, or line, is about, where a gradient is lost last. @param {import("../types.js").Moment} moment */
  #evidence(moment) {
    const boxes = [...this.#highlights.lit(moment)].flatMap((box) => box ?? []);
    const edges = this.#highlights.cut(moment);
    const cuts = this.world.wires.filter(({ data }) => data.wires.some((each) => edges.includes(each)));
    return [...boxes.reverse(), ...cuts.map(({ data }) => ({ data: boundsOf(data) }))];
  }
}
