"""Both displays in JupyterLab 4 and Notebook 7: the live widget, and the tape as the last line of a cell."""

from __future__ import annotations

import pytest

from tests.browser.debugger_page import DEBUGGER, box

pytestmark = pytest.mark.browser

PROGRAM = """\
import tapeviz as tf
from tapeviz.engine.ops.activations import relu
x = tf.constant([[1.0, 2.0]])
w1 = tf.Variable([[0.5, -1.0], [0.25, 1.0]], name="w1")
w2 = tf.Variable([[1.0], [2.0]], name="w2")
b2 = tf.Variable([0.5], name="b2")
with tf.GradientTape() as tape:
    h = relu(x @ w1)
    h = tf.constant(h.numpy())
    y = tf.tanh(h @ w2 + b2)
    loss = tf.reduce_mean(tf.square(tf.sigmoid(y)))
gradients = tape.gradient(loss, [w1, w2, b2])"""
CELLS = [PROGRAM, "import tapeviz as tv\nw = tv.debug(tape)\nw", "tape", "w"]
WIDGET, TAPE, AGAIN = 1, 2, 3
APPS = ["lab", "notebook"]


@pytest.fixture(scope="module", params=APPS)
def book(request, open_notebook):
    with open_notebook(CELLS, app=request.param) as book:
        book.run_all()
        book.output(WIDGET).locator(DEBUGGER).wait_for()
        yield book


def widget(book):
    return book.output(WIDGET).locator(DEBUGGER)


def press(book, *keys):
    # Just after a scroll Chromium sends a click to the frame that stood there before.
    widget(book).locator("h2").click(trial=True)
    widget(book).locator("h2").click()
    for key in keys:
        book.page.keyboard.press(key)


def test_five_times_right_is_step_five(book):
    press(book, "Home", *["ArrowRight"] * 5)
    assert widget(book).get_attribute("data-step") == "5"
    book.wait_py("w.step", 5)


def test_python_reads_which_box_was_clicked(book):
    box(widget(book), "b2").click()
    book.wait_py("w.selected == tape.log.id_of(b2)", True)
    assert widget(book).locator(".card h3").inner_text() == "b2"
    press(book, "Escape")
    book.wait_py("w.selected", -1)


def test_python_moves_the_page(book):
    assert book.read("setattr(w, 'step', 2)") is None
    book.output(WIDGET).locator(".debugger[data-step='2']").wait_for()
    assert book.read("setattr(w, 'selected', tape.log.id_of(w2))") is None
    widget(book).locator(".card h3", has_text="w2").wait_for()
    assert book.read("(setattr(w, 'run', -1), setattr(w, 'step', 3), w.step)") == (None, None, 3)
    book.output(WIDGET).locator(".debugger[data-run='-1'][data-step='3']").wait_for()
    assert book.read("(setattr(w, 'selected', -1), setattr(w, 'run', 0), setattr(w, 'step', 0))") == (None, None, None)
    book.output(WIDGET).locator(".debugger[data-run='0'][data-step='0']").wait_for()


def test_the_direction_reaches_python(book):
    press(book, "Home", "ArrowRight", "ArrowRight")
    book.wait_py("(w.run, w.step)", (0, 2))
    widget(book).get_by_role("button", name="Forward").click()
    book.wait_py("(w.run, w.step)", (-1, 0))
    press(book, "ArrowRight", "ArrowRight")
    book.wait_py("(w.run, w.step)", (-1, 2))
    widget(book).get_by_role("button", name="Backward").click()
    book.wait_py("(w.run, w.step)", (0, 0))


def test_the_none_source_is_marked(book):
    marked = widget(book).locator(".box[data-flags~=none]").first
    assert "w1" in marked.text_content()
    assert "None" in marked.text_content()
    assert book.read("gradients[0] is None")


