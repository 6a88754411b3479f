"""What needs a running program: the check of a step, in the live debugger and where there is no program."""

from __future__ import annotations

import pytest

import tapeviz as tv
from tests.browser.debugger_page import DEBUGGER, box

pytestmark = pytest.mark.browser

PROGRAM = """\
import tapeviz as tv
from tapeviz.engine.ops.activations import relu
x = tv.Variable(3.0, name="x")
b = tv.Variable(0.0, name="b")

@tv.custom_gradient
def doubled(x):
    return 2.0 * x, lambda g: 3.0 * g

with tv.GradientTape() as tape:
    y = tv.sin(x) + relu(b) + doubled(x)
gradients = tape.gradient(y, [x, b])
w = tv.debug(tape)
w"""


@pytest.fixture(scope="module")
def book(open_notebook):
    with open_notebook([PROGRAM]) as book:
        book.run_all()
        book.output(0).locator(DEBUGGER).wait_for()
        yield book


@pytest.fixture
def widget(book):
    return book.output(0).locator(DEBUGGER)


def go_to(book, widget, op):
    """The page at the step of an op."""
    steps = book.read(
        "[w.payload['kinds'][w.payload['ops'][str(step['op'])]['kind']]['name']"
        " for step in w.payload['runs'][0]['steps']]"
    )
    step = steps.index(op) + 1
    book.read(f"setattr(w, 'step', {step})")
    book.output(0).locator(f".debugger[data-step='{step}']").wait_for()


def check(widget):
    widget.get_by_role("button", name="Check").click()


def test_the_kernel_checks_a_step(book, widget, snap):
    go_to(book, widget, "sin")
    check(widget)
    verdict = widget.locator(".verdict[data-verdict='agrees']")
    verdict.wait_for()
    assert "-0.989992 by the VJP, -0.989992 by differences, relative error" in verdict.inner_text()
    assert widget.locator(".check-status").inner_text() == "Finite differences agree."
    snap(widget, "check-agrees")


def test_a_kink_is_told_as_one(book, widget):
    go_to(book, widget, "relu")
    assert widget.locator(".verdict:visible").count() == 0
    check(widget)
    widget.locator(".verdict[data-verdict='kink']", has_text="0.5 by differences").wait_for()


def test_what_was_checked_is_there_when_one_comes_back(book, widget):
    go_to(book, widget, "sin")
    check(widget)
    widget.locator(".verdict[data-verdict='agrees']").wait_for()
    book.page.keyboard.press("ArrowLeft")
    book.page.keyboard.press("ArrowRight")
    assert widget.locator(".verdict[data-verdict='agrees']").is_visible()


def test_what_cannot_be_run_again_says_why(book, widget):
    go_to(book, widget, "doubled")
    check(widget)
    widget.locator(".check-status", has_text="doubled is a function of yours").wait_for()


def test_axe_finds_nothing(book, widget, axe):
    go_to(book, widget, "sin")
    check(widget)
    widget.locator(".verdict[data-verdict='agrees']").wait_for()
    assert axe(book.page, ".tapeviz") == []


LARGE = """\
import tapeviz as tv
x = tv.Variable(tv.reshape(tv.range(9000.0), (90, 100)), name="x")
with tv.GradientTape() as tape:
    y = tv.reduce_sum(x * x)
_ = tape.gradient(y, x)
tv.debug(tape)"""


def test_large_tensors_come_from_the_kernel_when_asked_for(open_notebook):
    with open_notebook([LARGE]) as book:
        book.run_all()
        view = book.output(0).locator(DEBUGGER)
        view.wait_for()
        box(view, "x").click()
        view.get_by_role("button", name="All its numbers").click()
        numbers = view.locator(".all")
        numbers.wait_for()
        assert "8.999e+03" in numbers.inner_text()
        assert "..." not in numbers.inner_text()
        assert "axis 0: one of every 2" in view.locator(".slices").inner_text()
        view.get_by_role("button", name="In full").click()
        view.get_by_role("button", name="In full").wait_for(state="detached")
        view.locator(".heatmap").first.focus()
        for key in ("ArrowRight", "ArrowRight"):
            book.page.keyboard.press(key)
        assert view.locator(".pointed").first.inner_text() == "[0, 1]: 1"


def test_without_a_kernel_it_says_so_and_goes_on_stepping(open_notebook):
    with open_notebook([PROGRAM]) as book:
        book.run_all()
        widget = book.output(0).locator(DEBUGGER)
        widget.wait_for()
        go_to(book, widget, "sin")
        book.shut_down()
        check(widget)
        widget.locator(".check-status", has_text="No answer: the kernel is busy, or gone").wait_for()
        step = int(widget.get_attribute("data-step"))
        book.page.keyboard.press("ArrowLeft")
        assert widget.get_attribute("data-step") == str(step - 1)


def test_a_saved_page_offers_no_check(open_file, tmp_path):
    x = tv.Variable(3.0, name="x")
    with tv.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    opened = open_file(tv.save_html(tape, tmp_path / "square.html"))
    opened.page.locator(DEBUGGER).wait_for()
    opened.page.keyboard.press("ArrowRight")
    opened.page.locator(".contributions").wait_for()
    assert opened.page.get_by_role("button", name="Check").count() == 0


