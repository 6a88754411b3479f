/**
 * Boxes in frames, and wires -> where all of it stands: every frame is laid out by itself and is a box of the next.
 *
 * The same program as tapeviz/views/scene/nest.py, where the reasons are told, and its twin to the last bit.
 */

import { ACROSS_GAPS, layout } from "../layout/layout.js";
import { FRAME_HEAD, NestPlan } from "./nest_plan.js";

const FRAME_SIDE = 14;

/** Which way a picture runs: down or `across`; `aspect` of the room, for which what is too long is wrapped, or 0. */
/** @typedef {{ across: boolean, aspect: number }} Flow */
/** @type {Flow} */
export const DOWN = { across: false, aspect: 0 };

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
 * @param {Flow} [flow]
 * @returns {Nested}
 */
export function nest(sizes, parents, wires, outer, titles, flow = DOWN) {
  const plan = new NestPlan(parents, outer);
  const turned = flow.across ? sizes.map(turnedSize) : sizes;
  const routes = plan.routes(wires);
  /** @type {Map<number, LayoutResult>} */
  const pictures = new Map();
  /** @type {Map<number, LayoutNode>} */
  const spans = new Map();
  for (const group of plan.groups().reverse()) {
    const level = plan.level(group);
    const boxes = level.nodes.map((node) => sizeOfNode(node, turned, spans));
    const ports = group < 0 ? null : level.ports;
    const aspect = flow.aspect && plan.isMain(group) ? flow.aspect : 0;
    const inside = layout(boxes, level.edges, ports, flow.across ? ACROSS_GAPS : undefined, aspect);
    pictures.set(group, inside);
    if (group >= 0) spans.set(group, spanOf(inside, level, titles[group], flow));
  }
  const placed = placeNested(plan, pictures, spans, routes, sizes.length, flow);
  return flow.across ? turnedOver(placed) : placed;
}

/**
 * @param {LayoutResult} inside
 * @param {ReturnType<NestPlan["level"]>} level
 * @param {number} title
 * @param {Flow} flow
 */
function spanOf(inside, level, title, { across }) {
  if (!across) {
    return { width: Math.max(inside.width + 2 * FRAME_SIDE, title), height: inside.height + (level.head() + level.foot) };
  }
  const height = Math.max(inside.height + (level.head(FRAME_SIDE) + level.foot), title);
  return { width: inside.width + (FRAME_HEAD + FRAME_SIDE), height };
}

/** @param {LayoutNode} size */
function turnedSize({ width, height }) {
  return { width: height, height: width };
}

/** @param {Nested} placed @returns {Nested} */
function turnedOver({ x, y, lines, frames, width, height, crossings }) {
  return {
    x: y,
    y: x,
    lines: lines.map((line) => line.map(([px, py]) => /** @type {LayoutPoint} */ ([py, px]))),
    frames: frames.map((frame) => ({ group: frame.group, x: frame.y, y: frame.x, w: frame.h, h: frame.w })),
    width: height,
    height: width,
    crossings,
  };
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
 * @param {Flow} flow
 * @returns {Nested}
 */
function placeNested(plan, pictures, spans, routes, count, { across }) {
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
      const head = plan.level(inner).head(across ? FRAME_SIDE : FRAME_HEAD);
      const leftInside = across ? cx - w / 2 + FRAME_HEAD : cx - pictureOf(inner).width / 2;
      origins.set(inner, [leftInside, cy - h / 2 + head]);
    });
  }
  for (const group of plan.groups()) for (const edges of plan.abreast(group)) untangle(pictureOf(group).edges, edges, pictureOf);
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

/** @param {LayoutPoint[][]} lines @param {[number, number, number][]} edges @param {(group: number) => LayoutResult} pictureOf */
function untangle(lines, edges, pictureOf) {
  const portX = (/** @type {[number, number, number]} */ [, frame, port]) => pictureOf(frame).x[port];
  const order = edges.sort((a, b) => portX(a) - portX(b)).map(([number]) => number);
  const middle = (/** @type {LayoutPoint[]} */ line) => line[Math.floor(line.length / 2)][0];
  const across = order.map((number) => lines[number]).sort((a, b) => middle(a) - middle(b));
  order.forEach((number, index) => (lines[number] = across[index]));
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
