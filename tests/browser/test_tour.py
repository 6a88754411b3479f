"""The tour as a newcomer takes it: run all of it, step back through the network, meet the planted bug."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.debugger_page import DEBUGGER, box

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TOUR = Path(__file__).parents[2] / "notebooks" / "01_first_tape.ipynb"


@pytest.fixture(scope="module", params=["lab", "notebook"])
def tour(request, open_notebook):
    with open_notebook(TOUR, app=request.param) as book:
        book.run_all()
        yield book


def cell(book, source):
    """The index of the first cell that begins with `source`."""
    return next(index for index, (_, text) in enumerate(book.cells()) if text.startswith(source))


def test_the_network_learned(tour):
    tour.wait_py("losses[0] > 1.0 and losses[-1] < 0.15", True)


def test_stepping_and_clicking_reach_python(tour, snap):
    view = tour.output(cell(tour, "debugger = tf.debug(tape)")).locator(DEBUGGER)
    view.wait_for()
    view.locator("h2").click()
    for key in ["Home", *["ArrowRight"] * 5]:
        tour.page.keyboard.press(key)
    tour.wait_py("debugger.step", 5)
    box(view, "w2").click()
    tour.wait_py("debugger.selected == tape.log.id_of(w2)", True)
    snap(tour.page, f"tour-{tour.app}")


def test_the_planted_bug_is_marked_and_explained(tour):
    finding = tour.output(cell(tour, "tf.why(leaking, loss, w1)"))
    assert "hidden.numpy()" in finding.inner_text()
    frame = tour.output(cell(tour, "leaking")).frame_locator("iframe")
    frame.locator(DEBUGGER).wait_for()
    marked = frame.locator('.box[data-flags~="none"]')
    assert {text.removesuffix("None")[:2] for text in marked.all_text_contents()} == {"w1", "b1"}
