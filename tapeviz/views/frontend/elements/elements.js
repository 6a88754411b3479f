/**
 * Tag, with its classes as a selector has them, and attributes -> DOM element.
 *
 * Strings become text nodes and attribute values, so nothing a user wrote is ever parsed as markup.
 */

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Record<string, unknown>} Attributes false, null, undefined leave the attribute out; true gives it no value */
/** @typedef {Node | string | null | undefined} Child */

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag | `${Tag}.${string}`} tag
 * @param {...(Attributes | Child)} content attributes, if there are any, and then children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function html(tag, ...content) {
  const [name, ...classes] = tag.split(".");
  return fill(/** @type {HTMLElementTagNameMap[Tag]} */ (document.createElement(name)), classes, content);
}

/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag | `${Tag}.${string}`} tag
 * @param {...(Attributes | Child)} content attributes, if there are any, and then children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function svg(tag, ...content) {
  const [name, ...classes] = tag.split(".");
  return fill(/** @type {SVGElementTagNameMap[Tag]} */ (document.createElementNS(SVG, name)), classes, content);
}

/**
 * @template {Element} T
 * @param {T} element
 * @param {string[]} classes
 * @param {(Attributes | Child)[]} content
 */
function fill(element, classes, content) {
  const isChild = content[0]?.constructor !== Object;
  const [attributes, ...children] = isChild ? [{}, ...content] : content;
  element.classList.add(...classes);
  for (const [name, value] of Object.entries(attributes ?? {})) attribute(element, name, value);
  element.append(.../** @type {(Node | string)[]} */ (children.filter((child) => child !== null && child !== undefined)));
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
