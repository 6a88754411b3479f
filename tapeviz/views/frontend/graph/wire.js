/** An edge of the scene -> its SVG group. */

import { badgeAt, settleBadge } from "./badge.js";
import { CARGO_BESIDE } from "./cargo.js";
import { curve } from "./curves.js";
import { mark, svg } from "../elements/elements.js";

/**
 * @typedef {{ state: string, passed: boolean, spotted: boolean, aside: boolean,
 *   measure: import("../timeline/lens.js").Measure | null, cargo: string | null }} WireLook `passed`: a gradient of the
 *   run that is shown goes along it, or has gone; `cargo`: the contribution that goes along it in this step
 */

/** One edge, drawn from the tensor to the op that uses it; a cut edge carries two strokes across it. */
export class Wire {
  #badge;
  #path;
  /** On which side the contribution is written if there is room: on the right (1), or on the left (-1) of a wire that
   * comes from the left. An upright wire has it on the side of the op at which it arrives. */
  #side;
  /** @type {SVGElement | null} */
  #cargo = null;
  /** Where the contribution is written. @type {{ data: import("../viewport/framing.js").Box } | null} */
  load = null;

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
      svg("path", { class: "upstream", d: `M${startX} ${startY}l-5.4 9h10.8z` }),
      cut ? svg("path", { class: "cut", d: `M${cutX - 8} ${cutY + 3}l16 -8m-16 11l16 -8` }) : null,
      this.#badge,
    );
  }

  /** @param {WireLook} look */
  show({ state, passed, spotted, aside, measure, cargo }) {
    mark(this.element, "data-state", state);
    mark(this.element, "data-passed", passed);
    mark(this.element, "data-spotted", spotted);
    mark(this.element, "data-aside", aside);
    mark(this.element, "data-measured", measure !== null);
    mark(this.element, "data-odd", measure?.odd);
    if (measure) this.element.style.setProperty("--level", String(Math.round(100 * measure.level) / 100));
    this.#carry(cargo);
  }

  settle() {
    settleBadge(this.#badge);
  }

  /** @returns {import("./cargo.js").Carrier | null} what it carries; null: nothing */
  get carrier() {
    if (!this.#cargo) return null;
    const line = /** @type {SVGPathElement} */ (this.#path);
    const length = line.getTotalLength();
    return { text: this.#cargo.textContent ?? "", side: this.#side, at: (share) => line.getPointAtLength(share * length) };
  }

  /** @param {import("./cargo.js").Berth} berth where what it carries comes to rest */
  berth({ share, side, area: { left: x, top: y, right, bottom } }) {
    if (!this.#cargo) return;
    this.load = { data: { x, y, w: right - x, h: bottom - y } };
    this.#cargo.style.offsetDistance = `${100 * share}%`;
    this.#cargo.setAttribute("x", String(side * CARGO_BESIDE));
    this.#cargo.setAttribute("text-anchor", side < 0 ? "end" : "start");
  }

  /** @param {string | null} text flies from the op to where it is summed */
  #carry(text) {
    this.load = null;
    this.#cargo?.remove();
    this.#cargo = text === null ? null : svg("text", { class: "cargo", y: 4, "aria-hidden": "true", style: `offset-path:path("${this.#path.getAttribute("d")}")` }, text); // prettier-ignore
    if (this.#cargo) this.element.append(this.#cargo);
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
