/** The page of a function with sliders -> the debugger of the recording that they point to. */

import { unpack } from "./columns.js";
import { mount } from "./mount.js";

/** @param {Document} page */
function openSliders(page) {
  const text = (/** @type {string} */ id) => page.getElementById(id)?.textContent ?? "";
  const sliders = /** @type {HTMLInputElement[]} */ ([...page.querySelectorAll("input[type=range]")]);
  /** @type {string[][]} what is said of each stop of each slider */
  const stops = JSON.parse(text("tapeviz-stops"));
  const message = /** @type {HTMLElement} */ (page.getElementById("message"));
  const place = /** @type {HTMLElement} */ (page.getElementById("debugger"));
  /** @type {ReturnType<typeof mount> | null} */
  let view = null;
  /** @type {Partial<import("./types.js").Position>} where the recording that was looked at last stands */
  let position = {};
  const onChange = (/** @type {import("./types.js").Moment} */ { run, step }) => {
    position = { run, step };
  };
  const show = () => {
    const recorded = JSON.parse(text(`recording-${pointedTo(sliders, stops)}`));
    const failed = typeof recorded === "string";
    message.textContent = failed ? recorded : "";
    message.hidden = !failed;
    place.hidden = failed;
    if (failed) return;
    const payload = /** @type {import("./types.js").Payload} */ (unpack(recorded));
    if (view === null) view = mount(place, payload, { styles: text("tapeviz-styles"), onChange });
    else view.replace(payload, position);
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
