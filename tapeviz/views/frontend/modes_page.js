/** The page of `tv.modes`: its data -> numbers on both graphs and rows of the table, as far as a step has come. */

import { followColorTheme } from "./color_theme.js";
import { unpack } from "./columns.js";
import { all, byId } from "./elements/lookup.js";

/**
 * What tapeviz/views/page/modes_page.py writes: the tensor of every box, the box that every wire ends at, and the passes
 * of each side. Of a pass: its seed, what it finds for each tensor, the tensors that have theirs from the start, and its
 * steps; of a step: its box, the tensors that it gives a number to, and that in words.
 * @typedef {{
 *   seed: string, found: Record<string, string>, start: number[],
 *   steps: { box: string | null, gives: number[], says: string }[] }} Pass
 * @typedef {{
 *   boxes: Record<string, number | null>, wires: string[], forward: Pass[], reverse: Pass[] }} ModesData
 */

/** @type {["forward", "reverse"]} */
const SIDES = ["forward", "reverse"];
const slider = /** @type {HTMLInputElement} */ (byId("step"));
const data = /** @type {ModesData} */ (unpack(JSON.parse(byId("modes-data").textContent ?? "")));
const choices = {
  forward: /** @type {HTMLSelectElement} */ (byId("forward-pass")),
  reverse: /** @type {HTMLSelectElement} */ (byId("reverse-pass")),
};

/** What a side shows at a step: which tensors have their number, and what the step does. */
function show() {
  const step = Number(slider.value);
  const told = SIDES.map((side) => {
    const pass = data[side][Number(choices[side].value)];
    /** @type {Map<number | null, number>} */
    const known = new Map(pass.start.map((tensor) => [tensor, 0]));
    pass.steps.forEach(({ gives }, index) => gives.forEach((tensor) => known.set(tensor, index + 1)));
    const now = pass.steps[step - 1];
    for (const [id, tensor] of Object.entries(data.boxes)) {
      const box = byId(`${side}-${id}`);
      const shown = (known.get(tensor) ?? Infinity) <= step;
      box.classList.toggle("known", shown);
      box.classList.toggle("now", now?.box === id);
      const strip = box.querySelector(".strip");
      if (strip) strip.textContent = shown ? pass.found[String(tensor)] ?? "" : "";
    }
    data.wires.forEach((head, index) => {
      byId(`${side}-e${index}`).classList.toggle("now", head === now?.box);
    });
    for (const row of all("#trace [data-tensor]")) {
      const tensor = Number(row.dataset.tensor);
      const cell = /** @type {HTMLElement} */ (row.querySelector(`.${side}`));
      const at = known.get(tensor) ?? (step >= pass.steps.length ? step : Infinity);
      cell.textContent = at <= step ? pass.found[tensor] ?? "None" : "";
      cell.toggleAttribute("data-now", Boolean(now?.gives.includes(tensor)));
    }
    byId(`${side}-seed`).textContent = pass.seed;
    const mode = `${side[0].toUpperCase()}${side.slice(1)} mode`;
    if (step === 0) return `${mode}: the seed ${pass.seed}`;
    return `${mode}: ${now ? now.says : "done"}`;
  });
  for (const cell of all("#jacobian td")) {
    const [row, column] = [cell.dataset.row === choices.reverse.value, cell.dataset.column === choices.forward.value];
    cell.toggleAttribute("data-row-now", row);
    cell.toggleAttribute("data-column-now", column);
  }
  follow();
  byId("status").textContent = `Step ${step} of ${slider.max}. ${told.join(". ")}.`;
}

/** The row of the step comes into view, and the page stays where it is. */
function follow() {
  const row = document.querySelector("#trace [data-now]")?.closest("tr");
  const around = row?.closest("div");
  if (row && around) around.scrollTop = row.offsetTop - around.clientHeight / 2;
}

/** @param {number} steps */
function go(steps) {
  slider.value = String(Number(slider.value) + steps);
  show();
}

slider.max = String(Math.max(...SIDES.flatMap((side) => data[side].map(({ steps }) => steps.length))));
slider.addEventListener("input", show);
for (const choice of Object.values(choices)) choice.addEventListener("change", show);
for (const button of all("[data-go]")) {
  button.addEventListener("click", () => go(Number(button.dataset.go)));
}
document.addEventListener("keydown", (event) => {
  const { localName } = /** @type {Element} */ (event.target);
  const steps = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1, Home: -1e9, End: 1e9 }[event.key];
  if (!steps || event.ctrlKey || event.metaKey || event.altKey || localName === "select") return;
  event.preventDefault();
  go(steps);
});
const asked = new URLSearchParams(location.hash.slice(1)).get("step");
if (asked) slider.value = asked;
show();
followColorTheme(/** @type {HTMLElement} */ (document.querySelector("main")));
