/** Findings -> a list, worst first; an opened one says what happened, where, and what to write instead. */

import { pressable } from "../elements/button.js";
import { html } from "../elements/elements.js";
import { icon } from "../elements/icons.js";
import { prose } from "../elements/prose.js";

const SEVERITIES = { error: "Error", warning: "Warning", hint: "Hint" };

/** Opening a finding lights up its place in the graph; the card closes, so that its words and its line stand together. */
export class FindingsList {
  #context;
  #items;

  /** @param {import("../types.js").Context} context */
  constructor(context) {
    this.#context = context;
    this.#items = context.payload.findings.map((finding, index) => this.#item(finding, index));
    const list = html("ul", ...this.#items.map(({ row }) => row));
    this.element = html(
      "section.panel.findings",
      { hidden: this.#items.length === 0 },
      html("h3", "Findings"),
      list,
    );
  }

  /** @param {import("../types.js").Moment} moment */
  show({ finding }) {
    this.#items.forEach(({ button, details }, index) => {
      button.setAttribute("aria-expanded", String(index === finding));
      details.hidden = index !== finding;
    });
  }

  /**
   * @param {import("../types.js").Finding} finding
   * @param {number} index
   */
  #item(finding, index) {
    const { severity, title, message, fix } = finding;
    const word = html("span.severity", SEVERITIES[severity] ?? severity);
    const button = pressable(
      { class: "finding", "aria-expanded": "false" },
      () => this.#toggle(index),
      icon(severity),
      word,
      html("span", title),
    );
    const details = html(
      "div.details",
      { hidden: true },
      prose(message),
      html("h4", "Instead"),
      html("div.fix", prose(fix)),
    );
    return { row: html("li", { "data-severity": severity }, button, details), button, details };
  }

  /** @param {number} index */
  #toggle(index) {
    const { store } = this.#context;
    if (store.moment.finding === index) return store.set({ finding: -1 });
    store.set({ finding: index, selected: -1 });
  }
}