EXPLORE = """\
import tapeviz as tv

def f(x, w):
    if w > 1.9:
        raise ValueError("w is too large")
    return tv.square(x * w - 1.0)

e = tv.explore(f, x=3.0, w=(0.0, 2.0))
e"""


@pytest.fixture(scope="module")
def explored(open_notebook):
    with open_notebook([EXPLORE]) as book:
        book.run_all()
        book.output(0).locator(DEBUGGER).wait_for()
        yield book


def slider(book, name):
    row = book.output(0).locator(".widget-slider", has_text=name)
    return row.locator(".noUi-handle")


def test_a_slider_moves_the_debugger_in_place(explored, snap):
    widget = explored.output(0).locator(DEBUGGER)
    explored.read("setattr(e.widget.children[1], 'value', 1.0)")
    explored.wait_py("e.values['w']", 1.0)
    explored.read("setattr(e.debugger, 'step', 2)")
    explored.output(0).locator(".debugger[data-step='2']").wait_for()
    slider(explored, "w").focus()
    for _ in range(10):
        explored.page.keyboard.press("ArrowRight")
    explored.wait_py("round(e.values['w'], 2)", 1.1)
    widget.locator(".box", has_text="1.1 float32").first.wait_for()
    assert widget.get_attribute("data-step") == "2"
    assert explored.output(0).locator(".debugger").count() == 1
    snap(explored.output(0), "explore")
    widget.get_by_role("button", name="Last step").click()
    gradients = explored.read("[tv.views.words.numbers.number(each.numpy()) for each in e.gradients.values()]")
    assert widget.locator(".sources .value").all_inner_texts() == gradients


def test_the_graph_stays_where_the_reader_has_put_it(explored):
    widget = explored.output(0).locator(DEBUGGER)
    widget.get_by_role("button", name="Zoom in").click()
    placed = widget.locator(".world").get_attribute("style")
    explored.read("setattr(e.widget.children[0], 'value', 2.52)")
    widget.locator(".box", has_text="2.52 float32").first.wait_for()
    assert widget.locator(".world").get_attribute("style") == placed
    widget.get_by_role("button", name="Fit the graph").click()


def test_a_slider_can_be_dragged(explored):
    handle = slider(explored, "x").bounding_box()
    mouse = explored.page.mouse
    mouse.move(handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2)
    mouse.down()
    for pixels in range(0, 60, 3):
        mouse.move(handle["x"] + pixels, handle["y"] + 5)
    mouse.up()
    explored.wait_py("e.values['x'] > 3.5 and e.values['x'] == e.widget.children[0].value", True)
    shown = explored.read("tv.views.words.numbers.number(e.values['x'])")
    explored.output(0).locator(".box", has_text=f"{shown} float32").first.wait_for()


def test_an_error_is_shown_in_place_and_the_slider_goes_on(explored, snap):
    explored.read("setattr(e.widget.children[1], 'value', 2.0)")
    alert = explored.output(0).get_by_role("alert")
    alert.wait_for()
    assert "ValueError: w is too large" in alert.inner_text()
    assert 'Cell In[1], line 5, in f: raise ValueError("w is too large")' in alert.inner_text()
    snap(explored.output(0), "explore-error")
    slider(explored, "w").focus()
    for _ in range(12):
        explored.page.keyboard.press("ArrowLeft")
    alert.wait_for(state="detached")
    explored.wait_py("e.error is None and round(e.values['w'], 2)", 1.88)


def test_the_check_runs_on_what_the_slider_made(explored):
    widget = explored.output(0).locator(DEBUGGER)
    explored.read("setattr(e.debugger, 'step', 1)")
    explored.output(0).locator(".debugger[data-step='1']").wait_for()
    check(widget)
    widget.locator(".verdict[data-verdict='agrees']").wait_for()
    explored.read("setattr(e.widget.children[1], 'value', 0.5)")
    explored.wait_py("e.values['w']", 0.5)
    widget.locator(".verdict").wait_for(state="hidden")


@pytest.fixture
def new_x(explored):
    """The field for another value of x, in the panel of its node."""
    view = explored.output(0).locator(DEBUGGER)
    field = view.get_by_role("textbox", name="New value of x")
    if not field.is_visible():
        box(view, "x").click()
    return field


def test_a_value_typed_into_a_node_runs_the_program_again(explored, new_x):
    view = explored.output(0).locator(DEBUGGER)
    new_x.fill("7.5")
    new_x.press("Enter")
    explored.wait_py("e.values['x']", 7.5)
    view.locator(".box .subtitle", has_text="7.5 float32").first.wait_for()
    assert explored.read("e.widget.children[0].max") >= 7.5


def test_what_is_typed_into_a_node_and_is_no_number_is_told(explored, new_x):
    before = explored.read("e.values['x']")
    new_x.fill("much")
    new_x.press("Enter")
    explored.page.wait_for_function(
        """() => [...document.querySelectorAll(".tapeviz")].some(each =>
        each.shadowRoot.querySelector(".set")?.validationMessage.includes("is not a number"))"""
    )
    assert explored.read("e.values['x']") == before
