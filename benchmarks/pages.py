"""Print how long it takes from a recorded log to a painted page in Chromium, and a step there.

python -m benchmarks.pages [NAME ...] [--rounds N] [--peers]     the tapes by name: some, or all

For each tape: its ops; what `save_html` takes; what Chromium takes from the file to the painted graph; both together,
which is what a reader waits; one step by key, one box selected and one group unfolded, until the next frame; everything
unfolded; a step and a selection there; frames a second while that is dragged, read near and seen from afar (the slower
of both, by the median frame); the file; the output cell; the boxes that are seen. The least of the rounds counts:
whatever else the machine does only adds.

With --peers, what other tools that are installed take for the same program in PyTorch, each in its turn.
"""

from __future__ import annotations

import tempfile
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from playwright.sync_api import Browser, Error, Page, sync_playwright

import tapeviz as tf
from benchmarks.page_programs import chain, rnn, transformer
from benchmarks.peers import PATIENCE, Drawn, drawn, installed
from tapeviz.views.page.save_html import save_html
from tapeviz.views.page.show import bundle
from tests.browser.chromium import ADVICE, FLAGS, find_browser

READY = ".debugger[data-ready]"
# Two frames: the first one is painted when the second begins.
PAINTED = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))"
# What one does, until its work is done and the layout with it: the next frame is painted then.
ACT = """action => new Promise(done => {
  const root = document.querySelector(".tapeviz").shadowRoot.querySelector(".debugger");
  const actions = {
    step: () => root.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true })),
    select: () => root.querySelector(".sources .tensor").click(),
    unfold: () => root.querySelector(".box .fold-mark")?.dispatchEvent(new MouseEvent("click", { bubbles: true })),
  };
  const start = performance.now();
  actions[action]();
  root.getBoundingClientRect();
  const worked = performance.now() - start;
  requestAnimationFrame(() => requestAnimationFrame(() => done(worked)));
})"""
STEPS = 20
# Drags the graph about, a little further in each frame; the median time of a frame, in milliseconds.
PAN = """async () => {
  const graph = document.querySelector(".tapeviz").shadowRoot.querySelector(".graph");
  const { x, y } = graph.getBoundingClientRect();
  const fire = (type, right, down) => graph.dispatchEvent(
    new PointerEvent(type, { bubbles: true, button: 0, clientX: x + right, clientY: y + down }));
  graph.setPointerCapture = () => {};
  fire("pointerdown", 300, 300);
  const gaps = [];
  for (let frame = 1, last = performance.now(); frame <= 60; frame += 1) {
    fire("pointermove", 300 + 150 * Math.sin(frame / 9), 300 - 4 * frame);
    await new Promise(requestAnimationFrame);
    gaps.push(performance.now() - last);
    last = performance.now();
  }
  fire("pointerup", 0, 0);
  return gaps.sort((a, b) => a - b)[30];
}"""


class MeasuredTape(NamedTuple):
    """How to make a tape, the seconds that its page and a step there may take, and the same program for the peers."""

    tape: Callable[[], tf.GradientTape]
    painted: float
    step: float = 0.05
    peers: str | None = None


TAPES = {
    "chain of 1,000": MeasuredTape(lambda: chain(333), 2.0, peers="chain 333"),
    "30 blocks": MeasuredTape(lambda: transformer(30), 2.0, peers="transformer 30"),
    "RNN of 50": MeasuredTape(lambda: rnn(50), 2.0, peers="rnn 50"),
    "RNN of 130": MeasuredTape(lambda: rnn(130), 2.0, peers="rnn 130"),
    "chain of 10,000": MeasuredTape(lambda: chain(3333), 3.0),
    "294 blocks": MeasuredTape(lambda: transformer(294), 3.0),
}
HEADINGS = (
    *("tape", "ops", "save", "open", "painted", "limit", "step", "select", "one group", "all"),
    *("step", "select", "frames", "file", "cell", "boxes"),
)


class Taken(NamedTuple):
    """Seconds, and how many boxes are seen at first."""

    save: float
    open: float
    step: float
    select: float
    group: float
    unfold: float
    unfolded_step: float
    unfolded_select: float
    frame: float
    boxes: int


