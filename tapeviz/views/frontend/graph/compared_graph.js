/** One of two programs that are compared -> its graph: signs on its boxes, groups that unfold, what is chosen lit. */

import { Crowd } from "./crowd.js";
import { html, svg } from "../elements/elements.js";
import { GraphWorld } from "./graph_world.js";
import { refold } from "./refold.js";
import { SceneInput } from "./scene_input.js";
import { around } from "./stops.js";
import { sightOf } from "../sight/sight.js";
import { toggled } from "../sight/unfolding.js";
import { signOf } from "../words/signs.js";
import { Viewport } from "../viewport/viewport.js";
import { zoomButtons } from "../viewport/zoom.js";

/**
 * A side of the page: of every box of the scene the items that it stands for, and the box where the programs part.
 * @typedef {{ title: string, scene: import("../types.js").SceneData, items: number[][], parting: number | null }} ComparedSide
 *
 * `states`: of every item of the page; `choose` is told the items of a box, and which graph it is of.
 * @typedef {{ states: import("../words/signs.js").ItemState[], words: import("../words/signs.js").SignWords,
 *   choose(items: number[], box: import("./box.js").Box, graph: ComparedGraph): void }} Comparing
 */

/** A graph in a viewport, without steps: what is pressed is chosen, and what shares its items is lit. */
export class ComparedGraph {
  #side;
  #comparing;
  #world = new GraphWorld();
  #viewport;
  #crowd;
  #input;
  #unfolded;
  #settled = false;
  /** @type {(box: import("./box.js").Box) => boolean} is it lit? */
  #lit = () => false;

  /**
   * @param {ComparedSide} side
   * @param {Comparing} comparing
   */
  constructor(side, comparing) {
    const { title, scene } = side;
    this.#side = side;
    this.#comparing = comparing;
    this.#unfolded = scene.unfolded;
    this.#world.build(sightOf(scene, this.#unfolded));
    this.element = svg("svg", { class: "graph", role: "group", "aria-label": `Graph: ${title}` }, this.#world.element);
    this.#viewport = new Viewport(this.element, this.#world.element, this.#world.extent, new AbortController().signal);
    this.#crowd = new Crowd(this.#world, this.#viewport);
    const acts = {
      toggle: (/** @type {number} */ group) => this.#fold(toggled(scene, this.#unfolded, group)),
      choose: (/** @type {import("./box.js").Box} */ box) => this.choose(box),
    };
    this.#input = new SceneInput(acts, this.element, this.#world, this.#viewport);
    const zoom = zoomButtons((action) => this.act(action));
    this.canvas = html("div", { class: "canvas compared" }, this.#crowd.element, this.element, zoom);
    this.#viewport.onSize(() => this.#settle());
    this.#reveal(this.#world.seenAs(side.parting));
  }

  /** @returns {import("./box.js").Box[]} */
  get lit() {
    return this.#world.boxes.filter(this.#lit);
  }

  /** @param {import("./box.js").Box} box */
  itemsOf(box) {
    return [...new Set(box.data.boxes.flatMap((each) => this.#side.items[each]))]; // a leaf has several boxes
  }

  /** A box in words. @param {import("./box.js").Box} box */
  says(box) {
    const { title, subtitle } = box.data;
    const sign = this.#signOf(box);
    return `${[title, subtitle].filter(Boolean).join(", ")}${sign ? `: ${sign.words}` : ""}.`;
  }

  /** Colours that are no styles, painted anew. */
  repaint() {
    this.#crowd.paint();
  }

  /** @param {import("./box.js").Box} box gets the focus, and is chosen */
  choose(box) {
    this.#input.focus(box);
    this.#comparing.choose(this.itemsOf(box), box, this);
  }

  /**
   * What is lit from now on; one of it comes into view, with what it was computed from: the first, or that by which it
   * was chosen.
   *
   * @param {(box: import("./box.js").Box) => boolean} lit
   * @param {import("./box.js").Box | null} [origin]
   */
  light(lit, origin = null) {
    this.#lit = lit;
    this.#show();
    this.#reveal(origin ?? this.lit[0]);
  }

  /** @param {import("./box.js").Box | null | undefined} box */
  #reveal(box) {
    if (box) this.#viewport.reveal(around([box, ...this.#world.inputs(box)]), box.data);
  }

  /** A key of the debugger's. @param {string} action */
  act(action) {
    const here = this.#input.focused;
    if (action === "closer") this.#viewport.zoom(1.25);
    else if (action === "farther") this.#viewport.zoom(0.8);
    else if (action === "fit") this.#viewport.fit();
    else if (action === "all") this.#all();
    else if (here && (action === "first" || action === "last")) this.#input.walk(here, action === "last" ? Infinity : -Infinity);
    else this.#input.act(action);
    const now = this.#input.focused;
    if (now && now !== here && "settle" in now) this.choose(now);
  }

  #all() {
    const { groups, unfolded } = this.#side.scene;
    this.#fold(this.#unfolded.length === groups.length ? unfolded : groups.map((_, group) => group));
    this.#viewport.open();
    this.#reveal(this.lit[0]);
  }

  /** @param {number[]} unfolded */
  #fold(unfolded) {
    if (String(unfolded) === String(this.#unfolded)) return;
    const { focused } = this.#input;
    const graph = { scene: this.#side.scene, element: this.element, world: this.#world, viewport: this.#viewport };
    const { from, to } = refold(graph, this.#unfolded, unfolded, this.#settled);
    this.#unfolded = unfolded;
    this.#show();
    if (to && from && from === focused) this.#input.focus(to);
  }

  #show() {
    const reachable = this.#input.focused ?? this.lit[0] ?? this.#world.home;
    const still = { state: "none", spotted: false, aside: false, measure: null };
    this.#world.dress({
      state: () => "none",
      box: (box) => ({
        ...still,
        selected: this.#lit(box),
        quiet: false,
        reachable: box === reachable,
        note: null,
        strip: box.data.strip,
        sign: this.#signOf(box),
      }),
      wire: () => ({ ...still, cargo: null }),
      frame: (frame) => frame === reachable,
    });
    this.#crowd.paint();
  }

  /** @param {import("./box.js").Box} box */
  #signOf(box) {
    const { states, words } = this.#comparing;
    const { parting } = this.#side;
    const { boxes, group } = box.data;
    const parts = group < 0 && parting !== null && boxes.includes(parting);
    return signOf(this.itemsOf(box).map((item) => states[item]), parts, group >= 0, words);
  }

  /** Texts can be measured only once the graph has a size. */
  #settle() {
    if (this.#settled) return;
    this.#settled = true;
    this.#world.settle();
  }
}
