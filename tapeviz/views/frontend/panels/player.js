/** Playback: one step at a time, at a chosen pace, to the end. */

const PACE_MS = 1000;

/** Plays the steps; from the end it starts over. */
export class Player {
  #store;
  #timer = 0;
  #onChange;
  #speed = 1;

  /**
   * @param {import("../store.js").Store} store
   * @param {AbortSignal} signal
   * @param {(playing: boolean) => void} onChange
   */
  constructor(store, signal, onChange) {
    this.#store = store;
    this.#onChange = onChange;
    signal.addEventListener("abort", () => this.stop());
  }

  toggle() {
    if (this.#timer) return this.stop();
    const { step, timeline } = this.#store.moment;
    if (timeline.length === 0) return;
    if (step === timeline.length) this.#store.set({ step: 0 });
    this.#timer = setInterval(() => this.#tick(), PACE_MS / this.#speed);
    this.#onChange(true);
    this.#tick();
  }

  /** @param {number} speed in steps a second */
  pace(speed) {
    this.#speed = speed;
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#tick(), PACE_MS / speed);
  }

  stop() {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#onChange(false);
  }

  #tick() {
    this.#store.advance(1);
    const { step, timeline } = this.#store.moment;
    if (step === timeline.length) this.stop();
  }
}
