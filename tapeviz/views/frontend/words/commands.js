/** What can be done in a debugger -> the words for it, and the keys that do it. */

/**
 * Words and keys by the name of what is done; of several keys the first is named beside a button. The list of keys has
 * two of them in a row.
 *
 * @type {Record<string, [words: string, ...keys: string[]]>}
 */
const COMMANDS = {
  previous: ["Previous step", "ArrowLeft", "PageUp"],
  next: ["Next step", "ArrowRight", "PageDown"],
  first: ["First step", "Home"],
  last: ["Last step", "End"],
  play: ["Play", " "],
  find: ["Find an op, a name, a shape, a line or a cause", "/"],
  over: ["Step over the folded group", "o"],
  backover: ["Step back over the folded group", "O"],
  into: ["Step into the folded group", "i"],
  all: ["Unfold everything, or fold it again", "u"],
  above: ["To the box above", "ArrowUp"],
  below: ["To the box below", "ArrowDown"],
  open: ["Open the box", "Enter"],
  turn: ["From left to right, or from top to bottom", "d"],
  regroup: ["Boxes by module, by function and line, or flat", "g"],
  parameters: ["Parameters in boxes of their own, or tucked in", "w"],
  closer: ["Zoom in", "+", "="],
  farther: ["Zoom out", "-"],
  fit: ["Fit the graph", "0"],
  copy: ["Copy a number, formula or sentence; again: the next", "c"],
  side: ["Value and gradient side by side", "v"],
  words: ["Words beside the graph", "s"],
  back: ["Previous view", "["],
  onward: ["Next view", "]"],
  lecture: ["Full screen and large type", "l"],
  predict: ["Cover the numbers of each step until the next key", "p"],
  speaker: ["A second window, with notes and answers", "n"],
  help: ["The keys", "?"],
  leave: ["Close what is open", "Escape"],
};

const BY_KEY = new Map(Object.entries(COMMANDS).flatMap(([name, [, ...keys]]) => keys.map((key) => [key, name])));

/** Only on the graph: from box to box. */
const ON_GRAPH = ["above", "below", "open"];

/** What stands on a key whose name is another. @type {Record<string, string>} */
const ON_KEYS = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", " ": "Space", "-": "−", Escape: "Esc" };

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
 * @returns {string | null} the name of what is done
 */
export function actionOf({ key, ctrlKey, metaKey, altKey }, place) {
  if (place === "typing" && key !== "Escape") return null;
  if (ctrlKey || metaKey || altKey || OWN_KEYS.get(place)?.includes(key)) return null;
  const name = BY_KEY.get(key) ?? null;
  return name && ON_GRAPH.includes(name) && place !== "graph" ? null : name;
}

/** @param {string} name */
export function wordsOf(name) {
  return COMMANDS[name][0];
}

/** The same with its key. @param {string} name */
export function wordsAndKeyOf(name) {
  const [words, key] = COMMANDS[name];
  return `${words} (${onKey(key)})`;
}

/** @returns {[keys: string[], words: string][]} all, as they stand on the keys */
export function keysAndWords() {
  return Object.values(COMMANDS).map(([words, ...keys]) => [keys.map(onKey), words]);
}

/** @param {string} key */
function onKey(key) {
  return ON_KEYS[key] ?? key;
}
