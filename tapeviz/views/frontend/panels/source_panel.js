/**
 * A moment -> the source around the line that was asked for last: of the opened finding, of the selected tensor, or of the
 * step; else of the call that asked for the gradient. Pressing a line highlights its ops in the graph.
 */

import { pressable } from "../elements/button.js";
import { html } from "../elements/elements.js";
import { linesOf } from "../words/lines.js";

/** How many lines are shown on either side. */
const AROUND = 1;

/** Of a file, the lines that the payload holds around its sites: those nearby, or all of them. */
export class SourcePanel {
  #payload;
  #store;
  #list = html("ol.listing");
  #caption = html("h3");
  #more;
  #all = false;
  /** @type {Map<string, Map<number, string>>} file -> number -> text */
  #files = new Map();
  /** @type {Set<string>} "file:12" of the lines that ops stand on */
  #working = new Set();
  /** @type {number | null | undefined} what is shown */
  #site = null;
  #asked = { finding: -1, selected: -1, place: "" };

  /** @param {import("../types.js").Context} context */
  constructor({ payload, store }) {
    this.#payload = payload;
    this.#store = store;
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
    this.#more = pressable({ class: "check" }, () => this.#turn());
    const head = html("div.caption", this.#caption, this.#more);
    this.element = html("section.panel.source-panel", head, this.#list);
  }

  /** @param {import("../types.js").Moment} moment */
  show(moment) {
    const { finding, selected, run, step, timeline } = moment;
    const { ops, tensors, findings, sites } = this.#payload;
    const asked = { finding, selected, place: `${run}.${step}` };
    const before = this.#asked;
    this.#asked = asked;
    const opened = findings[finding]?.site;
    const chosen = tensors[selected]?.site;
    const stepped = ops[timeline.opAt(step) ?? -1]?.site ?? (step ? null : timeline.run?.site);
    // What changed was asked for last; where nothing did, the same is shown on.
    if (finding !== before.finding) this.#site = opened ?? chosen ?? stepped;
    else if (selected !== before.selected) this.#site = chosen ?? opened ?? stepped;
    else if (asked.place !== before.place) this.#site = stepped;
    this.#write(sites[this.#site ?? firstSite(ops) ?? -1], moment);
  }

  #turn() {
    this.#all = !this.#all;
    this.show(this.#store.moment);
  }

  /**
   * @param {import("../types.js").Site | undefined} site
   * @param {import("../types.js").Moment} moment
   */
  #write(site, { line }) {
    this.element.hidden = !site;
    if (!site) return;
    const lines = this.#files.get(site.file) ?? new Map();
    const numbers = [...lines.keys()].sort((a, b) => a - b);
    const near = numbers.filter((number) => number >= site.line - AROUND && number <= site.end_line + AROUND);
    const within = site.function && !site.function.startsWith("<") ? `, in ${site.function}` : "";
    const told = this.#site == null ? "" : `, line ${site.line}${within}`;
    this.#caption.textContent = `${site.file}${told}`;
    this.#more.hidden = near.length === numbers.length;
    this.#more.textContent = this.#all ? "Fewer lines" : "More lines";
    this.#list.hidden = !near.length;
    const shown = this.#all ? numbers : near;
    const indent = Math.min(...shown.map((number) => leading(lines.get(number) || " ".repeat(99))));
    this.#list.replaceChildren(...shown.map((number) => this.#row(site, number, lines.get(number) ?? "", indent, line)));
  }

  /**
   * @param {import("../types.js").Site} site
   * @param {number} number
   * @param {string} text
   * @param {number} indent common to all lines, left out
   * @param {string} line that is pressed
   */
  #row(site, number, text, indent, line) {
    const key = `${site.file}:${number}`;
    const here = this.#site != null && number >= site.line && number <= site.end_line;
    const from = Math.max(here && number === site.line ? site.column : leading(text), indent);
    const to = here ? (number === site.end_line ? site.end_column : text.length) : from;
    const words = [text.slice(indent, from), here ? html("mark", text.slice(from, to)) : null, text.slice(to)];
    const what = { "data-line": key, title: "Show the ops of this line", "aria-pressed": String(key === line) };
    const told = this.#working.has(key) ? html("button", what, ...words) : html("span", ...words);
    return html("li", { "data-here": here, value: number }, told);
  }
}

/** @param {string} text */
function leading(text) {
  return text.length - text.trimStart().length;
}

/** @param {Record<string, import("../types.js").Op>} ops */
function firstSite(ops) {
  for (const key in ops) if (ops[key].site !== null) return ops[key].site;
  return null;
}
