/** The page of several ranks -> a switch between the spread over them and the debugger of one. */

import { unpack } from "./columns.js";
import { mount } from "./mount.js";

const ALL = "all";

/** @param {Document} page */
function openRanks(page) {
  const text = (/** @type {string} */ id) => page.getElementById(id)?.textContent ?? "";
  const choice = /** @type {HTMLSelectElement} */ (page.getElementById("rank"));
  const spread = /** @type {HTMLElement} */ (page.getElementById("spread"));
  const place = /** @type {HTMLElement} */ (page.getElementById("debugger"));
  /** @type {ReturnType<typeof mount> | null} */
  let view = null;
  /** @type {Partial<import("./types.js").Position>} where the rank that was looked at last stands */
  let position = {};
  const onChange = (/** @type {import("./types.js").Moment} */ { run, step }) => {
    position = { run, step };
  };
  const show = () => {
    spread.hidden = choice.value !== ALL;
    place.hidden = choice.value === ALL;
    if (choice.value === ALL) return;
    const payload = /** @type {import("./types.js").Payload} */ (unpack(JSON.parse(text(`rank-${choice.value}`))));
    if (view === null) view = mount(place, payload, { styles: text("tapeviz-styles"), onChange });
    else view.replace(payload, position);
  };
  choice.addEventListener("change", show);
  show();
}

openRanks(document);
