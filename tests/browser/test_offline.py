"""The saved page in Chromium, from file://, with the network cut."""

from __future__ import annotations

from itertools import combinations, product

import nbformat
import pytest
from nbconvert import HTMLExporter

from tapeviz.views.page.save_html import save_html
from tapeviz.views.page.show import bundle
from tests.browser.debugger_page import DEBUGGER, IN_VIEW, box, position
from tests.engine import names as tf

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A two-layer network whose first layer is cut off; its names are as hostile as names can be."""
    x = tf.constant([[1.0, 2.0]])
    w1 = tf.Variable([[0.5, -1.0], [0.25, 1.0]], name="w1")
    w2 = tf.Variable([[1.0], [2.0]], name="</script><img src=x onerror=missing()>")
    b2 = tf.Variable([0.5], name="b2")
    with tf.GradientTape() as tape:
        h = tf.nn.relu(x @ w1)
        h = tf.constant(h.numpy())
        y = tf.tanh(h @ w2 + b2)
        loss = tf.reduce_mean(tf.square(tf.sigmoid(y)))
    tape.gradient(loss, [w1, w2, b2])
    return save_html(tape, tmp_path_factory.mktemp("saved") / "lecture.html")


@pytest.fixture(scope="module", params=["light", "dark"])
def opened(request, file, open_file):
    opened = open_file(file, color_scheme=request.param)
    opened.page.wait_for_selector(DEBUGGER)
    return opened


def contributions(within):
    """Where the contributions of the step are written, from left to right."""
    return sorted((each.bounding_box() for each in within.locator(".contribution").all()), key=lambda area: area["x"])


def test_keys_step_without_a_click_before(page):
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    assert position(page, "step") == "5"
    assert page.locator(".place").inner_text().startswith("Step 5 of ")
    assert page.locator(".box[data-kind=op][data-state=active]").count() == 1
    page.keyboard.press("ArrowLeft")
    assert position(page, "step") == "4"
    page.keyboard.press("Home")
    assert position(page, "step") == "0"
    page.keyboard.press("End")
    assert page.locator(".place").inner_text() == "Step {0} of {0}".format(position(page, "step"))


def test_the_buttons_and_the_slider_step_as_well(opened):
    page = opened.page
    page.keyboard.press("End")
    page.get_by_role("button", name="First step").click()
    page.get_by_role("button", name="Next step").click()
    page.get_by_role("button", name="Next step").click()
    page.get_by_role("button", name="Previous step").click()
    assert position(page, "step") == "1"
    slider = page.get_by_role("slider", name="Step")
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert position(page, "step") == "2"
    slider.fill("3")
    assert position(page, "step") == "3"
    assert slider.get_attribute("aria-valuetext").startswith("Step 3 of ")


def test_play_runs_to_the_end_and_starts_over(opened):
    page = opened.page
    page.keyboard.press("End")
    page.get_by_role("button", name="Play").click()
    assert position(page, "step") == "1"
    page.get_by_role("button", name="Pause").click()
    assert page.get_by_role("button", name="Play").is_visible()


def test_forward_shows_the_ops_in_the_order_of_the_program(opened):
    page = opened.page
    page.get_by_role("button", name="Forward").click()
    page.keyboard.press("ArrowRight")
    assert (position(page, "run"), position(page, "step")) == ("-1", "1")
    assert page.locator(".step-panel h3").inner_text() == "matmul"
    page.get_by_role("button", name="Backward").click()
    assert (position(page, "run"), position(page, "step")) == ("0", "0")


def test_a_click_on_a_box_opens_its_card(opened):
    page = opened.page
    box(page, "b2").click()
    card = page.locator(".card")
    assert card.locator("h3").inner_text() == "b2"
    assert "float32" in card.inner_text()
    assert "not yet" in card.inner_text()
    assert "b2 = tf.Variable" in page.locator(".source-panel [data-here]").inner_text()
    page.keyboard.press("End")
    assert "complete" in card.inner_text()
    page.keyboard.press("Escape")
    assert card.is_hidden()


def test_the_keyboard_stays_when_a_panel_is_written_anew(opened):
    page = opened.page
    page.keyboard.press("Home")
    page.locator(".sources .tensor", has_text="b2").click()
    assert page.locator(".card h3").inner_text() == "b2"
    page.keyboard.press("ArrowRight")
    page.locator(".contributions .tensor").first.click()
    page.keyboard.press("ArrowRight")
    assert position(page, "step") == "2"
    page.get_by_role("button", name="Close what is open").click()
    page.keyboard.press("ArrowRight")
    assert position(page, "step") == "3"


def test_the_graph_can_be_walked_by_keyboard(opened):
    page = opened.page
    page.locator(".box[tabindex='0']").focus()
    page.keyboard.press("ArrowUp")
    focused = page.locator(".box:focus")
    name = focused.text_content()
    page.keyboard.press("Enter")
    assert page.locator(".card h3").inner_text() in name
    assert focused.get_attribute("aria-pressed") == "true"
    page.keyboard.press("Escape")


def test_the_keys_step_again_after_a_search(opened):
    page = opened.page
    page.keyboard.press("Home")
    for step, (text, end) in enumerate((("tanh", "Enter"), ("add", "Escape")), 1):
        page.keyboard.press("/")
        page.keyboard.type(text)
        page.keyboard.press(end)
        assert page.locator(".found").is_hidden()
        page.keyboard.press("ArrowRight")
        assert position(page, "step") == str(step)


def test_the_keys_of_a_page_are_always_the_debuggers(opened):
    page = opened.page
    page.keyboard.press("Home")
    for _ in range(3):
        page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert position(page, "step") == "2"
    page.keyboard.press("Home")


def test_the_none_source_stands_out(opened):
    page = opened.page
    marked = page.locator(".box[data-flags~=none]")
    assert "w1" in marked.first.text_content()
    assert "None" in marked.first.text_content()
    assert marked.first.locator(".body").evaluate("body => getComputedStyle(body).strokeDasharray") != "none"
    assert page.locator(".wire[data-flags~=cut] .cut").count() == 1
    assert page.locator(".box[data-flags~=dead]").count() >= 2
    assert page.locator(".sources [data-state=none]").inner_text().split() == ["w1", "why?", "None"]


def test_a_finding_opens_at_its_place(opened):
    page = opened.page
    finding = page.locator(".finding").first
    finding.click()
    assert finding.get_attribute("aria-expanded") == "true"
    assert ".numpy()" in page.locator(".findings .details:visible").inner_text()
    assert page.locator(".box[data-lit]").count() >= 1
    assert page.locator(".card").is_hidden()
    assert page.locator(".wire[data-flags~=cut] .badge").evaluate(IN_VIEW)
    finding.click()
    assert page.locator(".box[data-lit]").count() == 0


def place(page):
    """Scale, x and y of the picture."""
    matrix = page.locator(".world").evaluate(
        "world => new DOMMatrix(getComputedStyle(world).transform).toFloat64Array()"
    )
    return matrix[0], matrix[12], matrix[13]


def test_dragging_pans_and_opens_nothing(file, open_file):
    page = open_file(file).page
    page.wait_for_selector(DEBUGGER)
    scale, x, y = place(page)
    middle = box(page, "b2").bounding_box()
    page.mouse.move(middle["x"] + 10, middle["y"] + 10)
    page.mouse.down()
    page.mouse.move(middle["x"] + 50, middle["y"] + 40, steps=4)
    page.mouse.up()
    assert place(page) == pytest.approx((scale, x + 40, y + 30), abs=5)
    assert page.locator(".card").is_hidden()


def test_the_wheel_zooms_only_for_a_reader_who_is_here(file, open_file):
    page = open_file(file).page
    page.wait_for_selector(DEBUGGER)
    before = place(page)
    page.mouse.move(400, 300)
    page.locator(DEBUGGER).evaluate("element => element.blur()")
    page.mouse.wheel(0, -200)
    page.wait_for_timeout(100)
    assert place(page) == before
    page.mouse.click(30, 400)
    page.mouse.move(400, 300)
    page.mouse.wheel(0, -200)
    page.wait_for_timeout(100)
    assert place(page)[0] > before[0] * 1.2
    page.keyboard.press("-")
    page.keyboard.press("0")
    assert place(page) == pytest.approx(before)


def test_names_are_text_and_never_markup(opened):
    assert opened.page.locator("img").count() == 0
    assert "</script>" in opened.page.locator(".sources").inner_text()


def test_axe_finds_nothing(opened, axe):
    page = opened.page
    box(page, "b2").click()
    page.locator(".finding").first.click()
    assert axe(page) == []
    page.keyboard.press("Escape")
    assert axe(page) == []


def test_it_is_painted_in_the_colours_of_its_reader(opened, request, snap):
    page = opened.page
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    colours = page.locator(DEBUGGER).evaluate("e => [getComputedStyle(e).backgroundColor, getComputedStyle(e).color]")
    paper, ink = (sum(map(int, colour[4:-1].split(","))) for colour in colours)
    assert (paper < 200 < 600 < ink) if dark else (ink < 200 < 600 < paper)
    page.keyboard.press("Home")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    snap(page, f"offline-{'dark' if dark else 'light'}")


def test_it_opens_at_the_step_of_its_address_and_notes_it_there(file, browser):
    page = browser.new_page(bypass_csp=True)  # what Playwright waits for is evaluated
    page.goto(f"{file.as_uri()}#step=2&run=0")
    page.wait_for_selector(DEBUGGER)
    assert position(page, "step") == "2"
    page.keyboard.press("ArrowRight")
    page.wait_for_function("location.hash === '#run=0&step=3'")
    page.evaluate("location.hash = '#step=1'")
    page.wait_for_selector(".debugger[data-step='1']")
    page.close()


@pytest.mark.parametrize("width", [700, 380])
def test_in_a_narrow_place_nothing_sticks_out(file, open_file, snap, width):
    opened = open_file(file, viewport={"width": width, "height": 900})
    opened.page.wait_for_selector(DEBUGGER)
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    opened.page.keyboard.press("0")
    box(opened.page, "b2").click()
    graph, card = (opened.page.locator(name).bounding_box() for name in (".stage", ".card"))
    assert card["y"] >= graph["y"] + graph["height"]
    snap(opened.page, f"offline-{width}")


def test_an_exported_notebook_steps(open_file, tmp_path):
    """A cell's output in nbconvert's HTML, which itself asks for scripts from elsewhere and does not get them."""
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x * x
    tape.gradient(y, x)
    output = nbformat.v4.new_output("execute_result", bundle(tape), execution_count=1)
    cell = nbformat.v4.new_code_cell("tape", outputs=[output])
    page, _ = HTMLExporter().from_notebook_node(nbformat.v4.new_notebook(cells=[cell]))
    file = tmp_path / "exported.html"
    file.write_text(page, encoding="utf-8")
    opened = open_file(file)
    frame = opened.page.frame_locator("iframe")
    frame.locator("h2").click()
    opened.page.keyboard.press("ArrowRight")
    assert frame.locator(DEBUGGER).get_attribute("data-step") == "1"
    assert opened.page.locator("img").is_hidden()
    assert opened.page.locator(".tapeviz-output > small").is_hidden()
    opened.page.keyboard.press("ArrowRight")
    one, other = contributions(frame)  # two that go side by side to one variable
    beside = one["x"] + one["width"] <= other["x"]
    assert beside or one["y"] + one["height"] <= other["y"] or other["y"] + other["height"] <= one["y"]
    opened.outside.clear()  # the requests are nbconvert's


def test_contributions_on_two_wires_are_told_on_either_side_of_them(open_file, tmp_path):
    """One wire comes from the left, and the other, beside it, is upright."""
    w, v = tf.Variable(tf.ones((2, 2)), name="w"), tf.Variable(tf.ones((3, 2)), name="v")
    h, x = tf.ones((1, 2)), tf.ones((3, 1, 3))
    with tf.GradientTape() as tape:
        for step in range(3):
            h = tf.tanh(h @ w + x[step] @ v)
        loss = tf.reduce_sum(h**2)
    tape.gradient(loss, [w, v])
    page = open_file(tf.save_html(tape, tmp_path / "steps.html")).page
    page.locator(DEBUGGER).focus()
    page.keyboard.press("u")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    left, right = contributions(page)
    assert right["x"] - left["x"] - left["width"] > 40


def test_contributions_on_wires_close_together_are_told_apart(open_file, tmp_path):
    """The three wires of one op go up within a hand's breadth."""
    parts = [
        tf.Variable(tf.linspace(start, 1.0, 8), name=name) for start, name in ((-9.0, "a"), (0.1, "b"), (0.3, "c"))
    ]
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.concat(parts, 0) ** 3)
    tape.gradient(loss, parts)
    page = open_file(tf.save_html(tape, tmp_path / "joined.html")).page
    page.locator(DEBUGGER).focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    words = contributions(page)
    boxes = [each.bounding_box() for each in page.locator(".box .body").all()]
    assert len(words) == 3
    for one, other in [*combinations(words, 2), *product(words, boxes)]:
        beside = one["x"] + one["width"] <= other["x"] or other["x"] + other["width"] <= one["x"]
        assert beside or one["y"] + one["height"] <= other["y"] + 4 or other["y"] + other["height"] <= one["y"] + 4


