/** One of two programs that are compared -> its graph: signs on its boxes, groups that unfold, what is chosen marked. */

import { html } from "../elements/elements.js";
import { GraphView } from "./graph_view.js";
import { toggled } from "../sight/unfolding.js";
import { signOf } from "../words/signs.js";
import { zoomButtons } from "../viewport/zoom.js";

/**
 * A side of the page: of every box of the scene the items that it stands for, and the box where the programs part.
 * @typedef {{ title: string, scene: import("../types.js").SceneData, items: number[][], parting: number | null }} ComparedSide
 *
 * `states`: of every item of the page; `choose` is told the items of a box, and which graph it is of.
 * @typedef {{ states: import("../words/signs.js").ItemState[], words: import("../words/signs.js").SignWords,
 *   choose(items: number[], box: import("./box.js").Box, graph: ComparedGraph): void }} Comparing
 */

/** A graph without steps: what is pressed is chosen, and with it what shares its items. */
export class ComparedGraph extends GraphView {
  #side;
  #comparing;
  #unfolded;
  /** @type {(box: import("./box.js").Box) => boolean} */
  #isChosen = () => false;

  /**
   * @param {ComparedSide} side
   * @param {Comparing} comparing
   */
  constructor(side, comparing) {
    super(side, side.scene.unfolded, new AbortController().signal);
    this.#side = side;
    this.#comparing = comparing;
    this.#unfolded = side.scene.unfolded;
    Object.assign(this.actions, {
      first: () => this.input.walk(-Infinity),
      last: () => this.input.walk(Infinity),
      play: this.actions.open,
      all: () => this.#all(),
    });
    const zoom = zoomButtons(this.actions);
    this.canvas = html("div.canvas.compared", this.crowd.element, this.element, zoom);
    this.reveal(this.world.seenAs(side.parting));
  }

  /** @returns {import("./box.js").Box[]} */
  get chosen() {
    return this.world.boxes.filter(this.#isChosen);
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

  /** Paint anew the colours that style sheets do not reach. */
  repaint() {
    this.crowd.paint();
  }

  /** @param {import("./box.js").Box} box gets the focus, and is chosen */
  choose(box) {
    this.input.focus(box);
    this.#comparing.choose(this.itemsOf(box), box, this);
  }

  /**
   * Other boxes are chosen from now on; one of them comes into view, with what it was computed from: the first, or the
   * one that was pressed.
   *
   * @param {(box: import("./box.js").Box) => boolean} isChosen
   * @param {import("./box.js").Box | null} [origin]
   */
  showChosen(isChosen, origin = null) {
    this.#isChosen = isChosen;
    this.#show();
    this.reveal(origin ?? this.chosen[0]);
  }

  /** A key does what it does in the debugger, and a box that it leads to is chosen. @param {string} action */
  act(action) {
    const here = this.input.focused;
    this.actions[action]?.();
    const now = this.input.focused;
    if (now && now !== here && "settle" in now) this.choose(now);
  }

  #all() {
    this.#unfold(this.allOrFirst(this.#unfolded));
    this.viewport.open();
    this.reveal(this.chosen[0]);
  }

  /** After it was built anew, what is chosen is marked again, and in view. */
  rebuilt() {
    this.#show();
    this.reveal(this.chosen[0] ?? this.world.seenAs(this.#side.parting));
  }

  /** @param {number} group */
  toggle(group) {
    const { scene } = this.#side;
    this.#unfold(toggled(scene, { unfolded: this.#unfolded, tucked: scene.tucked }, group));
  }

  /** @param {number[]} unfolded */
  #unfold(unfolded) {
    if (String(unfolded) === String(this.#unfolded)) return;
    const before = this.#unfolded;
    this.#unfolded = unfolded;
    this.fold(before, unfolded, () => this.#show());
  }

  #show() {
    const { world, input, crowd } = this;
    const reachable = input.focused ?? this.chosen[0] ?? world.home;
    const still = { state: "none", passed: false, lit: false, dim: false, measure: null };
    world.show({
      state: () => "none",
      box: (box) => ({
        ...still,
        selected: this.#isChosen(box),
        contradicted: false,
        reachable: box === reachable,
        note: null,
        strip: box.data.strip,
        gradient: "",
        sign: this.#signOf(box),
      }),
      wire: () => ({ ...still, contribution: null }),
      frame: (frame) => frame === reachable,
    });
    crowd.paint();
  }

  /** @param {import("./box.js").Box} box */
  #signOf(box) {
    const { states, words } = this.#comparing;
    const { parting } = this.#side;
    const { boxes, group } = box.data;
    const parts = group < 0 && parting !== null && boxes.includes(parting);
    return signOf(this.itemsOf(box).map((item) => states[item]), parts, group >= 0, words);
  }
}
