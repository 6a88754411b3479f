/** An edge of the scene -> its SVG group. */

import { badgeAt, settleBadge } from "./badge.js";
import { HEAD } from "./contributions.js";
import { curve } from "./curves.js";
import { attribute, svg } from "../elements/elements.js";

/**
 * @typedef {{ state: string, passed: boolean, lit: boolean, dim: boolean,
 *   measure: import("../timeline/lens.js").Measure | null, contribution: string | null }} WireLook `lit`: the open finding
 *   is about it; `dim`: it is off the paths that are asked for; `passed`: a gradient of the run that is shown goes along
 *   it, or has gone; `contribution`: what goes along it in this step
 */

/** How far below the middle of a contribution its letters stand. */
const BASELINE = 4;

/** One edge, drawn from the tensor to the op that uses it; a cut edge carries two strokes across it. */
export class Wire {
  #badge;
  #path;
  #across;
  /** On which side the contribution is written if there is room: on the right (1), or on the left (-1) of a wire that
   * comes from the left; below (1) or above where it runs across. A straight wire has it on the side of the op at which
   * it arrives. */
  #side;
  /** @type {SVGElement | null} */
  #contribution = null;
  /** @type {SVGElement | null} */
  #shape = null;
  /** Where the contribution is written. @type {{ data: import("../viewport/framing.js").Rectangle } | null} */
  written = null;

  /**
   * @param {import("../sight/sight.js").SeenWire} data
   * @param {number} middle of where the wires of the op that uses the tensor arrive, beside each other
   * @param {boolean} across does the flow run to the right?
   */
  constructor(data, middle, across) {
    const { points, flags, badge, spot } = data;
    this.data = data;
    const [startX, startY] = points[0];
    const [x, y] = points[points.length - 1];
    const [cutX, cutY] = spot?.onWire ?? [0, 0];
    const cut = spot && flags.includes("cut");
    this.#badge = badge && spot ? badgeAt(badge, ...spot.badge) : null;
    this.#path = svg("path.line", { d: curve(points, across) });
    const [start, end] = across ? [startY, y] : [startX, x];
    this.#across = across;
    this.#side = (start === end ? end > middle : start > end) ? 1 : -1;
    this.element = svg(
      "g.wire",
      { "data-flags": flags.join(" ") },
      this.#path,
      svg("path.head", { d: `M${x} ${y}${across ? "l-7.2 -3.6v7.2z" : "l-3.6 -7.2h7.2z"}` }),
      svg("path.upstream", { d: `M${startX} ${startY}${across ? `l${HEAD.h} ${-HEAD.w / 2}v${HEAD.w}z` : `l${-HEAD.w / 2} ${HEAD.h}h${HEAD.w}z`}` }), // prettier-ignore
      cut ? svg("path.cut", { d: across ? `M${cutX + 3} ${cutY - 8}l-8 16m11 -16l-8 16` : `M${cutX - 8} ${cutY + 3}l16 -8m-16 11l16 -8` }) : null, // prettier-ignore
      this.#badge,
    );
  }

  /** @param {WireLook} look */
  show({ state, passed, lit, dim, measure, contribution }) {
    attribute(this.element, "data-state", state);
    attribute(this.element, "data-passed", passed);
    attribute(this.element, "data-lit", lit);
    attribute(this.element, "data-dim", dim);
    attribute(this.element, "data-measured", measure !== null);
    attribute(this.element, "data-odd", measure?.odd);
    if (measure) this.element.style.setProperty("--level", String(Math.round(100 * measure.level) / 100));
    this.#carry(contribution);
  }

  get side() {
    return this.#side;
  }

  get length() {
    return this.#path.getTotalLength();
  }

  /** A point of it. @param {number} share of the way from the tensor to the op */
  at(share) {
    return this.#path.getPointAtLength(share * this.length);
  }

  /** @param {string} shape of what it carries; "": it is not told @param {import("./contributions.js").CarriedPlace} [place] */
  tell(shape, place) {
    this.#shape?.remove();
    this.#shape = null;
    if (!place) return;
    const { share, right, down, anchor } = place;
    const { x, y } = this.at(share);
    this.#shape = svg("text.shape", { "aria-hidden": "true", x: x + right, y: y + down + BASELINE, "text-anchor": anchor }, shape);
    this.element.append(this.#shape);
  }

  settle() {
    settleBadge(this.#badge);
  }

  /** One points to it. @param {string} told of what it carries */
  name(told) {
    const title = this.element.querySelector("title") ?? this.element.insertBefore(svg("title"), this.#path);
    title.textContent = [told, this.#contribution?.textContent].filter(Boolean).join("\n");
  }

  /** @returns {import("./contributions.js").Carried | null} what it carries; null: nothing */
  get carried() {
    if (!this.#contribution) return null;
    return { text: this.#contribution.textContent ?? "", side: this.#side, across: this.#across, length: this.length, at: (share) => this.at(share) };
  }

  /** @param {import("./contributions.js").CarriedPlace} place where what it carries comes to rest */
  place({ share, right, down, anchor, area }) {
    if (!this.#contribution) return;
    this.written = { data: { x: area.left, y: area.top, w: area.right - area.left, h: area.bottom - area.top } };
    this.#contribution.style.offsetDistance = `${100 * share}%`;
    this.#contribution.setAttribute("x", String(right));
    this.#contribution.setAttribute("y", String(BASELINE + down));
    this.#contribution.setAttribute("text-anchor", anchor);
  }

  /** @param {string | null} text flies from the op to where it is summed */
  #carry(text) {
    this.written = null;
    this.#contribution?.remove();
    this.#contribution = text === null ? null : svg("text.contribution", { "aria-hidden": "true", style: `offset-path:path("${this.#path.getAttribute("d")}")` }, text); // prettier-ignore
    if (this.#contribution) this.element.append(this.#contribution);
  }
}

/**
 * Where the wires of each op arrive, beside each other, on average.
 *
 * @param {import("../sight/sight.js").SeenWire[]} wires
 * @param {boolean} across does the flow run to the right?
 */
export function meanArrivals(wires, across) {
  /** @type {Map<number, { sum: number, count: number }>} */
  const arrived = new Map();
  for (const { head, points } of wires) {
    const { sum, count } = arrived.get(head) ?? { sum: 0, count: 0 };
    arrived.set(head, { sum: sum + points[points.length - 1][Number(across)], count: count + 1 });
  }
  return new Map([...arrived].map(([head, { sum, count }]) => [head, sum / count]));
}

/** The part of the picture that a wire runs through, and its word. @param {import("../sight/sight.js").SeenWire} wire */
export function boundsOf({ points, spot, room }) {
  const word = spot ? [-room / 2, room / 2].map((side) => /** @type {[number, number]} */ ([spot.badge[0] + side, spot.badge[1]])) : []; // prettier-ignore
  const all = [...points, ...word];
  const [xs, ys] = [all.map(([x]) => x), all.map(([, y]) => y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, w: Math.max(...xs) - x, h: Math.max(...ys) - y };
}
