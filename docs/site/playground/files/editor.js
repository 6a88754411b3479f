// The keys of an editor for Python, in a textarea.

const INDENT = "    ";

/**
 * Tab indents, Enter keeps the indentation, Ctrl+Enter runs; after Esc, Tab leaves.
 * @param {HTMLTextAreaElement} area
 * @param {() => void} run
 */
export function edit(area, run) {
  let leaving = false;
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run();
    else if (event.key === "Tab" && !leaving && !event.shiftKey) insert(area, INDENT);
    else if (event.key === "Enter") insert(area, `\n${indentation(area)}`);
    else {
      leaving = event.key === "Escape" || (leaving && event.key === "Tab");
      return;
    }
    event.preventDefault();
  });
}

/** Text in place of the selection, which an undo takes back. */
function insert(area, text) {
  // It is the one way that the browser's own undo knows of.
  document.execCommand("insertText", false, text);
}

/** What the next line begins with: as this one, further in behind a colon. */
function indentation(area) {
  const line = area.value.slice(0, area.selectionStart).split("\n").at(-1) ?? "";
  return (line.match(/^ */)?.[0] ?? "") + (/:\s*(#.*)?$/.test(line) ? INDENT : "");
}
