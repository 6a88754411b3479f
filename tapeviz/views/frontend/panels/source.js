/** A site -> the line of the user's source, among its neighbours, with the expression underlined. */

import { html } from "../elements/elements.js";

/**
 * @param {import("../types.js").Site | undefined} site
 * @returns {HTMLElement | null}
 */
export function sourceView(site) {
  if (!site) return null;
  const within = site.function && !site.function.startsWith("<") ? `, in ${site.function}` : "";
  const caption = html("figcaption", {}, `${site.file}, line ${site.line}${within}`);
  if (!site.context.length) return html("figure", { class: "source" }, caption);
  const indent = Math.min(...site.context.filter((text) => text.trim()).map(leading));
  const lines = site.context.map((text, index) =>
    lineView(site, site.first + index, text, Number.isFinite(indent) ? indent : 0),
  );
  const label = `Source around line ${site.line}`;
  return html(
    "figure",
    { class: "source" },
    caption,
    html("pre", { tabindex: 0, role: "group", "aria-label": label }, ...lines),
  );
}

/**
 * @param {import("../types.js").Site} site
 * @param {number} number
 * @param {string} text
 * @param {number} indent common to all lines, left out
 */
function lineView(site, number, text, indent) {
  const here = number >= site.line && number <= site.end_line;
  const from = Math.max(number === site.line ? site.column : leading(text), indent);
  const to = here ? (number === site.end_line ? site.end_column : text.length) : from;
  return html(
    "span",
    { class: "line", "data-here": here },
    html("span", { class: "number" }, String(number)),
    text.slice(indent, from),
    here ? html("mark", {}, text.slice(from, to)) : null,
    text.slice(to),
    "\n",
  );
}

/** @param {string} text */
function leading(text) {
  return text.length - text.trimStart().length;
}
