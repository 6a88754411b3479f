/** A long name -> its beginning and its end, which mostly tell names apart. */

const LONGEST_NAME = 40;

/** @param {string} name */
export function shortened(name) {
  if (name.length <= LONGEST_NAME) return name;
  const half = (LONGEST_NAME - 1) / 2;
  return `${name.slice(0, Math.ceil(half))}…${name.slice(-Math.floor(half))}`;
}
