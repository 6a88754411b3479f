"""What the reader looks at stays in view when the room, the lens or what is unfolded changes."""

from __future__ import annotations

import pytest

from tapeviz.views.page.save_html import save_html
from tests.browser.debugger_page import IN_VIEW, go_to, settled
from tests.engine import names as tf

pytestmark = pytest.mark.browser

PROJECTOR = {"width": 1024, "height": 768}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Fifty steps of a gated cell, too many to be read at once."""
    names = [kind + gate for gate in "zrh" for kind in "WUb"]
    wz, uz, bz, wr, ur, br, wh, uh, bh = variables = [tf.Variable([[0.5]], name=name) for name in names]
    x = tf.constant([[1.0]])
    with tf.GradientTape() as tape:
        h = tf.constant([[0.1]])
        for _ in range(50):
            z = tf.sigmoid(x @ wz + h @ uz + bz)
            r = tf.sigmoid(x @ wr + h @ ur + br)
            h = (1.0 - z) * h + z * tf.tanh(x @ wh + (r * h) @ uh + bh)
        loss = tf.reduce_mean(tf.square(h))
    tape.gradient(loss, variables)
    return save_html(tape, tmp_path_factory.mktemp("saved") / "gated.html")


@pytest.fixture(scope="module")
def window(file, open_file):
    return open_file(file, viewport=PROJECTOR).page


@pytest.fixture
def opened(file, window):
    """`opened(where)`: the page at a place of its address, on a projector's screen."""

    def opened(where=""):
        window.set_viewport_size(PROJECTOR)
        go_to(window, file, where)
        return window

    return opened


def active(page):
    return page.locator(".box[data-state=active]").first


def place(page):
    """Where the picture stands."""
    return page.locator(".world").evaluate("each => each.style.transform")


@pytest.mark.parametrize("step", [7, 20])
def test_a_lecture_that_is_opened_at_a_step_shows_what_walking_there_shows(opened, step):
    walked = opened(f"#step={step - 1}&lecture")
    walked.keyboard.press("ArrowRight")
    settled(walked)
    there = place(walked)
    assert place(opened(f"#step={step}&lecture")) == there


@pytest.mark.parametrize("step", [20, 200, 400])
def test_unfolding_everything_and_folding_it_keeps_the_step_in_view(opened, step):
    page = opened(f"#step={step}")
    for _ in range(3):
        page.keyboard.press("u")
        settled(page)
        assert active(page).evaluate(IN_VIEW)


def test_unfolding_everything_keeps_the_chosen_box_in_view(opened):
    page = opened("#step=20")
    page.locator(".box[data-kind=op]").last.dispatch_event("click")  # wherever it is
    chosen = page.locator(".box[aria-pressed=true]").first
    for _ in range(2):
        page.keyboard.press("u")
        settled(page)
        assert chosen.evaluate(IN_VIEW)


AT_ONCE = """each => {
  each.dispatchEvent(new MouseEvent("click", { bubbles: true, composed: true }));
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "u", bubbles: true }));
}"""


def test_a_box_is_chosen_and_everything_unfolded_before_the_card_takes_its_room(opened):
    page = opened("#step=20")
    page.locator(".box[data-kind=op]").last.evaluate(AT_ONCE)
    settled(page)
    assert page.locator(".box[aria-pressed=true]").first.evaluate(IN_VIEW)


def test_a_room_of_another_size_leaves_the_picture_where_it_was_walked_to(opened):
    page = opened("#step=20")
    page.keyboard.press("u")
    for _ in range(40):
        page.keyboard.press("ArrowRight")
    settled(page)
    before = place(page)
    page.set_viewport_size({"width": 1000, "height": 760})
    settled(page)
    assert active(page).evaluate(IN_VIEW)
    assert place(page) == before


BODIES = """() => {
  const root = document.querySelector(".tapeviz").shadowRoot;
  const bodies = [...root.querySelectorAll(".box .body")].map((each) => each.getBoundingClientRect());
  return bodies.map(({ x, y, width }) => [x, y, width].map(Math.round));
}"""


def standing(page):
    """Where the boxes are when the page is opened, and nothing of it changes its size any more: a busy machine takes
    more than two frames for that."""
    settled(page)
    before, now = None, page.evaluate(BODIES)
    while now != before:
        page.wait_for_timeout(200)
        before, now = now, page.evaluate(BODIES)
    return now


def test_a_click_leaves_the_picture_where_it_is(tmp_path, open_file):
    """What was looked at has a trail from now on, which takes its room above a picture that filled it."""
    x = y = tf.Variable([0.5, -1.0], name="x")
    with tf.GradientTape() as tape:
        for _ in range(8):
            y = tf.tanh(y)
    tape.gradient(y, x)
    page = open_file(save_html(tape, tmp_path / "chain.html"), viewport=PROJECTOR).page
    before = standing(page)
    for box in (page.locator(".box").nth(4), page.locator(".box").last):
        box.click()
        settled(page)
        assert page.locator(".trail").is_visible()
        assert page.evaluate(BODIES) == before


@pytest.mark.parametrize(("width", "height"), [(1024, 768), (1280, 720), (700, 900)])
def test_a_lecture_shows_the_whole_of_what_is_passed_on(width, height, tmp_path, open_file):
    """Beside a wire at the left of the picture its number would begin out of view."""
    inputs, wanted = tf.constant([[0.5, -1.0], [1.5, 2.0], [-0.3, 0.8]]), tf.constant([[1.0], [0.0], [1.0]])
    w1, w2 = tf.Variable([[0.4, -0.2, 0.1], [0.3, 0.8, -0.5]]), tf.Variable([[0.7], [-0.6], [0.2]])
    b1, b2 = tf.Variable([0.0, 0.1, 0.2]), tf.Variable([0.05])
    with tf.GradientTape() as tape:
        guess = tf.sigmoid(tf.nn.relu(inputs @ w1 + b1) @ w2 + b2)
        loss = tf.reduce_mean((guess - wanted) ** 2)
    tape.gradient(loss, [w1, b1, w2, b2])
    file = save_html(tape, tmp_path / "lecture.html")
    page = open_file(file, viewport={"width": width, "height": height}).page
    go_to(page, file, "#step=1&lecture")
    for step in range(2, 8):
        page.keyboard.press("ArrowRight")
        settled(page)
        told = page.locator(".contribution")
        assert told.count(), step
        assert all(each.evaluate(IN_VIEW) for each in told.all()), step
