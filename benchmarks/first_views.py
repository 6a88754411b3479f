"""Print what a reader sees of ten programs when their pages open, measured in Chromium.

python -m benchmarks.first_views [NAME ...] [--window 1440x900] [--save FOLDER]     the programs by name: some, or all

For each: its ops; the boxes that are in view, and those that there are; which way the picture runs; the size of the
smallest text in view; how much of the smaller side of the window's room for the graph is drawn in; what a lecturer's
notes cover in the first, the middle and the last step, together; and the page.
"""

from __future__ import annotations

import tempfile
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from benchmarks.first_view_programs import PROGRAMS
from benchmarks.table import Rows, table
from tapeviz.events import log_of
from tapeviz.views.page.save_html import save_html
from tapeviz.views.reading import read
from tests.browser.chromium import ADVICE, FLAGS, find_browser

SETTLED_MS = 600
SEEN = """() => {
  const root = document.querySelector(".tapeviz").shadowRoot;
  const graph = root.querySelector(".graph");
  const room = graph.getBoundingClientRect();
  const seen = [...root.querySelectorAll(".box")].filter((box) => {
    const { left, top, right, bottom } = box.querySelector(".body").getBoundingClientRect();
    return right > room.left && left < room.right && bottom > room.top && top < room.bottom;
  });
  const shown = (text) => {
    const { opacity, fontSize } = getComputedStyle(text);
    return text.textContent.trim() && opacity !== "0" && fontSize !== "0px";
  };
  const texts = seen.flatMap((box) => [...box.querySelectorAll("text, tspan")]).filter(shown);
  const sizes = texts.map((text) => text.getScreenCTM().a * parseFloat(getComputedStyle(text).fontSize));
  const bodies = seen.map((box) => box.querySelector(".body").getBoundingClientRect());
  const within = (side, other) => [
    Math.max(Math.min(...bodies.map((each) => each[side])), room[side]),
    Math.min(Math.max(...bodies.map((each) => each[other])), room[other])];
  const [start, end] = room.width < room.height ? within("left", "right") : within("top", "bottom");
  return {
    seen: seen.length, all: root.querySelectorAll(".box").length, flow: graph.dataset.flow,
    text: Math.min(...sizes), share: (end - start) / Math.min(room.width, room.height) };
}"""

NOTE = "Each path gives a part, and the parts are summed: what comes last is the largest."
UNDER = """() => {
  const root = document.querySelector(".tapeviz").shadowRoot;
  const room = root.querySelector(".graph").getBoundingClientRect();
  const note = root.querySelector(".callout").getBoundingClientRect();
  const { left, top, right } = note;
  const bottom = Math.min(note.bottom, room.bottom);
  if (top > bottom) return [0, 0];
  const boxes = [...root.querySelectorAll(".box .body")].filter((body) => {
    const box = body.getBoundingClientRect();
    return box.right > left && box.left < right && box.bottom > top && box.top < bottom;
  });
  const wires = [...root.querySelectorAll(".wire .line")].filter((line) => {
    const { a, e, f } = line.getScreenCTM();
    const count = Math.ceil(line.getTotalLength());
    return Array.from({ length: count }, (_, at) => line.getPointAtLength(at)).some(({ x, y }) =>
      a * x + e > left && a * x + e < right && a * y + f > top && a * y + f < bottom);
  });
  return [boxes.length, wires.length];
}"""


def covered(page: Page, steps: list[int]) -> str:
    """How many boxes, and wires, the notes of these steps cover in a lecture, together."""
    found = []
    for step in steps:
        page.evaluate("step => { location.hash = `step=${step}&lecture` }", step)
        page.wait_for_timeout(SETTLED_MS)
        found.append(page.evaluate(UNDER))
    return ", ".join(str(sum(each)) for each in zip(*found, strict=True))


def measured(page: Page, file: Path, ops: int, noted: list[int]) -> tuple[str, ...]:
    """A row of the table, without the name of the program; there are notes for some steps."""
    page.goto(file.as_uri())
    page.wait_for_selector(".debugger[data-ready]")
    page.wait_for_timeout(SETTLED_MS)
    page.screenshot(path=file.with_suffix(".png"))
    found: dict[str, Any] = page.evaluate(SEEN)
    return (
        f"{ops:,}",
        f"{found['seen']} of {found['all']}",
        found["flow"],
        f"{found['text']:.1f} px",
        f"{found['share']:.0%}",
        covered(page, noted),
        f"{file.stat().st_size / 1000:,.0f} kB",
    )


def main() -> None:
    """Print the table."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[*PROGRAMS, []], help=", ".join(PROGRAMS))
    parser.add_argument("--window", default="1440x900")
    parser.add_argument("--save", type=Path, help="a folder for the pages and their pictures")
    options = parser.parse_args()
    browser = find_browser()
    if browser is None:
        raise SystemExit(ADVICE)
    width, height = map(int, options.window.split("x"))
    rows: Rows = []
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        folder = options.save or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        page = playwright.chromium.launch(executable_path=browser, args=list(FLAGS)).new_page()
        page.set_viewport_size({"width": width, "height": height})
        for name in options.names or PROGRAMS:
            log = log_of(PROGRAMS[name]())
            reading = read(log)
            last = len(reading.runs[-1].steps)
            noted = sorted({1, (last + 1) // 2, last})
            file = save_html(log, folder / f"{name.replace(' ', '_')}.html", notes=dict.fromkeys(noted, NOTE)).resolve()
            rows.append((name, *measured(page, file, len(reading.graph.ops), noted)))
    heads = [
        "ops",
        "boxes in view",
        "runs",
        "smallest text",
        "of the smaller side",
        "under notes: boxes, wires",
        "page",
    ]
    print(table(f"First views at {options.window}", heads, rows))


if __name__ == "__main__":
    main()
