/**
 * Boxes in frames, and wires -> where all of it stands: every frame is laid out by itself and is a box of the next.
 *
 * The same program as tapeviz/views/scene/nest.py, where the reasons are told, and its twin to the last bit.
 */

import { layout } from "../layout/layout.js";
import { NestPlan } from "./nest_plan.js";

const FRAME_SIDE = 14;

/** @typedef {import("../layout/layout.js").LayoutNode} LayoutNode */
/** @typedef {import("../layout/layout.js").LayoutPoint} LayoutPoint */
/** @typedef {import("../layout/layout.js").LayoutResult} LayoutResult */
/** @typedef {{ group: number, x: number, y: number, w: number, h: number }} Frame */
/** @typedef {{ x: number[], y: number[], lines: LayoutPoint[][], frames: Frame[], width: number, height: number,
 *   crossings: number }} Nested */
/** @typedef {import("./nest_plan.js").NestRoute} NestRoute */

/**
 * @param {LayoutNode[]} sizes
 * @param {number[]} parents
 * @param {[number, number][]} wires
 * @param {number[]} outer
 * @param {number[]} titles
 * @returns {Nested}
 */
export function nest(sizes, parents, wires, outer, titles) {
  const plan = new NestPlan(parents, outer);
  const routes = wires.map(([tail, head], wire) => plan.route(wire, tail, head));
  /** @type {Map<number, LayoutResult>} */
  const pictures = new Map();
  /** @type {Map<number, LayoutNode>} */
  const spans = new Map();
  for (const group of plan.groups().reverse()) {
    const { nodes, edges, ports, head, foot } = plan.level(group);
    const boxes = nodes.map((node) => sizeOfNode(node, sizes, spans));
    const inside = layout(boxes, edges, group < 0 ? undefined : ports);
    pictures.set(group, inside);
    if (group < 0) continue;
    const width = Math.max(inside.width + 2 * FRAME_SIDE, titles[group]);
    spans.set(group, { width, height: inside.height + (head + foot) });
  }
  return placeNested(plan, pictures, spans, routes, sizes.length);
}

/** @param {number | null} node @param {LayoutNode[]} sizes @param {Map<number, LayoutNode>} spans */
function sizeOfNode(node, sizes, spans) {
  if (node === null) return { width: 0, height: 0 };
  return node >= 0 ? sizes[node] : /** @type {LayoutNode} */ (spans.get(-1 - node));
}

/**
 * @param {NestPlan} plan
 * @param {Map<number, LayoutResult>} pictures
 * @param {Map<number, LayoutNode>} spans
 * @param {NestRoute[]} routes
 * @param {number} count
 * @returns {Nested}
 */
function placeNested(plan, pictures, spans, routes, count) {
  const pictureOf = (/** @type {number} */ group) => /** @type {LayoutResult} */ (pictures.get(group));
  /** @type {number[][]} */
  const [x, y] = [new Array(count).fill(0), new Array(count).fill(0)];
  /** @type {Map<number, LayoutPoint>} */
  const origins = new Map([[-1, [0, 0]]]);
  /** @type {Frame[]} */
  const frames = [];
  for (const group of plan.groups()) {
    const picture = pictureOf(group);
    const [left, top] = /** @type {LayoutPoint} */ (origins.get(group));
    plan.level(group).nodes.forEach((node, place) => {
      if (node === null) return;
      const [cx, cy] = [picture.x[place] + left, picture.y[place] + top];
      if (node >= 0) return void ([x[node], y[node]] = [cx, cy]);
      const inner = -1 - node;
      const { width: w, height: h } = /** @type {LayoutNode} */ (spans.get(inner));
      frames.push({ group: inner, x: cx - w / 2, y: cy - h / 2, w, h });
      origins.set(inner, [cx - pictureOf(inner).width / 2, cy - h / 2 + plan.level(inner).head]);
    });
  }
  const lines = routes.map(({ pieces, leaving }) =>
    joinPieces(
      pieces.map(([group, edge]) => {
        const [left, top] = /** @type {LayoutPoint} */ (origins.get(group));
        return pictureOf(group).edges[edge].map(([px, py]) => /** @type {LayoutPoint} */ ([px + left, py + top]));
      }),
      leaving,
    ),
  );
  const crossings = [...pictures.values()].reduce((sum, picture) => sum + picture.crossings, 0);
  return { x, y, lines, frames, width: pictureOf(-1).width, height: pictureOf(-1).height, crossings };
}

/** @param {LayoutPoint[][]} pieces @param {number} leaving */
function joinPieces(pieces, leaving) {
  for (let at = 0; at < leaving; at += 1) {
    shiftEnd(pieces[at + 1], pieces[at][pieces[at].length - 1][0], 0, 1);
  }
  for (let at = pieces.length - 1; at > leaving; at -= 1) {
    shiftEnd(pieces[at - 1], pieces[at][0][0], pieces[at - 1].length - 1, -1);
  }
  return pieces.flat();
}

/** @param {LayoutPoint[]} points @param {number} x @param {number} start @param {number} step */
function shiftEnd(points, x, start, step) {
  const column = points[start][0];
  const stop = step > 0 ? points.length - 1 : 0;
  for (let at = start; at !== stop && points[at][0] === column; at += step) points[at] = [x, points[at][1]];
}
