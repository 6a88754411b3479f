/** Boxes, the frames they are in, and wires -> what is laid out in each frame, and through which of them a wire goes. */

export const FRAME_HEAD = 30;
const FRAME_FOOT = 14;
const PORT_HEAD = 10;
const PORT_FOOT = 0;
const MOST_APART = 4;

/** @typedef {{ pieces: [number, number][], leaving: number }} NestRoute frame and edge of each piece, from the tail on */

/** What is laid out in one frame: `nodes` are boxes from 0 on, frames from -1 down (-1: frame 0), null for ports. */
class NestLevel {
  /** @type {(number | null)[]} */
  nodes = [];
  /** @type {Map<number, number>} */
  places = new Map();
  /** @type {[number, number][]} */
  edges = [];
  /** @type {Map<string, number>} */
  #numbers = new Map();
  /** @type {Map<number, number>} */
  ports = new Map();

  /** Room before what is inside, along the flow. @param {number} head where nothing leads in */
  head(head = FRAME_HEAD) {
    return [...this.ports.values()].includes(-1) ? PORT_HEAD : head;
  }

  /** Room after it. */
  get foot() {
    return [...this.ports.values()].includes(1) ? PORT_FOOT : FRAME_FOOT;
  }

  /** @param {number} tail @param {number} head @param {number} wire */
  edge(tail, head, wire) {
    const key = `${tail},${head},${wire}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.edges.length);
    return this.edges.push([tail, head]) - 1;
  }

  /** @param {number} side */
  port(side) {
    this.ports.set(this.nodes.length, side);
    return this.nodes.push(null) - 1;
  }
}

/** Frames, what is in each, and how wires go from one into another. */
export class NestPlan {
  /** @type {Map<number, NestLevel>} */
  #levels = new Map([[-1, new NestLevel()]]);
  /** @type {number[][]} */
  #paths;
  /** @type {Map<string, number>} */
  #ports = new Map();

  /** @param {number[]} parents @param {number[]} outer */
  constructor(parents, outer) {
    this.#paths = parents.map((innermost, box) => {
      const path = [];
      let node = box;
      for (let parent = innermost; parent >= 0; parent = outer[parent]) {
        path.unshift(parent);
        this.#enter(parent, node);
        node = -1 - parent;
      }
      this.#enter(-1, node);
      return path;
    });
  }

  /** Frames, each before what is in it. */
  groups() {
    return [...this.#levels.keys()].sort((a, b) => a - b);
  }

  /** Does a frame, or none, hold more than half of all boxes? What is long there makes all of it long. @param {number} group */
  isMain(group) {
    return group < 0 || 2 * this.#paths.filter((path) => path.includes(group)).length > this.#paths.length;
  }

  /** @param {number} group */
  level(group) {
    const level = this.#levels.get(group) ?? new NestLevel();
    this.#levels.set(group, level);
    return level;
  }

  /** @param {number} group @param {number} node */
  #enter(group, node) {
    const level = this.level(group);
    if (!level.places.has(node)) level.places.set(node, level.nodes.push(node) - 1);
  }

  /** @param {[number, number][]} wires @returns {NestRoute[]} */
  routes(wires) {
    const crossings = wires.map(([tail, head]) => this.#crossing(tail, head));
    /** @type {Map<string, Set<number>>} */
    const tails = new Map();
    crossings.forEach((crossing, wire) => {
      const known = tails.get(`${crossing}`) ?? new Set();
      tails.set(`${crossing}`, known.add(wires[wire][0]));
    });
    return wires.map(([tail, head], wire) => {
      const crossing = crossings[wire];
      return this.#route(wire, tail, head, crossing, /** @type {Set<number>} */ (tails.get(`${crossing}`)).size <= MOST_APART);
    });
  }

  /** @param {number} tail @param {number} head @returns {number[]} how many frames both are in, the innermost, and their places in it */
  #crossing(tail, head) {
    const [up, down] = [this.#paths[tail], this.#paths[head]];
    let shared = 0;
    while (shared < Math.min(up.length, down.length) && up[shared] === down[shared]) shared += 1;
    const within = shared ? up[shared - 1] : -1;
    const level = this.level(within);
    return [shared, within, this.#place(level, up, shared, tail), this.#place(level, down, shared, head)];
  }

  /** @param {number} wire @param {number} tail @param {number} head @param {number[]} crossing @param {boolean} apart @returns {NestRoute} */
  #route(wire, tail, head, [shared, within, from, to], apart) {
    const [up, down] = [this.#paths[tail], this.#paths[head]];
    const plain = up.length === shared && down.length === shared;
    const edge = this.level(within).edge(from, to, plain ? wire : apart ? tail : -1);
    const left = this.#pieces(up, shared, tail, edge, true).reverse();
    const entered = this.#pieces(down, shared, head, edge, false);
    return { pieces: [...left, [within, edge], ...entered], leaving: left.length };
  }

  /** @param {number} group @returns {[number, number, number][][]} edges side by side, each with a frame at its end and its port there */
  abreast(group) {
    const { edges, nodes } = this.level(group);
    /** @type {Map<string, [number, number, number][]>} */
    const found = new Map();
    edges.forEach((ends, number) => {
      const ports = [true, false].map((out) => this.#ports.get(`${group},${number},${out}`));
      const side = ports.findIndex((port) => port !== undefined);
      if (side < 0) return;
      const known = found.get(`${ends}`) ?? [];
      found.set(`${ends}`, known);
      known.push([number, -1 - (nodes[ends[side]] ?? 0), ports[side] ?? 0]);
    });
    return [...found.values()].filter((each) => each.length > 1);
  }

  /** @param {number[]} path @param {number} shared @param {number} box @param {number} crossing @param {boolean} out */
  #pieces(path, shared, box, crossing, out) {
    /** @type {[number, number][]} */
    const pieces = [];
    let around = shared ? path[shared - 1] : -1;
    let edge = crossing;
    for (let depth = shared; depth < path.length; depth += 1) {
      const level = this.level(path[depth]);
      const key = `${around},${edge},${out}`;
      const port = this.#ports.get(key) ?? level.port(out ? 1 : -1);
      this.#ports.set(key, port);
      const inside = this.#place(level, path, depth + 1, box);
      edge = out ? level.edge(inside, port, -1) : level.edge(port, inside, -1);
      around = path[depth];
      pieces.push([around, edge]);
    }
    return pieces;
  }

  /** @param {NestLevel} level @param {number[]} path @param {number} depth @param {number} box */
  #place(level, path, depth, box) {
    return /** @type {number} */ (level.places.get(depth < path.length ? -1 - path[depth] : box));
  }
}
