/** The selected tensor -> its card: shape, dtype, value, gradient at the step and in the end, what is kept of it, where it was made. */

import { iconButtons, tensorButton, whyButton } from "../elements/button.js";
import { CardActions } from "./card_actions.js";
import { html } from "../elements/elements.js";
import { histogram } from "../elements/histogram.js";
import { prose } from "../elements/prose.js";
import { bytesOf, bytesText, grouped, shortText, statisticsText, written } from "../words/numbers.js";
import { lineIn } from "../words/lines.js";
import { makersOf } from "../timeline/carried.js";
import { partsOf } from "../timeline/gradients.js";
import { TensorView } from "./tensor_view.js";

/** @type {Record<string, string>} */
const ROLES = {
  variable: "Variable",
  constant: "Constant",
  literal: "Number",
  intermediate: "Result of an op",
  cotangent: "Gradient",
};
/** @type {Record<string, string>} */
const PRUNED = { unneeded: "not kept: no rule asks for it", released: "kept, and freed when the gradient was taken" };
/** Of the parts of a sum so many are listed, the largest. */
const MOST_PARTS = 3;

/** So many ranks are named in a few words; and of more, at most so many in a row. */
const [FEW_RANKS, MOST_RANKS] = [2, 40];

/** Opens with a click on a box; its gradient follows the steps. */
export class Card {
  #payload;
  #actions;
  #buttons;
  #makers;
  #view;
  /** The weights of an attention, as if they were a tensor. */
  #weights;
  /** Worked out once for each tensor of each run: the parts that its gradient is the sum of. */
  #known = { of: "", parts: /** @type {import("../timeline/gradients.js").Part[]} */ ([]) };

  /**
   * @param {import("../types.js").Context} context
   * @param {() => void} widen makes room for value and gradient side by side
   */
  constructor(context, widen) {
    const { payload, store } = context;
    this.#payload = payload;
    this.#makers = makersOf(payload.ops);
    this.#view = new TensorView(context);
    this.#weights = new TensorView({ payload: { tensors: payload.attentions } });
    this.#buttons = iconButtons(["side", "leave"], { side: widen, leave: () => store.set({ selected: -1 }) });
    this.element = html("div.panel.card", { role: "group", "aria-label": "Selected tensor" });
    this.#actions = new CardActions(context, this.element);
  }

