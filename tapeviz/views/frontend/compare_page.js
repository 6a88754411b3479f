/** The page of `tv.compare`: its data -> two graphs, a box or a row that is chosen, with its counterparts, and both in words. */

import { followColorTheme } from "./color_theme.js";
import { unpack } from "./columns.js";
import { html } from "./elements/elements.js";
import { all, byId } from "./elements/lookup.js";
import { ComparedGraph } from "./graph/compared_graph.js";
import { actionOf } from "./words/commands.js";

/**
 * What tapeviz/views/page/compare_page.py writes. Of an item: what became of it, what is said of it, and of either side
 * the cells of the panel, null where it is not there; `start`: the item where the programs part.
 * @typedef {{ state: import("./words/signs.js").ItemState, says: string, cells: (string[] | null)[] }} Item
 * @typedef {{
 *   sides: import("./graph/compared_graph.js").ComparedSide[], items: Item[], start: number | null,
 *   words: import("./words/signs.js").SignWords }} CompareData
 * @typedef {import("./graph/box.js").Box} Box
 */

const text = (/** @type {string} */ id) => byId(id).textContent ?? "";
const data = /** @type {CompareData} */ (unpack(JSON.parse(text("compare-data"))));
const main = /** @type {HTMLElement} */ (document.querySelector("main"));
const buttons = [...all("#counterparts tbody tr")].map((row) => /** @type {HTMLElement} */ (row.querySelector("button")));
const detail = byId("detail");
const graphs = [...all(".drawing")].map(drawn);

/** @param {HTMLElement} around @param {number} index of its side */
function drawn(around, index) {
  const graph = new ComparedGraph(data.sides[index], { states: data.items.map(({ state }) => state), words: data.words, choose });
  const root = around.attachShadow({ mode: "open" });
  root.append(html("style", text("compare-styles")), graph.canvas);
  around.addEventListener("keydown", (event) => press(event, graph));
  return graph;
}

/**
 * @param {number[]} items what is chosen
 * @param {Box | null} [origin] the box that it was chosen by
 * @param {ComparedGraph | null} [own] the graph of that box
 */
function choose(items, origin = null, own = null) {
  const chosen = new Set(items);
  for (const graph of graphs) {
    const shares = (/** @type {Box} */ box) => graph.itemsOf(box).some((item) => chosen.has(item));
    graph.showChosen((box) => box === origin || (shares(box) && (items.length === 1 || graph !== own)), graph === own ? origin : null);
  }
  for (const button of buttons) {
    const row = /** @type {HTMLElement} */ (button.closest("tr"));
    row.toggleAttribute("data-now", items.length === 1 && row.dataset.item === String(items[0]));
  }
  tell(items, origin && own ? own.says(origin) : null);
  const row = document.querySelector("#counterparts [data-now]");
  const table = row?.closest("div");
  if (row && table) bringIntoView(row, table);
}

/** The panel. @param {number[]} items @param {string | null} box in words, by which several were chosen */
function tell(items, box) {
  const item = items.length === 1 ? data.items[items[0]] : undefined;
  detail.hidden = !item;
  const told = item?.says ?? box ?? (data.items.length ? "Choose a box, or a row of the table." : "");
  byId("status").textContent = `${items.length === 1 && items[0] === data.start ? "Here the programs part. " : ""}${told}`;
  for (const [index, row] of [...detail.querySelectorAll("tbody tr")].entries()) {
    const cells = row.querySelectorAll("td");
    item?.cells.forEach((side, at) => (cells[at].textContent = side ? side[index] : "–"));
    /** @type {HTMLElement} */ (row).hidden = !item?.cells.some((side) => side?.[index]);
  }
}

/** Scrolls nothing but what is around. @param {Element} row @param {HTMLElement} around */
function bringIntoView(row, around) {
  const [own, outer] = [row.getBoundingClientRect(), around.getBoundingClientRect()];
  const margin = 24;
  if (own.top >= outer.top + margin && own.bottom <= outer.bottom - margin) return;
  around.scrollTop += (own.top + own.bottom - outer.top - outer.bottom) / 2;
}

/** @param {HTMLElement} button of a row: it is the one that Tab leads to from now on */
function chooseRow(button) {
  for (const each of buttons) each.tabIndex = each === button ? 0 : -1;
  button.focus({ preventScroll: true });
  choose([Number(/** @type {HTMLElement} */ (button.closest("tr")).dataset.item)]);
}

/** @param {KeyboardEvent} event @param {ComparedGraph} graph */
function press(event, graph) {
  const [target] = /** @type {Element[]} */ (event.composedPath()); // in the shadow root, a button that zooms or a box
  const action = actionOf(event, target.localName === "button" ? "button" : "graph");
  const across = graph === graphs[0] ? "next" : "previous";
  if (!action || action === "leave") return;
  event.preventDefault();
  if (action !== across) return graph.act(action);
  const other = graphs[1 - graphs.indexOf(graph)];
  const [counterpart] = other.chosen;
  if (counterpart) other.choose(counterpart);
}

for (const button of buttons) button.closest("tr")?.addEventListener("click", () => chooseRow(button));
buttons.forEach((button, index) => (button.tabIndex = index ? -1 : 0));
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") return choose([]);
  const at = buttons.indexOf(/** @type {HTMLElement} */ (event.target));
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1, Enter: at, " ": at }[event.key];
  if (at < 0 || to === undefined || !buttons[to]) return;
  event.preventDefault();
  chooseRow(buttons[to]);
});
choose(data.start === null ? [] : [data.start]);
followColorTheme(main, () => {
  for (const drawing of all(".drawing")) drawing.dataset.theme = main.dataset.theme;
  for (const graph of graphs) graph.repaint();
});
