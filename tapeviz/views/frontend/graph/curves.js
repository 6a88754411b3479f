/** Points of an edge -> the path that paints it. */

/**
 * Straight down where two points stand in one column, else an S whose ends run along the flow.
 *
 * @param {[number, number][]} points
 * @returns {string} the `d` of an SVG path
 */
export function curve(points) {
  const [start, ...rest] = points;
  let [x, y] = start;
  let d = `M${x} ${y}`;
  for (const [nextX, nextY] of rest) {
    const middle = (y + nextY) / 2;
    d += nextX === x ? `V${nextY}` : `C${x} ${middle} ${nextX} ${middle} ${nextX} ${nextY}`;
    [x, y] = [nextX, nextY];
  }
  return d;
}

/**
 * The same path on a canvas.
 *
 * @param {CanvasRenderingContext2D} pen
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
