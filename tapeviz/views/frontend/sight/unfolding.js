/** What is shown, and a group to open or close -> the groups unfolded then. */

import { fold } from "./fold.js";

/** At most so many boxes are seen: before there are more, what was unfolded first folds again. */
const MOST_SEEN = 300;

/** @typedef {Pick<import("../types.js").Position, "unfolded" | "tucked">} Shown what decides which boxes are seen */

/**
 * @param {import("../types.js").SceneData} scene
 * @param {Shown} shown
 * @param {number} group
 * @returns {number[]}
 */
export function toggled(scene, shown, group) {
  const { unfolded } = shown;
  return unfolded.includes(group) ? unfolded.filter((each) => each !== group) : unfoldedTo(scene, shown, group);
}

/**
 * A group unfolded, and all that it is in.
 *
 * @param {import("../types.js").SceneData} scene
 * @param {Shown} shown
 * @param {number} group -1: none
 */
function unfoldedTo(scene, { unfolded, tucked }, group) {
  const around = new Set(aroundGroup(scene, group));
  let next = [...unfolded.filter((each) => !around.has(each)), ...around];
  while (countSeen(scene, next, tucked) > MOST_SEEN) {
    const oldest = next.findIndex((each) => !around.has(each));
    if (oldest < 0) return unfolded;
    next = next.filter((_, index) => index !== oldest);
  }
  return next;
}

/**
 * How to look at a box: unfolded down to it, and it is chosen.
 *
 * @param {import("../types.js").SceneData} scene
 * @param {Shown} shown
 * @param {number} box
 */
export function lookingAt(scene, shown, box) {
  const { group, tensor } = scene.nodes[box];
  return { unfolded: unfoldedTo(scene, shown, group), selected: tensor ?? -1 };
}

/**
 * A group and all that it is in, the outermost first.
 *
 * @param {import("../types.js").SceneData} scene
 * @param {number} group
 */
export function aroundGroup({ groups }, group) {
  const around = [];
  for (let each = group; each >= 0; each = groups[each].parent) around.unshift(each);
  return around;
}

/** @param {import("../types.js").SceneData} scene @param {number[]} unfolded @param {boolean} tucked */
function countSeen({ nodes, groups, parameters }, unfolded, tucked) {
  return fold(nodes, [], groups, new Set(unfolded), tucked ? parameters : []).seen.length;
}