def test_the_notebook_keeps_its_hands_off_the_keys(book):
    press(book)
    widget(book).locator(".sources .tensor").first.click()  # which writes the panel anew that holds the focus
    before = book.cells(), book.active_cell()
    for key in ("a", "b", "m", "x", "d", "d", "j", "k", "ArrowDown", "ArrowUp", "Home", "Enter", "Escape"):
        book.page.keyboard.press(key)
    assert (book.cells(), book.active_cell()) == before
    assert before[0] == [("code", source) for source in CELLS]


def test_the_widget_wears_the_theme_of_the_notebook(book, snap):
    papers = []
    for theme in ("dark", "light"):
        book.set_theme(theme)
        widget(book).page.wait_for_timeout(100)
        papers.append(widget(book).evaluate("e => getComputedStyle(e).backgroundColor"))
        assert widget(book).evaluate("e => e.getRootNode().host.dataset.theme") == theme
        snap(book.page, f"debugger-{book.app}-{theme}")
    assert papers[0] != papers[1]


def test_the_frame_wears_it_too(book):
    book.output(TAPE).scroll_into_view_if_needed()
    frame = book.output(TAPE).frame_locator("iframe")
    for theme in ("dark", "light"):
        book.set_theme(theme)
        frame.locator(f".tapeviz[data-theme={theme}]").wait_for()


@pytest.mark.parametrize(("system", "theme"), [("light", "dark"), ("dark", "light")])
def test_a_frame_that_opens_in_the_other_theme_than_the_system_s_wears_the_notebook_s(book, system, theme, snap):
    book.page.emulate_media(color_scheme=system)
    book.set_theme(theme)
    book.run_cell(TAPE).scroll_into_view_if_needed()
    frame = book.output(TAPE).frame_locator("iframe")
    frame.locator(f".tapeviz[data-theme={theme}]").wait_for()
    papers = [frame.locator(each).evaluate("e => getComputedStyle(e).backgroundColor") for each in ("html", DEBUGGER)]
    assert papers == ["rgb(20, 23, 28)" if theme == "dark" else "rgb(255, 255, 255)"] * 2
    snap(book.page, f"frame-{book.app}-{theme}")
    book.page.emulate_media(color_scheme="light")
    book.set_theme("light")


def test_axe_finds_nothing(book, axe):
    assert book.read("setattr(w, 'selected', tape.log.id_of(b2))") is None
    widget(book).locator(".card h3", has_text="b2").wait_for()
    assert axe(book.page, ".tapeviz") == []
    press(book, "Escape")


def test_two_views_of_one_widget_move_as_one(book):
    press(book, "Home", "ArrowRight")
    book.output(AGAIN).locator(".debugger[data-step='1']").wait_for()


def test_the_picture_is_there_for_readers_without_widgets(book):
    [output] = book.outputs()[WIDGET]
    assert 'src="data:image/svg+xml;base64,' in "".join(output["data"]["text/html"])
    assert "application/vnd.jupyter.widget-view+json" in output["data"]


@pytest.mark.parametrize("app", APPS)
def test_a_tape_steps_without_a_kernel(open_notebook, app):
    with open_notebook([PROGRAM, "tape"], app=app) as book:
        book.run_all()
        frame = book.output(1).frame_locator("iframe")
        frame.locator(DEBUGGER).wait_for()
        book.shut_down()
        frame.locator("h2").click()
        for _ in range(5):
            book.page.keyboard.press("ArrowRight")
        assert frame.locator(DEBUGGER).get_attribute("data-step") == "5"
        book.page.emulate_media(reduced_motion="reduce")  # a click finds the boxes where they will stay
        book.page.keyboard.press("0")
        frame.locator(".box[data-flags~=none]").first.click()
        assert frame.locator(".card h3").inner_text() == "w1"
        assert book.output(1).locator("img").is_hidden()
        assert book.cells() == [("code", PROGRAM), ("code", "tape")]


def test_a_cell_of_a_small_tape_is_small(book):
    [output] = book.outputs()[TAPE]
    assert len("".join(output["data"]["text/html"]).encode()) < 200_000
