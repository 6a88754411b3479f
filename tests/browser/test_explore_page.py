"""What one explores and lectures with, in a saved page: finding, lenses, the trail, lines, prediction, pictures."""

from __future__ import annotations

import re

import pytest

from tapeviz.views.page.save_html import save_html
from tests.browser.debugger_page import DEBUGGER, box, position
from tests.engine import names as tf

pytestmark = pytest.mark.browser

ROUNDS = 40


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A loop with one weight, and a branch beside it."""
    w, b = tf.Variable(0.9, name="w"), tf.Variable([1.0, 2.0], name="b")
    with tf.GradientTape() as tape:
        y = tf.constant(1.0)
        for _ in range(ROUNDS):
            y = tf.sin(y * w)
        penalty = tf.reduce_sum(tf.square(b))
        loss = y + 0.1 * penalty
    tape.gradient(loss, [w, b])
    return save_html(
        tape, tmp_path_factory.mktemp("saved") / "loop.html", notes={1: r"The sum comes *first*: $\frac{a}{b}$ of `w`."}
    )


def dimmed(page):
    return sorted(page.locator(".box[data-dim] .title").all_text_contents())


def test_the_line_of_a_step_is_in_view_however_many_sources_there_are(open_file, tmp_path, axe, snap):
    """The list of sources is short, and has what the step gives a gradient to."""
    weights = [tf.Variable([0.5, 1.0], name=f"w{index}") for index in range(20)]
    with tf.GradientTape() as tape:
        y = tf.constant([1.0, 2.0])
        for w in weights:
            y = tf.tanh(y * w)
    tape.gradient(y, weights)
    saved = save_html(tape, tmp_path / "many.html")
    opened = open_file(saved, viewport={"width": 1280, "height": 640})  # as high as in a notebook
    page = opened.page
    page.wait_for_selector(DEBUGGER)
    panel, listed = page.locator(".side").bounding_box(), page.locator(".sources")
    for number in range(1, 13):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(60)
        line = page.locator(".listing [data-here]").bounding_box()
        assert line["y"] + line["height"] <= panel["y"] + panel["height"]
        if number % 2 == 0:
            given, around = listed.locator("[data-now]").bounding_box(), listed.bounding_box()
            assert around["y"] <= given["y"] + 1 < given["y"] + given["height"] <= around["y"] + around["height"] + 1
    assert axe(page, ".tapeviz") == []
    snap(page, "many-sources")


def test_what_is_found_unfolds_and_is_opened(page, axe, snap):
    page.keyboard.press("/")
    page.keyboard.type("sin 41")
    assert page.locator(".found li").all_text_contents() == ["nothing found"]
    page.keyboard.press("Control+a")
    page.keyboard.type("sin mul40")  # subscripts are typed as digits
    assert page.locator(".found li b").all_text_contents() == ["y", "mul₄₀"]
    page.keyboard.press("Control+a")
    page.keyboard.type("sin y")
    assert page.locator(".found li").count() == 13
    assert axe(page, ".tapeviz") == []
    snap(page, "find")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.locator(".card").wait_for()
    assert page.locator(".frame").count() >= 2
    assert page.locator(".box[aria-pressed=true]").count() == 1
    crumbs = page.locator(".crumbs button").all_text_contents()
    assert crumbs[0] == f"iteration × {ROUNDS}"
    chosen, view = (page.locator(each).bounding_box() for each in (".box[aria-pressed=true]", "svg.graph"))
    assert view["y"] <= chosen["y"] <= view["y"] + view["height"] - chosen["height"]  # though the crumbs took room


@pytest.mark.parametrize("words", ["square", "(2,) float32", "penalty =", "target"])
def test_names_ops_shapes_lines_and_badges_are_found(page, words):
    page.keyboard.press("/")
    page.keyboard.type(words)
    assert page.locator(".found [data-index]").count() >= 1


def test_a_lens_writes_and_paints_how_much_there_is(page, axe, snap):
    assert page.get_by_text("Boxes show", exact=False).first.is_visible()
    page.get_by_label("Boxes show").select_option("gradient")
    assert box(page, "loss").locator(".subtitle").text_content() == "1"
    low, high = page.locator(".scale span, .scale button").all_text_contents()
    assert float(low) < float(high)
    widths = page.evaluate(
        """() => [...document.querySelector(".tapeviz").shadowRoot.querySelectorAll(".wire[data-measured] .line")]
        .map(each => parseFloat(getComputedStyle(each).strokeWidth))"""
    )
    assert min(widths) < max(widths)
    page.keyboard.press("ArrowRight")
    words = """() => {
      const root = document.querySelector(".tapeviz").shadowRoot;
      const [active, other] = [...root.querySelectorAll(".box[data-state=active], .box:not([data-state=active])")];
      return [active, other].map(each => getComputedStyle(each.querySelector(".title")).fill);
    }"""
    assert len(set(page.evaluate(words))) == 1  # in a lens the fill is the measure's, and the words stay legible on it
    for lens in ("value", "memory", "order", "gradient"):
        page.get_by_label("Boxes show").select_option(lens)
        assert page.locator(".box[data-measured]").count() >= 3
        assert axe(page, ".tapeviz") == []
    snap(page, "lens-gradient")


def test_only_the_way_from_a_source_to_the_target(page, snap):
    box(page, "b").click()
    page.get_by_role("button", name="Only its way to the target").click()
    assert f"iteration × {ROUNDS}" in dimmed(page)
    assert {"b", "penalty", "loss"}.isdisjoint(dimmed(page))
    snap(page, "between")
    page.get_by_role("button", name="Show all").click()
    assert dimmed(page) == []


def test_back_and_forward_through_what_was_seen(page):
    box(page, "b").click()
    page.locator(".fold-mark").first.click()
    assert page.locator(".frame").count() == 1
    page.keyboard.press("[")
    assert page.locator(".frame").count() == 0
    assert page.locator(".card").is_visible()
    page.keyboard.press("[")
    assert not page.locator(".card").is_visible()
    page.keyboard.press("]")
    page.keyboard.press("]")
    assert page.locator(".frame").count() == 1


def place(page):
    return page.locator(".world").evaluate("world => new DOMMatrix(getComputedStyle(world).transform).toString()")


def test_what_was_seen_stands_where_it_stood(page):
    box(page, "b").click()
    page.mouse.move(300, 400)
    page.mouse.wheel(0, -300)
    near = place(page)
    page.locator(".fold-mark").first.click()
    page.keyboard.press("0")
    far = place(page)
    assert near != far
    page.keyboard.press("[")
    assert place(page) == near
    page.keyboard.press("]")
    assert place(page) == far


def test_from_the_end_of_a_scale_to_its_box(page):
    page.get_by_label("Boxes show").select_option("Gradient norm")
    most = page.locator(".scale button")
    word = most.inner_text()
    most.click()
    assert page.locator(".frame").count() > 0
    chosen = page.locator(".box[aria-pressed=true]")
    assert word in (text.removeprefix("norm ") for text in chosen.locator("title").all_text_contents() or [word])
    assert page.locator(".card").is_visible()
    page.get_by_label("Boxes show").select_option("None, zero, NaN")
    assert most.is_hidden()


def test_a_step_goes_over_a_folded_group_or_into_it(page):
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Step into the folded group").wait_for()
    page.keyboard.press("i")
    assert page.locator(".frame").count() == 1
    page.keyboard.press("o")
    inside = int(position(page, "step"))
    assert 6 < inside < 5 + 2 * ROUNDS
    page.keyboard.press("End")
    assert page.get_by_role("button", name="Step over the folded group").is_visible()


def test_what_a_step_went_over_it_goes_back_over(page):
    stops = [position(page, "step")]
    while not stops[1:] or stops[-1] != stops[-2]:
        page.keyboard.press("o")
        stops.append(position(page, "step"))
    stops.pop()
    assert len(stops) < ROUNDS
    back = [stops[-1]]
    for _ in stops[1:]:
        page.keyboard.press("Shift+O")
        back.append(position(page, "step"))
    assert back[-1] == "0"
    assert set(back[1:]) <= set(stops)


def test_the_last_contribution_of_a_variable(page):
    box(page, "w").click()
    page.get_by_role("button", name="Its last contribution").click()
    steps = int(page.locator("input[type=range]").get_attribute("max"))
    assert steps - 1 <= int(position(page, "step")) <= steps
    assert page.locator(".card .note").inner_text() == f"complete, sum of {ROUNDS}"


def test_a_line_lights_up_its_ops_and_an_op_its_line(page):
    assert "tape.gradient(loss, [w, b])" in page.locator(".listing [data-here]").inner_text()
    page.keyboard.press("ArrowRight")
    assert "loss = y + 0.1 * penalty" in page.locator(".listing [data-here]").inner_text()
    page.locator(".listing button", has_text="penalty = tf.reduce_sum").click()
    assert sorted(page.locator(".box[data-lit] .title").all_text_contents()) == ["penalty", "square"]
    page.keyboard.press("Escape")
    assert page.locator(".box[data-lit]").count() == 0


def test_numbers_are_covered_until_they_are_predicted(page, axe, snap):
    page.get_by_role("button", name="Predict").click()
    page.keyboard.press("ArrowRight")
    assert set(page.locator(".contributions .value").all_text_contents()) == {"?"}
    assert set(page.locator(".sources .value").all_text_contents()) == {"not yet"}
    assert page.locator(".contribution").count() == 0
    assert "What comes out?" in page.get_by_role("status").first.inner_text()
    assert axe(page, ".tapeviz") == []
    snap(page, "predict")
    page.keyboard.press("ArrowRight")
    assert position(page, "step") == "1"
    assert "?" not in page.locator(".contributions .value").all_text_contents()
    assert page.locator(".contribution").all_text_contents() == ["1.0", "1.0"]


def test_colours_tell_no_gradient_before_it_is_predicted(page):
    page.get_by_label("Boxes show").select_option("gradient")
    coloured = page.locator(".box[data-measured]").count()
    page.get_by_role("button", name="Predict").click()
    assert page.locator(":is(.box, .wire)[data-measured]").count() == 0
    assert page.locator(".scale").is_hidden()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    assert 0 < page.locator(".box[data-measured]").count() < coloured
    page.keyboard.press("End")
    assert page.locator(".box[data-measured]").count() == coloured


def test_the_speaker_has_a_window_with_answers_that_drives_the_lecture(page):
    page.keyboard.press("p")
    page.keyboard.press("l")
    with page.expect_popup() as opened:
        page.keyboard.press("n")
    speaker = opened.value
    speaker.keyboard.press("PageDown")
    speaker.locator("p", has_text="Step 1 of").wait_for()
    assert position(page, "step") == "1"
    assert "The sum comes *first*" in speaker.locator("main").inner_text()
    assert "?" not in speaker.locator("main").inner_text()
    assert set(page.locator(".contributions .value").all_text_contents()) == {"?"}
    speaker.close()
    page.keyboard.press("ArrowRight")
    assert "?" not in page.locator(".contributions .value").all_text_contents()


def test_a_lecture_has_large_type_notes_and_a_clicker(page, axe, snap):
    page.keyboard.press("l")
    page.keyboard.press("PageDown")
    assert position(page, "step") == "1"
    callout = page.locator(".callout")
    assert callout.text_content() == "The sum comes *first*: ab of w."
    assert (callout.locator("mfrac").count(), callout.locator("code").inner_text()) == (1, "w")
    spoken, around = page.locator(".box[data-state=active]").first.bounding_box(), callout.bounding_box()
    beside = spoken["x"] + spoken["width"] <= around["x"] or around["x"] + around["width"] <= spoken["x"]
    assert beside or spoken["y"] + spoken["height"] <= around["y"] or around["y"] + around["height"] <= spoken["y"]
    sizes = page.locator(".step-panel :is(.tensor, .value)").evaluate_all(
        "all => all.map(each => parseFloat(getComputedStyle(each).fontSize))"
    )
    assert min(sizes) >= 20
    assert page.locator(".findings").is_hidden()
    title = page.locator(".box[data-state=active] .title").first.bounding_box()
    assert title["height"] >= 15
    assert axe(page, ".tapeviz") == []
    snap(page, "lecture")
    page.keyboard.press("PageUp")
    page.keyboard.press("l")
    assert position(page, "step") == "0"
    assert not page.locator(".debugger[data-lecture]").count()


@pytest.mark.parametrize("height", [400, 500])
def test_the_final_gradients_are_in_view_however_short_the_page_is(file, open_file, height):
    page = open_file(file).page
    page.set_viewport_size({"width": 1000, "height": height})
    page.wait_for_selector(DEBUGGER)
    column = page.locator(".side").bounding_box()
    for key in ("Home", "ArrowRight", "End"):
        page.keyboard.press(key)
        ends = page.locator(".parameters .ends").bounding_box()
        assert column["y"] < ends["y"]
        assert ends["y"] + ends["height"] <= column["y"] + column["height"]
    page.locator(".parameters summary").click()
    page.locator(".source-panel").scroll_into_view_if_needed()
    assert page.locator(".source-panel .listing").is_visible()


BROKEN = """callout => {
  const sizes = (width) => {
    callout.style.width = callout.style.maxWidth = `${width}px`;
    return [...callout.querySelectorAll(".whole")].map((each) => each.getBoundingClientRect());
  };
  const whole = sizes(2000);
  const widths = Array.from({ length: 30 }, (_, index) => 200 + 20 * index);
  return [whole.length, ...widths.filter((width) => sizes(width).some(({ height }, index) =>
    whole[index].width < width - 40 && height > whole[index].height + 4))];
}"""


def test_a_note_breaks_no_formula_that_fits(tmp_path, open_file):
    x = tf.Variable(3.0, name="x")
    with tf.GradientTape() as tape:
        y = tf.square(x)
    tape.gradient(y, x)
    product = r"$\frac{\partial y}{\partial a} \cdot \sigma'(z) = 2(a - 1)a(1 - a)$"
    notes = {1: rf"Sigmoid: {product}, where $\sigma'(z) = \sigma(z)(1 - \sigma(z))$."}
    page = open_file(save_html(tape, tmp_path / "note.html", notes=notes)).page
    page.wait_for_selector(DEBUGGER)
    page.keyboard.press("ArrowRight")
    callout = page.locator(".callout")
    assert callout.evaluate(BROKEN) == [2]
    assert callout.locator(".whole").last.inner_text().endswith(".")


def test_the_address_tells_all_of_it_and_does_not_scroll(file, open_file):
    opened = open_file(file)
    page = opened.page
    page.goto(file.as_uri() + "#step=3&predict&lens=value")
    page.reload()
    page.wait_for_selector(DEBUGGER)
    assert position(page, "step") == "3"
    assert position(page, "lens") == "value"
    assert page.locator(".reveal").is_visible()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("location.hash === '#run=0&step=4&lens=value&predict'")
    assert page.evaluate("[scrollX, scrollY]") == [0, 0]


def test_it_plays_at_a_chosen_speed(page):
    page.get_by_label("Steps a second").select_option("10")
    page.get_by_role("button", name="Play").click()
    page.wait_for_function(
        "() => Number(document.querySelector('.tapeviz').shadowRoot.querySelector('.debugger').dataset.step) >= 5",
        timeout=1500,
    )
    page.get_by_role("button", name="Pause").click()


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_the_picture_is_saved(page, kind, tmp_path):
    page.locator(".pictures summary").click()
    with page.expect_download() as download:
        page.get_by_role("button", name=f"Save as {kind.upper()}").click()
    path = tmp_path / f"tape.{kind}"
    download.value.save_as(path)
    if kind == "svg":
        text = path.read_text()
        assert text.startswith("<svg")
        assert "loss" in text
        assert re.search(r'viewBox="0 0 \d', text)
    else:
        assert path.read_bytes().startswith(b"\x89PNG")


def test_everything_unfolds_at_once_and_folds_again(page):
    before = page.locator(".box").count()
    page.keyboard.press("u")
    assert page.locator(".frame").count() >= ROUNDS
    assert page.locator(".box").count() > 2 * ROUNDS
    assert page.locator(".minimap").is_visible()
    assert page.locator(".world").evaluate("world => new DOMMatrix(getComputedStyle(world).transform).a") > 0.6
    page.keyboard.press("u")
    assert page.locator(".box").count() == before
    assert page.locator(".minimap").is_hidden()


def test_the_map_moves_the_picture(page):
    page.keyboard.press("u")
    before = page.locator(".world").get_attribute("style")
    page.locator(".minimap").click(position={"x": 5, "y": 10})
    assert page.locator(".world").get_attribute("style") != before


COVERED = """() => {
  const root = document.querySelector(".tapeviz").shadowRoot;
  const map = root.querySelector(".minimap").getBoundingClientRect();
  const over = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const parts = [...root.querySelectorAll(".body, .badge, .zoom, .card:not([hidden])")];
  return parts.filter((part) => over(map, part.getBoundingClientRect())).length;
}"""


COVERED_AT = f"""inset => {{
  const map = document.querySelector(".tapeviz").shadowRoot.querySelector(".minimap");
  const before = map.style.inset;
  map.style.inset = inset;
  const covered = ({COVERED})();
  map.style.inset = before;
  return covered;
}}"""
CORNERS = [
    f"{top} {right} {bottom} {left}"
    for top, bottom in (("auto", "12px"), ("12px", "auto"))
    for right, left in (("60px", "auto"), ("auto", "12px"))
]


@pytest.mark.parametrize("width", [800, 1000, 1280])
def test_the_map_covers_nothing_or_can_be_seen_through(page, width):
    page.set_viewport_size({"width": width, "height": 700})
    page.keyboard.press("u")
    page.keyboard.press("End")
    seen = []
    for key in ["Home", *["ArrowRight"] * 6, "Enter", "+", "+", "-", "-", "-", "-", "-"]:
        page.keyboard.press(key)
        faint = page.locator(".minimap").get_attribute("data-over") is not None
        assert faint or page.evaluate(COVERED) == 0, key
        seen.append(faint)
    assert not all(seen)


def test_the_map_goes_where_it_covers_least(page):
    page.keyboard.press("u")
    corners = set()
    for right, down in ((0, 200), (150, 200), (300, 200), *[(500, 0)] * 8):
        page.mouse.move(300, 300)
        page.mouse.down()
        page.mouse.move(300 + right, 300 + down, steps=3)
        page.mouse.up()
        own = page.evaluate(COVERED)
        others = [page.evaluate(COVERED_AT, inset) for inset in CORNERS]
        assert own <= min(others)
        corners.add(page.locator(".minimap").evaluate("map => map.style.inset"))
    assert len(corners) > 1


def test_beside_a_none_stands_the_way_to_its_finding(open_file, tmp_path):
    w, lost = tf.Variable(2.0, name="w"), tf.Variable(1.0, name="lost")
    with tf.GradientTape() as tape:
        y = tf.square(w)
    tape.gradient(y, [w, lost])
    opened = open_file(save_html(tape, tmp_path / "lost.html"))
    opened.page.wait_for_selector(DEBUGGER)
    opened.page.get_by_role("button", name="why?").click()
    assert opened.page.locator(".finding[aria-expanded=true]").count() == 1
    assert opened.page.locator(".box[data-lit] .title").all_text_contents() == ["y", "lost"]


@pytest.fixture(scope="module")
def layers(tmp_path_factory):
    """Two layers of which one is dead, and a variable that leads nowhere."""
    w, dead = tf.Variable(tf.eye(6) * 0.5, name="w"), tf.Variable(tf.eye(6), name="dead")
    lost = tf.Variable(1.0, name="lost")
    with tf.GradientTape() as tape:
        h = tf.ones((2, 6)) @ w
        g = tf.nn.relu(h @ dead - 100.0)
        loss = tf.reduce_mean(h) + tf.reduce_sum(g)
    tape.gradient(loss, [w, dead, lost])
    return save_html(tape, tmp_path_factory.mktemp("saved") / "layers.html")


def test_boxes_show_their_values(layers, open_file, axe):
    opened = open_file(layers)
    page = opened.page
    page.wait_for_selector(DEBUGGER)
    assert box(page, "w").locator("path.strip").count() == 1
    assert box(page, "loss").locator("text.strip").text_content() == "0.5"
    bounds = [box(page, "w").locator(part).bounding_box() for part in (".body", ".strip")]
    assert bounds[0]["y"] < bounds[1]["y"]
    assert bounds[1]["y"] + bounds[1]["height"] < bounds[0]["y"] + bounds[0]["height"]
    page.get_by_role("button", name="Forward").click()
    assert box(page, "loss").locator(".strip").count() == 0
    page.keyboard.press("End")
    assert box(page, "loss").locator(".strip").text_content() == "0.5"
    box(page, "w").click()
    assert page.locator(".card .histogram").first.inner_text().split() == ["0.5", "1"]
    assert page.get_by_role("img", name="Value of w: histogram on a log scale from 0.5 to 1").count() == 1
    assert axe(page, ".tapeviz") == []


@pytest.mark.parametrize("colours", ["light", "dark", "forced"])
def test_a_lens_shows_where_gradients_are_none_or_zero(colours, layers, open_file, axe, snap):
    options = {"forced_colors": "active"} if colours == "forced" else {"color_scheme": colours}
    opened = open_file(layers, **options)
    page = opened.page
    page.wait_for_selector(DEBUGGER)
    page.get_by_label("Boxes show").select_option("None, zero, NaN")
    odd = {
        each: page.locator(f".box[data-odd={each}] .title").all_text_contents()
        for each in ("None", "zero", "NaN", "inf")
    }
    assert (odd["None"], odd["NaN"], odd["inf"]) == (["lost"], [], [])
    assert "dead" in odd["zero"]
    assert "w" not in odd["zero"]
    assert page.locator(".legend [data-odd]:visible").all_text_contents()[2:4] == ["1 None", f"{len(odd['zero'])} zero"]
    assert "None" in box(page, "lost").text_content()
    dashes = {
        each: page.locator(f".box[data-odd={each}] .body").first.evaluate("e => getComputedStyle(e).strokeDasharray")
        for each in ("None", "zero", "finite")
    }
    assert len(set(dashes.values())) == 3
    assert page.locator(".wire[data-odd=zero]").count() > 1
    assert axe(page, ".tapeviz") == []
    snap(page, f"health-{colours}")


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """Two hundred variables with long names, side by side."""
    variables = [tf.Variable(float(each), name=f"encoder.layers.{each}.attention.output.kernel") for each in range(200)]
    with tf.GradientTape() as tape:
        loss = tf.add_n([tf.square(variable) for variable in variables])
    tape.gradient(loss, variables)
    return save_html(tape, tmp_path_factory.mktemp("saved") / "wide.html")


def test_a_picture_too_wide_for_a_png_says_so(wide, open_file, tmp_path):
    opened = open_file(wide)
    page = opened.page
    page.wait_for_selector(DEBUGGER)
    page.keyboard.press("u")
    page.get_by_text("Picture", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as PNG").click()
    download.value.save_as(tmp_path / "wide.png")
    assert page.get_by_text(re.compile(r"Saved\. At \d\d % of its size")).is_visible()
    head = (tmp_path / "wide.png").read_bytes()[:24]
    assert int.from_bytes(head[16:20], "big") == 16_000
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as SVG").click()
    download.value.save_as(tmp_path / "wide.svg")
    assert (tmp_path / "wide.svg").read_text().count('class="box"') > 200
    assert page.get_by_text("Saved.", exact=True).is_visible()


def test_a_name_that_is_cut_can_be_read_whole(wide, open_file, axe):
    page = open_file(wide).page
    page.wait_for_selector(DEBUGGER)
    page.keyboard.press("w")
    page.keyboard.press("u")
    name = "encoder.layers.117.attention.output.kernel"
    cut = page.locator(".box[data-kind=variable]", has=page.get_by_text(re.compile(re.escape(name)))).first
    assert "…" in cut.locator(".title").text_content()
    assert cut.locator("title").text_content() == f"{name}: 117.0 float32"
    assert page.get_by_role("button", name=f"{name}: 117.0 float32").count() == 1
    assert axe(page, ".tapeviz") == []


def test_a_graph_that_was_fitted_fits_the_next_window_too(page):
    page.keyboard.press("u")
    page.keyboard.press("0")
    scales = []
    for height in (900, 600, 1000):
        page.set_viewport_size({"width": 1280, "height": height})
        page.wait_for_timeout(100)
        scales.append(page.locator(".world").evaluate("world => new DOMMatrix(getComputedStyle(world).transform).a"))
    assert scales[1] < scales[0] < scales[2] or (scales == [scales[0]] * 3 and scales[0] == 0.08)


def test_parameters_have_boxes_of_their_own_when_one_asks(wide, open_file):
    page = open_file(wide).page
    page.wait_for_selector(DEBUGGER)
    page.keyboard.press("u")
    assert page.locator(".box[data-kind=variable]").count() == 1  # whose gradient is zero
    assert page.locator(".box .parameter").count() == 199
    page.get_by_role("button", name="Parameters in boxes of their own, or tucked in").click()
    assert page.locator(".box[data-kind=variable]").count() == 200
    assert page.locator(".box .parameter").count() == 0


def test_the_smallest_gradient_is_found_sorted_and_led_to(wide, open_file, axe):
    page = open_file(wide).page
    page.wait_for_selector(DEBUGGER)
    panel = page.locator(".parameters")
    assert (
        panel.locator(".ends").inner_text().split("\n")[0]
        == "smallest norm 2, encoder.layers.1.attention.output.kernel"
    )
    panel.locator(".ends .tensor").last.click()
    assert page.locator(".card h3").inner_text().startswith("encoder.layers.199.")
    panel.locator("summary").click()
    rows = panel.locator("tbody tr")
    assert (
        rows.first.locator(".tensor").inner_text() == "encoder.layers.0.attention.output.kernel"
    )  # 0 is smaller still
    bar, number = (row.bounding_box() for row in (rows.last.locator(".norm i"), rows.last.locator(".norm")))
    assert abs(bar["y"] + bar["height"] / 2 - number["y"] - number["height"] / 2) < 1
    panel.get_by_role("button", name="Norm").click()
    assert panel.locator("[aria-sort=descending]").inner_text().startswith("Norm")
    assert "layers.199." in rows.first.inner_text()
    panel.get_by_role("searchbox").fill("layers.42.")
    assert rows.count() == 1
    rows.first.locator(".tensor").click()
    assert page.locator(".card h3").inner_text() == "encoder.layers.42.attention.output.kernel"
    assert page.locator(".box[aria-pressed=true], .box[data-holds]").count() == 1
    assert page.locator(".box[data-holds] .parameter[data-selected]").count() == 1  # tucked into its op
    assert axe(page, ".tapeviz") == []


def test_a_question_mark_lists_the_keys(page):
    page.keyboard.press("?")
    assert page.get_by_role("group", name="Keys").get_by_text("Unfold everything, or fold it again").is_visible()
    page.keyboard.press("Escape")
    assert page.get_by_role("group", name="Keys").is_hidden()


def test_a_picture_turns_and_turns_back(page):
    graph = page.locator(".graph")
    first = graph.get_attribute("data-flow")
    page.keyboard.press("d")
    assert {first, graph.get_attribute("data-flow")} == {"down", "across"}
    page.keyboard.press("d")
    assert graph.get_attribute("data-flow") == first
