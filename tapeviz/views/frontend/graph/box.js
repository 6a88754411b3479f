/** A box of the scene -> its SVG group. */

import { badgeAt, settleBadge, settleSign, signBadge } from "./badge.js";
import { attribute, svg } from "../elements/elements.js";
import { foldMark, MARK_ROOM } from "./fold_mark.js";
import { badgeMiddle } from "../sight/sight.js";
import { gradientOf, STRIP_HEIGHT, stripOf } from "./strip.js";

/** How far words stay from the sides of a box. */
const PADDING = 9;

/** Shapes tell the kinds apart without colour: a variable is a pill, an op a rounded box, the rest nearly square. */
const CORNERS = { variable: 99, op: 9, constant: 4, state: 4, group: 9 };
/** The size of a dot for a parameter, how far the dots are from each other and from the side, and how many there are. */
const [DOT, DOT_GAP, DOT_SIDE, MOST_DOTS] = [8, 3, 10, 4];
/** How far each sheet of a stack stands out from the one before it. */
const STACKED = 4;

/**
 * @typedef {{ state: string, selected: boolean, part?: boolean, parameter?: number, lit: boolean, dim: boolean, contradicted: boolean, passed: boolean,
 *   reachable: boolean, measure: import("../timeline/lens.js").Measure | null, note: string | null, strip: string | null,
 *   gradient: string,
 *   sign?: import("../words/signs.js").Sign | null }} BoxLook
 *   `part`: its rule gives one of the parts that the gradient of what is selected is the sum of; `parameter`: the place of
 *   the dot that is selected;
 *   `note`, or else the measure, is written in place of the subtitle; `lit`: the open finding or line
 *   is about it; `dim`: it is off the paths that are asked for; `contradicted`: its badge is, by the run that is shown,
 *   and hidden; `passed`: a gradient of that run has reached it; `sign`: what became of it in another program
 */

/** One box: an op, a leaf, or a folded group: a stack of sheets with a mark that unfolds it. */
export class Box {
  #title;
  #subtitle;
  #badge;
  #dots;
  #settled = false;
  /** @type {SVGElement | null} */
  #strip = null;
  #shownStrip = "";
  /** @type {SVGElement | null} */
  #gradient = null;
  /** @type {SVGElement | null} */
  #sign = null;
  /** @type {string | undefined} */
  #shownSign;
  /** Its words in full, for whoever points at the box or, where they are cut, hears its name. @type {SVGElement | null} */
  #whole;
  #told = "";
  #noted = "";

  /** @param {import("../sight/sight.js").SeenBox} box */
  constructor(box) {
    this.data = box;
    const { id, kind, title, subtitle, w, h, flags, badge, room, group, strip, gradient, whole } = box;
    const words = h - STRIP_HEIGHT * (Number(Boolean(strip)) + Number(gradient));
    const folded = group >= 0;
    const middle = (w + (folded ? MARK_ROOM : 0)) / 2;
    const corner = Math.min(CORNERS[kind], h / 2);
    this.#title = svg("text.title", { x: middle, y: subtitle ? 17 : words / 2 + 4.5 }, title);
    this.#subtitle = subtitle ? svg("text.subtitle", { x: middle, y: words - 9 }, ...called(subtitle)) : null;
    this.#whole = whole ? svg("title") : null;
    this.#dots = kind === "op" ? dots(box.boxes.length - 1) : [];
    this.#badge = badge ? badgeAt(badge, badgeMiddle(w, room), 0) : null;
    this.element = svg(
      "g.box",
      {
        role: "button",
        tabindex: -1,
        "aria-description": kind,
        "aria-pressed": folded ? null : "false",
        "aria-expanded": folded ? "false" : null,
        "data-id": id,
        "data-kind": kind,
        "data-flags": flags.join(" "),
      },
      this.#whole,
      svg("rect.halo", { x: -4, y: -4, width: w + 8, height: h + 8, rx: corner + 4 }),
      ...sheets(folded ? (flags.includes("repeat") ? 2 : 1) : 0, w, h, corner),
      svg("rect.body", { width: w, height: h, rx: corner }),
      folded ? foldMark("+", 17, h / 2) : null,
      // Spaces: the accessible name is the text inside.
      this.#title,
      " ",
      this.#subtitle,
      " ",
      this.#badge,
      " ",
      ...this.#dots,
    );
    this.move(box);
  }

  /** @param {import("../sight/sight.js").SeenBox} box the same box, elsewhere */
  move(box) {
    this.data = box;
    this.element.style.transform = `translate(${box.x}px,${box.y}px)`;
  }

  get centre() {
    const { x, y, w, h } = this.data;
    return { x: x + w / 2, y: y + h / 2 };
  }

