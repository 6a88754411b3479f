/** A moment -> what happens in this step: the op, its rule, the upstream gradient, each contribution and its sum. */

import { breakable } from "../elements/breakable.js";
import { tensorButton, whyButton } from "../elements/button.js";
import { Check } from "./check.js";
import { html } from "../elements/elements.js";
import { Fit } from "../elements/fit.js";
import { formula } from "../elements/mathml.js";
import { grouped, rowsText, statisticsText, written } from "../words/numbers.js";
import { reveal } from "../elements/reveal.js";
import { edgesOf, lineOf, primalOf } from "../words/rules.js";
import { place } from "../words/sentences.js";

const FORWARD = "The ops run in the order of the program.";
const BACKWARD = "The backward pass starts at the target and applies one rule a step.";
const STEPLESS = "No gradient arrives at a source: this backward pass has no step. Click a box to see its value and its line.";
const UNASKED = "No gradient was asked for, so there is no backward pass.";
const EMPTY = "No op was recorded: there is nothing to step through.";
const ADVICE = "Press → for the next step; click a box to see its value, its gradient and its line.";

/**
 * At most so many sources are listed, of more half as many, since a table has them all: those of the step, then those that a
 * gradient is on its way to or that get none.
 */
const MOST_SOURCES = 8;
const TELLING = ["reached", "none", "done", "waiting"];

/** The panel that a lecture reads from: one rule, its numbers, and what has reached the sources so far. */
export class StepPanel {
  #payload;
  #check;
  #fit;
  #body = html("div.panel-body");
  #sources = html("ul.sources");
  #soFar = html("div.so-far", html("h4", "Gradients at this step"), this.#sources);

