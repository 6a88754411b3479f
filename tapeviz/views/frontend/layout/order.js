/** Layered graph -> its layers, sorted from left to right so that few segments cross. */

import { crossingsOf, inversionsOf } from "./crossings.js";
import { orderStarts } from "./starts.js";

/** @typedef {import("./layers.js").Layered} Layered */

const ORDER_WORK = 120000; // vertices and segments looked at, about, from each start
const MAX_ORDER_PASSES = 200;
const MAX_EXCHANGES = 10; // passes of exchanges in a row
const ORDER_PATIENCE = 10; // sorts without a better result

/**
 * Sort every layer of a connected `graph` in place: of several starts, the one that gets to the fewest crossings.
 * @param {Layered} graph
 * @returns {number} how many segments cross
 */
export function orderLayers(graph) {
  let size = graph.rank.length;
  for (const near of graph.down) size += near.length;
  const passes = Math.max(2, Math.min(MAX_ORDER_PASSES, Math.floor(ORDER_WORK / size)));
  let best;
  for (const start of orderStarts(graph)) {
    const sweep = new OrderSweep(graph, start());
    const found = sweep.improve(passes);
    if (!best || found.crossings < best.crossings) best = { ...found, sweep };
    if (found.crossings === 0) break;
  }
  if (best) graph.layers = best.sweep.settle(best.layers, passes);
  return best?.crossings ?? 0;
}

/** One order of the layers while it is being improved. */
class OrderSweep {
  /** @param {Layered} graph @param {number[][]} layers */
  constructor(graph, layers) {
    this.graph = graph;
    this.layers = layers;
    this.place = graph.rank.map(() => 0);
    for (const layer of layers) this.number(layer);
    this.home = [...this.place]; // where the start had every vertex
    this.crossings = layers.slice(1).map(() => 0); // between a layer and the next
    this.stale = layers.slice(1).map(() => true);
  }

  /**
   * Best layers met in about so many passes over the graph, and their crossings.
   * @param {number} passes
   */
  improve(passes) {
    let best = this.layers.slice();
    let fewest = this.count();
    for (let turn = 0, idle = 0; fewest > 0 && idle < ORDER_PATIENCE && passes > 0; turn++) {
      this.sortAll(turn);
      passes -= 1 + this.exchangeUntilStill(Math.min(passes, MAX_EXCHANGES));
      const now = this.count();
      idle += 1;
      if (now < fewest) [best, fewest, idle] = [this.layers.slice(), now, 0];
    }
    return { layers: best, crossings: fewest };
  }

  /**
   * `layers` with vertices exchanged back towards the start where that costs no crossing.
   * @param {number[][]} layers
   * @param {number} passes
   */
  settle(layers, passes) {
    layers.forEach((layer, i) => this.replace(i, layer));
    let changed = true;
    for (let pass = 0; changed && pass < Math.min(passes, MAX_EXCHANGES); pass++) {
      changed = false;
      for (let i = 0; i < layers.length; i++) {
        const before = this.layers[i];
        this.exchange(i, true);
        changed = changed || this.layers[i] !== before;
      }
    }
    return this.layers;
  }

  /** @param {number[]} layer */
  number(layer) {
    layer.forEach((v, i) => (this.place[v] = i));
  }

  /** @param {number} i @param {number[]} layer */
  replace(i, layer) {
    this.layers[i] = layer;
    this.number(layer);
    if (i > 0) this.stale[i - 1] = true;
    if (i < this.stale.length) this.stale[i] = true;
  }

  /**
   * Sort all layers by the one above, from the top, or by the one below, from the bottom; in two of four turns, vertices
   * whose means are equal swap their order.
   * @param {number} turn
   */
  sortAll(turn) {
    const flip = turn % 4 >= 2;
    const last = this.layers.length - 1;
    if (turn % 2 === 0) for (let i = 1; i <= last; i++) this.sort(i, this.graph.up, flip);
    else for (let i = last - 1; i >= 0; i--) this.sort(i, this.graph.down, flip);
  }

  /**
   * Sort layer `i` by the mean place of the neighbours; a vertex without any keeps its place.
   * @param {number} i
   * @param {number[][]} near
   * @param {boolean} flip
   */
  sort(i, near, flip) {
    const layer = this.layers[i];
    if (layer.length === 1) return;
    const movable = layer.filter((v) => near[v].length);
    if (flip) movable.reverse();
    /** @type {Map<number, number>} */
    const mean = new Map();
    for (const v of movable) {
      let total = 0;
      for (const u of near[v]) total += this.place[u];
      mean.set(v, total / near[v].length);
    }
    movable.sort((v, w) => Number(mean.get(v)) - Number(mean.get(w)));
    let following = 0;
    const fresh = layer.map((v) => (near[v].length ? movable[following++] : v));
    if (fresh.some((v, j) => v !== layer[j])) this.replace(i, fresh);
  }

  /**
   * Exchange in all layers until twice nothing is gained; returns the number of passes.
   * @param {number} most
   */
  exchangeUntilStill(most) {
    for (let done = 1; done <= most; done++) {
      let gained = false;
      for (let i = 0; i < this.layers.length; i++) gained = this.exchange(i, false) || gained;
      if (!gained && done > 1) return done;
    }
    return most;
  }

  /**
   * Exchange adjacent vertices of layer `i` where that saves crossings, and in a tie; with `homewards`, in a tie only
   * if the start had them so. Returns whether it saved any.
   * @param {number} i
   * @param {boolean} homewards
   */
  exchange(i, homewards) {
    if (this.layers[i].length === 1) return false;
    const layer = [...this.layers[i]];
    const places = (/** @type {number[]} */ near) => near.map((u) => this.place[u]).sort((a, b) => a - b);
    const above = layer.map((v) => places(this.graph.up[v]));
    const below = layer.map((v) => places(this.graph.down[v]));
    let gained = false;
    for (let j = 0, k = 1; k < layer.length; j++, k++) {
      const now = inversionsOf(above[j], above[k]) + inversionsOf(below[j], below[k]);
      const then = inversionsOf(above[k], above[j]) + inversionsOf(below[k], below[j]);
      if (then > now || (then === now && homewards && this.home[layer[j]] < this.home[layer[k]])) continue;
      gained = gained || then < now;
      [layer[j], layer[k]] = [layer[k], layer[j]];
      [above[j], above[k]] = [above[k], above[j]];
      [below[j], below[k]] = [below[k], below[j]];
    }
    if (layer.some((v, j) => v !== this.layers[i][j])) this.replace(i, layer);
    return gained;
  }

  count() {
    let total = 0;
    for (let i = 0; i < this.stale.length; i++) {
      const fans = () => this.layers[i].map((v) => this.graph.down[v].map((w) => this.place[w]));
      if (this.stale[i]) this.crossings[i] = crossingsOf(fans());
      this.stale[i] = false;
      total += this.crossings[i];
    }
    return total;
  }
}
