/** The page of several ranks -> what all of them did, in one debugger, and a switch to that of one rank. */

import { unpack } from "./columns.js";
import { dataOf, switchedDebugger } from "./switched.js";
import { lookingAt } from "./sight/unfolding.js";
import { meetingsOf } from "./panels/meeting.js";
import { betweenRanks } from "./timeline/between_ranks.js";

/** @typedef {import("./types.js").Payload} Payload */

const ALL = "all";
/** The lens that shows where ranks differ. */
const BETWEEN = "ranks";

/** @param {Document} page */
function openRanks(page) {
  const choice = /** @type {HTMLSelectElement} */ (page.getElementById("rank"));
  const beside = /** @type {NodeListOf<HTMLElement>} */ (page.querySelectorAll("#lanes, #spread"));
  const show = switchedDebugger(page);
  const recorded = (/** @type {string} */ rank) =>
    withRanks(/** @type {Payload} */ (unpack(JSON.parse(dataOf(page, `rank-${rank}`)))));
  const showChosen = () => {
    const isAll = choice.value === ALL;
    for (const each of beside) each.hidden = !isAll;
    const payload = recorded(isAll ? (choice.selectedOptions[0].dataset.base ?? "") : choice.value);
    if (isAll) show(...together(payload));
    else show(payload, { lens: "steps", finding: -1 });
  };
  choice.addEventListener("change", showChosen);
  showChosen();
}

/** With what other pages do without. @param {Payload} payload @returns {Payload} */
function withRanks(payload) {
  const { ranks } = payload;
  const measured = ranks && { ranks: { ...ranks, measured: betweenRanks(payload) } };
  return { ...payload, ...measured, meeting: meetingsOf(payload) };
}

/**
 * What all ranks have in common, with where they differ in sight.
 *
 * @param {Payload} payload of the rank as which it is drawn
 * @returns {[Payload, Partial<import("./types.js").Position>]}
 */
function together(payload) {
  const { scene } = payload;
  const { remark, findings } = payload.ranks ?? payload;
  const first = payload.ranks?.measured?.odd.find((each) => each.first >= 0)?.first ?? -1;
  const unfolded = first < 0 ? scene.unfolded : lookingAt(scene, scene, first).unfolded;
  return [{ ...payload, remark, findings }, { lens: BETWEEN, finding: -1, unfolded }];
}

openRanks(document);