  /** @param {import("../types.js").Moment} moment */
  show(moment) {
    const { selected } = moment;
    const tensor = this.#payload.tensors[selected];
    this.element.hidden = !tensor;
    this.element.replaceChildren(...(tensor ? this.#body(tensor, moment) : []));
  }

  /**
   * @param {import("../types.js").Tensor} tensor
   * @param {import("../types.js").Moment} moment
   */
  #body(tensor, moment) {
    const { name, role, shape, dtype, placement } = tensor;
    const gradient = this.#gradient(tensor, moment);
    return [
      html(
        "div.card-head",
        html("h3", name),
        html("span.role", ROLES[role] ?? role),
        html("div.buttons", ...this.#buttons),
      ),
      html("p.summary", [shape, dtype, placement, bytesText(bytesOf(tensor))].filter(Boolean).join(" · ")),
      ...this.#apart(moment.selected),
      this.#actions.buttons(moment),
      ...this.#origin(moment),
      this.#view.controls,
      html(
        "div.facets",
        facet(html("h4", "Value"), numbers(tensor, tensor.value, `Value of ${name}`, this.#actions.field(tensor)), this.#view.pictures.value),
        gradient,
        this.#view.multiplies ? facet(html("h4", "Gradient times value"), null, this.#view.pictures.product) : null,
      ),
      ...this.#attention(moment.selected),
      ...this.#kept(tensor, moment.selected),
    ];
  }

  /** How the ranks differ in it. @param {number} id */
  #apart(id) {
    const { ranks, scene } = this.#payload;
    const found = ranks?.boxes.find((each, index) => each && scene.nodes[index].tensor === id);
    if (!found) return [];
    const who = found.ranks.length > FEW_RANKS ? ` (${ranksInWords(found.ranks)})` : "";
    return [html("p.between-ranks", { "data-odd": found.kind }, html("b", "Ranks: "), found.text + who)];
  }

  /**
   * @param {import("../types.js").Tensor} tensor
   * @param {import("../types.js").Moment} moment
   */
  #gradient({ name }, { timeline, step: at, covered, selected }) {
    const partial = timeline.run ? timeline.gradientOf(selected, covered ? at - 1 : at) : null;
    const id = partial?.final ? (partial.cotangent ?? -1) : -1;
    this.#view.show(selected, id);
    if (!timeline.run) return null;
    const cotangent = this.#payload.tensors[id];
    const [said, none] = partial ? [progress(partial), false] : absence(timeline, selected);
    return facet(
      html("h4", "Gradient at this step", html("span.note", { "data-none": none }, said), none ? whyButton(this.#payload, selected) : null),
      partial ? numbers(cotangent, cotangent?.statistics ? cotangent.value : partial.text, `Gradient of ${name}`) : null,
      this.#view.pictures.gradient,
    );
  }

  /** Where the gradient that it gets in the end comes from, and why it is as small as it is. @param {import("../types.js").Moment} moment */
  #origin({ timeline, run, selected, predict, step }) {
    if (!timeline.run || (predict && step < timeline.length)) return [];
    const of = `${run} ${selected}`;
    if (this.#known.of !== of) this.#known = { of, parts: partsOf(this.#payload, timeline.run, selected) };
    return [...this.#parts(timeline.gradientOf(selected, timeline.length)), ...this.#losses(timeline.run, selected)];
  }

  /** @param {import("../types.js").GradientSoFar | null} final */
  #parts(final) {
    const { parts } = this.#known;
    if (!parts.length || !final) return [];
    const rows = parts.slice(0, MOST_PARTS).map(({ op, cotangent }) => this.#at(op, shortText(this.#payload.tensors[cotangent])));
    const more = final.parts - rows.length;
    const told = final.parts > 1 ? `Sum of ${grouped(final.parts)} parts${parts.length > 1 ? ", of what is dotted in the graph" : ""}` : "It comes from";
    const list = [html("h4", "Final gradient", html("span.value", final.text)), html("p.label", told), html("dl.facts", ...rows.flat())];
    return more > 0 ? [...list, html("p.label", `and ${grouped(more)} more`)] : list;
  }

  /** @param {import("../types.js").Run} run @param {number} selected */
  #losses({ gradients }, selected) {
    const small = gradients.find(({ source }) => source === selected)?.small;
    if (!small) return [];
    const rows = small.losses.flatMap(({ op, text }) => this.#at(op, text));
    return [html("h4", "Why its gradient is small"), prose(small.words), html("dl.facts", ...rows)];
  }

  /** @param {number} op @param {string} what is said of it, and its line */
  #at(op, what) {
    const { outputs, site } = this.#payload.ops[op];
    return fact(tensorButton(this.#payload, outputs[0]), site === null ? what : `${what}, ${lineIn(this.#payload.sites, site)}`);
  }

  /** What a result of it was weighed by. @param {number} id */
  #attention(id) {
    const op = this.#makers.get(id) ?? -1;
    const known = this.#payload.attentions[op];
    if (!known) return [];
    this.#weights.show(op, -1);
    return [html("h4", "Attention weights"), prose(known.words), this.#weights.controls, this.#weights.pictures.value];
  }

  /**
   * @param {import("../types.js").Tensor} tensor
   * @param {number} id
   */
  #kept({ saved, pruned }, id) {
    const op = this.#payload.ops[this.#makers.get(id) ?? -1];
    const own = pruned ? PRUNED[pruned] : saved ? "kept: a rule will ask for it" : null;
    const kept = op?.saved.map((tensor) => tensorButton(this.#payload, tensor)) ?? [];
    const rows = [
      ...(own ? fact("This tensor", own) : []),
      ...(op ? fact(`${this.#payload.kinds[op.kind].name} keeps`, ...(kept.length ? kept : ["nothing"])) : []),
      ...(op?.tapes ? fact("Tape", op.tapes) : []),
    ];
    return rows.length ? [html("h4", "On the tape"), html("dl.facts", ...rows)] : [];
  }
}

/**
 * Why there is no gradient to show, and whether one was asked for in vain.
 *
 * @param {import("../types.js").Timeline} timeline
 * @param {number} tensor
 * @returns {[string, boolean]}
 */
function absence(timeline, tensor) {
  if (timeline.isNone(tensor)) return ["None: none arrives here", true];
  return [timeline.gradientOf(tensor, timeline.length) ? "not yet" : "none is asked for here", false];
}

/** @param {import("../types.js").GradientSoFar} partial */
function progress({ parts, final }) {
  if (parts === 0) return "the seed";
  if (final) return parts === 1 ? "complete" : `complete, sum of ${parts}`;
  return parts === 1 ? "the first part, more to come" : `sum of ${parts} so far, more to come`;
}

/**
 * @param {Node | string} term
 * @param {...(Node | string)} description
 */
function fact(term, ...description) {
  return [html("dt", term), html("dd", ...description)];
}

/**
 * One side of a tensor: beside the others its picture stands level with theirs.
 *
 * @param {HTMLElement} head
 * @param {HTMLElement | null} numbers
 * @param {HTMLElement} picture
 */
function facet(head, numbers, picture) {
  return html("div.facet", head, numbers ?? html("div"), picture);
}

/** @param {number[]} ranks */
function ranksInWords(ranks) {
  const more = ranks.length - MOST_RANKS;
  return ranks.slice(0, MOST_RANKS).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** A vector goes on in the next line where the card ends. @param {string} text */
function inRow(text) {
  return text.lastIndexOf("[") > 0 ? text : text.replace(/\s+/g, " ");
}

/**
 * @param {import("../types.js").Tensor | undefined} tensor
 * @param {string | null} text its elements
 * @param {string} label
 * @param {HTMLElement | null} [field] where another value can be typed
 */
function numbers(tensor, text, label, field = null) {
  const summary = statisticsText(tensor);
  return html(
    "div.numbers",
    field,
    text === null ? null : html("pre.value", { tabindex: 0, role: "group", "aria-label": label }, written(inRow(text))),
    summary === null ? null : html("p.summary", summary),
    text === null && summary === null ? html("p.summary", "not kept") : null,
    histogram(tensor, label),
  );
}
