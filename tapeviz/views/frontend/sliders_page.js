/** The page of a function with sliders -> the debugger of the recording that they point to. */

import { unpack } from "./columns.js";
import { switchedDebugger, dataOf } from "./switched.js";

/** @param {Document} page */
function openSliders(page) {
  const sliders = /** @type {HTMLInputElement[]} */ ([...page.querySelectorAll("input[type=range]")]);
  /** @type {string[][]} what is said of each stop of each slider */
  const stops = JSON.parse(dataOf(page, "tapeviz-stops"));
  const message = /** @type {HTMLElement} */ (page.getElementById("message"));
  const place = /** @type {HTMLElement} */ (page.getElementById("debugger"));
  const showRecording = switchedDebugger(page);
  const show = () => {
    const recorded = JSON.parse(dataOf(page, `recording-${pointedTo(sliders, stops)}`));
    const failed = typeof recorded === "string";
    message.textContent = failed ? recorded : "";
    message.hidden = !failed;
    place.hidden = failed;
    if (!failed) showRecording(/** @type {import("./types.js").Payload} */ (unpack(recorded)));
  };
  for (const slider of sliders) slider.addEventListener("input", show);
  show();
}

/**
 * The number of the recording, the last slider counting fastest; the value of each stands beside it.
 * @param {HTMLInputElement[]} sliders
 * @param {string[][]} stops
 */
function pointedTo(sliders, stops) {
  let number = 0;
  for (const [index, slider] of sliders.entries()) {
    const words = stops[index][Number(slider.value)];
    number = number * stops[index].length + Number(slider.value);
    slider.setAttribute("aria-valuetext", words);
    if (slider.nextElementSibling) slider.nextElementSibling.textContent = words;
  }
  return number;
}

openSliders(document);