@pytest.mark.parametrize("ink", ["oklch(0.95 0 0)", "rgba(0, 0, 0, 0.87)"])
def test_a_page_that_wraps_the_frame_shows_one_display_in_its_own_theme(open_file, tmp_path, ink):
    """marimo puts a frame into an element of its own; no page says its theme in a way that all others share."""
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        x * x
    cell = bundle(tape)["text/html"].replace("<iframe", "<div><iframe").replace("</iframe>", "</iframe></div>")
    file = tmp_path / "wrapped.html"
    file.write_text(f'<!doctype html><body style="color: {ink}">{cell}', encoding="utf-8")
    page = open_file(file).page
    page.frame_locator("iframe").locator(
        f".tapeviz[data-theme={'light' if ink.endswith('87)') else 'dark'}]"
    ).wait_for()
    assert page.locator("img").is_hidden()
    page.evaluate("document.body.style.color = 'white'")
    page.frame_locator("iframe").locator(".tapeviz[data-theme=dark]").wait_for()


def test_a_saved_page_follows_the_system_with_what_is_painted(file, open_file):
    page = open_file(file, viewport={"width": 1280, "height": 500}).page
    page.wait_for_selector(DEBUGGER)
    page.get_by_role("button", name="Zoom in").click(click_count=3)
    painted = []
    for scheme in ("light", "dark", "light"):
        page.emulate_media(color_scheme=scheme)
        page.locator(f".tapeviz[data-theme={scheme}]").wait_for()
        painted.append(page.locator(".minimap:visible").evaluate("canvas => canvas.toDataURL()"))
    assert painted[0] == painted[2] != painted[1]


