/** Points of an edge -> the curve that paints it, on a canvas or as the path of an SVG. */

/**
 * Straight where two points stand in one column, else an S whose ends run along the flow; `across`, to the right.
 *
 * @param {Pick<CanvasRenderingContext2D, "moveTo" | "lineTo" | "bezierCurveTo">} pen
 * @param {[number, number][]} points
 * @param {boolean} [across]
 */
export function strokeCurve(pen, points, across = false) {
  let [x, y] = points[0];
  pen.moveTo(x, y);
  for (const [nextX, nextY] of points.slice(1)) {
    const [right, down] = [(x + nextX) / 2, (y + nextY) / 2];
    if (across ? nextY === y : nextX === x) pen.lineTo(nextX, nextY);
    else if (across) pen.bezierCurveTo(right, y, right, nextY, nextX, nextY);
    else pen.bezierCurveTo(x, down, nextX, down, nextX, nextY);
    [x, y] = [nextX, nextY];
  }
}

/**
 * The same, written down.
 *
 * @param {[number, number][]} points
 * @param {boolean} [across]
 * @returns {string} the `d` of an SVG path
 */
export function curve(points, across) {
  let d = "";
  const pen = {
    /** @param {number[]} at */
    moveTo: (...at) => (d += `M${at.join(" ")}`),
    /** @param {number} x @param {number} y */
    lineTo: (x, y) => (d += across ? `H${x}` : `V${y}`),
    /** @param {number[]} at */
    bezierCurveTo: (...at) => (d += `C${at.join(" ")}`),
  };
  strokeCurve(pen, points, across);
  return d;
}
