"""What a saved page says of its runs: where they begin, what they gave, and what to know of the recording."""

from __future__ import annotations

import pytest

import tapeviz as tf
from tapeviz.views.page.document import document
from tapeviz.views.page.save_html import save_html
from tapeviz.views.payload import payload
from tests.browser.debugger_page import DEBUGGER

pytestmark = pytest.mark.browser


def test_the_target_of_the_run_that_is_shown_wears_the_badge(open_file, tmp_path, snap):
    x = tf.Variable(3.0, name="x")
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x * x * x
        g = inner.gradient(y, x)
    outer.gradient(g, x)
    opened = open_file(save_html(outer, tmp_path / "second.html"))
    page = opened.page
    page.wait_for_selector(DEBUGGER)
    for run, target in enumerate("yg"):
        page.get_by_label("Run", exact=True).select_option(index=run)
        wearing = page.locator(".box:not([data-contradicted])", has=page.locator(".badge"))
        assert wearing.locator(".title").all_text_contents() == [target]
        assert page.locator(".box[data-contradicted]").count() == 1
        assert page.locator(".box[data-contradicted] .badge").evaluate("each => getComputedStyle(each).opacity") == "0"
        snap(page, f"target-{run}")
    assert page.get_by_role("button", name="target").count() == 1
    page.get_by_role("button", name="Forward").click()
    assert page.locator(".box[data-contradicted]").count() == 0


def test_the_target_of_the_run_that_is_shown_is_in_view_before_its_first_step(open_file, tmp_path, snap):
    x = tf.Variable([1.0, 2.0], name="x")
    with tf.GradientTape(persistent=True) as tape:
        totals = [tf.reduce_sum(x ** float(power)) for power in range(12)]
    for total in totals:
        tape.gradient(total, x)
    opened = open_file(save_html(tape, tmp_path / "twelve.html"), viewport={"width": 1280, "height": 720})
    page = opened.page
    page.wait_for_selector(DEBUGGER)
    for run in (11, 0, 6):
        page.get_by_label("Run", exact=True).select_option(index=run)
        graph = page.locator(".graph").bounding_box()
        seen = page.get_by_role("button", name="target").bounding_box()
        assert graph["x"] <= seen["x"]
        assert seen["x"] + seen["width"] <= graph["x"] + graph["width"]
        snap(page, f"run-{run}")


def test_no_box_says_what_the_run_that_is_shown_contradicts(open_file, tmp_path, snap):
    w1, w2 = tf.Variable(1.0, name="w1"), tf.Variable(2.0, name="w2")
    with tf.GradientTape(persistent=True) as tape:
        first = w1 * 3.0
        second = w2 * 2.0 + w1 * 0.0
    tape.gradient(first, [w1, w2])
    tape.gradient(second, [w1, w2])
    opened = open_file(save_html(tape, tmp_path / "two.html"))
    page = opened.page
    page.wait_for_selector(DEBUGGER)

    def badges(name):
        shown = ".box[data-kind=variable]:not([data-contradicted])"
        boxes = page.locator(shown, has=page.get_by_text(name, exact=True))
        return set(boxes.locator(".badge").all_text_contents())

    def looks(name):
        body = page.locator(".box[data-kind=variable]", has=page.get_by_text(name, exact=True)).locator(".body").first
        return body.evaluate("each => getComputedStyle(each).strokeDasharray")

    for run, (of_w1, of_w2) in enumerate([(set(), {"None"}), ({"zero gradient"}, set())]):
        page.get_by_label("Run", exact=True).select_option(index=run)
        page.keyboard.press("End")
        assert (badges("w1"), badges("w2")) == (of_w1, of_w2)
        assert (looks("w2") == "none") == (not of_w2)
        snap(page, f"contradicted-{run}")


def test_a_variable_of_another_iteration_has_no_part_in_a_run(open_file, tmp_path, snap):
    w = tf.Variable(1.0, name="w")
    with tf.record() as log:
        for _ in range(2):
            with tf.GradientTape() as tape:
                loss = tf.square(w * 2.0 - 4.0)
            w.assign_sub(0.125 * tape.gradient(loss, w))  # the second gradient is zero
    opened = open_file(save_html(log, tmp_path / "iterations.html"), viewport={"width": 1280, "height": 800})
    page = opened.page
    page.wait_for_selector(DEBUGGER)
    page.keyboard.press("u")
    variables = page.locator(".box[data-kind=variable]", has=page.get_by_text("w", exact=True))
    for run, badges in enumerate([[], ["zero gradient"]]):
        page.get_by_label("Run", exact=True).select_option(index=run)
        page.keyboard.press("End")
        page.wait_for_timeout(60)
        states = [each.get_attribute("data-state") for each in variables.all()]
        assert sorted(states) == ["active", "none"]
        assert states.index("active") == run
        shown = page.locator(".box[data-kind=variable]:not([data-contradicted]) .badge")
        assert shown.all_text_contents() == badges
        snap(page, f"iteration-{run}")
    assert (opened.outside, opened.errors) == ([], [])


def test_what_is_to_be_known_of_a_recording_is_said_below_its_title(open_file, tmp_path, axe):
    with tf.GradientTape() as tape:
        pass
    said = "`keras.one_step_on_data` is compiled, but ran eagerly here: numbers may differ"
    file = tmp_path / "remark.html"
    file.write_text(document({**payload(tape), "remark": said}), encoding="utf-8")
    opened = open_file(file, viewport={"width": 1280, "height": 800})
    page = opened.page
    page.wait_for_selector(DEBUGGER)
    remark = page.locator(".head .prose")
    assert remark.text_content() == said.replace("`", "")
    assert remark.locator("code").text_content() == "keras.one_step_on_data"
    weights = [
        page.locator(each).evaluate("each => getComputedStyle(each).fontWeight") for each in ("h2", ".head .prose")
    ]
    assert weights == ["650", "400"]
    assert page.locator(".head").bounding_box()["height"] < 80
    assert axe(page, ".tapeviz") == []


def test_a_jacobian_is_called_one(open_file, tmp_path, snap):
    v = tf.Variable([1.0, 2.0, 3.0], name="v")
    with tf.GradientTape() as tape:
        u = tf.sin(v)
    tape.jacobian(u, v)
    opened = open_file(save_html(tape, tmp_path / "jacobian.html"))
    page = opened.page
    page.wait_for_selector(DEBUGGER)
    assert page.locator(".heading .run").text_content() == "Jacobian of u by v (its rows are not kept)"
    assert "For the 9 numbers of the Jacobian it takes 3 passes backwards" in page.locator(".step-panel").inner_text()
    snap(page, "jacobian")