def test_reduced_motion_stops_what_moves(file, open_file):
    moving = {}
    for motion in ("reduce", "no-preference"):
        page = open_file(file, reduced_motion=motion).page
        page.wait_for_selector(DEBUGGER)
        page.keyboard.press("ArrowRight")
        line = page.locator(".wire[data-state=active] .line").first
        moving[motion] = line.evaluate("line => getComputedStyle(line).animationName")
    assert moving == {"reduce": "none", "no-preference": "upstream"}


def test_it_can_be_read_in_forced_colours(file, open_file, snap):
    page = open_file(file, forced_colors="active").page
    page.wait_for_selector(DEBUGGER)
    page.keyboard.press("ArrowRight")
    fills = page.locator(".box .body").evaluate_all("all => all.map((each) => getComputedStyle(each).fill)")
    assert len(set(fills)) == 2  # this step, and everything else
    snap(page, "offline-forced-colours")


def test_a_pass_that_reaches_no_source_says_so_and_advises_no_step(tmp_path, open_file):
    w, b = tf.Variable(2.0, name="w"), tf.Variable(1.0, name="b")
    with tf.GradientTape() as tape:
        loss = tf.constant((w * b).numpy()) ** 2
    tape.gradient(loss, [w, b])
    page = open_file(save_html(tape, tmp_path / "none.html")).page
    page.wait_for_selector(DEBUGGER)
    assert page.locator(".place").inner_text() == "Step 0 of 0"
    told = " ".join(page.locator(".sentence").all_inner_texts())
    assert told.startswith("No gradient arrives at a source")
    assert "next step" not in told
    assert "One pass backwards" not in told


