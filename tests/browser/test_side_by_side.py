"""The page of `tv.compare` in Chromium: counterparts are chosen on either side; as a file, and in a notebook."""

from __future__ import annotations

import re

import pytest

from tests.engine import names as tv
from tests.views.page.test_compare_page import chain

pytestmark = pytest.mark.browser


def program(act, w=1.3):
    first, second = tv.Variable([[w, -0.5], [0.2, 0.1]], name="first"), tv.Variable([[1.0], [2.0]], name="second")
    with tv.GradientTape() as tape:
        h = act(tv.constant([[1.0, 2.0]]) @ first)
        loss = tv.reduce_sum(h @ second)
    tape.gradient(loss, [first, second])
    return tape


def relu_twice(x):
    return tv.nn.relu(tv.nn.relu(x) * 2.0)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tv.compare(program(tv.nn.relu), program(tv.tanh)).save_html(tmp_path_factory.mktemp("saved") / "both.html")


@pytest.fixture(scope="module", params=["light", "dark", "forced"])
def looks(request):
    return {"forced_colors": "active"} if request.param == "forced" else {"color_scheme": request.param}


@pytest.fixture(scope="module")
def opened(open_file, file, looks):
    opened = open_file(file, **looks)
    return opened


LIT = ":is(.box[aria-pressed='true'], .box[data-holds])"


def lit(page):
    """What is chosen: the side and the id of its box."""
    here = "(all, side) => all.map(each => `${side}-${each.dataset.id}`)"
    return [each for side in ("before", "after") for each in page.locator(f"#{side} {LIT}").evaluate_all(here, side)]


def panel(page):
    """What the panel says of either side, by its row."""
    rows = page.locator("#detail tbody tr").all()
    return {row.locator("th").inner_text(): row.locator("td").all_inner_texts() for row in rows if row.is_visible()}


def box(page, side, name):
    return page.locator(f"#{side} .box", has_text=name).first


def focused(page):
    """The side that has the focus."""
    return page.evaluate("document.activeElement.id")


def is_in_view(page, side, box):
    page.wait_for_timeout(400)  # it glides there
    around, own = page.locator(f"#{side}").bounding_box(), box.locator(".body").last.bounding_box()
    return around["y"] <= own["y"] and own["y"] + own["height"] <= around["y"] + around["height"]


def test_it_opens_where_the_programs_part(open_file, file, looks, axe, snap, request):
    opened = open_file(file, **looks)
    page = opened.page
    assert page.locator("h1").inner_text().startswith("Before and After: values first differ at relu (")
    page.get_by_role("status").filter(has_text=re.compile("^Here the programs part. Another value, ")).wait_for()
    for side in ("before", "after"):
        chosen = page.locator(f"#{side} {LIT}")
        chosen.wait_for()
        assert "parts" in chosen.locator("text").all_text_contents()
        assert is_in_view(page, side, chosen)
    assert panel(page)["Op"] == ["h = relu(matmul₁)", "h = tanh(matmul₁)"]
    assert set(panel(page)) == {"Op", "Line", "Shape", "Value", "Gradient"}
    assert axe(page) == []
    snap(page, f"side-by-side-{request.node.callspec.params['looks']}")


def wordy(activation_of_the_first_layer):
    weights_of_the_first_layer = tv.Variable([[1.3, -0.5], [0.2, 0.1]], name="weights_of_the_first_layer")
    with tv.GradientTape() as tape:
        hidden = activation_of_the_first_layer(tv.constant([[1.0, 2.0]]) @ weights_of_the_first_layer + [[0.5, 0.25]])
        loss = tv.reduce_sum(hidden * [[1.0, 2.0]])
    tape.gradient(loss, weights_of_the_first_layer)
    return tape


@pytest.mark.parametrize("height", [900, 720, 648])
def test_no_button_of_a_narrow_page_is_hidden_by_what_stands_below(open_file, tmp_path, height):
    file = tv.compare(wordy(tv.nn.relu), wordy(tv.tanh)).save_html(tmp_path / "both.html")
    page = open_file(file, viewport={"width": 700, "height": height}).page
    last = page.locator("#before .zoom button").last.bounding_box()
    assert last["y"] + last["height"] <= page.locator(".panel").bounding_box()["y"]


def test_a_click_chooses_a_box_and_its_counterpart(opened, axe):
    page = opened.page
    box(page, "after", "first").click()
    assert [each.partition("-")[0] for each in lit(page)] == ["before", "after"]
    assert page.get_by_role("status").inner_text().startswith("The same value; another gradient, ")
    assert panel(page)["Op"] == ["first", "first"]
    assert page.locator("#counterparts tr[data-now] button").first.inner_text() == "first"
    assert box(page, "after", "first").get_attribute("aria-pressed") == "true"
    assert axe(page) == []


