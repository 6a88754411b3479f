/** The page of `tv.compare`: its data -> a box or a row that is chosen, with its counterparts, and both in words. */

import { followColorTheme } from "./color_theme.js";
import { all, byId } from "./elements/lookup.js";

/**
 * What tapeviz/views/page/compare_page.py writes. Of every box the items that it stands for; of an item what is said of
 * it, and of either side the cells of the panel, null where it is not there; the item where the programs part.
 * @typedef {{
 *   sides: string[], boxes: Record<string, number[]>,
 *   items: Record<string, { sides: (string[] | null)[], says: string }>, start: number | null }} CompareData
 */

/** @type {CompareData} */
const data = JSON.parse(byId("compare-data").textContent ?? "");
const boxes = Object.keys(data.boxes).filter((id) => data.boxes[id].length).map(byId);
const buttons = [...all("#counterparts tbody tr")].map((row) => /** @type {HTMLElement} */ (row.querySelector("button")));
const detail = byId("detail");

/** @param {Element} box */
function sideOf(box) {
  return data.sides.find((side) => box.id.startsWith(`${side}-`)) ?? "";
}

/**
 * @param {number[]} items what is chosen
 * @param {HTMLElement | null} [origin] the box that it was chosen by
 */
function choose(items, origin = null) {
  const chosen = new Set(items);
  for (const box of boxes) {
    const shares = data.boxes[box.id].some((item) => chosen.has(item));
    const lit = box === origin || (shares && (items.length === 1 || !origin || sideOf(box) !== sideOf(origin)));
    box.classList.toggle("lit", lit);
    box.setAttribute("aria-pressed", String(lit));
  }
  for (const button of buttons) {
    const row = /** @type {HTMLElement} */ (button.closest("tr"));
    row.toggleAttribute("data-now", items.length === 1 && row.dataset.item === String(items[0]));
  }
  tell(items, origin);
  follow(origin);
}

/** The panel. @param {number[]} items @param {HTMLElement | null} origin */
function tell(items, origin) {
  const item = items.length === 1 ? data.items[items[0]] : undefined;
  detail.hidden = !item;
  const told = item?.says ?? origin?.querySelector("title")?.textContent ?? (boxes.length ? "Choose a box, or a row of the table." : "");
  byId("status").textContent = `${items.length === 1 && items[0] === data.start ? "Here the programs part. " : ""}${told}`;
  for (const [index, row] of [...detail.querySelectorAll("tbody tr")].entries()) {
    const cells = row.querySelectorAll("td");
    item?.sides.forEach((side, at) => (cells[at].textContent = side ? side[index] : "–"));
    /** @type {HTMLElement} */ (row).hidden = !item?.sides.some((side) => side?.[index]);
  }
}

/** What is chosen comes into view, in both drawings and in the table. @param {HTMLElement | null} origin */
function follow(origin) {
  for (const side of data.sides) {
    const own = origin && sideOf(origin) === side ? origin : boxes.find((box) => sideOf(box) === side && box.matches(".lit"));
    if (own) bringIntoView(own, byId(side));
  }
  const row = document.querySelector("#counterparts [data-now]");
  const around = row?.closest("div");
  if (row && around) bringIntoView(row, around);
}

/** Scrolls nothing but what is around. @param {Element} element @param {HTMLElement} around */
function bringIntoView(element, around) {
  const [own, outer] = [element.getBoundingClientRect(), around.getBoundingClientRect()];
  const margin = 24;
  if (own.top < outer.top + margin || own.bottom > outer.bottom - margin) {
    around.scrollTop += (own.top + own.bottom - outer.top - outer.bottom) / 2;
  }
  if (own.width < outer.width && (own.left < outer.left || own.right > outer.right)) {
    around.scrollLeft += (own.left + own.right - outer.left - outer.right) / 2;
  }
}

/** One of several can be reached by Tab: the one that had the focus last. @param {HTMLElement[]} those @param {HTMLElement} one */
function reach(those, one) {
  for (const each of those) each.tabIndex = each === one ? 0 : -1;
}

/** @param {HTMLElement} box */
function chooseBox(box) {
  reach(boxes.filter((each) => sideOf(each) === sideOf(box)), box);
  box.focus({ preventScroll: true });
  choose(data.boxes[box.id], box);
}

/** @param {HTMLElement} button of a row */
function chooseRow(button) {
  reach(buttons, button);
  button.focus({ preventScroll: true });
  choose([Number(/** @type {HTMLElement} */ (button.closest("tr")).dataset.item)]);
}

/** Where a key leads to from a box or a row. @param {HTMLElement} from @param {string} key @returns {HTMLElement | undefined} */
function next(from, key) {
  const across = data.sides.indexOf(sideOf(from)) === 0 ? "ArrowRight" : "ArrowLeft";
  const isBox = boxes.includes(from);
  if (isBox && key === across) return boxes.find((box) => sideOf(box) !== sideOf(from) && box.matches(".lit"));
  const those = isBox ? boxes.filter((box) => sideOf(box) === sideOf(from)) : buttons;
  const at = those.indexOf(from);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: those.length - 1, Enter: at, " ": at }[key];
  return to === undefined ? undefined : those[to];
}

for (const box of boxes) {
  box.setAttribute("role", "button"); // its title is its name
  box.addEventListener("click", () => chooseBox(box));
}
for (const button of buttons) button.closest("tr")?.addEventListener("click", () => chooseRow(button));
for (const side of data.sides) {
  const those = boxes.filter((box) => sideOf(box) === side);
  reach(those, those[0]);
}
reach(buttons, buttons[0]);
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") return choose([]);
  const from = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[role=button], #counterparts button"));
  const to = from && next(from, event.key);
  if (!to) return;
  event.preventDefault();
  if (boxes.includes(to)) chooseBox(to);
  else chooseRow(to);
});
choose(data.start === null ? [] : [data.start]);
followColorTheme(/** @type {HTMLElement} */ (document.querySelector("main")));
