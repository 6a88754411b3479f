/** A sentence with `code` in backticks, as Markdown has it -> a paragraph. */

import { html } from "./elements.js";

// A text that is split here is in turn prose, the backticks around code, and code.
const QUOTED = /(?<!`)(`+)(?!`) ?(.+?) ?(?<!`)\1(?!`)/s;

/** @param {string} text */
export function prose(text) {
  const parts = text.split(QUOTED);
  return html(
    "p",
    { class: "prose" },
    ...parts.flatMap((part, index) => (index % 3 > 1 ? html("code", {}, part) : index % 3 ? [] : part)),
  );
}