def test_keys_move_choose_and_clear(opened):
    page = opened.page
    box(page, "before", "loss").click()
    page.keyboard.press("ArrowUp")
    assert panel(page)["Op"][0] == "matmul₂(h, second)"
    page.keyboard.press("ArrowRight")
    assert focused(page) == "after"
    page.keyboard.press("Home")
    first = lit(page)
    page.keyboard.press("ArrowDown")
    assert lit(page) != first
    page.keyboard.press("ArrowLeft")
    assert focused(page) == "before"
    page.keyboard.press("Escape")
    assert lit(page) == []
    assert page.get_by_role("status").inner_text() == "Choose a box, or a row of the table."
    page.keyboard.press("Enter")
    assert len(lit(page)) == 2


def test_a_row_of_the_table_chooses_as_well(opened):
    page = opened.page
    row = page.locator("#counterparts tbody tr", has_text="loss")
    assert row.locator("td").nth(2).inner_text() == "≠ another value"
    row.locator("td").nth(3).click()
    assert panel(page)["Op"][0].startswith("loss = ")
    assert len(lit(page)) == 2
    page.keyboard.press("ArrowUp")
    assert panel(page)["Op"][0].startswith("matmul₂")
    assert page.locator("#counterparts tr[data-now]").count() == 1


def test_tab_leads_through_one_box_of_each_side_and_one_row(opened):
    page = opened.page
    assert page.locator("#before .graph g[tabindex='0']").count() == 1
    assert page.locator("#after .graph g[tabindex='0']").count() == 1
    assert page.locator("#counterparts button[tabindex='0']").count() == 1


def test_a_button_is_pressed_by_a_key(open_file, tmp_path):
    page = open_file(tv.compare(chain(100), chain(100, 70)).save_html(tmp_path / "keys.html")).page
    seen = page.locator("#before .box")
    seen.first.wait_for()
    count = seen.count()
    page.locator("#before").get_by_role("button", name="Unfold everything").focus()
    page.keyboard.press("Enter")
    page.wait_for_function(
        "count => document.querySelector('#before').shadowRoot.querySelectorAll('.box').length > count", arg=count
    )


def test_what_has_no_counterpart_stays_alone(open_file, tmp_path, axe):
    opened = open_file(tv.compare(program(tv.nn.relu), program(relu_twice)).save_html(tmp_path / "more.html"))
    page = opened.page
    alone = page.locator("#after .box[data-sign=alone]").first
    assert alone.locator(".sign").get_attribute("aria-label") == "no counterpart"
    alone.click()
    assert lit(page) == [f"after-{alone.get_attribute('data-id')}"]
    assert page.get_by_role("status").inner_text() == "No counterpart in Before."
    assert panel(page)["Op"][0] == "–"
    page.keyboard.press("ArrowLeft")
    assert lit(page) == [f"after-{alone.get_attribute('data-id')}"]
    assert axe(page) == []


@pytest.mark.parametrize("width", [1400, 800])
def test_a_large_program_opens_folded_but_for_where_it_parts(open_file, tmp_path, axe, snap, width):
    file = tv.compare(chain(1_000), chain(1_000, 700)).save_html(tmp_path / "long.html")
    opened = open_file(file, viewport={"width": width, "height": 900})
    page = opened.page
    for side in ("before", "after"):
        parting = page.locator(f"#{side} .box[data-sign=parts]")
        parting.wait_for()
        assert is_in_view(page, side, parting)
    snap(page, f"side-by-side-long-{width}")
    group = page.locator("#before .box[data-kind=group][data-sign=other]").first
    name = group.get_attribute("data-id")
    group.dispatch_event("click")  # wherever it is
    assert "another value in" in page.get_by_role("status").inner_text()
    assert page.locator(f"#after {LIT}").count() >= 1
    assert not page.locator("#detail").is_visible()
    seen = page.locator("#before .box").count()
    page.keyboard.press("Enter")
    assert page.locator(f"#before .box[data-id='{name}']").count() == 0
    assert page.locator("#before .box").count() > seen
    assert all(each.get_attribute("data-sign") for each in page.locator("#before .box").all())
    page.keyboard.press("Enter")
    assert page.locator("#before .box").count() == seen
    assert axe(page) == []


def test_a_notebook_shows_it_without_a_kernel(open_notebook):
    lines = "w = tv.Variable(2.0)\nwith tv.GradientTape() as tape:\n    y = tv.{}(w)\n_ = tape.gradient(y, w)\n"
    with open_notebook(
        [
            "import tapeviz as tv",
            f"{lines.format('sin')}before = tape",
            f"{lines.format('cos')}tv.compare(before, tape)",
        ]
    ) as book:
        book.run_all()
        output = book.output(2)
        output.scroll_into_view_if_needed()
        assert "values first differ at" in output.inner_text()
        frame = output.frame_locator("iframe")
        frame.locator("h1").wait_for()
        book.shut_down()
        frame.locator("#before .box").first.click()
        assert frame.get_by_role("status").inner_text().startswith("The same value")
        book.set_theme("dark")
        frame.locator("main[data-theme=dark]").wait_for()
