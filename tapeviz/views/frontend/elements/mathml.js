/**
 * An equation -> its MathML elements, with names where it has places for them.
 *
 * The text is read as XML and rebuilt from presentation elements only: a formula holds names that a user chose. Browsers
 * break no line inside a `<math>`, so each term is one: a line may end before an operator, or after an equals sign.
 */

import { html } from "./elements.js";
import { shortened } from "../words/shortened.js";

const MATHML = "http://www.w3.org/1998/Math/MathML";
const ELEMENTS = new Set(
  (
    "math mrow mi mo mn ms mtext mspace mfrac msqrt mroot msup msub msubsup munder mover munderover " +
    "mtable mtr mtd mstyle mpadded mphantom menclose"
  ).split(" "),
);
const ATTRIBUTES = new Set(
  (
    "display mathvariant stretchy fence separator form accent accentunder movablelimits linethickness " +
    "lspace rspace width height depth displaystyle scriptlevel columnalign minsize maxsize symmetric"
  ).split(" "),
);

/** @type {RegExp} a place, as the whole text of an element */
const PLACE = /^\{(\w+)\}$/;
const INVISIBLE_TIMES = "\u2062";
/** What is raised behind a matrix that is transposed, or a function: as a letter of its own it stands as high in every font. @type {Record<string, string>} */
const BEHIND = { "⊤": "ᵀ", "𝖳": "ᵀ", "′": "′", "″": "″" };
/** Laid over a mean, or a conjugate: as a border it is as long as what it is over in every font. */
const OVERLINES = ["―", "¯", "‾"];
/** What a line may begin with. */
const BREAKING = [..."+−-·*×/<>≤≥", INVISIBLE_TIMES];
/** What is in these stays together. */
const OPENING = [..."[("];
const CLOSING = [..."])"];

/**
 * @param {import("../words/rules.js").Equation} equation
 * @returns {Element[]} the terms of the formula; where it is no XML, its text
 */
export function formula({ math, names, times }) {
  const parsed = new DOMParser().parseFromString(math, "application/xml");
  if (parsed.querySelector("parsererror")) return [html("code", math)];
  const put = (/** @type {string} */ text) => (text === INVISIBLE_TIMES ? times : text.replace(PLACE, (_, /** @type {string} */ place) => listedNames(names[place] ?? place)));
  if (times !== INVISIBLE_TIMES) for (const gap of [...parsed.querySelectorAll("mspace")]) gap.replaceWith(multiplied(parsed));
  return terms(rebuild(parsed.documentElement, put));
}

/** The sign between factors, in place of a gap. @param {Document} parsed */
function multiplied(parsed) {
  return Object.assign(parsed.createElement("mo"), { textContent: INVISIBLE_TIMES });
}

/** @param {string} listed one name, or several */
function listedNames(listed) {
  return listed.split(", ").map(shortened).join(", ");
}

/**
 * @param {Element} whole a `<math>`
 * @returns {Element[]}
 */
function terms(whole) {
  const parts = [...(whole.querySelector(":scope > mrow:only-child") ?? whole).children];
  /** @type {Element[]} */
  const made = [];
  let depth = 0;
  parts.forEach((part, index) => {
    if (index === 0 || (depth === 0 && mayBreak(parts[index - 1], part))) made.push(/** @type {Element} */ (whole.cloneNode()));
    const sign = operatorIn(part)?.textContent ?? "";
    depth += Number(OPENING.includes(sign)) - Number(CLOSING.includes(sign));
    made[made.length - 1].append(part);
  });
  return made;
}

/**
 * @param {Element} before
 * @param {Element} after
 */
function mayBreak(before, after) {
  const [ended, begun] = [operatorIn(before)?.textContent ?? "", operatorIn(after)];
  if (["=", ","].includes(ended) || before.localName === "mtext") return true;
  if (ended && !CLOSING.includes(ended)) return false;
  if (["mtext", "mspace"].includes(after.localName)) return true;
  if (!begun || !BREAKING.includes(begun.textContent ?? "")) return false;
  // At the head of its term it would else be taken for a sign, and lose the space around it.
  begun.setAttribute("form", "infix");
  return before.localName !== "mn" || begun.textContent !== INVISIBLE_TIMES;
}

/** @param {Element} part @returns {Element | null} it, or what in it has an index, as the `)` of `softmax(x)ᵢ` */
function operatorIn(part) {
  if (part.localName === "mo") return part;
  const base = part.localName.startsWith("msu") ? part.firstElementChild : null;
  return base?.localName === "mo" ? base : null;
}

/** @param {Element} base @param {string} sign */
function followed(base, sign) {
  const [row, letter] = ["mrow", "mtext"].map((name) => document.createElementNS(MATHML, name));
  letter.textContent = sign;
  row.append(base, letter);
  return row;
}

/** @param {Element} base */
function overlined(base) {
  const row = document.createElementNS(MATHML, "mrow");
  row.setAttribute("class", "overlined");
  row.append(base);
  return row;
}

/**
 * @param {Element} source
 * @param {(text: string) => string} put
 * @returns {Element}
 */
function rebuild(source, put) {
  const [base, above] = source.children;
  const behind = source.localName === "msup" && BEHIND[above?.textContent ?? ""];
  if (behind) return followed(rebuild(base, put), behind);
  if (source.localName === "mover" && OVERLINES.includes(above?.textContent ?? "")) return overlined(rebuild(base, put));
  const name = ELEMENTS.has(source.localName) ? source.localName : "mrow";
  const element = document.createElementNS(MATHML, name);
  for (const { name, value } of source.attributes) {
    if (ATTRIBUTES.has(name)) element.setAttribute(name, value);
  }
  // Between names of several letters, nothing at all would make one name of two.
  if (source.textContent === INVISIBLE_TIMES) element.setAttribute("lspace", "0.2em");
  for (const child of source.childNodes) {
    if (child instanceof Element) element.append(rebuild(child, put));
    else if (child.nodeType === Node.TEXT_NODE) element.append(put(child.textContent ?? ""));
  }
  return element;
}