def test_the_card_of_a_gradient_that_is_none_leads_to_what_was_found(opened):
    page = opened.page
    page.keyboard.press("0")
    box(page, "w1").click()
    page.locator(".card").get_by_role("button", name="why?").click()
    finding = page.locator(".finding[aria-expanded=true]")
    assert finding.inner_text().endswith("w1: A value was read out of its tensor")
    page.keyboard.press("Escape")


def test_the_card_of_a_small_gradient_says_where_it_comes_from_and_where_it_lost_most_as_why_does(
    tmp_path, open_file, axe
):
    x = tf.Variable(6.0, name="x")
    with tf.GradientTape() as tape:
        y = tf.sigmoid(x)
        for _ in range(3):
            y = y * 0.25
        loss = tf.square(y)
    tape.gradient(loss, x)
    page = open_file(save_html(tape, tmp_path / "small.html")).page
    page.wait_for_selector(DEBUGGER)
    box(page, "x").click()
    origin, lost, *_ = page.locator(".card .facts").all()
    final, at_the_step = page.locator(".card h4:has(.value, .note)").all_inner_texts()
    assert final.split("\n") == ["Final gradient", "1.20138e-06"]
    assert at_the_step.split("\n") == ["Gradient at this step", "not yet"]
    assert page.locator(".parameters .ends").inner_text() == "1.20138e-06, x"
    assert (origin.locator("dt").inner_text(), origin.locator("dd").inner_text()[:11]) == ("y₁", "1.20138e-06")
    told = lost.locator("dd").all_inner_texts()
    places = [each.split(", line ")[0] for each in told]
    assert places == ["× 0.0025", "× 0.016 in 3 steps", "× 0.031"]
    said = str(tf.why(tape, loss, x))
    assert all(f"({place})" in said for place in places)
    assert axe(page, ".tapeviz") == []
    page.get_by_role("button", name="Predict").click()
    assert not {"seed", "comes", "Final"} & set(page.locator(".card").inner_text().split())


