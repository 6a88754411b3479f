/** The keys and what each does -> a list over the picture, which `?` opens and closes. */

import { html } from "../elements/elements.js";
import { keysAndWords } from "../words/commands.js";

/** Over the picture, and closed at first. */
export class KeysHelp {
  element = html(
    "div.keys-help",
    { role: "group", "aria-label": "Keys", hidden: true },
    html("h3", "Keys"),
    html("dl.facts", ...keysAndWords().flatMap(([keys, words]) => [html("dt", ...keys.map((key) => html("kbd", key))), html("dd", words)])), // prettier-ignore
  );
  actions = { help: () => void (this.element.hidden = !this.element.hidden) };

  /** It closes. @returns {boolean} was it open? */
  leave() {
    const open = !this.element.hidden;
    this.element.hidden = true;
    return open;
  }
}
