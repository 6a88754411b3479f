"""What a page says is seen whole where there is little room for it, and stays where it was."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tapeviz.views.page.save_html import save_html
from tests.browser.debugger_page import go_to
from tests.engine import names as tf

pytestmark = pytest.mark.browser

PROJECTOR = {"width": 1024, "height": 768}
LAPTOP = {"width": 1280, "height": 720}
SMALL = {"width": 900, "height": 700}
CUT = """each => {
  const side = each.closest(".side");
  const end = side.getBoundingClientRect().left + side.clientWidth;
  const own = each.getBoundingClientRect();
  return [...each.children].some(term => term.getBoundingClientRect().right > Math.min(own.right, end) + 1);
}"""


@pytest.fixture(scope="module")
def opened(tmp_path_factory, open_file):
    """`opened(tape, where="", viewport=...)`: the page of a tape, at a place of its address, in one window for all."""
    windows = []

    def opened(tape, where="", *, viewport):
        path = save_html(tape, tmp_path_factory.mktemp("saved") / "page.html")
        if not windows:
            windows.append(open_file(path).page)
        [page] = windows
        page.set_viewport_size(viewport)
        go_to(page, path, where)
        return page

    return opened


def scalars():
    x = tf.Variable(2.0, name="x")
    w = tf.Variable(-1.5, name="w")
    with tf.GradientTape() as tape:
        a = tf.sigmoid(w * x + 0.5)
        loss = (a - 1.0) ** 2.0
    tape.gradient(loss, [x, w])
    return tape


def long_names():
    """A network of one layer, its names as long as Keras makes them."""
    kernel = tf.Variable([[0.5, -1.0]], name="sequential/batch_normalization_1/kernel")
    gamma = tf.Variable([1.0, 2.0], name="sequential/batch_normalization_1/gamma")
    beta = tf.Variable([0.0, 0.5], name="sequential/batch_normalization_1/beta")
    with tf.GradientTape() as tape:
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits([1], tf.constant([[2.0]]) @ kernel * gamma + beta)
    tape.gradient(loss, [kernel, gamma, beta])
    return tape


@pytest.mark.parametrize("program", [scalars, long_names])
@pytest.mark.parametrize(("where", "viewport"), [("#lecture", PROJECTOR), ("", SMALL)])
def test_no_formula_is_cut_off(opened, program, where, viewport):
    page = opened(program(), where, viewport=viewport)
    steps = int(page.get_by_role("slider", name="Step").get_attribute("max"))
    for _ in range(steps):
        page.keyboard.press("ArrowRight")
        for formula in page.locator(".formula").all():
            assert not formula.evaluate(CUT), formula.text_content()


def test_a_formula_is_as_large_as_it_can_be_in_the_room_that_it_comes_to_have(opened):
    page = opened(long_names(), "#step=2&lecture", viewport=PROJECTOR)
    formula = page.locator(".op .formula")
    size = "each => parseFloat(getComputedStyle(each).fontSize)"
    narrow = formula.evaluate(size)
    page.set_viewport_size({"width": 1900, "height": 900})
    expect(formula).to_have_css("font-size", "30px")
    assert narrow < 30


def test_what_has_arrived_is_in_sight_in_a_lecture_however_long_the_step(opened):
    page = opened(long_names(), "#lecture", viewport={"width": 1024, "height": 520})
    arrivals = 0
    for _ in range(int(page.get_by_role("slider", name="Step").get_attribute("max"))):
        page.keyboard.press("ArrowRight")
        for row in page.locator(".sources [data-now]").all():
            expect(row).to_be_in_viewport(ratio=1)
            arrivals += 1
    assert arrivals == 3


def two_layers():
    """Two layers, with their names as four variables have them."""
    x, t = tf.constant([[0.5, -1.0], [1.5, 2.0], [-0.3, 0.8]]), tf.constant([[1.0], [0.0], [1.0]])
    w1, w2 = tf.Variable([[0.4, -0.2], [0.3, 0.8]], name="w1"), tf.Variable([[0.7], [-0.6]], name="w2")
    b1, b2 = tf.Variable([0.0, 0.1], name="b1"), tf.Variable([0.05], name="b2")
    with tf.GradientTape() as tape:
        y = tf.sigmoid(tf.nn.relu(x @ w1 + b1) @ w2 + b2)
        loss = tf.reduce_mean((y - t) ** 2)
    tape.gradient(loss, [w1, b1, w2, b2])
    return tape


@pytest.mark.parametrize(("where", "viewport"), [("#lecture", PROJECTOR), ("#lecture", LAPTOP), ("", LAPTOP)])
def test_no_number_of_a_small_matrix_is_cut_off(opened, where, viewport):
    page = opened(two_layers(), where, viewport=viewport)
    matrices = []
    for _ in range(int(page.get_by_role("slider", name="Step").get_attribute("max"))):
        page.keyboard.press("ArrowRight")
        for value in page.locator(".step-panel .value").all():
            assert value.evaluate("each => each.scrollWidth <= each.clientWidth + 1"), value.text_content()
            assert not value.evaluate(CUT), value.text_content()
            matrices.append(value.text_content())
    assert sum(each.startswith("[[") for each in matrices) > 20
    assert sum("\n" in each for each in matrices) > 5  # in rows


@pytest.mark.parametrize("width", [828, 900, 990])
def test_a_notebook_on_a_laptop_says_in_full_what_is_shown(opened, width):
    page = opened(two_layers(), viewport={"width": width, "height": 640})
    run = page.locator(".heading .run")
    assert run.evaluate("each => each.scrollWidth <= each.clientWidth")
    tops = page.locator(".heading > :not(.run, [hidden])").evaluate_all(
        "all => all.map(each => each.getBoundingClientRect())"
    )
    assert max(each["top"] for each in tops) < min(each["bottom"] for each in tops)  # all others stand in one row


@pytest.mark.parametrize("width", [570, 650, 700])
def test_a_narrow_cell_shows_a_step_beside_its_rule(opened, width):
    page = opened(two_layers(), "#step=3", viewport={"width": width, "height": 640})
    assert page.locator(".heading").bounding_box()["height"] < 90
    rule = page.locator(".step-panel h3").bounding_box()
    assert rule["y"] + rule["height"] < 640
    assert page.locator(".box[data-state=active]").first.bounding_box()["y"] > 0


def test_a_long_name_in_a_finding_goes_on_in_the_next_line(opened):
    source = tf.Variable(1.0, name="encoder.blocks.11.attention.output.LayerNorm.weight")
    with tf.GradientTape() as tape:
        loss = tf.constant((source * 2.0).numpy()) * 1.0
    tape.gradient(loss, source)
    page = opened(tape, viewport=SMALL)
    title = page.locator(".finding").first
    assert title.evaluate("each => each.scrollWidth <= each.clientWidth")


@pytest.mark.parametrize("where", ["#step=1&lecture", "#step=2"])
def test_no_shortened_name_takes_the_equals_sign_or_a_pole_out_of_sight(opened, where):
    """A name is cut in its middle by an ellipsis, after which a line might be broken."""
    x = tf.Variable([1.0, 2.0], name="the_activations_after_the_nonlinearity_of_the_first_hidden_layer")
    with tf.GradientTape() as tape:
        total_loss_of_the_discriminator_summed_over_everything_that_there_is = tf.reduce_sum(tf.math.log(x))
    tape.gradient(total_loss_of_the_discriminator_summed_over_everything_that_there_is, x)
    page = opened(tape, where, viewport=LAPTOP)
    assert "…" in page.locator(".op .formula").text_content()
    out = "each => each.getBoundingClientRect().right > each.closest('.formula').getBoundingClientRect().right + 1"
    assert not any(each.evaluate(out) for each in page.locator(".op .formula mo").all())
    assert not any(each.evaluate("each => each.scrollWidth > each.clientWidth") for each in page.locator(".edge").all())
