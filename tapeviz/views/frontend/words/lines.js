/** A site of the payload -> its lines, each by a key that the source and the graph both know. */

/** @param {import("../types.js").Site | undefined} site @returns {string[]} "file:12" */
export function linesOf(site) {
  if (!site) return [];
  return Array.from({ length: site.end_line - site.line + 1 }, (_, index) => `${site.file}:${site.line + index}`);
}
