/** Payload and run -> the gradients of its sources as rows that can be sorted: norm, least, greatest, zeros, update. */

import { elementsOf, normOf, shortText, statistic } from "../words/numbers.js";

/** @typedef {{ source: number, name: string, norm: number, min: number, max: number, zeros: number, update: number,
 *   none: boolean, text: string }} ParameterRow `zeros` is the share of elements that are 0, `update` the length of the next update
 *   beside that of the weight; NaN: not known; `text`: on one line */

/** What a row is sorted by, and the word for it. @type {Record<string, string>} */
export const PARAMETER_COLUMNS = { name: "Parameter", norm: "Norm", zeros: "Zeros", min: "Min", max: "Max", update: "Update / weight" };

/**
 * The target itself, whose gradient is the seed, is no row.
 *
 * @param {import("../types.js").Payload} payload
 * @param {import("../types.js").Run} run
 * @returns {ParameterRow[]}
 */
export function parameterRows({ tensors }, { gradients, targets }) {
  return gradients.flatMap(({ source, cotangent, update }) => {
    if (targets.includes(source)) return [];
    const tensor = tensors[cotangent ?? -1];
    const scalar = tensor?.shape === "()";
    const measure = (/** @type {string} */ name) => Number((scalar ? tensor.value : tensor && statistic(tensor, name)) ?? NaN);
    const zeros = !tensor || (!scalar && !tensor.statistics) ? NaN : scalar ? Number(Number(tensor.value) === 0) : Number(statistic(tensor, "zero")) / elementsOf(tensor.shape); // prettier-ignore
    return [{
      source,
      name: tensors[source].name,
      norm: normOf(tensor),
      min: measure("min"),
      max: measure("max"),
      zeros,
      update: update ?? NaN,
      none: cotangent === null,
      text: cotangent === null ? "None" : shortText(tensor),
    }]; // prettier-ignore
  });
}

/**
 * Those whose name holds all words, sorted: what is not known comes last, whichever way.
 *
 * @param {ParameterRow[]} rows
 * @param {string} words
 * @param {string} column one of PARAMETER_COLUMNS
 * @param {boolean} falling
 */
export function sortedRows(rows, words, column, falling) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const found = rows.filter(({ name }) => wanted.every((word) => name.toLowerCase().includes(word)));
  const key = (/** @type {ParameterRow} */ row) => /** @type {Record<string, any>} */ (row)[column];
  if (column === "name") return found.sort((a, b) => (falling ? -1 : 1) * a.name.localeCompare(b.name, "en", { numeric: true }));
  const known = found.filter((row) => !Number.isNaN(key(row))).sort((a, b) => (falling ? key(b) - key(a) : key(a) - key(b)));
  return [...known, ...found.filter((row) => Number.isNaN(key(row)))];
}

/** @param {ParameterRow[]} rows @returns {ParameterRow[]} that of the least norm and that of the greatest; none of fewer than two */
export function endsOf(rows) {
  const known = sortedRows(rows, "", "norm", false).filter(({ norm }) => norm > 0 && norm < Infinity);
  return known.length > 1 ? [known[0], known[known.length - 1]] : [];
}
