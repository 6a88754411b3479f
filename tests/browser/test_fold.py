"""Folded groups in Chromium: they unfold in place, fold again, and say what goes on inside them."""

from __future__ import annotations

import pytest

import tapeviz as tf
from tapeviz.views.page.save_html import save_html

pytestmark = pytest.mark.browser

ROUNDS = 60
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A loop of three ops a round; w goes into each of them."""
    w = tf.Variable(1.5, name="w")
    with tf.GradientTape() as tape:
        y = tf.constant(1.0)
        for _ in range(ROUNDS):
            y = tf.sin(y * w) + 0.5
        loss = tf.square(y)
    tape.gradient(loss, w)
    return save_html(tape, tmp_path_factory.mktemp("saved") / "loop.html")


def group(page, title):
    return page.locator(".box[data-kind=group]", has=page.get_by_text(title, exact=True))


def frame(page, title):
    return page.locator(f".frame-head[aria-label='Fold {title}']")


def titles(page):
    return sorted(page.locator(".box .title").all_text_contents())


def test_it_opens_folded_and_unfolds_level_by_level(page, snap):
    repeat = f"iteration × {ROUNDS}"
    assert titles(page) == sorted(["y₀", "w", repeat, "loss"])
    group(page, repeat).locator(".fold-mark").click()
    frame(page, repeat).wait_for()
    assert group(page, "iteration 1").count() == 1
    group(page, "iteration 2 … 59").locator(".fold-mark").dispatch_event("click")  # wherever it is
    group(page, "iteration 60").locator(".fold-mark").dispatch_event("click")
    assert page.locator(".frame").count() == 3
    assert f"mul{str(ROUNDS).translate(SUBSCRIPTS)}" in titles(page)
    snap(page, "fold-unfolded")
    frame(page, repeat).dispatch_event("click")
    assert titles(page) == sorted(["y₀", "w", repeat, "loss"])


def test_a_double_click_and_the_keyboard_unfold_too(page):
    repeat = f"iteration × {ROUNDS}"
    group(page, repeat).dblclick(position={"x": 60, "y": 12})
    head = frame(page, repeat)
    head.wait_for()
    head.focus()
    page.keyboard.press("Enter")
    box = group(page, repeat)
    box.wait_for()
    assert box.evaluate("box => box === box.getRootNode().activeElement")
    assert box.get_attribute("aria-expanded") == "false"
    page.keyboard.press("Enter")
    assert head.evaluate("head => head === head.getRootNode().activeElement")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    assert head.evaluate("head => head === head.getRootNode().activeElement")


def test_the_head_of_a_frame_lies_over_the_wires(page):
    """Else a wire runs through its title."""
    group(page, f"iteration × {ROUNDS}").locator(".fold-mark").click()
    group(page, "iteration 2 … 59").locator(".fold-mark").dispatch_event("click")  # wherever it is
    order = page.locator(".world").evaluate(
        "world => [...world.querySelectorAll('.frame, .wire, .frame-head, .box')].map(each => each.classList[0])"
    )
    layers = ["frame", "wire", "frame-head", "box"]
    assert order == sorted(order, key=layers.index)
    assert set(order) == set(layers)
    text = page.locator(".frame-head text").first
    look = text.evaluate("text => ['paint-order', 'stroke-width'].map(name => getComputedStyle(text)[name])")
    assert look == ["stroke", "5px"]


def test_a_step_inside_lights_the_folded_group_up(page):
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    box = group(page, f"iteration × {ROUNDS}")
    assert box.get_attribute("data-state") == "active"
    assert box.locator(".subtitle").text_content() == f"2 of its {3 * ROUNDS} steps"
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    assert box.get_attribute("data-state") == "active"
    page.keyboard.press("Home")
    assert box.locator(".subtitle").text_content() == "mul, sin, add"


def test_what_stays_moves_no_more_than_it_must(page):
    """The group that unfolds stays at its place on the screen; what is beside it keeps its order."""
    before = group(page, f"iteration × {ROUNDS}").bounding_box()
    group(page, f"iteration × {ROUNDS}").locator(".fold-mark").click()
    page.wait_for_timeout(400)
    boxes = page.locator(".box").evaluate_all(
        "boxes => boxes.map(box => [box.textContent, box.getBoundingClientRect().y])"
    )
    after = page.locator(".frame").bounding_box()
    middle = after["x"] + after["width"] / 2
    assert before["x"] < middle < before["x"] + before["width"]
    y = {text.split()[0]: at for text, at in boxes}
    assert y["y₀"] < after["y"] < after["y"] + after["height"] <= y["loss"] + 20


def test_axe_finds_nothing(page, axe):
    assert axe(page) == []
    group(page, f"iteration × {ROUNDS}").locator(".fold-mark").click()
    assert axe(page) == []
