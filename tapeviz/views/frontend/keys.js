/** A key and where it was pressed -> the name of an action, or null. */

const ACTIONS = new Map(
  Object.entries({
    ArrowLeft: "previous",
    ArrowRight: "next",
    Home: "first",
    End: "last",
    " ": "play",
    "+": "closer",
    "=": "closer",
    "-": "farther",
    0: "fit",
    PageDown: "next",
    PageUp: "previous",
    "/": "find",
    "[": "back",
    "]": "onward",
    l: "lecture",
    n: "speaker",
    p: "predict",
    o: "over",
    O: "backover",
    i: "into",
    u: "all",
    d: "turn",
    g: "regroup",
    w: "parameters",
    v: "side",
    s: "words",
    c: "copy",
    "?": "help",
    Escape: "leave",
  }),
);

/** Only on the graph: the arrows that go from box to box, and the key that opens one. */
const GRAPH_ACTIONS = new Map(Object.entries({ ArrowUp: "above", ArrowDown: "below", Enter: "open" }));

/** Keys an element needs for itself. */
const OWN_KEYS = new Map(
  Object.entries({
    button: [" ", "Enter"],
    select: [" ", "Enter", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End"],
    scroller: ["ArrowLeft", "ArrowRight"],
    summary: [" ", "Enter"],
  }),
);

/**
 * @param {{ key: string, ctrlKey: boolean, metaKey: boolean, altKey: boolean }} event
 * @param {string} place "button", "select", "scroller", "summary", "typing", "graph" or anything else
 */
export function actionOf({ key, ctrlKey, metaKey, altKey }, place) {
  if (place === "typing" && key !== "Escape") return null;
  if (ctrlKey || metaKey || altKey || OWN_KEYS.get(place)?.includes(key)) return null;
  return (place === "graph" ? GRAPH_ACTIONS.get(key) : null) ?? ACTIONS.get(key) ?? null;
}
