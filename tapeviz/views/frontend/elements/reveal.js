/** A scrolling list and one of its rows -> the list scrolled to that row, and nothing around it. */

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
