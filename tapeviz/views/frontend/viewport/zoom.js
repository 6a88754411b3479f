/** The buttons in the corner of a graph: closer, farther, all of it, the other way, everything unfolded. */

import { iconButtons } from "../elements/button.js";
import { html } from "../elements/elements.js";

/** @param {Record<string, () => void>} actions of which a graph without steps has no "parameters", and no "regroup" */
export function zoomButtons(actions) {
  /** @type {Record<string, [string, string]>} */
  const buttons = {
    closer: ["Zoom in", "+"],
    farther: ["Zoom out", "-"],
    fit: ["Fit the graph", "0"],
    turn: ["From left to right, or from top to bottom", "d"],
    all: ["Unfold everything, or fold it again", "u"],
  };
  if (actions.parameters) buttons.parameters = ["Parameters in boxes of their own, or tucked in", "w"];
  if (actions.regroup) buttons.regroup = ["Boxes by module, by function and line, or flat", "g"];
  return html("div.zoom", { role: "group", "aria-label": "Zoom" }, ...iconButtons(buttons, actions));
}
