/** A live widget's model -> the debugger; its position and the model's traits follow each other. */

import { asking } from "./asking.js";
import { unpack } from "./columns.js";
import { mount } from "./mount.js";
import { BY_MODULE } from "./sight/regrouped.js";

/** @type {("run" | "step" | "selected" | "unfolded")[]} */
const TRAITS = ["run", "step", "selected", "unfolded"];

/** @param {{ model: import("./types.js").Model, el: HTMLElement, signal?: AbortSignal }} widget as anywidget calls it */
function render({ model, el, signal }) {
  const payload = () => /** @type {import("./types.js").Payload} */ (unpack(model.get("payload")));
  let way = BY_MODULE;
  // The model knows only these groups.
  const traits = () => TRAITS.filter((name) => name !== "unfolded" || way === BY_MODULE);
  /** @returns {Partial<import("./types.js").Position>} */
  const position = () => Object.fromEntries(traits().map((name) => [name, model.get(name)]));
  const life = new AbortController();
  let telling = false;
  const view = mount(el, payload(), {
    styles: model.get("styles"),
    start: position(),
    ask: asking(model, life.signal),
    settable: model.get("settable"),
    onChange: (moment) => {
      telling = true;
      way = moment.way;
      for (const name of traits()) model.set(name, moment[name]);
      telling = false;
      model.save_changes();
    },
  });
  // Halfway through telling, the model holds the new run beside the old step.
  const follow = () => telling || view.set(position());
  const replace = () => view.replace(payload(), position());
  model.on("change:payload", replace);
  for (const name of TRAITS) model.on(`change:${name}`, follow);
  const leave = () => {
    life.abort();
    model.off("change:payload", replace);
    for (const name of TRAITS) model.off(`change:${name}`, follow);
    view.dispose();
  };
  signal?.addEventListener("abort", leave);
  return leave;
}

export { mount };
export default { render };
