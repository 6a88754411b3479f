/** A sentence with `code` in backticks, as Markdown has it -> a paragraph. */

import { html } from "./elements.js";
import { formula } from "./mathml.js";

// A text that is split here is in turn prose, the backticks around code, and code.
const QUOTED = /(?<!`)(`+)(?!`) ?(.+?) ?(?<!`)\1(?!`)/s;

/** What is in it goes to a line of its own before it is broken: in a window without our style sheets, too. */
const WHOLE = "display: inline-block";

/** @param {string} text */
export function prose(text) {
  return html("p.prose", ...quoted(text));
}

/** @param {string} text */
function quoted(text) {
  return text.split(QUOTED).flatMap((part, index) => (index % 3 > 1 ? html("code", part) : index % 3 ? [] : part));
}

/** What a line may not begin with. */
const ENDS = /^[.,;:!?)\]]*/;

/** Words with formulas between them -> a paragraph. @param {import("../types.js").Note} note */
export function noteOf({ words, formulas }) {
  const [first, ...others] = words;
  const told = formulas.flatMap((equation, index) => {
    const [end] = /** @type {RegExpExecArray} */ (ENDS.exec(others[index]));
    const terms = formula({ ...equation, names: {}, times: "\u2062" });
    return [html("span.whole", { style: WHOLE }, ...terms, end), ...quoted(others[index].slice(end.length))];
  });
  return html("p.prose", ...quoted(first), ...told);
}
