/** A page that holds several recordings -> its one debugger, which goes from one to another and keeps its place. */

import { followColorTheme } from "./color_theme.js";
import { mount } from "./mount.js";

/**
 * The text of an element of a page, as of a script that holds data.
 * @param {Document} page
 * @param {string} id
 */
export function dataOf(page, id) {
  return page.getElementById(id)?.textContent ?? "";
}

/**
 * What shows a recording, as its script holds it, in the element `debugger` of a page, which wears the theme around it;
 * and where it is to stand, beside the step that it was at.
 * @param {Document} page
 * @returns {(recorded: import("./types.js").Payload, start?: Partial<import("./types.js").Position>) => void}
 */
export function switchedDebugger(page) {
  followColorTheme(page.body);
  const place = /** @type {HTMLElement} */ (page.getElementById("debugger"));
  /** @type {ReturnType<typeof mount> | null} */
  let view = null;
  /** @type {Partial<import("./types.js").Position>} where the recording that was looked at last stands */
  let position = {};
  const onChange = (/** @type {import("./types.js").Moment} */ { run, step }) => {
    position = { run, step };
  };
  return (payload, start = {}) => {
    if (view === null) view = mount(place, payload, { styles: dataOf(page, "tapeviz-styles"), start, onChange });
    else view.replace(payload, { ...position, ...start });
  };
}
