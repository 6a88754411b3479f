/** The payload's scene and a way to group it -> the scene in these groups: by module, by function and line, or flat. */

export const BY_MODULE = "module";

/** @typedef {import("../types.js").SceneData} SceneData */

/** The way after the one that it is grouped in, and what is unfolded then. @param {SceneData} scene */
export function nextWay({ ways = [], way }) {
  return ways[(ways.findIndex((each) => each.way === way) + 1) % ways.length] ?? {};
}

/**
 * @param {SceneData} scene in the groups of the payload
 * @param {string} [way] one that it does not have leaves it as it is
 * @returns {SceneData}
 */
export function regrouped(scene, way = BY_MODULE) {
  const { nodes, groups, unfolded, lines } = scene;
  /** @type {Record<string, number[] | undefined | null>} */
  const opened = { [BY_MODULE]: unfolded, line: lines?.unfolded, flat: groups.length ? [] : null };
  const ways = Object.keys(opened).flatMap((each) => (opened[each] ? [{ way: each, unfolded: opened[each] }] : []));
  const told = { ...scene, ways, way: opened[way] ? way : BY_MODULE };
  if (told.way === BY_MODULE) return told;
  if (told.way === "flat") return { ...told, groups: [], unfolded: [], nodes: nodes.map((node) => ({ ...node, group: -1, home: -1 })) };
  const { group, home, ...grouping } = /** @type {import("../types.js").Lines} */ (lines);
  return { ...told, ...grouping, nodes: nodes.map((node, index) => ({ ...node, group: group[index], home: home[index] })) };
}