def measure(browser: Browser, tape: tf.GradientTape, path: Path) -> Taken:
    """One tape, once, read anew."""
    start = perf_counter()
    save_html(tape, path)
    saved = perf_counter()
    page = browser.new_page(bypass_csp=True, viewport={"width": 1280, "height": 900})
    begun = perf_counter()
    page.goto(path.as_uri())
    page.wait_for_selector(READY)
    page.evaluate(PAINTED)
    opened = perf_counter()
    boxes = page.locator(".box").count()
    step, select, group = _acted(page, "step", STEPS), _acted(page, "select"), _acted(page, "unfold")
    page.keyboard.press("Escape")
    begun_again = perf_counter()
    page.keyboard.press("u")
    page.evaluate(PAINTED)
    unfold = perf_counter() - begun_again
    unfolded = _acted(page, "step", STEPS), _acted(page, "select")
    near = page.evaluate(PAN)
    page.keyboard.press("0")
    page.evaluate(PAINTED)
    frame = max(near, page.evaluate(PAN)) / 1000
    taken = Taken(saved - start, opened - begun, step, select, group, unfold, *unfolded, frame, boxes)
    page.close()
    return taken


def _acted(page: Page, action: str, times: int = 1) -> float:
    """The longest of so many, in seconds."""
    return float(max(page.evaluate(ACT, action) for _ in range(times)) / 1000)


def row(browser: Browser, name: str, folder: Path, rounds: int) -> tuple[str, ...]:
    """The figures of one tape."""
    measured = TAPES[name]
    tape = measured.tape()
    path = folder / "page.html"
    taken = [measure(browser, tape, path) for _ in range(rounds)]
    save, opened, step, select, group, unfold, unfolded_step, unfolded_select, frame = (
        min(getattr(each, field) for each in taken) for field in Taken._fields[:-1]
    )
    painted = min(each.save + each.open for each in taken)
    ops = sum(type(event).__name__ in ("OpRecorded", "OpSkipped") for event in tape.log.events)
    verdict = "ok" if painted < measured.painted and step < measured.step else "over"
    return (
        name, f"{ops:,}", f"{save:.2f} s", f"{opened:.2f} s", f"{painted:.2f} s", f"{measured.painted:.0f} s {verdict}",
        f"{1000 * step:.0f} ms", f"{1000 * select:.0f} ms", f"{1000 * group:.0f} ms", f"{unfold:.2f} s",
        f"{1000 * unfolded_step:.0f} ms", f"{1000 * unfolded_select:.0f} ms", f"{1 / frame:.0f}/s",
        f"{path.stat().st_size / 1000:,.0f} kB",
        f"{len(bundle(tape)['text/html'].encode()) / 1000:,.0f} kB", str(taken[-1].boxes),
    )  # fmt: skip


def peers(browser: Browser, program: str, folder: Path) -> str:
    """What the others take from the recorded program to the painted page, or why they do not get there."""
    told = []
    for tool in installed():
        made = drawn(tool, program, folder)
        told.append(f"{tool} {made if isinstance(made, str) else _painted(browser, made)}")
    return "    " + ",  ".join(told or ["none is installed"])


def _painted(browser: Browser, made: Drawn) -> str:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(1000 * PATIENCE)
    begun = perf_counter()
    try:
        page.goto(made.path.as_uri())
        page.wait_for_selector(made.painted, state="attached")
        page.evaluate(PAINTED)
    except Error as error:
        return f"drawn in {made.seconds:.1f} s, then {type(error).__name__} in the browser"
    finally:
        page.close()
    return f"{made.seconds + perf_counter() - begun:.1f} s"


def main() -> None:
    parser = ArgumentParser(
        "python -m benchmarks.pages", description=__doc__, formatter_class=RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(TAPES))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", action="store_true", help="what other tools take for the same programs")
    options = parser.parse_args()
    path = find_browser()
    if path is None:
        raise SystemExit(ADVICE)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        print(_line(HEADINGS))
        for name in options.names or TAPES:
            print(_line(row(browser, name, Path(folder), options.rounds)), flush=True)
            program = TAPES[name].peers
            if options.peers and program:
                print(peers(browser, program, Path(folder)), flush=True)
        browser.close()


def _line(cells: Sequence[str]) -> str:
    first, *others = cells
    return "  ".join([first.ljust(16), *(cell.rjust(9) for cell in others)])


if __name__ == "__main__":
    main()
