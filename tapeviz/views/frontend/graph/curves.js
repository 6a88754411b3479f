/** Points of an edge -> the curve that paints it, on a canvas or as the path of an SVG. */

/**
 * Straight down where two points stand in one column, else an S whose ends run along the flow.
 *
 * @param {Pick<CanvasRenderingContext2D, "moveTo" | "lineTo" | "bezierCurveTo">} pen
 * @param {[number, number][]} points
 */
export function strokeCurve(pen, points) {
  let [x, y] = points[0];
  pen.moveTo(x, y);
  for (const [nextX, nextY] of points.slice(1)) {
    const middle = (y + nextY) / 2;
    if (nextX === x) pen.lineTo(x, nextY);
    else pen.bezierCurveTo(x, middle, nextX, middle, nextX, nextY);
    [x, y] = [nextX, nextY];
  }
}

/**
 * The same, written down.
 *
 * @param {[number, number][]} points
 * @returns {string} the `d` of an SVG path
 */
export function curve(points) {
  let d = "";
  const pen = {
    /** @param {number[]} at */
    moveTo: (...at) => (d += `M${at.join(" ")}`),
    /** @param {number} _x @param {number} y */
    lineTo: (_x, y) => (d += `V${y}`),
    /** @param {number[]} at */
    bezierCurveTo: (...at) => (d += `C${at.join(" ")}`),
  };
  strokeCurve(pen, points);
  return d;
}
