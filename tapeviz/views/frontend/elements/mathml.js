/**
 * An equation -> its MathML elements, with names where it has places for them.
 *
 * The text is read as XML and rebuilt from presentation elements only: a formula holds names that a user chose. Browsers
 * break no line inside a `<math>`, so each side of an equals sign is one.
 */

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

/**
 * @param {import("../words/rules.js").Equation} equation
 * @returns {Element[]} the sides of the formula; where it is no XML, its text
 */
export function formula({ math, names, times }) {
  const parsed = new DOMParser().parseFromString(math, "application/xml");
  if (parsed.querySelector("parsererror")) return [Object.assign(document.createElement("code"), { textContent: math })];
  const put = (/** @type {string} */ text) => (text === INVISIBLE_TIMES ? times : text.replace(PLACE, (_, /** @type {string} */ place) => names[place] ?? place));
  return sides(rebuild(parsed.documentElement, put));
}

/**
 * @param {Element} whole a `<math>`
 * @returns {Element[]}
 */
function sides(whole) {
  const parts = [...(whole.querySelector(":scope > mrow:only-child") ?? whole).children];
  const equals = parts.findIndex((part) => part.textContent === "=");
  if (equals < 0) return [whole];
  const left = /** @type {Element} */ (whole.cloneNode());
  left.append(...parts.slice(0, equals + 1));
  return [left, whole];
}

/**
 * @param {Element} source
 * @param {(text: string) => string} put
 * @returns {Element}
 */
function rebuild(source, put) {
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
