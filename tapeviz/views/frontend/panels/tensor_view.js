/** A tensor and its gradient -> their pictures, and that of both multiplied; which slices of them are seen. */

import { pressable } from "../elements/button.js";
import { html } from "../elements/elements.js";
import { HeatMap } from "../elements/heatmap.js";
import { axisName, canTile, COLOUR, firstChoice, floatsOf, isColour, leftOut, slicedAxes } from "../words/cells.js";

/** @typedef {import("../elements/heatmap.js").Seen} Seen */
/** @typedef {"value" | "gradient" | "product"} Facet */

/** @type {Facet[]} */
const FACETS = ["value", "gradient", "product"];
/** @type {Record<Facet, string>} */
const LABELS = { value: "Value", gradient: "Gradient", product: "Gradient times value" };

/** What it shows stays where it is put; the pictures of a step that changes nothing of them stay as well. */
export class TensorView {
  #payload;
  #ask;
  /** @type {Map<number, Pick<Seen, "grid" | "numbers">>} what was read of tensors */
  #read = new Map();
  #tensor = -1;
  #gradient = -1;
  /** @type {import("../words/cells.js").Choice} */
  #choice = [];
  #log = false;
  /** @type {HeatMap[]} */
  #maps = [];
  #drawn = "";
  controls = html("div.slices");
  /** @type {Record<Facet, HTMLElement>} */
  pictures = { value: html("div"), gradient: html("div"), product: html("div") };

  /** @param {{ payload: { tensors: Record<string, import("../types.js").Pictured> }, ask?: import("../types.js").Ask }} context */
  constructor({ payload, ask }) {
    this.#payload = payload;
    this.#ask = ask;
  }

  /**
   * @param {number} tensor
   * @param {number} gradient -1: there is none to show
   */
  show(tensor, gradient) {
    if (tensor !== this.#tensor) {
      const grid = this.#payload.tensors[tensor]?.grid;
      this.#choice = grid ? firstChoice(grid) : [];
    }
    this.#tensor = tensor;
    this.#gradient = gradient;
    this.#draw();
  }

  /** Whether both are multiplied, entry by entry: not where ops have read other numbers since. */
  get multiplies() {
    return this.pictures.product.hasChildNodes();
  }

  /** @param {Facet} facet @returns {Seen | null} */
  #seen(facet) {
    if (facet === "value") return this.#of(this.#tensor);
    if (facet === "gradient") return uncoloured(this.#of(this.#gradient));
    const [value, gradient] = [this.#of(this.#tensor), this.#of(this.#gradient)];
    if (!value || !gradient || String(value.grid.sides) !== String(gradient.grid.sides) || this.#payload.tensors[this.#tensor].rewritten) return null;
    return uncoloured({ ...value, numbers: value.numbers.map((number, index) => number * gradient.numbers[index]) });
  }

  /** @param {number} id @returns {Seen | null} */
  #of(id) {
    const grid = this.#payload.tensors[id]?.grid;
    if (!grid) return null;
    const known = this.#read.get(id) ?? { grid, numbers: floatsOf(grid) };
    this.#read.set(id, known);
    const fits = this.#choice.every((index, axis) => (index ?? 0) < known.grid.sides[axis]);
    return { ...known, choice: fits ? this.#choice : firstChoice(known.grid), log: this.#log };
  }

  #draw() {
    const key = JSON.stringify([this.#tensor, this.#gradient, this.#choice, this.#log]);
    if (key === this.#drawn) return;
    this.#drawn = key;
    this.#control();
    this.#maps = [];
    for (const facet of FACETS) {
      const seen = this.#seen(facet);
      const map = seen && new HeatMap(seen, `${LABELS[facet]} of ${this.#payload.tensors[this.#tensor].name}`, (at) => this.#maps.forEach((each) => each.point(at)));
      if (map) this.#maps.push(map);
      this.pictures[facet].replaceChildren(...(map ? [map.element] : []));
    }
  }

  /** What is chosen by, and what is left out. */
  #control() {
    const seen = this.#of(this.#tensor);
    if (!seen) return this.controls.replaceChildren();
    const { grid } = seen;
    const fields = slicedAxes(grid).filter((axis) => grid.sides[axis] > 1).map((axis) => this.#field(grid, axis));
    const missing = leftOut(grid, this.#payload.tensors[this.#tensor].shape);
    const told = missing ? html("p.label", missing) : null;
    const more = missing && this.#ask ? pressable({ class: "check" }, () => this.#fetch(), "In full") : null;
    const scale = chooser("colours", "Colours", ["linear", "log"], this.#log ? "log" : "linear", (chosen) => {
      this.#log = chosen === "log";
      this.#redraw("colours");
    });
    this.controls.replaceChildren(...[...fields, scale, told, more].filter((part) => part !== null));
  }

  /** What was chosen by keeps the keyboard. @param {string} name */
  #redraw(name) {
    this.#draw();
    /** @type {HTMLElement | null} */ (this.controls.querySelector(`[name="${name}"]`))?.focus();
  }

  /** @param {import("../types.js").Grid} grid @param {number} axis */
  #field(grid, axis) {
    const each = Array.from({ length: grid.sides[axis] }, (_, index) => String(index));
    const all = [...(isColour(grid, axis) ? ["colour"] : []), ...(canTile(grid, this.#choice, axis) ? ["all"] : [])];
    const shown = this.#choice[axis] === COLOUR ? "colour" : String(this.#choice[axis] ?? "all");
    return chooser(String(axis), axisName(grid, axis), [...all, ...each], shown, (chosen) => {
      const index = chosen === "colour" ? COLOUR : chosen === "all" ? null : Number(chosen);
      this.#choice = this.#choice.map((before, other) => (other === axis ? index : before));
      this.#redraw(String(axis));
    });
  }

  /** As much of the tensor and its gradient as an answer may hold, from the program. */
  async #fetch() {
    const ids = [this.#tensor, this.#gradient].filter((id) => this.#payload.tensors[id]?.grid);
    try {
      await Promise.all(ids.map((id) => this.#fetchOne(id)));
    } catch (error) {
      return this.controls.append(html("p.label", /** @type {Error} */ (error).message));
    }
    this.#drawn = "";
    this.#draw();
  }

  /** @param {number} id */
  async #fetchOne(id) {
    const { rows = 0, columns = 0, names = [] } = this.#payload.tensors[id].grid ?? {};
    const grid = await this.#ask?.({ ask: "cells", tensor: id, rows, columns });
    if (grid) this.#read.set(id, { grid: { ...grid, names }, numbers: floatsOf(grid) });
  }
}

/** Signs are seen channel by channel. @param {Seen | null} seen @returns {Seen | null} */
function uncoloured(seen) {
  return seen && { ...seen, choice: seen.choice.map((index) => (index === COLOUR ? null : index)) };
}

/**
 * @param {string} name
 * @param {string} label
 * @param {string[]} options
 * @param {string} chosen
 * @param {(chosen: string) => void} choose
 */
function chooser(name, label, options, chosen, choose) {
  const field = html("select", { name }, ...options.map((option) => html("option", { selected: option === chosen }, option)));
  field.addEventListener("change", () => choose(field.value));
  return html("label.slice", label, field);
}
