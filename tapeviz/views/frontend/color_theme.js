/** The text colour of the page around -> is the page dark? Kept in an attribute of our host, as it may change at any time. */

/**
 * Notebooks, editors and books each have their own way to say which theme they wear, and all of them write in its
 * colour. The host inherits it: when it changes, for whatever reason, the host's transition ends. JupyterLab hides itself
 * for the change, which ends no transition; it changes an attribute.
 *
 * @param {HTMLElement} host gets `data-theme`
 * @param {() => void} [repaint] what is no element, and so has no styles that follow
 * @param {AbortSignal} [signal]
 */
export function followColorTheme(host, repaint, signal) {
  // `color-mix` spells every colour in the same way; `flood-color` can carry it, as it paints nothing here.
  Object.assign(host.style, { transition: "color 1ms", floodColor: "color-mix(in srgb, currentColor, currentColor)" });
  const show = () => {
    const [red, green, blue] = (getComputedStyle(host).floodColor.match(/[\d.e-]+/g) ?? []).map(Number);
    const theme = 0.3 * red + 0.6 * green + 0.1 * blue > 0.5 ? "dark" : "light";
    if (theme === host.dataset.theme) return;
    host.dataset.theme = theme;
    repaint?.();
  };
  host.addEventListener("transitionend", show, { signal });
  const changed = new MutationObserver(show);
  for (const element of [document.documentElement, document.body]) changed.observe(element, { attributes: true });
  // A notebook may call us before it puts the host into its page.
  const arrived = new ResizeObserver(show);
  arrived.observe(host);
  for (const observer of [changed, arrived]) signal?.addEventListener("abort", () => observer.disconnect());
  show();
}
