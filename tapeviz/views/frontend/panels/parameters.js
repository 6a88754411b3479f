/** A moment -> all gradients of its run in a table: sorted by a press on a column, filtered by words; a row leads to its box. */

import { tensorButton } from "../elements/button.js";
import { html } from "../elements/elements.js";
import { lookingAt } from "../sight/unfolding.js";
import { endsOf, PARAMETER_COLUMNS, parameterRows, sortedRows } from "../timeline/parameters.js";
import { briefly, grouped } from "../words/numbers.js";

/** More rows than this are found by words. */
const MOST_PARAMETERS = 200;

/** Folded, its head names the smallest and the largest, and the number of one alone; open, it is the table. */
export class Parameters {
  #payload;
  #store;
  #ends = html("span.ends");
  #field = html("input.find", { type: "search", placeholder: "Filter by name", "aria-label": "Filter parameters by name" });
  #table = html("table");
  #more = html("p.label");
  #details;
  #sort = { column: "norm", falling: false };
  #run = -2;
  /** @type {import("../timeline/parameters.js").ParameterRow[]} */
  #rows = [];

  /** @param {import("../types.js").Context} context */
  constructor({ payload, store }) {
    this.#payload = payload;
    this.#store = store;
    this.#details = html("details", html("summary", html("b", "Final gradients")), this.#field, this.#table, this.#more);
    this.element = html("section.panel.parameters", this.#details, this.#ends);
    this.#field.addEventListener("input", () => this.#write());
    this.element.addEventListener("click", (event) => this.#press(event));
    this.#details.addEventListener("toggle", () => this.#toggle());
  }

  /** What is to be predicted is not shown here either. @param {import("../types.js").Moment} moment */
  show({ run, step, predict, timeline }) {
    if (run !== this.#run) {
      this.#run = run;
      this.#rows = timeline.run ? parameterRows(this.#payload, timeline.run) : [];
      const words = ["smallest norm", "largest"];
      const ends = endsOf(this.#rows).map((row, index) => this.#end(`${words[index]} ${briefly(row.norm)}`, row));
      this.#ends.replaceChildren(...(this.#rows.length === 1 ? this.#rows.map((row) => this.#end(row.text, row)) : ends));
      this.#write();
    }
    this.element.hidden = !this.#rows.length || (predict && step < timeline.length);
  }

  /** @param {string} told @param {import("../timeline/parameters.js").ParameterRow} row */
  #end(told, { source }) {
    return html("span.label", `${told}, `, tensorButton(this.#payload, source));
  }

  /** What opens comes to the head of its column. */
  #toggle() {
    this.#write();
    const side = this.element.parentElement;
    if (this.#details.open && side) side.scrollTop = this.element.offsetTop;
  }

  #write() {
    this.#ends.hidden = this.#details.open;
    if (!this.#details.open) return;
    const { column, falling } = this.#sort;
    const known = Object.keys(PARAMETER_COLUMNS).filter((name) => name === "name" || this.#rows.some((row) => (name === "zeros" ? row.zeros > 0 : !Number.isNaN(valueOf(row, name))))); // prettier-ignore
    const found = sortedRows(this.#rows, this.#field.value, column, falling);
    const heads = known.map((name) => {
      const sorted = name === column ? (falling ? "descending" : "ascending") : "none";
      return html("th", { class: name, scope: "col", "aria-sort": sorted }, html("button", { "data-column": name }, PARAMETER_COLUMNS[name]));
    });
    const ends = endsOf(this.#rows);
    const rows = found.slice(0, MOST_PARAMETERS).map((row) => this.#row(row, known.slice(1), ends));
    this.#table.replaceChildren(html("thead", html("tr", ...heads)), html("tbody", ...rows));
    const more = found.length - rows.length;
    this.#more.textContent = more ? `and ${grouped(more)} more` : found.length ? "" : "nothing found";
  }

  /**
   * @param {import("../timeline/parameters.js").ParameterRow} row
   * @param {string[]} columns
   * @param {ReturnType<typeof endsOf>} ends
   */
  #row(row, columns, [least, greatest]) {
    const mark = row === least ? "smallest" : row === greatest ? "largest" : null;
    const part = least ? Math.log(row.norm / least.norm) / (Math.log(greatest.norm / least.norm) || 1) : 0;
    const bar = least && row.norm > 0 ? html("i", { style: `--part:${part}` }) : null;
    const cells = columns.map((name) => html("td", { class: name }, name === "norm" ? bar : null, row.none && name === "norm" ? "None" : textOf(row, name)));
    const head = html("th", { scope: "row" }, tensorButton(this.#payload, row.source), mark ? html("span.mark", mark) : null);
    return html("tr", { "data-none": row.none, "data-source": row.source }, head, ...cells);
  }

  /** A column sorts, or turns round; a name leads to its box, out of the groups that hide it. @param {Event} event */
  #press(event) {
    const target = /** @type {Element} */ (event.target);
    const column = target.closest("[data-column]")?.getAttribute("data-column");
    if (column) {
      this.#sort = { column, falling: column === this.#sort.column && !this.#sort.falling };
      return this.#write();
    }
    const source = Number(target.closest("[data-tensor]")?.getAttribute("data-tensor") ?? -1);
    const box = this.#payload.scene.nodes.findIndex(({ tensor }) => tensor === source);
    if (source < 0 || box < 0) return;
    event.stopPropagation();
    this.#store.set(lookingAt(this.#payload.scene, this.#store.moment, box));
  }
}

/** @param {import("../timeline/parameters.js").ParameterRow} row @param {string} column */
function valueOf(row, column) {
  return /** @type {Record<string, any>} */ (row)[column];
}

/** @param {import("../timeline/parameters.js").ParameterRow} row @param {string} column */
function textOf(row, column) {
  const value = valueOf(row, column);
  if (Number.isNaN(value)) return "";
  if (column === "zeros") return `${Math.round(100 * value)} %`;
  return `${value < 0 ? "−" : ""}${briefly(Math.abs(value))}`;
}
