/** A graph -> its connected components; the sizes of their pictures -> one packed picture. */

/** @typedef {{nodes: number[], edges: [number, number][], edgeIds: number[]}} LayoutPart */

const PACKED_ASPECT = 1.6; // width to height of a picture of many small parts

/**
 * Connected components by first node; `edges` are positions in `nodes`.
 * @param {number} count
 * @param {[number, number][]} edges
 * @returns {LayoutPart[]}
 */
export function connectedParts(count, edges) {
  /** @type {number[][]} */
  const near = Array.from({ length: count }, () => []);
  for (const [tail, head] of edges) {
    near[tail].push(head);
    near[head].push(tail);
  }
  const label = near.map(() => -1);
  /** @type {LayoutPart[]} */
  const parts = [];
  for (let start = 0; start < count; start++) {
    if (label[start] >= 0) continue;
    floodPart(start, near, label, parts.length);
    parts.push({ nodes: [], edges: [], edgeIds: [] });
  }
  const position = label.map((part, v) => parts[part].nodes.push(v) - 1);
  edges.forEach(([tail, head], e) => {
    const part = parts[label[tail]];
    part.edges.push([position[tail], position[head]]);
    part.edgeIds.push(e);
  });
  return parts;
}

/** @param {number} start @param {number[][]} near @param {number[]} label @param {number} mark */
function floodPart(start, near, label, mark) {
  label[start] = mark;
  const stack = [start];
  while (stack.length) {
    for (const w of near[/** @type {number} */ (stack.pop())]) {
      if (label[w] >= 0) continue;
      label[w] = mark;
      stack.push(w);
    }
  }
}

/**
 * Top left corner of every picture, in rows (or one row) from left to right; width and height of the whole.
 * @param {{width: number, height: number}[]} sizes
 * @param {number} gap
 * @param {boolean} oneRow
 */
export function packParts(sizes, gap, oneRow) {
  let area = 0;
  let widest = 0;
  for (const { width, height } of sizes) {
    area += (width + gap) * (height + gap);
    widest = Math.max(widest, width);
  }
  const limit = Math.max(widest, Math.sqrt(area * PACKED_ASPECT));
  /** @type {[number, number][]} */
  const corners = [];
  let [left, top, rowHeight, total] = [0, 0, 0, 0];
  for (const { width, height } of sizes) {
    if (left > 0 && left + width > limit && !oneRow) [left, top, rowHeight] = [0, top + rowHeight + gap, 0];
    corners.push([left, top]);
    total = Math.max(total, left + width);
    left += width + gap;
    rowHeight = Math.max(rowHeight, height);
  }
  return { corners, width: total, height: top + rowHeight };
}
