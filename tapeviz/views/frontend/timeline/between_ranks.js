/** What the payload says of all ranks -> how they differ in each box, as a lens has it. */

import { grouped } from "../words/numbers.js";

/** @typedef {import("../types.js").Difference} Difference */

/** How ranks differ, the most striking first, and the words for it. @type {Record<Difference["kind"], string>} */
const KINDS = { otherwise: "done otherwise", far: "far off", ended: "not on all", spread: "numbers apart", same: "the same" };
/** What ranks that are set off have in a group. @type {Record<string, string>} */
const IN_GROUP = { otherwise: "otherwise", far: "far off", ended: "not there" };

/**
 * @param {import("../types.js").Payload} payload
 * @returns {import("./lens.js").Measured}
 */
export function betweenRanks({ ranks }) {
  const boxes = ranks?.boxes ?? [];
  return {
    low: "",
    high: "",
    peak: -1,
    odd: Object.entries(KINDS).flatMap(([kind, word]) => {
      const count = boxes.filter((each) => each?.kind === kind).length;
      const first = kind in IN_GROUP ? boxes.findIndex((each) => each?.kind === kind) : -1;
      return count ? [{ kind, text: `${grouped(count)} ${word}`, first }] : [];
    }),
    ofBoxes: (indices) => mostStriking(indices.flatMap((each) => boxes[each] ?? [])),
    ofEdges: () => null,
    strip: () => null,
  };
}

/**
 * Of several the most striking ones, as a folded group has them.
 *
 * @param {Difference[]} differences
 * @returns {import("./lens.js").Measure | null}
 */
function mostStriking(differences) {
  const kinds = /** @type {Difference["kind"][]} */ (Object.keys(KINDS));
  const odd = kinds.find((kind) => differences.some((each) => each.kind === kind));
  if (!odd) return null;
  const worst = differences.filter(({ kind }) => kind === odd);
  const level = Math.max(...worst.map((each) => each.level));
  const texts = new Set(worst.map(({ text }) => text));
  if (texts.size === 1) return { level, text: worst[0].text, odd };
  const [rank, ...others] = new Set(worst.flatMap(({ ranks }) => ranks));
  const who = others.length ? `${others.length + 1} ranks` : `rank ${rank}`;
  return { level, text: odd in IN_GROUP ? `${who} ${IN_GROUP[odd]}` : `${grouped(texts.size)} ${KINDS[odd]}`, odd };
}
