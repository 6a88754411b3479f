/**
 * Tag, with its classes as a selector has them, and attributes -> DOM element.
 *
 * Strings become text nodes and attribute values, so nothing a user wrote is ever parsed as markup.
 */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag | `${Tag}.${string}`} tag
 * @param {Record<string, unknown>} [attributes] false, null, undefined leave the attribute out; true gives it no value
 * @param {...(Node | string | null | undefined)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function html(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  return fill(/** @type {HTMLElementTagNameMap[Tag]} */ (document.createElement(name)), classes, attributes, children);
}

/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag | `${Tag}.${string}`} tag
 * @param {Record<string, unknown>} [attributes]
 * @param {...(Node | string | null | undefined)} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function svg(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  return fill(/** @type {SVGElementTagNameMap[Tag]} */ (document.createElementNS(SVG, name)), classes, attributes, children);
}

/**
 * @template {Element} T
 * @param {T} element
 * @param {string[]} classes
 * @param {Record<string, unknown>} attributes
 * @param {(Node | string | null | undefined)[]} children
 */
function fill(element, classes, attributes, children) {
  element.classList.add(...classes);
  for (const [name, value] of Object.entries(attributes)) attribute(element, name, value);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/**
 * Set one attribute, or take it away.
 *
 * @param {Element} element
 * @param {string} name
 * @param {unknown} value
 */
export function attribute(element, name, value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : String(value));
}
