/** A sentence with `code` in backticks -> a paragraph. */

import { html } from "./elements.js";

/** @param {string} text */
export function prose(text) {
  const parts = text.split("`");
  const paired = parts.length % 2 === 1;
  return html(
    "p",
    { class: "prose" },
    ...parts.map((part, index) => (paired && index % 2 ? html("code", {}, part) : part)),
  );
}
