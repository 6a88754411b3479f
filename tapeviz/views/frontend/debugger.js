/** Payload -> the debugger: heading, graph, panels and transport around one store, and the keys that drive them. */

import { Announcer } from "./panels/announcer.js";
import { Card } from "./panels/card.js";
import { html } from "./elements/elements.js";
import { Finder } from "./panels/find.js";
import { FindingsList } from "./panels/findings.js";
import { Inspector } from "./panels/inspector.js";
import { Copier } from "./panels/copier.js";
import { Heading } from "./panels/heading.js";
import { actionOf } from "./words/commands.js";
import { Lecture } from "./panels/lecture.js";
import { Parameters } from "./panels/parameters.js";
import { CLOSED, isOpen } from "./position.js";
import { Pictures } from "./graph/pictures.js";
import { SourcePanel } from "./panels/source_panel.js";
import { Speaker } from "./panels/speaker.js";
import { Stage } from "./graph/stage.js";
import { StepPanel } from "./panels/step_panel.js";
import { Transport } from "./panels/transport.js";

/** The whole of what is seen. */
export class Debugger {
  #store;
  #stage;
  #transport;
  #pictures;
  /** @type {Record<string, () => void>} what keys do, by the names of words/commands.js */
  #actions;

  /** @param {import("./types.js").Context} context */
  constructor(context) {
    const { store, signal } = context;
    this.#store = store;
    this.#stage = new Stage(context);
    const { graph } = this.#stage;
    this.#transport = new Transport(context, graph.actions);
    const finder = new Finder(context, () => this.focus());
    const lecture = new Lecture(context, () => this.element);
    const speaker = new Speaker(context, (event) => this.press(event));
    this.#pictures = new Pictures(graph);
    const announcer = new Announcer(context);
    const card = new Card(context, () => inspector.actions.side());
    const panels = [new FindingsList(context), card, new StepPanel(context), new Parameters(context), new SourcePanel(context)];
    const inspector = new Inspector(context, panels.map(({ element }) => element), () => this.element);
    const copier = new Copier(inspector.element, announcer);
    const heading = new Heading(context, [finder.element], [this.#pictures.element, speaker.element, lecture.element, inspector.button]);
    this.#actions = { leave: () => this.#leave(), find: () => finder.focus() };
    for (const { actions } of [this.#stage, lecture, speaker, this.#transport, inspector, copier]) Object.assign(this.#actions, actions);
    const parts = [heading, this.#stage, this.#transport, inspector, { element: inspector.bar }, announcer];
    /** @type {HTMLElement} */
    this.element = html("div.debugger", { tabindex: -1 }, ...parts.map(({ element }) => element));
    const views = [heading, lecture, speaker, ...this.#stage.views, ...panels, inspector, this.#transport, announcer, copier];
    store.subscribe((moment) => this.#show(views, moment), signal);
    this.#show(views, store.moment);
    this.element.addEventListener("keydown", (event) => this.#key(event));
    this.element.addEventListener("click", (event) => this.#click(event));
    this.element.addEventListener("pointerdown", ({ target }) => this.#pictures.leave(/** @type {Node} */ (target)));
  }

  /** Where the reader has put the graph, to put the next one there. */
  get place() {
    return this.#stage.graph.viewport.place;
  }

  get hasFocus() {
    return this.#focused !== null;
  }

  /** What style sheets do not reach. */
  repaint() {
    this.#stage.graph.viewport.repaint();
  }

  /** The keys come here from now on. */
  focus() {
    this.element.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event of a key that was pressed beside the debugger, on a page that has nothing else */
  press(event) {
    if (!actionOf(event, "page")) return;
    this.focus();
    this.#key(event);
  }

  /**
   * @param {{ show(moment: import("./types.js").Moment): void }[]} views
   * @param {import("./types.js").Moment} moment
   */
  #show(views, moment) {
    const focused = this.#focused;
    // Before the views, which may measure what they write.
    this.element.toggleAttribute("data-lecture", moment.lecture);
    for (const view of views) view.show(moment);
    // Writing a panel anew removes the focused button, and with it the keyboard's focus.
    if (focused && !this.#focused) this.focus();
    this.#transport.offer(this.#stage.graph.isFolded(moment));
    const { step, run, selected, lens } = moment;
    Object.assign(this.element.dataset, { step, run, selected, lens, direction: run < 0 ? "forward" : "backward" });
    this.#stage.graph.viewport.enlarge(moment.lecture);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const action = actionOf(event, placeOf(/** @type {Element} */ (event.target)));
    if (!event.ctrlKey && !event.metaKey && event.key !== "Tab") event.stopPropagation();
    if (!action) return;
    event.preventDefault();
    this.#actions[action]?.();
  }

  /** @param {Event} event */
  #click(event) {
    const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest(".tensor, .why"));
    if (button?.dataset.finding) this.#store.set({ finding: Number(button.dataset.finding) });
    else if (button) this.#store.set({ selected: Number(button.dataset.tensor) });
  }

  /** Escape ends typing, else closes what is open; with nothing open it gives the keyboard back to the page. */
  #leave() {
    if (this.#stage.help.leave() || this.#pictures.leave()) return;
    if (this.#focused && placeOf(this.#focused) === "typing") return this.focus();
    if (isOpen(this.#store.moment)) return this.#store.set(CLOSED);
    this.#focused?.blur();
  }

  /** What has the focus in here; null before the debugger is in a page. */
  get #focused() {
    const root = this.element.getRootNode();
    return root instanceof ShadowRoot ? /** @type {HTMLElement | null} */ (root.activeElement) : null;
  }
}

/** @param {Element} target of a key */
function placeOf(target) {
  if (target.closest(".graph")) return "graph";
  if (target.matches("input[type=search], input[type=text]")) return "typing";
  const scrolls = target.matches("pre") && target.scrollWidth > target.clientWidth;
  return scrolls ? "scroller" : target.localName;
}
