/** A tensor's card -> what is said of its value: on one line, and as statistics. */

const STATISTICS = ["min", "max", "mean", "norm"];
const COUNTS = ["zero", "NaN", "inf"];
/** The most rows of a matrix that is written row by row, and the most letters of each. */
const MOST_ROWS = 4;
const ROW_LENGTH = 36;
/** The text in place of a value that the log does not have. */
export const NOT_KEPT = "not kept";
const NO_BREAK = "\u00a0";

/** With a minus sign before negative numbers, as one writes them; as `written` in tapeviz/views/words/numbers.py. @param {string} text */
export function written(text) {
  return text.replace(/(?<![\w.)\]])-(?=[\d.]|inf)/g, "−");
}

/**
 * The number, the row of numbers, or the norm of what is larger.
 *
 * @param {import("../types.js").Tensor | undefined} tensor
 */
export function shortText(tensor) {
  if (!tensor) return NOT_KEPT;
  return written(tensor.short ?? (tensor.shape === "()" ? tensor.value : normText(tensor)) ?? NOT_KEPT);
}

/**
 * The same where there is room for several lines: a small matrix is told in its rows.
 *
 * @param {import("../types.js").Tensor | undefined} tensor
 */
export function rowsText(tensor) {
  const rows = tensor?.value?.split("\n") ?? [];
  const small = rows.length <= MOST_ROWS && rows.every((row) => row.length <= ROW_LENGTH);
  return small && tensor?.short === null && tensor.value !== null ? written(tensor.value) : shortText(tensor);
}

/**
 * @param {import("../types.js").Tensor} tensor
 * @returns {string | null} null if its norm is not known
 */
export function normText(tensor) {
  const norm = statistic(tensor, "norm");
  return norm && `norm ${norm}`;
}

/**
 * @param {import("../types.js").Tensor | undefined} tensor
 * @param {string} name of a measure or a count
 * @returns {string | null} null if it is not known, or counts nothing
 */
export function statistic(tensor, name) {
  return tensor?.statistics?.split(",")[[...STATISTICS, ...COUNTS].indexOf(name)] || null;
}

/**
 * @param {import("../types.js").Tensor | undefined} tensor
 * @returns {number} NaN if it is not known, or not a number
 */
export function normOf(tensor) {
  const text = tensor?.shape === "()" ? tensor.value : statistic(tensor, "norm");
  return text ? Math.abs(Number(text)) : NaN;
}

/**
 * @param {import("../types.js").Tensor | undefined} tensor
 * @returns {string | null} null for a scalar, which needs none, and for what was not kept
 */
export function statisticsText(tensor) {
  if (!tensor?.statistics) return null;
  const size = elementsOf(tensor.shape);
  const measures = STATISTICS.flatMap((name) => {
    const measure = statistic(tensor, name);
    return measure ? [`${name} ${written(measure)}`] : [];
  });
  const counts = COUNTS.flatMap((name) => {
    const count = statistic(tensor, name);
    return count ? [`${grouped(Number(count))} of ${grouped(size)} ${name}`] : [];
  });
  return [...measures, ...counts].map((each) => each.replaceAll(" ", NO_BREAK)).join(" · ");
}

/** Its name, shape, dtype and numbers; nothing of none. @param {import("../types.js").Tensor | undefined} tensor */
export function lineAbout(tensor) {
  return tensor ? [[tensor.name, tensor.shape, tensor.dtype, written(tensor.value ?? statisticsText(tensor) ?? "")].filter(Boolean).join("  ")] : [];
}

/**
 * "finite", or in which way a tensor is not: it holds NaN or inf, or is all "zero"; "" if that is not known.
 *
 * @param {import("../types.js").Tensor | undefined} tensor
 */
export function oddity(tensor) {
  if (!tensor) return "";
  const scalar = tensor.shape === "()";
  if ((scalar ? tensor.value : tensor.statistics) === null) return "";
  if (scalar ? tensor.value === "NaN" : statistic(tensor, "NaN")) return "NaN";
  if (scalar ? tensor.value?.endsWith("inf") : statistic(tensor, "inf")) return "inf";
  const zeros = scalar ? Number(Number(tensor.value) === 0) : Number(statistic(tensor, "zero"));
  return zeros === elementsOf(tensor.shape) ? "zero" : "finite";
}

/**
 * The bytes that a tensor takes; 0 where they are not known.
 *
 * @param {import("../types.js").Tensor} tensor
 */
export function bytesOf({ shape, dtype }) {
  const bits = dtype === "bool" ? 8 : Number(dtype.match(/^[a-z]+?(\d+)/)?.[1] ?? 0); // as of float8_e4m3fn
  return elementsOf(shape) * (bits / 8);
}

/** In the unit that suits it, as `bytes_text` in tapeviz/views/words/numbers.py. @param {number} count */
export function bytesText(count) {
  const power = Math.min(["KiB", "MiB", "GiB"].filter((_, index) => count >= 1024 ** (index + 1)).length, 3);
  return power ? `${(Math.round((10 * count) / 1024 ** power) / 10).toFixed(1)} ${"KMG"[power - 1]}iB` : `${Math.round(count)} B`;
}

/** @param {number} size in three digits, and without a row of zeros before them */
export function briefly(size) {
  const short = Number(size.toPrecision(3));
  return short > 0 && short < 1e-4 ? short.toExponential() : String(short);
}

/** @param {string} shape as Python writes it */
export function elementsOf(shape) {
  return shape.match(/\d+/g)?.reduce((product, side) => product * Number(side), 1) ?? 1;
}

/** @param {number} count as it is read: 1,234 */
export function grouped(count) {
  return count.toLocaleString("en");
}

/**
 * A number as it stands in a formula: in parentheses where it is negative or has an exponent.
 *
 * @param {string} text
 */
export function factor(text) {
  return /^[-−]|\de/.test(text) ? `(${text})` : text;
}

/**
 * A number rounded to so many digits, as one writes it.
 *
 * @param {number} number
 * @param {number} most
 */
export function digits(number, most) {
  if (Number.isNaN(number)) return "NaN";
  const size = Math.abs(number);
  const short = Number(size.toPrecision(most));
  const told = size === Infinity ? "inf" : short && (short < 1e-4 || short >= 1e6) ? short.toExponential() : String(short);
  return (number < 0 ? "−" : "") + told;
}
