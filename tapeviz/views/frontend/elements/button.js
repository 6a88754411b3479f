/** Icon, label and what to do -> a button. */

import { html } from "./elements.js";
import { icon } from "./icons.js";

/**
 * @param {{ name: string, label: string, keys?: string, signal: AbortSignal, press: () => void }} options
 *   `keys` tells the mouse's user what the keyboard's would press
 */
export function iconButton({ name, label, keys, signal, press }) {
  const title = keys ? `${label} (${keys})` : label;
  const button = html(
    "button",
    { type: "button", class: "icon-button", "aria-label": label, title, "data-action": name },
    icon(name),
  );
  button.addEventListener("click", press, { signal });
  return button;
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
    "button",
    { type: "button", class: "tensor", "data-role": role, "data-tensor": tensor, title: `Show ${name}` },
    name,
  );
}
