/** The page of `tv.modes`: its data -> numbers on both graphs and rows of the table, as far as a step has come. */

const data = JSON.parse(document.getElementById("modes-data").textContent);
const SIDES = ["forward", "reverse"];
const slider = document.getElementById("step");
const status = document.getElementById("status");
const choices = Object.fromEntries(SIDES.map((side) => [side, document.getElementById(`${side}-pass`)]));

/** What a side shows at a step: which tensors have their number, and what the step does. */
function show() {
  const step = Number(slider.value);
  const told = SIDES.map((side) => {
    const pass = data[side][Number(choices[side].value)];
    const known = new Map(pass.start.map((tensor) => [tensor, 0]));
    pass.steps.forEach(({ gives }, index) => gives.forEach((tensor) => known.set(tensor, index + 1)));
    const now = pass.steps[step - 1];
    for (const [id, tensor] of Object.entries(data.boxes)) {
      const box = document.getElementById(`${side}-${id}`);
      const shown = (known.get(tensor) ?? Infinity) <= step;
      box.classList.toggle("known", shown);
      box.classList.toggle("now", now?.box === id);
      const number = box.querySelector(".number");
      if (number) number.textContent = shown ? pass.found[tensor] ?? "" : "";
    }
    data.wires.forEach((head, index) => {
      document.getElementById(`${side}-e${index}`).classList.toggle("now", head === now?.box);
    });
    for (const row of document.querySelectorAll("#trace [data-tensor]")) {
      const tensor = Number(row.dataset.tensor);
      const cell = row.querySelector(`.${side}`);
      const at = known.get(tensor) ?? (step >= pass.steps.length ? step : Infinity);
      cell.textContent = at <= step ? pass.found[tensor] ?? "None" : "";
      cell.toggleAttribute("data-now", Boolean(now?.gives.includes(tensor)));
    }
    document.getElementById(`${side}-seed`).textContent = pass.seed;
    const mode = `${side[0].toUpperCase()}${side.slice(1)} mode`;
    if (step === 0) return `${mode}: the seed ${pass.seed}`;
    return `${mode}: ${now ? now.says : "done"}`;
  });
  for (const cell of document.querySelectorAll("#jacobian td")) {
    const [row, column] = [cell.dataset.row === choices.reverse.value, cell.dataset.column === choices.forward.value];
    cell.toggleAttribute("data-row-now", row);
    cell.toggleAttribute("data-column-now", column);
  }
  follow();
  status.textContent = `Step ${step} of ${slider.max}. ${told.join(". ")}.`;
}

/** The row of the step comes into view, and the page stays where it is. */
function follow() {
  const row = document.querySelector("#trace [data-now]")?.closest("tr");
  const around = row?.closest("div");
  if (around) around.scrollTop = row.offsetTop - around.clientHeight / 2;
}

function go(steps) {
  slider.value = String(Number(slider.value) + steps);
  show();
}

slider.max = String(Math.max(...SIDES.flatMap((side) => data[side].map(({ steps }) => steps.length))));
slider.addEventListener("input", show);
for (const choice of Object.values(choices)) choice.addEventListener("change", show);
for (const button of document.querySelectorAll("[data-go]")) {
  button.addEventListener("click", () => go(Number(button.dataset.go)));
}
document.addEventListener("keydown", (event) => {
  const steps = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1, Home: -1e9, End: 1e9 }[event.key];
  if (!steps || event.ctrlKey || event.metaKey || event.altKey || event.target.localName === "select") return;
  event.preventDefault();
  go(steps);
});
const asked = new URLSearchParams(location.hash.slice(1)).get("step");
if (asked) slider.value = asked;
show();
followColorTheme(document.querySelector("main"));
