/** The steps of a run -> the bar to walk through them: buttons, slider, and where one stands. */

import { iconButtons } from "../elements/button.js";
import { html } from "../elements/elements.js";
import { icon } from "../elements/icons.js";
import { Player } from "./player.js";
import { place, sentence } from "../words/sentences.js";

const STEPPING = ["first", "previous", "play", "next", "last"];
const SPEEDS = [0.5, 1, 2, 4, 10];

/** First, previous, play, next, last; over and into what is folded; a slider; "Step 5 of 12"; how fast to play. */
export class Transport {
  #payload;
  #store;
  #player;
  #slider;
  #over;
  #speed;
  #place = html("p.place");
  #buttons;

  /**
   * @param {import("../types.js").Context} context
   * @param {Record<string, () => void>} graph what only the graph can do, "over", "backover" and "into" among it
   */
  constructor({ payload, store, signal }, graph) {
    this.#payload = payload;
    this.#store = store;
    this.#player = new Player(store, signal, (playing) => this.#showPlaying(playing));
    const walk = (/** @type {() => void} */ go) => () => {
      this.#player.stop();
      go();
    };
    /** @type {Record<string, () => void>} */
    this.actions = {
      first: walk(() => store.set({ step: 0 })),
      previous: walk(() => store.advance(-1)),
      play: () => this.#player.toggle(),
      next: walk(() => store.advance(1)),
      last: walk(() => store.set({ step: store.moment.timeline.length })),
    };
    const buttons = iconButtons(STEPPING, this.actions);
    this.#buttons = Object.fromEntries(STEPPING.map((name, index) => [name, buttons[index]]));
    const ways = { class: "buttons", role: "group", "aria-label": "Folded group", hidden: true };
    this.#over = html("div", ways, ...iconButtons(["backover", "over", "into"], graph));
    const options = SPEEDS.map((speed) => html("option", { value: speed, selected: speed === 1 }, `${speed}×`));
    this.#speed = html("select.speed", { "aria-label": "Steps a second", title: "Steps a second" }, ...options);
    this.#speed.addEventListener("change", () => this.#player.pace(Number(this.#speed.value)));
    this.#slider = html("input", { type: "range", min: 0, step: 1, "aria-label": "Step" });
    this.#slider.addEventListener("input", () => this.#seek());
    this.element = html(
      "div.transport",
      html("div.buttons", { role: "group", "aria-label": "Stepping" }, ...buttons),
      this.#over,
      this.#slider,
      this.#place,
      this.#speed,
    );
  }

  /** @param {boolean} folded is the step inside a folded group? */
  offer(folded) {
    this.#over.hidden = !folded;
  }

  /** @param {import("../types.js").Moment} moment */
  show(moment) {
    const { step, timeline } = moment;
    this.#slider.max = String(timeline.length);
    this.#slider.value = String(step);
    this.#slider.style.setProperty("--progress", `${(100 * step) / Math.max(timeline.length, 1)}%`);
    this.#slider.setAttribute("aria-valuetext", sentence(this.#payload, moment));
    this.#place.textContent = place(moment);
    // Not `disabled`: the button that was just pressed would lose the focus, and with it the keyboard.
    for (const name of ["first", "previous"]) this.#dim(name, step === 0);
    for (const name of ["next", "last"]) this.#dim(name, step === timeline.length);
    this.#dim("play", timeline.length === 0);
  }

  /**
   * @param {string} name
   * @param {boolean} idle
   */
  #dim(name, idle) {
    this.#buttons[name].setAttribute("aria-disabled", String(idle));
  }

  #seek() {
    this.#player.stop();
    this.#store.set({ step: this.#slider.valueAsNumber });
  }

  /** @param {boolean} playing */
  #showPlaying(playing) {
    this.#buttons.play.setAttribute("aria-label", playing ? "Pause" : "Play");
    this.#buttons.play.replaceChildren(icon(playing ? "pause" : "play"));
  }
}
