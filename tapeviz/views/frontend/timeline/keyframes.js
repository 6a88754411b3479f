/** Keyframes and a step -> the value that holds at that step. */

/**
 * The last keyframe at or before `step`, by binary search; of several at one step, the last.
 *
 * @template T
 * @param {[number, T][] | undefined} keyframes in order of their steps
 * @param {number} step
 * @returns {T | null} null: there is none yet
 */
export function latest(keyframes, step) {
  if (!keyframes) return null;
  let low = 0;
  let high = keyframes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keyframes[middle][0] <= step) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? null : keyframes[low - 1][1];
}
