/** A live widget's model -> `ask`: a question to the program behind the widget, and its answer. */

const PATIENCE_MS = 15_000;
const SILENCE = "No answer: the kernel is busy, or gone. Once it is idle, run the cell again.";

/**
 * @param {import("./types.js").Model} model
 * @param {AbortSignal} signal
 * @returns {import("./types.js").Ask} rejected with an Error that says why
 */
export function asking(model, signal) {
  // Every view of the widget hears every answer: the ids of two views must not be equal.
  const own = Math.random().toString(36).slice(2);
  let count = 0;
  /** @type {Map<string, (message: import("./types.js").Message) => void>} */
  const waiting = new Map();
  const hear = (/** @type {import("./types.js").Message} */ message) => waiting.get(message?.id)?.(message);
  model.on("msg:custom", hear);
  signal.addEventListener("abort", () => model.off("msg:custom", hear));
  const ask = (/** @type {object} */ question) =>
    new Promise((resolve, reject) => {
      const id = `${own}.${++count}`;
      const timer = setTimeout(() => settle(id, () => reject(new Error(SILENCE))), PATIENCE_MS);
      const settle = (/** @type {string} */ which, /** @type {() => void} */ how) => {
        clearTimeout(timer);
        waiting.delete(which);
        how();
      };
      waiting.set(id, ({ answer, error }) =>
        settle(id, () => (error === undefined ? resolve(answer) : reject(new Error(error)))),
      );
      try {
        model.send({ ...question, id });
      } catch {
        settle(id, () => reject(new Error(SILENCE)));
      }
    });
  return /** @type {import("./types.js").Ask} */ (ask);
}
