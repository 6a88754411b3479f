/** Sorted numbers -> places in them: binary search and a heap, which JavaScript does not bring along. */

/**
 * Where to insert `value` into `ascending` so that it comes after its equals.
 * @param {number[]} ascending
 * @param {number} value
 */
export function bisectRight(ascending, value) {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Add a number to a heap whose least is first.
 * @param {number[]} heap
 * @param {number} value
 */
export function pushHeap(heap, value) {
  let at = heap.length;
  heap.push(value);
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (heap[parent] <= value) break;
    heap[at] = heap[parent];
    at = parent;
  }
  heap[at] = value;
}

/**
 * Take the least number from a heap that is not empty.
 * @param {number[]} heap
 */
export function popHeap(heap) {
  const least = heap[0];
  const value = /** @type {number} */ (heap.pop());
  if (!heap.length) return least;
  let at = 0;
  for (let child = 1; child < heap.length; child = 2 * at + 1) {
    if (child + 1 < heap.length && heap[child + 1] < heap[child]) child += 1;
    if (heap[child] >= value) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = value;
  return least;
}
