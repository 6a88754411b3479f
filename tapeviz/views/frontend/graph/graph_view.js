/** A scene -> its graph on screen, in a viewport: groups fold, boxes come into view, clicks and keys are heard. */

import { Crowd } from "./crowd.js";
import { flowing } from "./flows.js";
import { svg } from "../elements/elements.js";
import { GraphWorld } from "./graph_world.js";
import { GraphInput } from "./graph_input.js";
import { sightOf } from "../sight/sight.js";
import { around, middle } from "./stops.js";
import { Viewport } from "../viewport/viewport.js";

/** @typedef {import("./graph_world.js").Stop} Stop */
/** @typedef {import("./box.js").Box} Box */

/** What every graph on screen has, whatever is told of it; each says for itself what a press on a box means. */
export class GraphView {
  #scene;
  #settled = false;
  /** The way that the reader has chosen: to the right or down; null: none. @type {boolean | null} */
  #across = null;
  /** @type {number[]} */
  #unfolded;
  #tucked;
  world = new GraphWorld();
  /** What keys and buttons do, by the names of words/commands.js. @type {Record<string, () => void>} */
  actions = {
    above: () => this.input.walk(-1),
    below: () => this.input.walk(1),
    open: () => this.input.open(),
    closer: () => this.viewport.zoom(1.25),
    farther: () => this.viewport.zoom(0.8),
    fit: () => this.viewport.fit(),
    // Down, or to the right: the other way than now.
    turn: () => {
      this.#across = !this.world.sight.flow.across;
      this.open();
    },
  };

  /**
   * @param {{ title: string, scene: import("../types.js").SceneData, run?: number, runs?: { begins: number[] }[],
   *   findings?: { edges: number[] }[] }} drawn
   * @param {number[]} unfolded
   * @param {AbortSignal} signal
   * @param {boolean} [tucked]
   */
  constructor({ title, scene, run, runs, findings }, unfolded, signal, tucked = scene.tucked) {
    const { element: world } = this.world;
    this.#scene = scene;
    this.element = svg("svg.graph", { role: "group", "aria-label": `Graph: ${title}` }, world);
    this.world.begins = runs?.[run ?? -1]?.begins ?? null;
    this.world.cut = findings?.[0]?.edges ?? [];
    this.world.build(sightOf(scene, unfolded, undefined, tucked));
    this.#tucked = tucked;
    this.#unfolded = unfolded;
    this.viewport = new Viewport(this.element, world, this.extent, signal);
    this.crowd = new Crowd(this.world, this.viewport);
    this.input = new GraphInput(this, this.element, this.world, this.viewport);
    this.viewport.onSize(() => this.#suit());
    this.viewport.onWords(() => this.#settled && this.world.settle());
  }

  /** What changed of the picture is to be shown: it was built anew. */
  rebuilt() {}

  /** A group is to fold or unfold. @param {number} _group */
  toggle(_group) {}

  /** A box is chosen. @param {Box} _box */
  choose(_box) {}

  get extent() {
    return this.world.extent;
  }

  /**
   * Groups fold or unfold: what was pressed stays where it is on the screen, and keeps the focus.
   *
   * @param {number[]} before unfolded so far @param {number[]} after
   * @param {() => void} [then] done with what is seen now, before anything gets the focus
   * @param {boolean} [tucked] are parameters tucked into the ops that read them from now on?
   */
  fold(before, after, then = () => {}, tucked = this.#tucked) {
    const { focused } = this.input;
    const [was, is] = [new Set(before), new Set(after)];
    const changed = [...after.filter((each) => !was.has(each)), ...before.filter((each) => !is.has(each))];
    const from = this.world.stopOf(changed);
    this.element.toggleAttribute("data-moving", this.#settled);
    this.world.build(sightOf(this.#scene, after, this.world.sight.flow, tucked));
    [this.#unfolded, this.#tucked] = [after, tucked];
    const to = this.world.stopOf(changed);
    const [dx, dy] = from && to ? [middle(from) - middle(to), from.data.y - to.data.y] : [0, 0];
    this.viewport.change(this.extent, dx, dy);
    if (this.#settled) this.world.settle();
    if (to) this.viewport.reveal(to.data);
    then();
    if (to && from && from === focused) this.input.focus(to);
  }

  /** Shown anew, as when the page was opened: running the way that suits the room. */
  open() {
    this.viewport.open();
    this.#suit();
    this.viewport.open();
  }

  /** All groups; or, where all are unfolded, those that are at first. @param {number[]} unfolded */
  allOrFirst(unfolded) {
    const { groups, unfolded: first } = this.#scene;
    return unfolded.length === groups.length ? first : groups.map((_, group) => group);
  }

  /** A box comes into view, with those that it hands its gradient on to, and what. @param {Box | null | undefined} box */
  reveal(box) {
    if (!box) return;
    const own = [box, ...this.world.wires.flatMap(({ written }) => written ?? [])];
    this.viewport.reveal(around([...own, ...this.world.inputs(box)]), around(own));
  }

  /** The picture runs the way that suits the room, unless the reader has put it elsewhere; texts can be measured then. */
  #suit() {
    const room = this.viewport.free;
    const sight = room && flowing(this.#scene, this.#unfolded, room, this.#tucked, this.#across);
    const { across, aspect } = this.world.sight.flow;
    if (sight && (sight.flow.across !== across || sight.flow.aspect !== aspect)) {
      this.element.removeAttribute("data-moving");
      this.world.build(sight);
      this.viewport.exchange(this.extent);
      this.rebuilt();
      if (this.#settled) this.world.settle();
    }
    this.element.dataset.flow = this.world.sight.flow.across ? "across" : "down";
    if (this.#settled) return;
    this.#settled = true;
    this.world.settle();
  }
}
