/** The payload's picture -> the graph on screen; a moment sets states, and what is seen where groups fold. */

import { Crowd } from "./crowd.js";
import { dressed } from "./dress.js";
import { GraphWorld } from "./graph_world.js";
import { svg } from "../elements/elements.js";
import { Marks } from "./marks.js";
import { refold } from "./refold.js";
import { SceneInput } from "./scene_input.js";
import { sightOf } from "../sight/sight.js";
import { around } from "./stops.js";
import { toggled } from "../sight/unfolding.js";
import { Viewport } from "../viewport/viewport.js";

/** The graph: boxes to click or walk through with the arrow keys, in a viewport to pan and zoom. */
export class Scene {
  #payload;
  #store;
  #world = new GraphWorld();
  #marks;
  #crowd;
  #input;
  #shown = { step: -1, selected: -1, finding: -1, run: -2, line: "", unfolded: "" };
  #settled = false;

  /** @param {import("../types.js").Context} context */
  constructor(context) {
    const { payload, store, signal } = context;
    const { element: world } = this.#world;
    this.#payload = payload;
    this.#store = store;
    this.#marks = new Marks(context, this.#world);
    this.element = svg("svg", { class: "graph", role: "group", "aria-label": `Graph: ${payload.title}` }, world);
    this.#world.build(sightOf(payload.scene, store.moment.unfolded));
    this.viewport = new Viewport(this.element, world, this.extent, signal);
    this.#crowd = new Crowd(this.#world, this.viewport);
    const toggle = (/** @type {number} */ group) => store.set({ unfolded: toggled(payload.scene, store.moment.unfolded, group) });
    const choose = (/** @type {import("./box.js").Box} */ box) => this.#choose(box);
    this.#input = new SceneInput({ toggle, choose }, this.element, this.#world, this.viewport);
    this.viewport.onSize(() => this.#settle());
  }

  get extent() {
    return this.#world.extent;
  }

  /** @returns {HTMLCanvasElement} for boxes that are too many to be elements */
  get crowd() {
    return this.#crowd.element;
  }

  get sight() {
    return this.#world.sight;
  }

  /**
   * @template T
   * @param {() => T} action done while every box is an element, however many they are
   */
  whole(action) {
    this.#world.attach(() => true);
    const done = action();
    this.#crowd.paint();
    return done;
  }

  /** @param {import("../types.js").Moment} moment */
  show(moment) {
    const { run, step, selected, finding, line, unfolded } = moment;
    if (String(unfolded) !== this.#shown.unfolded) this.#fold(unfolded);
    this.#world.dress(dressed(moment, this.#world, this.#marks, this.#input.focused));
    this.#follow(moment);
    this.#crowd.paint();
    this.#shown = { run, step, selected, finding, line, unfolded: String(unfolded) };
  }

  /** @param {string} action "above", "below", "open", "over", "backover", "into" or "all" */
  act(action) {
    if (action === "over") this.#over(1);
    else if (action === "backover") this.#over(-1);
    else if (action === "into") this.#into();
    else if (action === "all") this.#all();
    else this.#input.act(action);
  }

  /** @param {import("../types.js").Moment} moment is its step inside a folded group? */
  isFolded(moment) {
    return (this.#marks.boxAt(moment, moment.step)?.data.group ?? -1) >= 0;
  }

  /** @param {number} by 1 or -1: on, or back, to the nearest step that is the first of its box */
  #over(by) {
    const { moment } = this.#store;
    const { step, timeline } = moment;
    const box = (/** @type {number} */ at) => this.#marks.boxAt(moment, at);
    let next = step + by;
    while (next > 0 && next < timeline.length && box(next) === box(next - 1)) next += by;
    this.#store.set({ step: next });
  }

  /** Everything unfolds, however many boxes that are; or all of it folds again. */
  #all() {
    const { groups, unfolded } = this.#payload.scene;
    const open = this.#store.moment.unfolded.length === groups.length;
    this.#store.set({ unfolded: open ? unfolded : groups.map((_, group) => group) });
    this.viewport.open();
    const { moment } = this.#store;
    const [chosen] = this.#marks.holding(moment.selected);
    if (chosen) this.viewport.reveal(chosen.data);
    else this.#revealStep(this.#marks.boxAt(moment, moment.step));
  }

  /** The group of the step unfolds, and the step stays in view. */
  #into() {
    const stop = () => this.#marks.boxAt(this.#store.moment, this.#store.moment.step);
    const group = stop()?.data.group ?? -1;
    if (group < 0) return;
    this.#input.toggle(group);
    this.#revealStep(stop());
  }

  /** The card of a box opens, or closes again. @param {import("./box.js").Box} box */
  #choose({ data }) {
    if (data.tensor !== null) this.#store.set({ selected: data.tensor === this.#store.moment.selected ? -1 : data.tensor });
  }

  /** What is seen changes; a group that has the focus keeps it. @param {number[]} unfolded */
  #fold(unfolded) {
    if (this.#shown.unfolded === "" && this.#shown.step < 0) return;
    const before = this.#shown.unfolded ? this.#shown.unfolded.split(",").map(Number) : [];
    const { focused } = this.#input;
    const { scene } = this.#payload;
    const graph = { scene, element: this.element, world: this.#world, viewport: this.viewport };
    const { from, to } = refold(graph, before, unfolded, this.#settled);
    if (to && from && from === focused) this.#input.focus(to);
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
    const lit = finding !== shown.finding || line !== shown.line ? [...this.#marks.spotted(moment)][0] : null;
    const chosen = selected !== shown.selected ? this.#marks.holding(selected) : [];
    const stop = stepped ? this.#marks.boxAt(moment, step) : null;
    const box = lit ?? (stop ? null : chosen[0]);
    if (box) this.viewport.reveal(box.data);
    else this.#revealStep(stop);
  }

  /** The box of a step comes into view, and those that it hands its gradient on to. @param {import("./box.js").Box | null} box */
  #revealStep(box) {
    if (box) this.viewport.reveal(around([box, ...this.#world.inputs(box)]), box.data);
  }

  /** Texts can be measured only once the graph has a size. */
  #settle() {
    if (this.#settled) return;
    this.#settled = true;
    this.#world.settle();
  }
}