def test_the_card_of_a_sum_says_the_total_beside_its_parts(tmp_path, open_file):
    x = tf.Variable([3.0, 4.0], name="x")
    with tf.GradientTape() as tape:
        y = x * 2.0
        z = tf.reduce_sum(y) + tf.reduce_sum(5.0 * y)
    tape.gradient([y, z], x)
    page = open_file(save_html(tape, tmp_path / "sum.html")).page
    page.wait_for_selector(DEBUGGER)
    for name, told, total in [
        ("x", "It comes from", "[14.0, 14.0]"),
        ("y", "Sum of 3 parts, of what is dotted in the graph", "[7.0, 7.0]"),
    ]:
        box(page, name).click()
        heading = page.locator(".card h4", has_text="Final gradient")
        assert heading.locator(".value").inner_text() == total
        assert heading.locator("+ .label").inner_text() == told
    assert "and 1 more" in page.locator(".card").inner_text()  # the seed
    assert page.locator(".box[data-part] .title").all_text_contents() == ["reduce_sum₁", "mul"]
    box(page, "x").click()
    assert page.locator(".box[data-part]").count() == 0  # of one part there is nothing to tell apart


@pytest.mark.parametrize(("ops", "why"), [(1, "No gradient was asked for"), (0, "No op was recorded")])
def test_where_nothing_can_be_played_the_page_says_why(tmp_path, open_file, ops, why):
    w = tf.Variable(2.0, name="w")
    with tf.GradientTape() as tape:
        for _ in range(ops):
            w * w
    page = open_file(save_html(tape, tmp_path / "none.html")).page
    page.wait_for_selector(DEBUGGER)
    assert why in " ".join(page.locator(".sentence").all_inner_texts())
    play = page.get_by_role("button", name="Play")
    assert play.get_attribute("aria-disabled") == str(ops == 0).lower()
    page.keyboard.press("Space")
    assert position(page, "step") == str(ops)


def test_an_equation_too_long_for_the_panel_goes_on_below_its_equals_sign(tmp_path, open_file):
    scores = tf.Variable([[1.0, 2.0]], name="scores")
    with tf.GradientTape() as tape:
        mean_loss_of_all_examples = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0], logits=scores)
    tape.gradient(mean_loss_of_all_examples, scores)
    page = open_file(save_html(tape, tmp_path / "long.html")).page
    page.wait_for_selector(DEBUGGER)
    page.keyboard.press("ArrowRight")
    left, right = page.locator(".op .formula math").all()
    assert (left.text_content()[-1], right.bounding_box()["y"] > left.bounding_box()["y"]) == ("=", True)
    assert page.locator(".op .formula").evaluate("(each) => each.scrollWidth <= each.clientWidth")