  /** @param {import("../types.js").Context} context */
  constructor(context) {
    this.#payload = context.payload;
    this.#check = new Check(context);
    this.element = html("section.panel.step-panel", this.#body, this.#soFar);
    this.#fit = new Fit(this.#body, ".formula", context.signal);
    this.#body.addEventListener("click", (event) => /** @type {Element} */ (event.target).closest(".reveal") && context.store.advance(1)); // prettier-ignore
  }

  /** @param {import("../types.js").Moment} moment */
  show(moment) {
    const { step, timeline } = moment;
    const rule = timeline.ruleAt(step);
    const parts = rule ? this.#rule(rule, moment) : step === 0 ? this.#start(moment) : this.#op(timeline.opAt(step));
    this.#body.replaceChildren(html("p.eyebrow", place(moment)), ...parts);
    this.#showSources(moment);
    this.#check.show();
    this.#fit.fit();
  }

  /**
   * @param {import("../types.js").Step} step
   * @param {import("../types.js").Moment} moment
   */
  #rule({ op, title, upstream, contributions }, moment) {
    const { covered, run } = moment;
    const { meeting = () => null } = this.#payload;
    const checking = contributions.length && !covered ? this.#check.at(moment) : null;
    return [
      this.#title(op, title),
      ...upstream.flatMap(({ tensor, cotangent }) => [
        this.#number("Upstream gradient of", tensor, this.#rows(cotangent)),
        meeting(run, cotangent),
      ]),
      contributions.length ? html("h4", contributions.length === 1 ? "Contribution" : "Contributions") : null,
      html("ul.contributions", ...contributions.map((part) => this.#contribution(part, covered, run))),
      covered ? html("button.reveal", "What comes out? Show it (→)") : null,
      checking,
    ].filter((part) => part !== null);
  }

  /** @param {number} cotangent */
  #rows(cotangent) {
    return rowsText(this.#payload.tensors[cotangent]);
  }

  /**
   * @param {import("../types.js").Contribution} contribution
   * @param {boolean} covered its numbers are to be predicted
   * @param {number} run
   */
  #contribution({ slot, tensor, cotangent, text, rule, numbers, sum, parts, final }, covered, run) {
    const soFar = parts === 1 ? "The first part" : `Sum of ${parts}`;
    const equation = rule ? [formulaLine(rule, "Rule"), "="] : [];
    const inNumbers = numbers && lineOf(numbers) !== text ? [formulaLine(numbers, "Rule in numbers"), "="] : [];
    const told = covered ? [value("?")] : [...inNumbers, value(this.#rows(cotangent))];
    const share = html("div.share", ...equation, ...told);
    const to = html("span.label", "to ", tensorButton(this.#payload, tensor));
    const arrived = html("span.label", `${soFar}, ${final ? "all arrived" : "more to come"}`);
    const total = parts > 1 || !final ? html("p.sum", arrived, value(covered ? "?" : (sum ?? ""))) : null;
    const meeting = (final && !covered && this.#payload.meeting?.(run, tensor)) || null;
    return html("li", html("div.row", to, share), total, meeting, this.#check.spot(slot));
  }

  /** @param {number | null} position */
  #op(position) {
    const { kinds, ops, tensors } = this.#payload;
    const op = ops[String(position)];
    if (!op) return [];
    const rows = (/** @type {number[]} */ ids, /** @type {string} */ label) =>
      ids.map((id) => this.#number(label, id, written(tensors[id]?.value ?? statisticsText(tensors[id]) ?? "")));
    return [this.#title(position, kinds[op.kind].name), ...rows(op.inputs, "Input"), ...rows(op.outputs, "Result")];
  }

  /** @param {import("../types.js").Moment} moment */
  #start({ timeline }) {
    const seeds = (timeline.run?.targets ?? []).map((tensor) => {
      const seed = timeline.gradientOf(tensor, 0);
      return seed ? this.#number("Seed of", tensor, seed.text) : null;
    });
    const { run, length } = timeline;
    const why = this.#payload.runs.length || !length ? [] : [UNASKED];
    const told = length ? [run ? BACKWARD : FORWARD, ...why, ADVICE] : [run ? STEPLESS : EMPTY];
    const sentences = told.map((text) => html("p.sentence", text));
    const heading = html("h3.unseen", "Before the first step");
    const passes = run?.passes && length ? [html("p.sentence", run.passes)] : [];
    return [heading, ...sentences, ...seeds.filter((seed) => seed !== null), ...passes];
  }

  /**
   * @param {number | null} position
   * @param {string} title
   */
  #title(position, title) {
    const op = this.#payload.ops[String(position)];
    const attrs = op?.attrs ? html("span.attrs", op.attrs) : null;
    const primal = op ? primalOf(this.#payload, op) : null;
    const edges = op ? edgesOf(this.#payload, op).map((edge) => html("p.edge", edge)) : [];
    return html("div.op", html("h3", ...breakable(title), attrs), primal ? formulaLine(primal, "Formula") : null, ...edges);
  }

  /**
   * @param {string} label
   * @param {number} tensor
   * @param {string} text
   */
  #number(label, tensor, text) {
    const name = html("span.label", `${label} `, tensorButton(this.#payload, tensor));
    return html("div.row", name, value(text));
  }

  /** @param {import("../types.js").Moment} moment */
  #showSources({ step, timeline, covered, predict }) {
    this.#soFar.hidden = !timeline.run;
    if (!timeline.run) return this.#sources.replaceChildren();
    const until = covered ? step - 1 : step;
    const toPredict = predict && step < timeline.length;
    const gradients = timeline.run.gradients.map(({ source, cotangent }) => {
      const partial = timeline.gradientOf(source, until);
      const none = cotangent === null && !toPredict;
      const state = none ? "none" : !partial ? "waiting" : partial.final ? "done" : "reached";
      return { source, state, shown: none ? "None" : (partial?.text ?? "not yet") };
    });
    const now = timeline.ruleAt(step)?.contributions.map(({ tensor }) => tensor) ?? [];
    const told = mostTelling(gradients, now);
    const rows = told.map(({ source, state, shown }) =>
      html("li.row", { "data-state": state, "data-now": now.includes(source) }, tensorButton(this.#payload, source), state === "none" ? whyButton(this.#payload, source) : null, value(shown)),
    );
    const more = gradients.length - told.length;
    if (more) rows.push(html("li.label", `and ${grouped(more)} more`));
    this.#sources.replaceChildren(...rows);
    reveal(this.#sources, "[data-now]");
  }
}

/**
 * As many as are listed, in the order that they have.
 *
 * @template {{ source: number, state: string }} T
 * @param {T[]} gradients
 * @param {number[]} now the sources that the step gives something to
 */
function mostTelling(gradients, now) {
  const rank = (/** @type {T} */ { source, state }) => (now.includes(source) ? -1 : TELLING.indexOf(state));
  const told = [...gradients].sort((one, other) => rank(one) - rank(other)).slice(0, gradients.length > MOST_SOURCES ? MOST_SOURCES / 2 : MOST_SOURCES);
  return gradients.filter((each) => told.includes(each));
}

/**
 * @param {import("../words/rules.js").Equation} equation
 * @param {string} label
 */
function formulaLine(equation, label) {
  return html("div.formula", { role: "group", "aria-label": label, "data-text": lineOf(equation) }, ...formula(equation));
}

/** @param {string} text a matrix on one line breaks between its rows, where it must @param {string | null} [title] */
function value(text, title) {
  const whole = text.includes("], [") ? text.replace(/, (?!\[)/g, ",\u00a0") : text;
  return html("span.value", { title, "data-rows": text.includes("\n") }, whole);
}
