/** What the payload says of all ranks -> how they differ in each box, as a lens has it. */

import { grouped } from "../words/numbers.js";

/** @typedef {import("../types.js").Difference} Difference */

/** How ranks differ, the most striking first, and the word for it. @type {Record<Difference["kind"], string>} */
const KINDS = { otherwise: "done otherwise", far: "far off", ended: "not on all", spread: "numbers apart", same: "the same" };
/** Those of which all boxes have the same few words. @type {Difference["kind"][]} */
const PLAIN = ["spread", "same"];

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
    odd: Object.entries(KINDS).map(([kind, word]) => ({
      kind,
      text: `${grouped(boxes.filter((each) => each?.kind === kind).length)} ${word}`,
      first: PLAIN.some((each) => each === kind) ? -1 : boxes.findIndex((each) => each?.kind === kind),
    })),
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
  const ranks = new Set(worst.flatMap((each) => each.ranks));
  const level = Math.max(...worst.map((each) => each.level));
  if (worst.length === 1) return { level, text: worst[0].text, odd };
  const who = ranks.size ? `: ${ranks.size === 1 ? `rank ${[...ranks][0]}` : `${ranks.size} ranks`}` : "";
  return { level, text: odd === "same" ? KINDS.same : `${grouped(worst.length)} ${KINDS[odd]}${who}`, odd };
}