  /** @param {BoxLook} look */
  show({ state, selected, part, parameter = -1, lit, dim, contradicted, passed, reachable, measure, note, strip, gradient, sign }) {
    attribute(this.element, "data-state", state);
    attribute(this.element, "data-lit", lit);
    attribute(this.element, "data-dim", dim);
    attribute(this.element, "data-contradicted", contradicted);
    attribute(this.element, "data-passed", passed);
    if (this.#badge) attribute(this.#badge, "aria-hidden", contradicted ? "true" : null);
    this.#measure(measure);
    const holds = this.data.group >= 0 || parameter >= 0;
    attribute(this.element, "data-holds", holds && selected);
    if (this.data.group < 0) attribute(this.element, "aria-pressed", String(selected && !holds));
    attribute(this.element, "data-part", part);
    this.#dots.forEach((dot, index) => attribute(dot, "data-selected", index === parameter));
    const words = note ?? measure?.text ?? this.data.subtitle;
    if (this.#subtitle && this.#subtitle.textContent !== words) {
      this.#subtitle.replaceChildren(...called(words));
      if (this.#settled) squeeze(this.#subtitle, this.#room);
    }
    this.element.setAttribute("tabindex", reachable ? "0" : "-1");
    this.#noted = [note ?? measure?.text, contradicted ? null : this.data.badge].filter(Boolean).join(", ");
    this.#tell();
    if (this.data.strip) this.#showStrip(strip ?? "");
    if (this.data.gradient) this.#showGradient(gradient);
    if (sign?.words !== this.#shownSign) this.#showSign(sign ?? null);
  }

  /** One points to it. @param {string} told of its tensors */
  name(told) {
    this.#told = told;
    if (!this.#whole) this.element.prepend((this.#whole = svg("title")));
    this.#tell();
  }

  #tell() {
    const { title, subtitle, whole } = this.data;
    const words = [whole ?? `${title} ${subtitle}`.trim(), this.#noted].filter(Boolean).join(", ");
    if (this.#whole) this.#whole.textContent = [words, this.#told, this.#gradient?.textContent].filter(Boolean).join("\n");
  }

  /** @param {import("../words/signs.js").Sign | null} sign that is shown from now on */
  #showSign(sign) {
    this.#shownSign = sign?.words;
    this.#sign?.remove();
    this.#sign = sign && signBadge(sign);
    attribute(this.element, "data-sign", sign?.look);
    if (this.#sign) this.element.append(this.#sign);
    if (this.#settled) settleSign(this.#sign, this.data);
  }

  /** @param {string} strip that is shown from now on */
  #showStrip(strip) {
    if (this.#shownStrip === strip) return;
    this.#shownStrip = strip;
    this.#strip?.remove();
    this.#strip = strip ? stripOf(this.data, strip) : null;
    if (this.#strip) this.element.append(this.#strip);
    if (this.#settled) squeeze(this.#strip, this.#room);
  }

  /** @param {string} text of the gradient as far as it is known; "": it is not */
  #showGradient(text) {
    if ((this.#gradient?.textContent ?? "") === text) return;
    this.#gradient?.remove();
    this.#gradient = text ? gradientOf(this.data, text) : null;
    if (this.#gradient) this.element.append(this.#gradient);
    if (this.#settled) squeeze(this.#gradient, this.#room);
  }

  /** @param {import("../timeline/lens.js").Measure | null} measure */
  #measure(measure) {
    attribute(this.element, "data-measured", measure !== null);
    attribute(this.element, "data-odd", measure?.odd);
    if (measure) this.element.style.setProperty("--level", `${Math.round(100 * measure.level)}%`);
  }

  /** The reader's fonts may run wider than those the picture was measured with: squeeze a text into its box. */
  settle() {
    this.#settled = true;
    for (const text of [this.#title, this.#subtitle, this.#strip, this.#gradient]) squeeze(text, this.#room);
    settleBadge(this.#badge);
    settleSign(this.#sign, this.data);
  }

  /** The width that there is for a text. */
  get #room() {
    return this.data.w - 2 * PADDING - (this.data.group < 0 ? 0 : MARK_ROOM);
  }
}

/**
 * The sheets of a stack behind its first.
 *
 * @param {number} count
 * @param {number} w
 * @param {number} h
 * @param {number} corner
 */
function sheets(count, w, h, corner) {
  const outs = Array.from({ length: count }, (_, index) => STACKED * (count - index));
  return outs.map((out) => svg("rect.body", { x: out, y: out, width: w, height: h, rx: corner }));
}

/** A dot on the upper border for each parameter that is tucked into an op. @param {number} count */
function dots(count) {
  return Array.from({ length: Math.min(count, MOST_DOTS) }, (_, index) =>
    svg("rect.parameter", { x: DOT_SIDE + index * (DOT + DOT_GAP), y: -DOT / 2, width: DOT, height: DOT, rx: DOT / 2 }),
  );
}

/**
 * The words of a subtitle, with the function that is called apart, as in `max_pool(x, kernel_size=2)`.
 *
 * @param {string} words
 */
function called(words) {
  const end = words.indexOf("(");
  return end > 0 ? [svg("tspan.called", words.slice(0, end)), words.slice(end)] : [words];
}

/**
 * @param {SVGElement | null} text
 * @param {number} room
 */
function squeeze(text, room) {
  if (!(text instanceof SVGTextElement)) return;
  text.removeAttribute("textLength");
  if (text.getComputedTextLength() <= room) return;
  attribute(text, "textLength", room);
  attribute(text, "lengthAdjust", "spacingAndGlyphs");
}
