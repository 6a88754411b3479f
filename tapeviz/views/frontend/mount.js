/** Element and payload -> a debugger inside that element. */

import { followColorTheme } from "./color_theme.js";
import { Debugger } from "./debugger.js";
import { html } from "./elements/elements.js";
import { keptFrom } from "./position.js";
import { regrouped } from "./sight/regrouped.js";
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
  const host = html("div.tapeviz", { "data-lm-suppress-shortcuts": "true" });
  const root = host.attachShadow({ mode: "open" });
  root.append(html("style", styles));
  el.append(host);
  /** @param {import("./types.js").Payload} next @param {Partial<import("./types.js").Position>} start */
  const begin = (next, start, place = /** @type {import("./types.js").Context["place"]} */ (undefined)) =>
    show(root, { payload: next, start, onChange: follow, ask, settable, place });
  /** @param {import("./types.js").Moment} moment that may ask for other groups, and so for another picture */
  const follow = (moment) => {
    if (moment.way !== shown.way) {
      const { hasFocus } = shown.view;
      shown.stop();
      shown = begin(payload, moment);
      if (hasFocus) shown.view.focus();
    }
    onChange?.(shown.store.moment);
  };
  let shown = begin(payload, start);
  followColorTheme(host, () => shown.view.repaint(), life.signal);
  return {
    set: (change) => shown.store.set(change),
    replace: (next, position) => {
      const { place } = shown.view;
      const kept = keptFrom(shown.store.moment);
      shown.stop();
      payload = next;
      shown = begin(next, { ...kept, ...position }, place);
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
  const seen = { ...payload, scene: regrouped(payload.scene, start.way) };
  const { way } = seen.scene;
  const store = new Store(seen, { ...start, way });
  // Before the view, which can show no other groups than those of its scene.
  if (onChange) store.subscribe(onChange, signal);
  const view = new Debugger({ payload: seen, store, signal, ask, settable, place });
  root.append(view.element);
  view.element.dataset.ready = "1";
  const stop = () => {
    life.abort();
    view.element.remove();
  };
  return { store, view, way, stop };
}
