/** The name of an icon -> its drawing, in the colour of the text around it. */

import { svg } from "./elements.js";

/** @type {Record<string, string>} strokes on a 20 by 20 sheet; those that end in z are filled as well */
const STROKES = {
  first: "M5.5 4.5v11M14.5 5l-5 5 5 5",
  previous: "M12 5l-5 5 5 5",
  play: "M7 4.5l8.5 5.5L7 15.5z",
  pause: "M7 5v10M13 5v10",
  next: "M8 5l5 5-5 5",
  last: "M14.5 4.5v11M5.5 5l5 5-5 5",
  closer: "M10 5v10M5 10h10",
  farther: "M5 10h10",
  fit: "M4 8V4h4M12 4h4v4M16 12v4h-4M8 16H4v-4",
  parameters: "M3 6.5h6v7H3zM12 4.5h5v3h-5zM12 12.5h5v3h-5zM9 10h1.5M10.500 6v8M10.500 6H12M10.500 14H12",
  regroup: "M3.500 3.500h13v13h-13zM6.500 6.500h7v3h-7zM6.500 12.500h3M12 12.500h1.500",
  turn: "M4 16V5M4 5L1.8 7.4M4 5l2.2 2.4M4 16h12M16 16l-2.4-2.2M16 16l-2.4 2.2",
  over: "M4 12a6 6 0 0 1 12 0M16 12l2.4-3.4M16 12l-3.8-1.6M10 14.5v.2",
  backover: "M16 12a6 6 0 0 0-12 0M4 12L1.6 8.6M4 12l3.8-1.6M10 14.5v.2",
  into: "M10 3.5v8M10 11.5l-3.2-3.2M10 11.5l3.2-3.2M5.5 16h9",
  back: "M16 10H4.5M9 5l-5 5 5 5",
  onward: "M4 10h11.5M11 5l5 5-5 5",
  all: "M10 8.5V3M7 5.5L10 2.5l3 3M10 11.5V17M7 14.5l3 3 3-3M4 10h12",
  side: "M3 5h6v10H3zM11 5h6v10h-6z",
  copy: "M7.5 4h8v9h-8zM4.5 7v9h8",
  words: "M3 4.5h14v11H3zM11.5 4.5v11M14 8h1M14 11h1",
  leave: "M5.5 5.5l9 9M14.5 5.5l-9 9",
  error: "M10 3a7 7 0 1 0 .01 0zM10 6.5v4.2M10 13.4v.2",
  warning: "M10 3.2L17.4 16H2.6zM10 8v3.6M10 13.8v.2",
  hint: "M10 3a7 7 0 1 0 .01 0M10 9.2v4.4M10 6.4v.2",
};

/** @param {string} name */
export function icon(name) {
  const d = STROKES[name] ?? STROKES.hint;
  return svg(
    "svg.icon",
    { viewBox: "0 0 20 20", "data-icon": name, "aria-hidden": "true" },
    svg("path", { d }),
  );
}
