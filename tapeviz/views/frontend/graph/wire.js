/** An edge of the scene -> its SVG group. */

import { badgeAt, settleBadge } from "./badge.js";
import { CONTRIBUTION_BESIDE, HEAD } from "./contributions.js";
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
  /** On which side the contribution is written if there is room: on the right (1), or on the left (-1) of a wire that
   * comes from the left. An upright wire has it on the side of the op at which it arrives. */
  #side;
  /** @type {SVGElement | null} */
  #contribution = null;
  /** Where the contribution is written. @type {{ data: import("../viewport/framing.js").Rectangle } | null} */
  written = null;

  /**
   * @param {import("../sight/sight.js").SeenWire} data
   * @param {number} middle of where the wires of the op that uses the tensor arrive, across
   */
  constructor(data, middle) {
    const { points, flags, badge, spot } = data;
    this.data = data;
    const [startX, startY] = points[0];
    const [x, y] = points[points.length - 1];
    const [cutX, cutY] = spot?.onWire ?? [0, 0];
    const cut = spot && flags.includes("cut");
    this.#badge = badge && spot ? badgeAt(badge, ...spot.badge) : null;
    this.#path = svg("path", { class: "line", d: curve(points) });
    this.#side = (startX === x ? x > middle : startX > x) ? 1 : -1;
    this.element = svg(
      "g",
      { class: "wire", "data-flags": flags.join(" ") },
      this.#path,
      svg("path", { class: "head", d: `M${x} ${y}l-3.6 -7.2h7.2z` }),
      svg("path", { class: "upstream", d: `M${startX} ${startY}l${-HEAD.w / 2} ${HEAD.h}h${HEAD.w}z` }),
      cut ? svg("path", { class: "cut", d: `M${cutX - 8} ${cutY + 3}l16 -8m-16 11l16 -8` }) : null,
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

  settle() {
    settleBadge(this.#badge);
  }

  /** @returns {import("./contributions.js").Carried | null} what it carries; null: nothing */
  get carried() {
    if (!this.#contribution) return null;
    const line = /** @type {SVGPathElement} */ (this.#path);
    const length = line.getTotalLength();
    return { text: this.#contribution.textContent ?? "", side: this.#side, at: (share) => line.getPointAtLength(share * length) };
  }

  /** @param {import("./contributions.js").CarriedPlace} place where what it carries comes to rest */
  place({ share, side, drop, area: { left: x, top: y, right, bottom } }) {
    if (!this.#contribution) return;
    this.written = { data: { x, y, w: right - x, h: bottom - y } };
    this.#contribution.style.offsetDistance = `${100 * share}%`;
    this.#contribution.setAttribute("x", String(side * CONTRIBUTION_BESIDE));
    this.#contribution.setAttribute("y", String(BASELINE + drop));
    this.#contribution.setAttribute("text-anchor", side < 0 ? "end" : "start");
  }

  /** @param {string | null} text flies from the op to where it is summed */
  #carry(text) {
    this.written = null;
    this.#contribution?.remove();
    this.#contribution = text === null ? null : svg("text", { class: "contribution", "aria-hidden": "true", style: `offset-path:path("${this.#path.getAttribute("d")}")` }, text); // prettier-ignore
    if (this.#contribution) this.element.append(this.#contribution);
  }
}

/**
 * Where the wires of each op arrive, across, on average.
 *
 * @param {import("../sight/sight.js").SeenWire[]} wires
 */
export function meanArrivals(wires) {
  /** @type {Map<number, { sum: number, count: number }>} */
  const arrived = new Map();
  for (const { head, points } of wires) {
    const { sum, count } = arrived.get(head) ?? { sum: 0, count: 0 };
    arrived.set(head, { sum: sum + points[points.length - 1][0], count: count + 1 });
  }
  return new Map([...arrived].map(([head, { sum, count }]) => [head, sum / count]));
}
