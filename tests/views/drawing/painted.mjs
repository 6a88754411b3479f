/** A payload's scene, the unfolded groups and what stands on boxes of gradients -> the SVG elements of its boxes and wires, as plain values. */

import { Box } from "../../../tapeviz/views/frontend/graph/box.js";
import { Wire } from "../../../tapeviz/views/frontend/graph/wire.js";
import { sightOf } from "../../../tapeviz/views/frontend/sight/sight.js";

/** As much of an element as boxes and wires ask for. */
class Plain {
  constructor(tag) {
    this.tag = tag;
    this.attributes = {};
    this.children = [];
    Object.defineProperty(this, "style", { value: {} });
    Object.defineProperty(this, "classList", { value: { add: (...names) => names.length && this.setAttribute("class", names.join(" ")) } });
  }

  setAttribute(name, value) {
    this.attributes[name] = value;
  }

  removeAttribute(name) {
    delete this.attributes[name];
  }

  append(...children) {
    this.children.push(...children);
  }

  replaceChildren(...children) {
    this.children = children;
  }
}

globalThis.document = { createElementNS: (_, tag) => new Plain(tag) };

export function painted(scene, unfolded, gradients) {
  const { boxes, wires } = sightOf(scene, unfolded);
  return { boxes: boxes.map((seen, index) => boxOf(seen, gradients[index])), wires: wires.map((wire) => new Wire(wire, 0, false).element) };
}

function boxOf(seen, gradient) {
  const box = new Box(seen);
  box.show({ state: "", selected: false, lit: false, dim: false, contradicted: false, passed: false, reachable: false, measure: null, note: null, strip: seen.strip, gradient }); // prettier-ignore
  return box.element;
}
