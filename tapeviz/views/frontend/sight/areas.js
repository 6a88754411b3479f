/** Areas of the picture -> which of them overlap, what is around them, and those that a rectangle and a wire take up. */

/** @typedef {{ left: number, top: number, right: number, bottom: number }} Area */

/** @param {Area} one @param {Area} other */
export function overlaps(one, other) {
  const apart = one.right <= other.left || other.right <= one.left;
  return !apart && one.top < other.bottom && other.top < one.bottom;
}

/** @param {Area} area @param {Area[]} areas @returns {number} how many of them it overlaps */
export function countOverlaps(area, areas) {
  return areas.filter((each) => overlaps(area, each)).length;
}

/** @param {Area[]} areas @returns {Area} */
export function aroundAll(areas) {
  return areas.reduce((one, other) => ({
    left: Math.min(one.left, other.left),
    top: Math.min(one.top, other.top),
    right: Math.max(one.right, other.right),
    bottom: Math.max(one.bottom, other.bottom),
  }));
}

/** @param {import("../viewport/framing.js").Rectangle} rectangle @returns {Area} */
export function sidesOf({ x, y, w, h }) {
  return { left: x, top: y, right: x + w, bottom: y + h };
}

/**
 * @param {[number, number][]} points
 * @returns {Area[]} what a wire along these points passes through
 */
export function segments(points) {
  return points.slice(1).map(([x, y], index) => {
    const [before, above] = points[index];
    return { left: Math.min(before, x), top: Math.min(above, y), right: Math.max(before, x), bottom: Math.max(above, y) };
  });
}
