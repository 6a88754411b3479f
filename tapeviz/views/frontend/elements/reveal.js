/** A list that scrolls by itself, and a row of it -> the row is in its middle; what the list is in stays where it is. */

/**
 * @param {HTMLElement} list
 * @param {string} selector of the row; without one in the list it stays where it is
 */
export function reveal(list, selector) {
  requestAnimationFrame(() => {
    const row = /** @type {HTMLElement | null} */ (list.querySelector(selector));
    if (row) list.scrollTop = row.offsetTop - list.offsetTop - list.clientHeight / 2;
  });
}
