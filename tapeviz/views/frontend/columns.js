/** A JSON value by columns -> the value, as tapeviz/views/payload/columns.py packed it; the kinds of columns are told there. */

/**
 * @param {{ value: any, texts: string[] }} packed
 * @returns {any}
 */
export function unpack({ value, texts }) {
  return valuesOf(value, 1, texts)[0];
}

/**
 * @param {any} column
 * @param {number} count of its values
 * @param {string[]} texts
 * @returns {any[]}
 */
function valuesOf(column, count, texts) {
  if (Array.isArray(column)) return column;
  if ("same" in column) return Array(count).fill(column.same);
  if ("runs" in column) return repeated(column, texts);
  if ("text" in column) return column.text.map((/** @type {number} */ index) => texts[index] ?? null);
  if ("flags" in column) return [...column.flags].map((flag) => flag === "1");
  if ("steps" in column) return summed(column.steps);
  if ("rows" in column) return recordsOf(column, count, texts);
  const sizes = valuesOf(column.sizes ?? column.lengths, count, texts);
  const total = sizes.reduce((sum, size) => sum + Math.max(0, size), 0);
  const items = valuesOf(column.of, total, texts);
  const keys = column.keys ? valuesOf(column.keys, total, texts) : null;
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
 * @param {{ runs: number, times: any, of: any }} column
 * @param {string[]} texts
 */
function repeated({ runs, times, of }, texts) {
  const often = valuesOf(times, runs, texts);
  return valuesOf(of, runs, texts).flatMap((value, index) => Array(often[index]).fill(value));
}

/** @param {number[]} steps */
function summed(steps) {
  let at = 0;
  return steps.map((step) => (at += step));
}

/**
 * @param {{ rows: Record<string, any>, there?: any }} column
 * @param {number} count
 * @param {string[]} texts
 */
function recordsOf({ rows, there }, count, texts) {
  /** @type {number[]} */
  const present = there ? valuesOf(there, count, texts) : Array(count).fill(1);
  const held = present.reduce((sum, each) => sum + each, 0);
  const columns = Object.entries(rows).map(([key, column]) => ({ key, values: valuesOf(column, held, texts) }));
  let at = -1;
  return present.map((is) => {
    if (!is) return null;
    at += 1;
    /** @type {Record<string, any>} */
    const record = {};
    for (const { key, values } of columns) record[key] = values[at];
    return record;
  });
}
