/** What became of the values of a box in another program -> its sign: on a pill, and in words. */

import { grouped } from "./numbers.js";

/** @typedef {"same" | "other" | "alone" | "unknown"} ItemState what became of a value */
/** @typedef {{ look: ItemState | "parts", text: string, words: string }} Sign */
/** @typedef {Record<ItemState, [sign: string, told: string]>} SignWords */

/** What a box says that stands for several values. @type {ItemState[]} */
const STRIKING = ["other", "alone", "unknown", "same"];

/**
 * The same as `sign_of` in tapeviz/views/page/signs.py, which signs the pictures.
 *
 * @param {ItemState[]} states of what it stands for
 * @param {boolean} parting do the programs part there?
 * @param {boolean} folded is it a group?
 * @param {SignWords} words
 * @returns {Sign | null} null where it stands for nothing that was compared
 */
export function signOf(states, parting, folded, words) {
  if (!states.length) return null;
  const worst = /** @type {ItemState} */ (STRIKING.find((state) => states.includes(state)));
  if (parting) return { look: "parts", text: "parts", words: `the programs part here: ${words[worst][1]}` };
  if (!folded) return { look: worst, text: words[worst][0], words: words[worst][1] };
  const odd = STRIKING.filter((state) => state !== "same" && states.includes(state));
  const count = (/** @type {ItemState} */ state) => grouped(states.filter((each) => each === state).length);
  const all = grouped(states.length);
  if (!odd.length) return { look: worst, text: "=", words: `all ${all} the same` };
  return {
    look: worst,
    text: `${odd.map((state) => `${words[state][0]} ${count(state)}`).join(" ")} of ${all}`,
    words: `${inSentence(odd.map((state) => `${words[state][1]} in ${count(state)}`))} of ${all}`,
  };
}

/** "a, b and c", as `listed` in tapeviz/phrases.py. @param {string[]} parts */
function inSentence(parts) {
  return parts.join(", ").replace(/, ([^,]*)$/, " and $1");
}
