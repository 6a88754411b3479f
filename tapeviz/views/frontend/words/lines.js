/** A site of the payload -> its lines, each by a key that the source and the graph both know; and words for it. */

/** @param {import("../types.js").Site | undefined} site @returns {string[]} "file:12" */
export function linesOf(site) {
  if (!site) return [];
  return Array.from({ length: site.end_line - site.line + 1 }, (_, index) => `${site.file}:${site.line + index}`);
}

/**
 * A place as a reader finds it: "model.py, line 12", as tapeviz/diagnosis/wording/places.py writes it; of one file alone, without it.
 *
 * @param {import("../types.js").Site[]} sites
 * @param {number} site
 */
export function lineIn(sites, site) {
  const { file, line } = sites[site];
  const named = sites.some((other) => other.file !== file);
  return `${named ? `${file.split(/[/\\]/).at(-1)}, ` : ""}line ${line}`;
}
