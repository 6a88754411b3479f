/**
 * Boxes, wires, groups and which groups are unfolded -> what is seen: boxes, folded groups and the wires between them.
 *
 * The same program as tapeviz/views/folding/fold.py, where the reasons are told, and its twin.
 */

/** @typedef {{ group: number, home: number, tensor: number | null }} FoldPlace */
/** @typedef {{ parent: number, end: number }} FoldSpan */
/** @typedef {{ box: number, group: number, parent: number }} Seen a box, or a folded group; the other is -1 */
/** @typedef {{ tail: number, head: number, wires: number[] }} JoinedWire */
/** @typedef {{ seen: Seen[], ofBox: number[], wires: JoinedWire[] }} Folded */

/**
 * @param {FoldPlace[]} places
 * @param {[number, number][]} wires
 * @param {FoldSpan[]} groups
 * @param {Set<number>} unfolded
 * @param {[box: number, op: number][]} [tucked]
 * @returns {Folded}
 */
export function fold(places, wires, groups, unfolded, tucked = []) {
  const tops = topsOf(groups, unfolded);
  /** @type {Folded} */
  const found = { seen: [], ofBox: [], wires: [] };
  /** @type {Map<string, number>} */
  const numbers = new Map();
  const hidden = new Set(tucked.map(([box]) => box));
  places.forEach(({ group, home, tensor }, box) => {
    if (hidden.has(box)) return void found.ofBox.push(-1);
    const top = group >= 0 ? tops[group] : -1;
    const shared = top >= 0 && isWithin(groups, top, home);
    const key = top < 0 ? `b${box}` : shared ? `t${tensor}.${top}` : `g${top}`;
    let number = numbers.get(key);
    if (number === undefined) {
      number = found.seen.length;
      numbers.set(key, number);
      const parent = top < 0 ? group : groups[top].parent;
      found.seen.push(top < 0 || shared ? { box, group: -1, parent } : { box: -1, group: top, parent });
    }
    found.ofBox.push(number);
  });
  for (const [box, op] of tucked) found.ofBox[box] = found.ofBox[op];
  joinWires(found, wires);
  return found;
}

/** @param {FoldSpan[]} groups @param {Set<number>} unfolded */
function topsOf(groups, unfolded) {
  /** @type {number[]} */
  const tops = [];
  groups.forEach(({ parent }, group) => {
    const top = parent >= 0 ? tops[parent] : -1;
    tops.push(top >= 0 ? top : unfolded.has(group) ? -1 : group);
  });
  return tops;
}

/** @param {FoldSpan[]} groups @param {number} group @param {number} outer */
function isWithin(groups, group, outer) {
  return outer < 0 || (outer < group && group <= groups[outer].end);
}

/** @param {Folded} found @param {[number, number][]} wires */
export function joinWires({ seen, ofBox, wires: joined }, wires) {
  /** @type {Map<number, JoinedWire>} */
  const known = new Map();
  wires.forEach(([from, to], wire) => {
    const [tail, head] = [ofBox[from], ofBox[to]];
    if (tail === head) return;
    const key = tail * seen.length + head;
    const same = known.get(key);
    if (same) return void same.wires.push(wire);
    const made = { tail, head, wires: [wire] };
    if ([tail, head].some((end) => seen[end].group >= 0)) known.set(key, made);
    joined.push(made);
  });
}
