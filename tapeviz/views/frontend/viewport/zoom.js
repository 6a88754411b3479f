/** The buttons in the corner of a graph: closer, farther, all of it, the other way, everything unfolded. */

import { iconButtons } from "../elements/button.js";
import { html } from "../elements/elements.js";

/** @param {Record<string, () => void>} actions of which a graph without steps has no "parameters", and no "regroup" */
export function zoomButtons(actions) {
  const names = ["closer", "farther", "fit", "turn", "all", "parameters", "regroup"];
  return html("div.zoom", { role: "group", "aria-label": "Zoom" }, ...iconButtons(names, actions));
}
