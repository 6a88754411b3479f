/**
 * A moment -> the source around the line of the step, or of the call that asked for the gradient; pressing a line
 * highlights its ops in the graph.
 */

import { html } from "../elements/elements.js";
import { reveal } from "../elements/reveal.js";
import { linesOf } from "../words/lines.js";

/** All lines of a file that the payload holds around its sites, with what stands for a gap between them. */
export class SourcePanel {
  #payload;
  #list = html("ol", { class: "listing" });
  #caption = html("h3", {});
  /** @type {Map<string, Map<number, string>>} file -> number -> text */
  #files = new Map();
  /** @type {Set<string>} "file:12" of the lines that ops stand on */
  #working = new Set();
  #shown = "";

  /** @param {import("../types.js").Context} context */
  constructor({ payload, store }) {
    this.#payload = payload;
    for (const { file, first, context } of payload.sites) {
      const lines = this.#files.get(file) ?? new Map();
      this.#files.set(file, lines);
      context.forEach((text, index) => lines.set(first + index, text));
    }
    for (const { site } of Object.values(payload.ops)) {
      for (const each of linesOf(payload.sites[site ?? -1])) this.#working.add(each);
    }
    this.#list.addEventListener("click", (event) => {
      const line = /** @type {Element} */ (event.target).closest("[data-line]")?.getAttribute("data-line");
      if (line) store.set({ line: line === store.moment.line ? "" : line });
    });
    this.element = html("section", { class: "panel source-panel" }, this.#caption, this.#list);
  }

  /** @param {import("../types.js").Moment} moment */
  show({ selected, step, timeline, line }) {
    const { ops, tensors, sites } = this.#payload;
    const began = step ? null : timeline.run?.site;
    const told = ops[timeline.opAt(step) ?? -1]?.site ?? tensors[selected]?.site ?? began;
    const site = sites[told ?? firstSite(ops) ?? -1];
    const lines = site && this.#files.get(site.file);
    this.element.hidden = !lines?.size;
    if (!lines?.size) return;
    const here = told == null ? [] : linesOf(site);
    if (this.#shown !== site.file) this.#write(site.file, lines);
    for (const row of this.#list.children) {
      const key = row.getAttribute("data-key") ?? "";
      row.toggleAttribute("data-here", here.includes(key));
      row.querySelector("button")?.setAttribute("aria-pressed", String(key === line));
    }
    reveal(this.#list, "[data-here]");
  }

  /**
   * @param {string} file
   * @param {Map<number, string>} lines
   */
  #write(file, lines) {
    this.#shown = file;
    this.#caption.textContent = file;
    const numbers = [...lines.keys()].sort((a, b) => a - b);
    const rows = numbers.map((number) => {
      const key = `${file}:${number}`;
      const text = lines.get(number) ?? "";
      const what = { "data-line": key, title: "Show the ops of this line", "aria-pressed": "false" };
      const told = this.#working.has(key) ? html("button", what, text) : html("span", {}, text);
      return html("li", { "data-key": key, value: number }, told);
    });
    this.#list.replaceChildren(...rows);
  }
}

/** @param {Record<string, import("../types.js").Op>} ops */
function firstSite(ops) {
  for (const key in ops) if (ops[key].site !== null) return ops[key].site;
  return null;
}
