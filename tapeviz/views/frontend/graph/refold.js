/** Groups fold or unfold -> another sight, in which what was pressed stays where it is on the screen. */

import { sightOf } from "../sight/sight.js";
import { middle } from "./stops.js";

/** @typedef {import("./graph_world.js").Stop} Stop */

/**
 * @param {{ scene: import("../types.js").SceneData, element: SVGElement, world: import("./graph_world.js").GraphWorld,
 *   viewport: import("../viewport/viewport.js").Viewport }} graph
 * @param {number[]} before unfolded so far @param {number[]} after
 * @param {boolean} moving is what is seen to go to its new place?
 * @returns {{ from: Stop | null, to: Stop | null }} the group that folds or unfolds, as it was seen and as it is
 */
export function refold({ scene, element, world, viewport }, before, after, moving) {
  const [then, now] = [new Set(before), new Set(after)];
  const changed = [...after.filter((each) => !then.has(each)), ...before.filter((each) => !now.has(each))];
  const from = world.stopOf(changed);
  element.toggleAttribute("data-moving", moving);
  world.build(sightOf(scene, after));
  const to = world.stopOf(changed);
  const [dx, dy] = from && to ? [middle(from) - middle(to), from.data.y - to.data.y] : [0, 0];
  viewport.change(world.extent, dx, dy);
  if (moving) world.settle();
  if (to) viewport.reveal(to.data);
  return { from, to };
}
