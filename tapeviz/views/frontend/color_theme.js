/** The page around -> is it dark? Kept in an attribute of our host, as the page's theme may change at any time. */

const DARK = "(prefers-color-scheme: dark)";

/**
 * @param {HTMLElement} host gets `data-theme`
 * @param {AbortSignal} signal
 */
export function followColorTheme(host, signal) {
  const system = matchMedia(DARK);
  const show = () => {
    host.dataset.theme = (toldByPage() ?? system.matches) ? "dark" : "light";
  };
  const observer = new MutationObserver(show);
  for (const element of [document.documentElement, document.body]) observer.observe(element, { attributes: true });
  system.addEventListener("change", show, { signal });
  signal.addEventListener("abort", () => observer.disconnect());
  show();
}

/** JupyterLab, VS Code and Colab each say it in their own way; null: the page says nothing. */
function toldByPage() {
  const { body, documentElement } = document;
  const { jpThemeLight, vscodeThemeKind } = body.dataset;
  if (jpThemeLight) return jpThemeLight === "false";
  if (vscodeThemeKind) return /dark|high-contrast$/.test(vscodeThemeKind);
  const theme = documentElement.getAttribute("theme");
  return theme ? theme === "dark" : null;
}
