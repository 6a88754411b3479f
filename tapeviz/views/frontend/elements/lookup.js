/** Names -> the elements of a page that Python wrote. */

/** @param {string} id of an element that is in every such page */
export function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** @param {string} selector @returns {NodeListOf<HTMLElement>} */
export function all(selector) {
  return document.querySelectorAll(selector);
}
