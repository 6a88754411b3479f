"""The pictures of a tensor in its card: slices, numbers that one points to, value and gradient beside each other."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.views.page.save_html import save_html
from tests.browser.debugger_page import DEBUGGER, box

HEADS, TOKENS = 3, 5


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The weights of an attention over many images; data that is not finite; a weight that is larger than a picture."""
    draw = np.random.default_rng(0).normal
    scores = tf.Variable(draw(size=(80, HEADS, TOKENS, TOKENS)), name="scores", dtype="float32")
    values = tf.constant(draw(size=(80, HEADS, TOKENS, 2)), dtype="float32")
    odd = tf.Variable([[1.0, np.nan, -2.0], [np.inf, 0.0, 4.0]], name="odd")
    large = tf.Variable(draw(size=(130, 200)), name="large", dtype="float32")
    with tf.GradientTape() as tape:
        weights = tf.nn.softmax(scores)
        loss = tf.reduce_sum((weights @ values) ** 2) + tf.reduce_sum(odd * odd) + tf.reduce_sum(large * large)
    tape.gradient(loss, [scores, odd, large])
    return save_html(tape, tmp_path_factory.mktemp("saved") / "tensors.html")


def opened(open_file, saved, name, **options):
    page = open_file(saved, **options).page
    page.wait_for_selector(DEBUGGER)
    page.keyboard.press("End")
    box(page, name).click()
    return page


LOOKS = {"light": {}, "dark": {"color_scheme": "dark"}, "forced": {"forced_colors": "active"}}


@pytest.mark.parametrize("look", LOOKS)
def test_an_attention_is_seen_by_heads_with_the_positions_of_its_tokens(look, open_file, saved, axe, snap):
    page = opened(open_file, saved, "weights", **LOOKS[look])
    maps = page.locator(".heatmap")
    assert maps.first.locator("figcaption").all_text_contents() == [f"head {head}" for head in range(HEADS)]
    assert maps.first.locator(".columns").first.inner_text().split() == [str(token) for token in range(TOKENS)]
    assert "Not all is shown. batch: the first" in page.locator(".slices").inner_text()
    assert axe(page, ".tapeviz") == []
    page.keyboard.press("v")
    assert [each.bounding_box()["y"] for each in maps.all()] == [maps.first.bounding_box()["y"]] * 3
    assert axe(page, ".tapeviz") == []
    snap(page, f"attention-{look}")


def test_pointing_tells_the_number_in_all_three_and_so_do_the_arrows(open_file, saved):
    page = opened(open_file, saved, "weights")
    page.keyboard.press("v")
    page.locator(".heatmap svg").first.hover(position={"x": 2, "y": 2})
    told = [each.split(": ") for each in page.locator(".pointed").all_text_contents()]
    assert {place for place, _ in told} == {"batch 0, head 0, query 0, key 0"}
    value, gradient, product = (float(number.replace("−", "-")) for _, number in told)
    assert product == pytest.approx(value * gradient, rel=1e-3)
    step = page.locator(DEBUGGER).get_attribute("data-step")
    page.locator(".heatmap").first.focus()
    for key in (*["ArrowRight"] * TOKENS, "ArrowDown"):  # beyond the last column is the next head
        page.keyboard.press(key)
    assert page.locator(".pointed").first.inner_text().startswith("batch 0, head 1, query 1, key 0: ")
    assert page.locator(DEBUGGER).get_attribute("data-step") == step


def test_a_picture_in_colour_is_seen_in_colour_and_its_gradient_by_channels(open_file, tmp_path):
    rows, columns = np.mgrid[0:6, 0:6] / 5.0
    picture = tf.Variable(np.stack([columns, rows, np.ones_like(rows)], -1)[None], name="picture", dtype="float32")
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.nn.conv2d(picture, tf.ones([3, 3, 3, 2]), strides=1, padding="SAME") ** 2)
    tape.gradient(y, picture)
    page = opened(open_file, save_html(tape, tmp_path / "colour.html"), "picture")
    value, gradient = page.locator(".heatmap").first, page.locator(".heatmap").nth(1)
    assert (value.locator("image").count(), gradient.locator("figcaption").count()) == (1, 3)
    value.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert value.locator(".pointed").inner_text() == "image 0, row 0, column 1, channel 0: 0.2, 0, 1"
    page.locator(".slices").get_by_label("channel").select_option("1")
    assert value.locator("image").count() == 0


