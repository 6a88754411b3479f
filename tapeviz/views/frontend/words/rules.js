/** An op and one of its arguments -> the rule, with the user's names in it or with this step's numbers. */

import { factor, shortText, written } from "./numbers.js";

/** @typedef {{ math: string, line: string, names: Record<string, string>, times: string }} Equation
 *   `names` go where the formula has places for them; `times` stands between factors side by side */

const REAL = /^(float|bfloat|int|uint|bool)/;
const TIMES = "\u2062";
/** Where a name goes, in parentheses unless it is a word. */
const NAME_PLACE = /\{(\(?)(\w+)\)?\}/g;
/** A name of several letters, not counting a subscript. */
const WORDY = /[\p{L}_][\p{L}_.]/u;
/** What needs no parentheses where a formula asks for them: a word, or what one pair of them is around already. */
const WORD = /^([∂∇]?[\p{L}\p{N}_.]*|√?\(([^()]|\(([^()]|\([^()]*\))*\))*\))$/u;

/**
 * What an op computes.
 *
 * @param {import("../types.js").Payload} payload
 * @param {import("../types.js").Op} op
 * @returns {Equation | null}
 */
export function primalOf(payload, op) {
  const formula = payload.kinds[op.kind].formula;
  return formula && named(formula, namesIn(payload, op));
}

/**
 * Where an op is not defined or has no slope, and what it gives there.
 *
 * @param {import("../types.js").Payload} payload
 * @param {import("../types.js").Op} op
 */
export function edgesOf(payload, op) {
  const names = namesIn(payload, op);
  return payload.kinds[op.kind].edges.map((line) => lineOf({ math: "", line, names, times: "" }));
}

/**
 * The rule of one argument.
 *
 * @param {import("../types.js").Payload} payload
 * @param {import("../types.js").Op} op
 * @param {number} slot
 * @returns {Equation | null}
 */
export function ruleOf(payload, op, slot) {
  const formula = formulaOf(payload, op, slot);
  const names = namesIn(payload, op, slot);
  const told = formula && op.summed.includes(slot) ? overAxes(formula) : formula;
  return told && named(lowered(told, names), names);
}

/**
 * Between names of several letters the times sign shows: side by side they would read as one name.
 *
 * @param {import("../types.js").Formula} formula
 * @param {Record<string, string>} names
 * @returns {Equation}
 */
function named(formula, names) {
  const wordy = [...formula.line.matchAll(NAME_PLACE)].some(([, , place]) => place !== "out" && WORDY.test(names[place] ?? place));
  return { ...formula, names, times: wordy ? "·" : TIMES };
}

/**
 * The rule of one argument with numbers in place of names, where all of them are single numbers.
 *
 * @param {import("../types.js").Payload} payload
 * @param {import("../types.js").Op} op
 * @param {number} slot
 * @param {(number | null)[]} upstream
 * @returns {Equation | null}
 */
export function ruleInNumbers(payload, op, slot, upstream) {
  const formula = formulaOf(payload, op, slot);
  if (!formula || upstream.length !== 1) return null;
  const read = new Map(op.read.map(({ slot, text }) => [op.inputs[slot], text]));
  const numberOf = (/** @type {number} */ id) => read.get(id) ?? scalar(payload.tensors[id]);
  const g = scalar(payload.tensors[upstream[0] ?? -1]);
  const values = [...op.inputs, ...op.outputs].map(numberOf);
  if (g === null || values.includes(null)) return null;
  const word = (/** @type {number} */ id) => factor(numberOf(id) ?? "");
  const names = { ...namesIn(payload, op, slot, word), g: factor(g) };
  return { ...lowered(formula, names), names, times: "·" };
}

/**
 * An equation as one line of text.
 *
 * @param {Equation} equation
 */
export function lineOf({ line, names, times }) {
  const filled = line.replace(NAME_PLACE, (_, /** @type {string} */ alone, /** @type {string} */ place) => {
    const name = names[place] ?? place;
    return alone && !WORD.test(name) ? `(${name})` : name;
  });
  return filled.replaceAll(TIMES, times === TIMES ? " " : ` ${times} `);
}

/**
 * @param {import("../types.js").Payload} payload
 * @param {import("../types.js").Op} op
 * @param {number} slot the last argument may stand for several
 */
function formulaOf({ kinds }, op, slot) {
  const { rules } = kinds[op.kind];
  return rules[Math.min(slot, rules.length - 1)] ?? null;
}

/**
 * The rule of an argument that was stretched to fit the others: it gets the sum over what it was stretched to.
 *
 * @param {import("../types.js").Formula} formula
 */
function overAxes({ math, line }) {
  const inside = math.replace(/^<math>|<\/math>$/g, "");
  const [open, close] = /^[-−]/.test(line) ? ["(", ")"] : ["", ""];
  const mark = (/** @type {string} */ sign) => (sign ? `<mo>${sign}</mo>` : "");
  return { math: `<math><mo>∑</mo>${mark(open)}<mrow>${inside}</mrow>${mark(close)}</math>`, line: `∑ ${open}${line}${close}` };
}

/**
 * A rule in which a power of a number is one less, and not the number minus one; the first is not written.
 *
 * @param {import("../types.js").Formula} formula
 * @param {Record<string, string>} names
 */
function lowered({ math, line }, names) {
  const less = (/** @type {string} */ place) => Number((Number((names[place] ?? "x").replace(/[()]/g, "").replace("−", "-")) - 1).toPrecision(6));
  return {
    math: math.replace(/<msup>(<mi>{\w+}<\/mi>)<mrow><mi>{(\w+)}<\/mi><mo>−<\/mo><mn>1<\/mn><\/mrow><\/msup>/, (whole, base, place) => {
      const power = less(place);
      return power === 1 ? base : Number.isNaN(power) ? whole : `<msup>${base}<mn>${written(String(power))}</mn></msup>`;
    }),
    line: line.replace(/\^\({(\w+)} − 1\)/, (whole, place) => {
      const power = less(place);
      return power === 1 ? "" : Number.isNaN(power) ? whole : `^${factor(written(String(power)))}`;
    }),
  };
}

/**
 * What stands for the places of an op's formulas; a list of arguments is its element at `slot`, or all of them.
 *
 * @param {import("../types.js").Payload} payload
 * @param {import("../types.js").Op} op
 * @param {number | null} slot
 * @param {(id: number) => string} word
 */
function namesIn({ kinds, tensors }, op, slot = null, word = (id) => tensors[id]?.name ?? "?") {
  /** @type {Record<string, string>} */
  const names = { g: "g", out: op.outputs.length ? word(op.outputs[0]) : "out" };
  for (const { name, text } of op.words) names[name] = text;
  const places = kinds[op.kind].arguments;
  places.forEach((place, index) => {
    const last = index === places.length - 1;
    const own = last && slot !== null && slot >= index ? [slot, slot + 1] : [index, last ? undefined : index + 1];
    names[place] = listed(op.inputs.slice(...own).map(word)) || place;
  });
  return names;
}

/** @param {string[]} names */
function listed(names) {
  return (names.length <= 3 ? names : [...names.slice(0, 2), "…", names[names.length - 1]]).join(", ");
}

/** @param {import("../types.js").Tensor | undefined} tensor */
function scalar(tensor) {
  return tensor && tensor.shape === "()" && REAL.test(tensor.dtype) && tensor.value !== null ? shortText(tensor) : null;
}
