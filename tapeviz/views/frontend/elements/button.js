/** What to do, and what to show -> a button. */

import { breakable } from "./breakable.js";
import { html } from "./elements.js";
import { icon } from "./icons.js";

/**
 * It needs no type: in a shadow root there is no form to submit.
 *
 * @param {Record<string, unknown>} attributes
 * @param {() => void} press
 * @param {...(Node | string)} children
 */
export function pressable(attributes, press, ...children) {
  const made = html("button", attributes, ...children);
  made.addEventListener("click", press);
  return made;
}

/**
 * @param {Record<string, [label: string, keys: string]>} buttons by the names of their icons and of their actions; `keys`
 *   are what one can press instead
 * @param {Record<string, () => void>} actions
 */
export function iconButtons(buttons, actions) {
  return Object.entries(buttons).map(([name, [label, keys]]) =>
    pressable(
      { class: "icon-button", "aria-label": label, title: `${label} (${keys})`, "data-action": name },
      actions[name],
      icon(name),
    ),
  );
}

/**
 * The name of a tensor; pressed, it is selected. Panels are written anew at every step, so the click is not heard here,
 * where each button would leave a listener behind, but by the debugger as a whole.
 *
 * @param {import("../types.js").Payload} payload
 * @param {number} tensor
 */
export function tensorButton({ tensors }, tensor) {
  const { name, role } = tensors[tensor] ?? { name: "?", role: "" };
  return html(
    "button.tensor",
    { "data-role": role, "data-tensor": tensor, title: `Show ${name}` },
    html("bdi", ...breakable(name)),
  );
}

/**
 * The way from a gradient that is None to what was found about it; null where nothing was.
 *
 * @param {import("../types.js").Payload} payload
 * @param {number} source
 */
export function whyButton({ findings }, source) {
  const finding = findings.findIndex(({ sources }) => sources.includes(source));
  return finding < 0 ? null : html("button.why", { "data-finding": finding }, "why?");
}
