/**
 * A saved page -> the debugger in it. Its address follows what is seen, as `#run=0&step=5&selected=7&lecture`, so that it can
 * be sent; a step changes the address, a jump is one that the browser goes back from.
 */

import { unpack } from "./columns.js";
import { mount } from "./mount.js";
import { firstPosition } from "./position.js";
import { regrouped } from "./sight/regrouped.js";

const SETTLE_MS = 150;
/** @typedef {import("./types.js").Position} Position */
/** What is always in an address; and what where it is not as a page opens: numbers, words, and switches. */
const PLACED = ["run", "step"];
const OPENED = ["selected", "finding", "between"];
const WORDED = ["lens", "line", "way"];
const SWITCHED = ["lecture", "predict"];

/** @param {Document} page */
function open(page) {
  const text = (/** @type {string} */ id) => page.getElementById(id)?.textContent ?? "";
  const payload = /** @type {import("./types.js").Payload} */ (unpack(JSON.parse(text("tapeviz-payload"))));
  const main = /** @type {HTMLElement} */ (page.querySelector("main"));
  // What no address tells stays as it is where the browser goes back.
  const { side, covered, ...first } = firstPosition(payload);
  const there = () => {
    const position = positionIn(location.hash);
    const { unfolded } = regrouped(payload.scene, String(position.way ?? first.way));
    return /** @type {Position} */ ({ ...first, unfolded, ...position });
  };
  /** What the address tells. */
  let told = there();
  let timer = 0;
  const view = mount(main, payload, {
    styles: text("tapeviz-styles"),
    start: told,
    onChange: (moment) => {
      clearTimeout(timer);
      const jumped = isJump(told, moment);
      timer = setTimeout(() => {
        told = moment;
        note(addressOf(moment, first), jumped);
      }, SETTLE_MS);
    },
  });
  // Also where the browser goes back.
  addEventListener("hashchange", () => view.set((told = there())));
  if (inFrame()) return;
  view.focus();
  addEventListener("keydown", (event) => view.press(event));
}

/** @param {string} hash @returns {Record<string, unknown>} */
function positionIn(hash) {
  const given = new URLSearchParams(hash.slice(1));
  /** @type {Record<string, unknown>} */
  const position = {};
  for (const name of [...PLACED, ...OPENED]) if (/^-?\d+$/.test(given.get(name) ?? "")) position[name] = Number(given.get(name));
  for (const name of WORDED) if (given.has(name)) position[name] = given.get(name) ?? "";
  for (const name of SWITCHED) if (given.has(name)) position[name] = true;
  if (given.has("unfolded")) position.unfolded = (given.get("unfolded") ?? "").split(".").filter(Boolean).map(Number);
  if (given.has("tucked")) position.tucked = given.get("tucked") === "true";
  return position;
}

/** @param {Position} position @param {Record<string, unknown>} first what a page opens with */
function addressOf(position, first) {
  const now = /** @type {Record<string, unknown>} */ (position);
  const told = new URLSearchParams(PLACED.map((name) => [name, String(now[name])]));
  for (const name of [...OPENED, ...WORDED, "tucked"]) if (now[name] !== first[name]) told.set(name, String(now[name]));
  if (String(now.unfolded) !== String(first.unfolded)) told.set("unfolded", position.unfolded.join("."));
  const switched = SWITCHED.filter((name) => now[name]).map((name) => `&${name}`);
  return `#${told}${switched.join("")}`;
}

/** Whether more happened than a step. @param {Position} from @param {Position} to */
function isJump(from, to) {
  const [was, is] = /** @type {Record<string, unknown>[]} */ ([from, to]);
  const elsewhere = [...OPENED, ...WORDED, "run", "unfolded", "tucked"].some((name) => String(was[name]) !== String(is[name]));
  return elsewhere || Math.abs(from.step - to.step) > 1;
}

/** @param {string} hash to put into the address @param {boolean} jumped */
function note(hash, jumped) {
  if (inFrame() || hash === location.hash) return;
  if (jumped) history.pushState(null, "", hash);
  else history.replaceState(null, "", hash);
}

/** The output of a cell: it has no address to show, and must not take the keyboard. */
function inFrame() {
  return window !== window.parent;
}

open(document);
