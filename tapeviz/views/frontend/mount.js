/** Element and payload -> a debugger inside that element. */

import { followColorTheme } from "./color_theme.js";
import { Debugger } from "./debugger.js";
import { html } from "./elements/elements.js";
import { Store } from "./store.js";

/**
 * Everything lives in a shadow root on a fresh child: the page's styles stay out, ours stay in, and a second call on
 * the same element works.
 *
 * @param {HTMLElement} el
 * @param {import("./types.js").Payload} payload
 * @param {{
 *   styles?: string,
 *   start?: Partial<import("./types.js").Position>,
 *   onChange?: (moment: import("./types.js").Moment) => void,
 *   ask?: import("./types.js").Context["ask"],
 *   settable?: string[],
 * }} [options] `ask`: how to ask the program, where there is one behind the page; `settable`: the variables, by their
 *   names, that it can be run again with
 * @returns {{
 *   set(change: Partial<import("./types.js").Position>): void,
 *   replace(payload: import("./types.js").Payload, start: Partial<import("./types.js").Position>): void,
 *   focus(): void,
 *   press(event: KeyboardEvent): void,
 *   dispose(): void,
 * }}
 */
export function mount(el, payload, { styles = "", start = {}, onChange, ask, settable } = {}) {
  const life = new AbortController();
  // Notebooks look at the focused element for this attribute before they take a key for themselves; seen from
  // outside a shadow root, that element is the host.
  const host = html("div", { "data-lm-suppress-shortcuts": "true", class: "tapeviz" });
  const root = host.attachShadow({ mode: "open" });
  root.append(html("style", {}, styles));
  el.append(host);
  let shown = show(root, { payload, start, onChange, ask, settable });
  followColorTheme(host, () => shown.view.repaint(), life.signal);
  return {
    set: (change) => shown.store.set(change),
    replace: (next, position) => {
      const { place } = shown.view;
      const { finding, lens, lecture, predict } = shown.store.moment;
      const start = { finding, lens, lecture, predict, ...position };
      shown.stop();
      shown = show(root, { payload: next, start, onChange, ask, settable, place });
    },
    focus: () => shown.view.focus(),
    press: (event) => shown.view.press(event),
    dispose: () => {
      shown.stop();
      life.abort();
      host.remove();
    },
  };
}

/**
 * @param {ShadowRoot} root
 * @param {{
 *   payload: import("./types.js").Payload,
 *   start: Partial<import("./types.js").Position>,
 *   onChange?: (moment: import("./types.js").Moment) => void,
 *   ask: import("./types.js").Context["ask"],
 *   settable: import("./types.js").Context["settable"],
 *   place?: import("./types.js").Context["place"],
 * }} wanted
 */
function show(root, { payload, start, onChange, ask, settable, place }) {
  const life = new AbortController();
  const { signal } = life;
  const store = new Store(payload, start);
  const view = new Debugger({ payload, store, signal, ask, settable, place });
  root.append(view.element);
  if (onChange) store.subscribe(onChange, signal);
  view.element.dataset.ready = "1";
  const stop = () => {
    life.abort();
    view.element.remove();
  };
  return { store, view, stop };
}
