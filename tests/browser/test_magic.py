"""%%tape in JupyterLab, on cells of the engine, TensorFlow and PyTorch: run, step, and fail in front of a user."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from tests.browser.debugger_page import DEBUGGER

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ENGINE = """\
%%tape log
import tapeviz as tf
w = tf.Variable([1.0, 2.0], name="w")
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(tf.square(w))
tape.gradient(loss, w).numpy().tolist()"""
TORCH = """\
%%tape log
import torch
w = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
loss = w.square().sum()
loss.backward()
w.grad.tolist()"""
CELLS = {"engine": ENGINE, "tensorflow": ENGINE.replace("tapeviz as tf", "tensorflow as tf"), "torch": TORCH}
MODULES = {"engine": "tapeviz", "tensorflow": "tensorflow", "torch": "torch"}
FAILING = "%%tape\nimport tapeviz as tf\nw = tf.Variable(2.0)\nwith tf.GradientTape():\n    y = w * w\n    1 / 0"


@pytest.fixture(scope="module", params=list(CELLS))
def book(request, open_notebook):
    if find_spec(MODULES[request.param]) is None:
        pytest.skip(f"{MODULES[request.param]} is not installed")
    with open_notebook(["%load_ext tapeviz", CELLS[request.param]]) as book:
        book.run_cell(0)
        book.run_cell(1)
        yield book


def test_the_result_is_there_and_the_debugger_below_it(book, snap):
    result, page = book.outputs()[1][:2]
    assert result["data"]["text/plain"] == "[2.0, 4.0]"
    assert "text/html" in page["data"]
    frame = book.output(1).frame_locator("iframe")
    frame.locator(DEBUGGER).wait_for()
    assert {"w", "loss"} <= {text.strip() for text in frame.locator(".box text").all_text_contents()}
    snap(book.page, "magic")


def test_it_steps_backward(book):
    frame = book.output(1).frame_locator("iframe")
    frame.locator(DEBUGGER).wait_for()
    frame.locator("h2").click()
    for _ in range(2):
        book.page.keyboard.press("ArrowRight")
    frame.locator(".debugger[data-step='2']").wait_for()


def test_names_are_bound_and_the_log_answers(book):
    assert book.read("[float(each) for each in log.value(log.id_of('w'))]") == [1.0, 2.0]
    assert book.read("log.closed") is True
    book.wait_py("'w' in globals() and 'loss' in globals()", True)


def test_a_failing_cell_shows_its_error_and_below_it_what_was_recorded(open_notebook):
    with open_notebook(["%load_ext tapeviz", FAILING, "'after'"]) as book:
        book.run_cell(0)
        with pytest.raises(AssertionError, match="ZeroDivisionError"):
            book.run_cell(1)
        error, page = book.outputs()[1]
        assert error["output_type"] == "error"
        assert "magic.py" not in "".join(error["traceback"])
        assert "text/html" in page["data"]
        book.output(1).frame_locator("iframe").locator(DEBUGGER).wait_for()
