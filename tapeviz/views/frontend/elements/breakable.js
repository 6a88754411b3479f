/** A name -> its parts, between which a line may break. */

import { html } from "./elements.js";

/** @param {string} name that goes on in the next line behind an underscore, a slash or a dot */
export function breakable(name) {
  return name.split(/(?<=[_/.])/).flatMap((part) => [part, html("wbr")]);
}
