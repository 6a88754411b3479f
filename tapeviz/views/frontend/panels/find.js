/** Payload and search words -> the boxes that match them: by name, op, shape, line of source, cause. */

import { html } from "../elements/elements.js";
import { lookingAt } from "../sight/unfolding.js";
import { wordsOf } from "../words/commands.js";
import { grouped } from "../words/numbers.js";

const MOST_FOUND = 12;

/** A field to type in, and what was found below it; the arrow keys choose, Enter goes there. */
export class Finder {
  #context;
  #done;
  #field;
  #list = html("ul.found", { role: "listbox", id: "tapeviz-found", "aria-label": "Found", hidden: true });
  /** @type {string[] | null} of every box, what can be searched for; made at the first search */
  #words = null;
  /** @type {number[]} boxes */
  #found = [];
  #chosen = 0;

  /**
   * @param {import("../types.js").Context} context
   * @param {() => void} done what was found is open: the keys are for the graph again
   */
  constructor(context, done) {
    this.#context = context;
    this.#done = done;
    this.#field = html("input.find", {
      type: "search",
      placeholder: "Find  /",
      role: "combobox",
      "aria-label": wordsOf("find"),
      "aria-controls": "tapeviz-found",
      "aria-expanded": "false",
      autocomplete: "off",
    });
    this.#field.addEventListener("input", () => this.#search());
    this.#field.addEventListener("keydown", (event) => this.#key(event));
    this.#field.addEventListener("blur", () => this.#close());
    this.#list.addEventListener("pointerdown", (event) => this.#press(event));
    this.element = html("div.finder", this.#field, this.#list);
  }

  focus() {
    this.#field.select();
  }

  #search() {
    const words = searched(this.#field.value).split(/\s+/).filter(Boolean);
    const texts = (this.#words ??= searchable(this.#context.payload));
    const all = words.length ? texts.flatMap((text, box) => (words.every((word) => text.includes(word)) ? [box] : [])) : [];
    const { tensors, scene } = this.#context.payload;
    const { nodes } = scene;
    const nameOf = (/** @type {number} */ box) => (nodes[box].op === null && tensors[nodes[box].tensor ?? -1]?.name) || nodes[box].title;
    const names = all.filter((box) => words.every((word) => searched(`${nameOf(box)} ${nodes[box].subtitle}`).includes(word)));
    this.#found = [...new Set([...names, ...all])].slice(0, MOST_FOUND);
    const rows = this.#found.map((box, index) =>
      html(
        "li",
        { role: "option", id: `tapeviz-found-${index}`, "data-index": index },
        html("b", nameOf(box)),
        " ",
        html("span", nodes[box].subtitle),
      ),
    );
    const more = all.length - rows.length;
    const rest = more ? `and ${grouped(more)} more` : rows.length ? "" : "nothing found";
    this.#list.replaceChildren(...rows, ...(rest ? [html("li", { role: "option", "aria-disabled": "true" }, rest)] : []));
    this.#list.hidden = words.length === 0;
    this.#field.setAttribute("aria-expanded", String(words.length > 0));
    this.#choose(0);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) this.#choose(this.#chosen + step);
    else if (event.key === "Enter") this.#open(this.#chosen);
    else return;
    event.preventDefault();
  }

  /** @param {Event} event */
  #press(event) {
    const row = /** @type {Element} */ (event.target).closest("[data-index]");
    // The field must not lose the focus before the row is opened.
    event.preventDefault();
    if (row) this.#open(Number(row.getAttribute("data-index")));
  }

  /** @param {number} index */
  #choose(index) {
    this.#chosen = Math.min(Math.max(index, 0), this.#found.length - 1);
    [...this.#list.children].forEach((row, at) => row.setAttribute("aria-selected", String(at === this.#chosen)));
    this.#field.setAttribute("aria-activedescendant", this.#found.length ? `tapeviz-found-${this.#chosen}` : "");
  }

  /** @param {number} index */
  #open(index) {
    const { payload, store } = this.#context;
    if (!(index in this.#found)) return;
    store.set(lookingAt(payload.scene, store.moment, this.#found[index]));
    this.#close();
    this.#done();
  }

  #close() {
    this.#list.hidden = true;
    this.#field.setAttribute("aria-expanded", "false");
  }
}

/** @param {import("../types.js").Payload} payload @returns {string[]} */
function searchable({ scene, ops, kinds, tensors, sites, findings }) {
  /** @type {Map<string, string>} */
  const causes = new Map();
  for (const { nodes, cause, title } of findings) {
    for (const id of nodes) causes.set(id, `${causes.get(id) ?? ""} ${cause} ${title}`);
  }
  return scene.nodes.map(({ id, title, subtitle, whole, badge, op, tensor }) => {
    const made = op === null ? null : ops[op];
    const shown = tensors[tensor ?? -1];
    const site = sites[made?.site ?? shown?.site ?? -1];
    const line = site ? `${site.file}:${site.line} line ${site.line} ${site.context[site.line - site.first] ?? ""}` : "";
    const words = [title, subtitle, whole, badge, made && kinds[made.kind].name, shown?.name, shown?.shape, line, causes.get(id)];
    return searched(words.filter(Boolean).join(" "));
  });
}

/** @param {string} text whose subscripts can be typed as digits */
function searched(text) {
  return text.normalize("NFKC").toLowerCase();
}
