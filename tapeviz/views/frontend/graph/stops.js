/** Boxes and frames, at which the focus can stop -> the element that takes it, their middle, their bounding box. */

/** @param {import("./graph_world.js").Stop} stop */
export function elementOf(stop) {
  return "button" in stop ? stop.button : stop.element;
}

/** @param {import("./graph_world.js").Stop} stop */
export function middle({ data }) {
  return data.x + data.w / 2;
}

/** @param {{ data: import("../viewport/framing.js").Rectangle }[]} boxes */
export function around(boxes) {
  const x = Math.min(...boxes.map(({ data }) => data.x));
  const y = Math.min(...boxes.map(({ data }) => data.y));
  const right = Math.max(...boxes.map(({ data }) => data.x + data.w));
  const bottom = Math.max(...boxes.map(({ data }) => data.y + data.h));
  return { x, y, w: right - x, h: bottom - y };
}
