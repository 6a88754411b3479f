/** A saved page -> the debugger in it; `#step=5&run=0&lecture` in its address opens it there. */

import { unpack } from "./columns.js";
import { mount } from "./mount.js";

const SETTLE_MS = 150;
/** @type {("run" | "step")[]} */
const COUNTED = ["run", "step"];
/** @type {("lecture" | "predict")[]} */
const SWITCHED = ["lecture", "predict"];

/** @param {Document} page */
function open(page) {
  const text = (/** @type {string} */ id) => page.getElementById(id)?.textContent ?? "";
  const payload = /** @type {import("./types.js").Payload} */ (unpack(JSON.parse(text("tapeviz-payload"))));
  const main = /** @type {HTMLElement} */ (page.querySelector("main"));
  let timer = 0;
  const view = mount(main, payload, {
    styles: text("tapeviz-styles"),
    start: positionIn(location.hash),
    onChange: (moment) => {
      clearTimeout(timer);
      timer = setTimeout(() => note(addressOf(moment)), SETTLE_MS);
    },
  });
  addEventListener("hashchange", () => view.set(positionIn(location.hash)));
  if (inFrame()) return;
  view.focus();
  addEventListener("keydown", (event) => view.press(event));
}

/** @param {string} hash */
function positionIn(hash) {
  const given = new URLSearchParams(hash.slice(1));
  /** @type {Partial<import("./types.js").Position>} */
  const position = { lens: given.get("lens") ?? "steps" };
  for (const name of COUNTED) if (/^-?\d+$/.test(given.get(name) ?? "")) position[name] = Number(given.get(name));
  for (const name of SWITCHED) if (given.has(name)) position[name] = true;
  return position;
}

/** @param {import("./types.js").Moment} moment */
function addressOf(moment) {
  const { run, step, lens } = moment;
  const switched = SWITCHED.filter((name) => moment[name]).map((name) => `&${name}`);
  return `#run=${run}&step=${step}${lens === "steps" ? "" : `&lens=${lens}`}${switched.join("")}`;
}

/** @param {string} hash to put into the address */
function note(hash) {
  if (!inFrame()) history.replaceState(null, "", hash);
}

/** The output of a cell: it has no address to show, and must not take the keyboard. */
function inFrame() {
  return window !== window.parent;
}

open(document);
