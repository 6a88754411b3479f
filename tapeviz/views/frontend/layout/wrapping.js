/**
 * A long layout -> the same in rows, as a text wraps: where one edge alone leads on, the next row begins.
 *
 * The same program as tapeviz/views/layout/wrapping.py, where the reasons are told, and its twin to the last bit.
 */

/** @typedef {import("./layout.js").LayoutNode} LayoutNode */
/** @typedef {import("./layout.js").LayoutPair} LayoutPair */
/** @typedef {import("./layout.js").LayoutPoint} LayoutPoint */
/** @typedef {Omit<import("./layout.js").LayoutResult, "crossings">} Routed */
/** @typedef {{ first: number, last: number, left: number, right: number, top: number, bottom: number }} WrappedRow */

const MOST_WRAPPED = 16;
const STRETCHES = [1, 1.15];
const WRAPPED_WORTH_IT = 0.85;
const GUTTER = 44;
const TURN = 16;

/**
 * @template {Routed} Picture
 * @param {number[]} rank
 * @param {LayoutNode[]} sizes
 * @param {LayoutPair[]} edges
 * @param {Picture} placed
 * @param {number} aspect
 * @returns {Picture}
 */
export function wrapped(rank, sizes, edges, placed, aspect) {
  const cuts = wrappingCuts(rank, edges);
  const bands = layerBands(rank, sizes, placed);
  /** @type {WrappedRow[]} */
  let best = [];
  let least = 0;
  for (const length of rowLengths(placed.height)) {
    const rows = rowBreaks(bands, cuts, length).map((ends) => rowOf(rank, sizes, edges, placed, ends));
    const { width, height } = extentOfRows(rows);
    const size = Math.max(width, height / aspect);
    if (!best.length || size < WRAPPED_WORTH_IT * least) [best, least] = [rows, size];
  }
  return best.length < 2 ? placed : inRows(rank, edges, placed, best);
}

/** @param {number} height */
function rowLengths(height) {
  return Array.from({ length: MOST_WRAPPED }, (_, index) => STRETCHES.map((stretch) => (height / (index + 1)) * stretch)).flat();
}

/** @param {number[]} rank @param {LayoutPair[]} edges */
function wrappingCuts(rank, edges) {
  const first = rank.reduce((a, b) => Math.min(a, b));
  const change = new Array(rank.reduce((a, b) => Math.max(a, b)) - first + 2).fill(0);
  for (const [tail, head] of edges) {
    change[rank[tail] - first] += 1;
    change[rank[head] - first] -= 1;
  }
  /** @type {Set<number>} */
  const cuts = new Set();
  let open = 0;
  change.forEach((each, layer) => {
    open += each;
    if (open === 1) cuts.add(layer + first);
  });
  return cuts;
}

/** @param {number[]} rank @param {LayoutNode[]} sizes @param {Routed} placed @returns {[layer: number, top: number, bottom: number][]} */
function layerBands(rank, sizes, { y }) {
  /** @type {Map<number, [number, number]>} */
  const bands = new Map();
  rank.forEach((layer, v) => {
    const [top, bottom] = [y[v] - sizes[v].height / 2, y[v] + sizes[v].height / 2];
    const [highest, lowest] = bands.get(layer) ?? [top, bottom];
    bands.set(layer, [Math.min(highest, top), Math.max(lowest, bottom)]);
  });
  return [...bands.keys()].sort((a, b) => a - b).map((layer) => [layer, .../** @type {[number, number]} */ (bands.get(layer))]);
}

/**
 * @param {[number, number, number][]} bands
 * @param {Set<number>} cuts
 * @param {number} length
 */
function rowBreaks(bands, cuts, length) {
  /** @type {[number, number][]} */
  const rows = [];
  let [first, start] = bands[0];
  let following = 0;
  /** @type {number | null} */
  let end = null;
  bands.forEach(([layer, top, bottom], at) => {
    if (bottom - start > length && end !== null) {
      rows.push([first, end]);
      [first, start, end] = [end + 1, following, null];
    }
    const next = bands[at + 1];
    if (cuts.has(layer) && next && top < bottom && next[1] < next[2]) [end, following] = [layer, next[1]];
  });
  return [...rows, /** @type {[number, number]} */ ([first, bands[bands.length - 1][0]])];
}

/** @param {number[]} rank @param {LayoutNode[]} sizes @param {LayoutPair[]} edges @param {Routed} placed @param {[number, number]} ends @returns {WrappedRow} */
function rowOf(rank, sizes, edges, { x, y, edges: lines }, [first, last]) {
  const row = { first, last, left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
  rank.forEach((layer, v) => {
    if (layer < first || layer > last) return;
    row.left = Math.min(row.left, x[v] - sizes[v].width / 2);
    row.right = Math.max(row.right, x[v] + sizes[v].width / 2);
    row.top = Math.min(row.top, y[v] - sizes[v].height / 2);
    row.bottom = Math.max(row.bottom, y[v] + sizes[v].height / 2);
  });
  edges.forEach(([tail, head], e) => {
    if (rank[tail] < first || rank[head] > last) return;
    for (const [px] of lines[e]) [row.left, row.right] = [Math.min(row.left, px), Math.max(row.right, px)];
  });
  return row;
}

/** @param {WrappedRow[]} rows */
function extentOfRows(rows) {
  let width = -GUTTER;
  let height = 0;
  for (const { left, right, top, bottom } of rows) {
    width += right - left + GUTTER;
    height = Math.max(height, bottom - top + 2 * TURN);
  }
  return { width, height };
}

/**
 * @template {Routed} Picture
 * @param {number[]} rank
 * @param {LayoutPair[]} edges
 * @param {Picture} placed
 * @param {WrappedRow[]} rows
 * @returns {Picture}
 */
function inRows(rank, edges, placed, rows) {
  /** @type {LayoutPoint[]} */
  const moves = [];
  /** @type {number[]} */
  const gutters = [];
  let across = 0;
  for (const { left, right, top } of rows) {
    moves.push([across - left, TURN - top]);
    across += right - left + GUTTER;
    gutters.push(across - GUTTER / 2);
  }
  const at = rank.map((layer) => rows.findIndex(({ first, last }) => first <= layer && layer <= last));
  const points = placed.edges.map((line, e) => {
    const [tail, head] = edges[e].map((v) => at[v]);
    const [start, end] = [moves[tail], moves[head]];
    if (tail === head) return line.map(([px, py]) => /** @type {LayoutPoint} */ ([px + start[0], py + start[1]]));
    const [begin, arrive] = [line[0][0] + start[0], line[line.length - 1][0] + end[0]];
    const [turn, gutter] = [rows[tail].bottom + start[1] + TURN, gutters[tail]];
    /** @type {LayoutPoint[]} */
    const round = [
      [begin, line[0][1] + start[1]],
      [begin, turn],
      [gutter, turn],
      [gutter, 0],
      [arrive, 0],
      [arrive, line[line.length - 1][1] + end[1]],
    ];
    return round;
  });
  const x = placed.x.map((px, v) => px + moves[at[v]][0]);
  const y = placed.y.map((py, v) => py + moves[at[v]][1]);
  return { ...placed, x, y, edges: points, ...extentOfRows(rows) };
}
