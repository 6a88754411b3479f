"""The words beside the graph: one column that is resized, folded, and copied from; addresses of what is seen."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tapeviz.views.page.save_html import save_html
from tests.browser.debugger_page import DEBUGGER, box, go_to, position, settled
from tests.engine import names as tf

pytestmark = pytest.mark.browser

SMALL = {"width": 1024, "height": 768}
SCROLLBARS = """() => {
  const has = (each, way) => /auto|scroll/.test(getComputedStyle(each)[way]);
  const scrolls = (each, [way, room, needed]) => has(each, way) && each[needed] > each[room];
  const ways = [["overflowY", "clientHeight", "scrollHeight"], ["overflowX", "clientWidth", "scrollWidth"]];
  const all = [...document.querySelector(".tapeviz").shadowRoot.querySelectorAll("*")];
  return all.filter((each) => ways.some((way) => scrolls(each, way))).map((each) => each.className);
}"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Twelve variables in long lines, one of which gets None since a value was read out."""
    first, *rest = variables = [tf.Variable([0.1 * k, 0.2], name=f"weight_{k}") for k in range(12)]
    with tf.GradientTape() as tape:
        cut = tf.constant(tf.tanh(first * 2.0).numpy(), name="a_value_that_was_read_out_of_its_tensor_and_put_back")
        for each in rest:
            cut = tf.tanh(cut * each + tf.sigmoid(each) * 0.5) * 0.25 + tf.square(each) * 0.125 - tf.abs(each) * 0.0625
        loss = tf.reduce_sum(cut)
    tape.gradient(loss, variables)
    return save_html(tape, tmp_path_factory.mktemp("saved") / "inspected.html")


@pytest.fixture(scope="module")
def page(file, open_file):
    opened = open_file(file, viewport=SMALL)
    opened.context.grant_permissions(["clipboard-read", "clipboard-write"])
    return opened.page


def width(page):
    return page.locator(".side").bounding_box()["width"]


def test_graph_and_words_are_seen_together_with_one_scrollbar(page, file):
    go_to(page, file, "#step=3&run=0")
    page.locator(".finding").first.click()
    page.locator(".sources .tensor").first.click()
    settled(page)
    assert page.evaluate(SCROLLBARS) == ["side"]
    stage, card = page.locator(".stage").bounding_box(), page.locator(".card").bounding_box()
    assert stage["x"] + stage["width"] <= card["x"]
    expect(page.locator(".card h3")).to_be_in_viewport()
    expect(page.locator(".listing [data-here]").first).to_be_in_viewport()


def test_it_is_resized_by_hand_and_by_key_and_folds_away(page, file):
    go_to(page, file, "")
    usual = width(page)
    bar = page.locator(".bar")
    grip = bar.bounding_box()
    page.mouse.move(grip["x"] + 4, grip["y"] + 100)
    page.mouse.down()
    page.mouse.move(grip["x"] - 96, grip["y"] + 100)
    page.mouse.up()
    assert abs(width(page) - usual - 100) < 8
    bar.press("ArrowRight")
    assert abs(width(page) - usual - 60) < 14
    assert position(page, "step") == "0"
    page.keyboard.press("s")
    expect(page.locator(".side")).to_be_hidden()
    page.keyboard.press("s")
    assert width(page) == usual


def test_keys_copy_one_thing_after_the_other_and_a_button_what_one_points_to(page, file):
    go_to(page, file, "#step=1&run=0")
    copied = "navigator.clipboard.readText()"
    for expected in (page.locator(".op h3").inner_text(), page.locator(".op .formula").get_attribute("data-text")):
        page.keyboard.press("c")
        page.wait_for_function("text => navigator.clipboard.readText().then((copied) => copied === text)", arg=expected)
    number = page.locator(".contributions .value").last
    for words, beside in [(page.locator(".op h3"), "left"), (number, "right")]:
        words.hover()
        button, covered = (each.bounding_box() for each in (page.get_by_role("button", name="Copy"), words))
        room = {
            "left": covered["x"] - button["x"] - button["width"],
            "right": button["x"] - covered["x"] - covered["width"],
        }
        assert room[beside] >= 0
    page.get_by_role("button", name="Copy").click()
    expect(page.locator(".copier [data-done]")).to_be_visible()
    assert page.evaluate(copied) == number.inner_text()


def test_an_address_holds_what_is_seen_and_the_browser_goes_back(page, file):
    go_to(page, file, "#step=2&run=0")
    page.locator(".sources .tensor", has_text="weight_3").click()
    page.wait_for_function("location.hash.includes('selected=')")
    address = page.evaluate("location.hash")
    page.locator("[data-action=regroup]").click()
    page.wait_for_function("location.hash.includes('way=line')")
    expect(page.locator(".frame-head").first).to_be_attached()
    page.go_back()
    page.wait_for_function("hash => location.hash === hash", arg=address)
    expect(page.locator(".card h3")).to_have_text("weight_3")
    page.go_back()
    page.wait_for_selector(f"{DEBUGGER}[data-selected='-1'][data-step='2']")
    go_to(page, file, address)
    expect(page.locator(".card h3")).to_have_text("weight_3")


def test_what_one_points_to_says_in_full_what_it_is(page, file):
    go_to(page, file, "")
    box(page, "loss").hover()
    assert "float32" in box(page, "loss").locator("title").text_content()
    page.locator(".wire .line").last.hover(force=True)
    assert "float32" in page.locator(".wire title").first.text_content()
