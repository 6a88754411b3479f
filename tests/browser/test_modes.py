"""Each mode of the debugger, light and dark: the same structure as kept, and pictures to look at."""

from __future__ import annotations

from pathlib import Path

import pytest

import tapeviz as tf
from tapeviz.views.page.save_html import save_html
from tests.browser.debugger_page import go_to

pytestmark = pytest.mark.browser

GOLDEN = Path(__file__).parent / "golden"
# What is seen, one line an element: its class, its states, its words; no place, no size, no colour.
STRUCTURE = """() => {
  const root = document.querySelector(".tapeviz").shadowRoot;
  const parts = ".box, .wire, .frame-head, .panel .row, .crumbs button, .legend li, .scale, .reveal, .prose";
  const states = ["state", "flags", "measured", "odd", "dim", "lit", "kind"];
  const seen = each => each instanceof SVGElement || each.checkVisibility();
  return [...root.querySelectorAll(parts)].filter(seen).map(each => {
    const said = states.flatMap(name => each.dataset[name] === undefined ? [] : [`${name}=${each.dataset[name]}`]);
    const texts = [...each.querySelectorAll("text, .label, .tensor, .value, span, .scale button")];
    const words = texts.map(text => text.textContent.trim());
    const told = [...new Set(words)].join(" | ") || each.textContent;
    return [each.classList[0] ?? each.localName, ...said, told].join("  ").trimEnd();
  }).join("\\n") + "\\n";
}"""
MODES = {
    "steps": ("#step=3", []),
    "forward": ("#run=-1&step=4", []),
    "gradient": ("#lens=gradient", []),
    "memory": ("#lens=memory", []),
    "health": ("#lens=health", []),
    "lecture": ("#step=3&lecture", []),
    "predict": ("#step=3&predict", []),
    "unfolded": ("#step=3", ["u"]),
}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    w, unused = tf.Variable(0.5, name="w"), tf.Variable(1.0, name="unused")
    with tf.GradientTape() as tape:
        y = tf.constant(2.0)
        for _ in range(20):
            y = tf.tanh(y * w)
        loss = tf.square(y - 1.0)
    tape.gradient(loss, [w, unused])
    notes = {3: "Look at the loop."}
    return save_html(tape, tmp_path_factory.mktemp("saved") / "modes.html", sources=False, notes=notes)


@pytest.fixture(scope="module")
def pages(file, open_file):
    """A window of each colour scheme."""
    return {scheme: open_file(file, color_scheme=scheme).page for scheme in ("light", "dark")}


@pytest.mark.parametrize("mode", MODES)
def test_light_and_dark_have_the_structure_that_is_kept(mode, file, pages, snap, axe, golden):
    address, keys = MODES[mode]
    for scheme, page in pages.items():
        go_to(page, file, address)
        for key in keys:
            page.keyboard.press(key)
        snap(page, f"mode-{mode}-{scheme}")
        found = page.evaluate(STRUCTURE)
        assert axe(page, ".tapeviz") == []
        golden(GOLDEN / f"{mode}.txt", found)