def test_one_slice_is_chosen_and_stays_while_one_steps(open_file, saved):
    page = opened(open_file, saved, "weights")
    page.get_by_label("head").select_option("2")
    assert page.get_by_label("head").evaluate("each => each.matches(':focus')")
    assert page.locator(".heatmap").first.locator("svg").count() == 1
    page.get_by_label("Colours").select_option("log")
    page.get_by_role("button", name="First step").click()
    assert page.get_by_label("head").input_value() == "2"
    assert page.locator(".heatmap").count() == 1  # the gradient is not known yet
    page.locator(".heatmap svg").hover(position={"x": 2, "y": 2})
    assert page.locator(".pointed").inner_text().startswith("batch 0, head 2, query 0, key 0: ")


def test_signs_and_what_is_not_finite_are_told_apart(open_file, saved):
    page = opened(open_file, saved, "odd")
    signs = (
        page.locator(".heatmap").first.locator("path").evaluate_all("all => all.map(each => each.dataset.sign).sort()")
    )
    assert signs == ["NaN", "above", "above", "below", "inf"]  # 1 and 4; zero is not painted
    assert page.locator(".shades").first.inner_text().split() == ["−4", "0", "4"]
    first = page.locator(".heatmap").first
    sides = [first.locator(f"path[data-sign={sign}]").last.bounding_box()["width"] for sign in ("below", "inf")]
    assert sides[0] != sides[1]  # not by colours alone


def test_of_a_large_one_some_rows_and_columns_are_there_and_it_is_said(open_file, saved):
    page = opened(open_file, saved, "large")
    told = page.locator(".slices").inner_text()
    strides = [int(every) for every in re.findall(r"axis \d: one of every (\d+)", told)]
    assert len(strides) == 2
    picture = page.locator(".heatmap svg").first
    size = picture.bounding_box()
    picture.hover(position={"x": size["width"] - 1, "y": size["height"] - 1})
    last = [(side - 1) // stride * stride for side, stride in zip((130, 200), strides, strict=True)]
    assert page.locator(".pointed").first.inner_text().startswith(f"{last}: ")


CELLS = """svg => {
  const { width, height } = svg.getBoundingClientRect();
  const [columns, rows] = svg.getAttribute("viewBox").split(" ").slice(2).map(Number);
  return Math.min(width / columns, height / rows);
}"""
OVERPRINTED = """map => [...map.querySelectorAll(".ticks")].flatMap((ticks) => {
  const all = [...ticks.children].map((each) => each.getBoundingClientRect());
  return all.slice(1).filter((tick, index) => tick.left < all[index].right && tick.top < all[index].bottom);
}).length"""


def test_of_a_strip_every_cell_is_seen_and_no_tick_covers_another(open_file, tmp_path):
    shapes = {"column": (32, 1), "pair": (1, 2), "tall": (64, 8), "vector": (100,)}
    strips = {name: tf.Variable(np.ones(shape), name=name, dtype="float32") for name, shape in shapes.items()}
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(strip * strip) for strip in strips.values())
    tape.gradient(loss, [*strips.values()])
    page = open_file(save_html(tape, tmp_path / "strips.html")).page
    page.wait_for_selector(DEBUGGER)
    page.locator(".parameters summary").click()
    for name in shapes:
        page.locator(".parameters tbody .tensor", has_text=name).click()
        strip = page.locator(".heatmap").first
        assert strip.locator("svg").evaluate(CELLS) >= 5, name
        assert strip.evaluate(OVERPRINTED) == 0, name
        assert strip.locator(".columns span").count(), name


@pytest.mark.torch
def test_a_fused_attention_has_its_weights_beside_its_own_slices(open_file, tmp_path, axe):
    torch = pytest.importorskip("torch")
    query, key, value = (torch.randn(2, HEADS, TOKENS, 4, requires_grad=True) for _ in range(3))
    with tf.record() as log:
        mixed = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        mixed.sum().backward()
    page = opened(open_file, save_html(log, tmp_path / "fused.html"), "mixed")
    weights = page.locator(".card h4", has_text="Attention weights")
    assert weights.locator("+ .prose").inner_text().endswith("from query and key: softmax(q kᵀ / √4), causal.")
    head = weights.locator("+ .prose + .slices").get_by_label("head")
    maps = weights.locator("+ .prose + .slices + div .heatmap")
    assert maps.locator("svg").count() == HEADS
    head.select_option("1")
    assert maps.locator("svg").count() == 1
    assert axe(page, ".tapeviz") == []
