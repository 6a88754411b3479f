/** The page of several ranks -> a switch between the spread over them and the debugger of one. */

import { switchedDebugger, dataOf } from "./switched.js";

const ALL = "all";

/** @param {Document} page */
function openRanks(page) {
  const choice = /** @type {HTMLSelectElement} */ (page.getElementById("rank"));
  const spread = /** @type {HTMLElement} */ (page.getElementById("spread"));
  const place = /** @type {HTMLElement} */ (page.getElementById("debugger"));
  const showRank = switchedDebugger(page);
  const show = () => {
    spread.hidden = choice.value !== ALL;
    place.hidden = choice.value === ALL;
    if (choice.value !== ALL) showRank(JSON.parse(dataOf(page, `rank-${choice.value}`)));
  };
  choice.addEventListener("change", show);
  show();
}

openRanks(document);
