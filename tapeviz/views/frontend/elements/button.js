/** What to do, and what to show -> a button. */

import { breakable } from "./breakable.js";
import { html } from "./elements.js";
import { icon } from "./icons.js";
import { wordsAndKeyOf, wordsOf } from "../words/commands.js";

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
 * @param {string[]} names of actions, and of their icons
 * @param {Record<string, () => void>} actions of which some may not be there, and then no button is
 */
export function iconButtons(names, actions) {
  return names.filter((name) => actions[name]).map((name) =>
    pressable(
      { class: "icon-button", "aria-label": wordsOf(name), title: wordsAndKeyOf(name), "data-action": name },
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
