/** A sentence with `code` in backticks, as Markdown has it -> a paragraph. */

import { html } from "./elements.js";
import { formula } from "./mathml.js";

// A text that is split here is in turn prose, the backticks around code, and code.
const QUOTED = /(?<!`)(`+)(?!`) ?(.+?) ?(?<!`)\1(?!`)/s;

/** @param {string} text */
export function prose(text) {
  return html("p.prose", ...quoted(text));
}

/** @param {string} text */
function quoted(text) {
  return text.split(QUOTED).flatMap((part, index) => (index % 3 > 1 ? html("code", part) : index % 3 ? [] : part));
}

/** Words with formulas between them -> a paragraph. @param {import("../types.js").Note} note */
export function noteOf({ words, formulas }) {
  const told = words.flatMap((each, index) => {
    const equation = formulas[index];
    return [...quoted(each), ...(equation ? formula({ ...equation, names: {}, times: "\u2062" }) : [])];
  });
  return html("p.prose", ...told);
}
