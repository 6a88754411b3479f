/** A JSON value by columns -> the value, as tapeviz/views/payload/columns.py packed it, where the kinds of columns are described. */

/** @typedef {{ rows: Record<string, Column>, there?: Column }} Rows */
/** @typedef {{ runs: number, times: Column, of: Column }} Runs */
/**
 * @typedef {unknown[] | { null: true } | { same: unknown } | Runs | { text: number[] } | { flags: string } |
 *   { steps: number[] } | Rows | { lengths: Column, of: Column } | { sizes: Column, keys: Column, of: Column }} Column
 */
/** @typedef {{ value: Column, texts: string[] }} Packed */

/**
 * @param {Packed} packed
 * @returns {unknown}
 */
export function unpack({ value, texts }) {
  return valuesOf(value, 1, texts)[0];
}

/**
 * @param {Column} column
 * @param {number} count of its values
 * @param {string[]} texts
 * @returns {unknown[]}
 */
function valuesOf(column, count, texts) {
  if (Array.isArray(column)) return column;
  if ("null" in column) return Array(count).fill(null);
  if ("same" in column) return Array(count).fill(column.same);
  if ("runs" in column) return repeated(column, texts);
  if ("text" in column) return column.text.map((index) => texts[index] ?? null);
  if ("flags" in column) return [...column.flags].map((flag) => flag === "1");
  if ("steps" in column) return summed(column.steps);
  if ("rows" in column) return recordsOf(column, count, texts);
  const sizes = numbersOf("sizes" in column ? column.sizes : column.lengths, count, texts);
  const total = sizes.reduce((sum, size) => sum + Math.max(0, size), 0);
  const items = valuesOf(column.of, total, texts);
  const keys = "keys" in column ? numbersOf(column.keys, total, texts) : null;
  let end = 0;
  return sizes.map((size) => {
    if (size < 0) return null;
    const start = end;
    end += size;
    const own = items.slice(start, end);
    return keys ? Object.fromEntries(own.map((item, index) => [keys[start + index], item])) : own;
  });
}

/**
 * A column of which no value is anything else.
 *
 * @param {Column} column
 * @param {number} count
 * @param {string[]} texts
 */
function numbersOf(column, count, texts) {
  return /** @type {number[]} */ (valuesOf(column, count, texts));
}

/**
 * @param {Runs} column
 * @param {string[]} texts
 */
function repeated({ runs, times, of }, texts) {
  const often = numbersOf(times, runs, texts);
  return valuesOf(of, runs, texts).flatMap((value, index) => Array(often[index]).fill(value));
}

/** @param {number[]} steps */
function summed(steps) {
  let at = 0;
  return steps.map((step) => (at += step));
}

/**
 * @param {Rows} column
 * @param {number} count
 * @param {string[]} texts
 */
function recordsOf({ rows, there }, count, texts) {
  /** @type {number[]} */
  const present = there ? numbersOf(there, count, texts) : Array(count).fill(1);
  const held = present.reduce((sum, each) => sum + each, 0);
  const columns = Object.entries(rows).map(([key, column]) => ({ key, values: valuesOf(column, held, texts) }));
  let at = -1;
  return present.map((is) => {
    if (!is) return null;
    at += 1;
    /** @type {Record<string, unknown>} */
    const record = {};
    for (const { key, values } of columns) record[key] = values[at];
    return record;
  });
}
