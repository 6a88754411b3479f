/** The selected tensor -> what can be done with it: show only its paths, go to its last contribution, give it a value. */

import { html } from "../elements/elements.js";

/** Buttons and a field of the card, which is written anew at every step: what is pressed there is heard by the card. */
export class CardActions {
  #payload;
  #store;
  #ask;
  #settable;

  /**
   * @param {import("../types.js").Context} context
   * @param {HTMLElement} card
   */
  constructor({ payload, store, ask, settable = [] }, card) {
    this.#payload = payload;
    this.#store = store;
    this.#ask = ask;
    this.#settable = settable;
    card.addEventListener("click", (event) => this.#press(/** @type {Element} */ (event.target)));
    card.addEventListener("change", (event) => this.#type(/** @type {HTMLInputElement} */ (event.target)));
  }

  /** @param {import("../types.js").Moment} moment */
  buttons({ selected, between, timeline }) {
    const { ops } = this.#payload;
    const last = timeline.run?.steps.findLastIndex(({ op, sent }) => sent.some(({ slot }) => ops[op].inputs[slot] === selected)); // prettier-ignore
    const alone = between === selected;
    const button = (/** @type {string} */ word, /** @type {Record<string, number>} */ data) =>
      html("button.check", data, word);
    return html(
      "div.actions",
      button(alone ? "Show all" : "Only its way to the target", { "data-between": alone ? -1 : selected }),
      this.#ask && !this.#payload.tensors[selected].value ? button("All its numbers", { "data-all": selected }) : null,
      (last ?? -1) < 0 ? null : button("Its last contribution", { "data-step": Number(last) + 1 }),
    );
  }

  /**
   * Where a value can be typed for a variable that the program is run again with.
   *
   * @param {import("../types.js").Tensor} tensor
   */
  field({ name, role, value }) {
    if (!this.#ask || role !== "variable" || !this.#settable.includes(name)) return null;
    const label = `New value of ${name}: the program runs again`;
    return html("input.set", { type: "text", "data-name": name, value: value ?? "", "aria-label": label, title: label });
  }

  /** @param {Element} target */
  #press(target) {
    const button = target.closest("button");
    if (button?.dataset.between) this.#store.set({ between: Number(button.dataset.between) });
    if (button?.dataset.all) this.#fetch(button, Number(button.dataset.all));
    if (button?.dataset.step) this.#store.set({ step: Number(button.dataset.step) });
  }

  /**
   * The elements, from the program, in the place of the button.
   *
   * @param {HTMLElement} button
   * @param {number} tensor
   */
  async #fetch(button, tensor) {
    const told = await this.#ask?.({ ask: "numbers", tensor }).catch((/** @type {Error} */ error) => error.message);
    button.replaceWith(html("pre.value.all", { tabindex: 0, role: "group", "aria-label": "All numbers" }, told));
  }

  /** @param {HTMLInputElement} field */
  async #type(field) {
    try {
      await this.#ask?.({ ask: "set", name: field.dataset.name ?? "", text: field.value });
    } catch (error) {
      field.setCustomValidity(/** @type {Error} */ (error).message);
      field.reportValidity();
    }
  }
}
