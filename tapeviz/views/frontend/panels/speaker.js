/** A lecture -> a second window, for who gives it: this step with what comes out, the next one, their notes, and the time. */

import { pressable } from "../elements/button.js";
import { html } from "../elements/elements.js";
import { noteOf } from "../elements/prose.js";
import { wordsAndKeyOf } from "../words/commands.js";
import { sentence } from "../words/sentences.js";

const STYLE = "body{font:20px/1.5 system-ui,sans-serif;margin:24px;color-scheme:light dark}small{opacity:.75}math{font-size:1.2em}section+section{margin-top:24px;padding-top:8px;border-top:1px solid}";

/** The button that opens it; keys that are pressed in it drive the lecture. */
export class Speaker {
  #payload;
  #store;
  #press;
  #signal;
  /** @type {Window | null} */
  #window = null;
  #clock = html("small");
  #began = 0;
  #body = html("main");
  actions = { speaker: () => this.#open() };

  /**
   * @param {import("../types.js").Context} context
   * @param {(event: KeyboardEvent) => void} press what a key does
   */
  constructor({ payload, store, signal }, press) {
    this.#payload = payload;
    this.#store = store;
    this.#press = press;
    this.#signal = signal;
    this.element = pressable({ class: "choice", title: wordsAndKeyOf("speaker") }, this.actions.speaker, "Speaker");
  }

  /** @param {import("../types.js").Moment} moment */
  show(moment) {
    this.element.hidden = !moment.lecture;
    if (!this.#window || this.#window.closed) return;
    const { step, timeline } = moment;
    const at = (/** @type {number} */ told) => {
      const note = timeline.run && this.#payload.notes[told];
      const words = sentence(this.#payload, { ...moment, step: told, covered: false });
      return html("section", told === step ? null : html("small", "Next"), html("p", words), note ? noteOf(note) : null);
    };
    this.#body.replaceChildren(...(step < timeline.length ? [at(step), at(step + 1)] : [at(step)]));
  }

  /** Where the browser opens no window, the button stays. */
  #open() {
    const other = window.open("", "tapeviz-speaker", "popup,width=720,height=540");
    if (!other) return;
    this.#window = other;
    this.#began = Date.now();
    other.document.title = `Speaker: ${this.#payload.title}`;
    other.document.head.replaceChildren(html("style", STYLE));
    other.document.body.replaceChildren(this.#clock, this.#body);
    other.onkeydown = (event) => this.#press(event);
    const timer = setInterval(() => this.#tick(), 1000);
    this.#signal.addEventListener("abort", () => clearInterval(timer));
    this.#tick();
    this.show(this.#store.moment);
  }

  #tick() {
    const seconds = Math.floor((Date.now() - this.#began) / 1000);
    this.#clock.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  }
}
