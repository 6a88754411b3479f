"""The page of `tv.compare` in Chromium: counterparts are chosen on either side; as a file, and in a notebook."""

from __future__ import annotations

import pytest

import tapeviz as tv
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


@pytest.fixture(scope="module", params=["light", "dark", "forced"])
def opened(request, open_file, tmp_path_factory):
    file = tv.compare(program(tv.nn.relu), program(tv.tanh)).save_html(tmp_path_factory.mktemp("saved") / "both.html")
    options = {"forced_colors": "active"} if request.param == "forced" else {"color_scheme": request.param}
    opened = open_file(file, **options)
    yield opened
    assert (opened.outside, opened.errors) == ([], [])


def lit(page):
    """The ids of what is chosen."""
    return page.locator("g.lit").evaluate_all("all => all.map(each => each.id)")


def panel(page):
    """What the panel says of either side, by its row."""
    rows = page.locator("#detail tbody tr").all()
    return {row.locator("th").inner_text(): row.locator("td").all_inner_texts() for row in rows if row.is_visible()}


def box(page, side, name):
    return page.locator(f"g[id^={side}-][role=button]", has_text=name).first


def is_in_view(page, box):
    around, own = page.locator(f"#{box.get_attribute('id').partition('-')[0]}").bounding_box(), box.bounding_box()
    return around["y"] <= own["y"] and own["y"] + own["height"] <= around["y"] + around["height"]


def test_it_opens_where_the_programs_part(opened, axe, snap, request):
    page = opened.page
    assert page.locator("h1").inner_text().startswith("Before and After: values first differ at relu (")
    assert page.get_by_role("status").inner_text().startswith("Here the programs part. Another value, ")
    chosen = page.locator("g.lit")
    assert chosen.count() == 2
    for each in chosen.all():
        assert "parts" in each.locator("text").all_text_contents()
        assert is_in_view(page, each)
    assert panel(page)["Op"] == ["h = relu(matmul₁)", "h = tanh(matmul₁)"]
    assert set(panel(page)) == {"Op", "Line", "Shape", "Value", "Gradient"}
    assert axe(page) == []
    snap(page, f"side-by-side-{request.node.callspec.params['opened']}")


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
    assert page.evaluate("document.activeElement.id").startswith("after-")
    page.keyboard.press("Home")
    first = lit(page)
    page.keyboard.press("ArrowDown")
    assert lit(page) != first
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.id").startswith("before-")
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
    assert page.locator("#before g[tabindex='0']").count() == 1
    assert page.locator("#after g[tabindex='0']").count() == 1
    assert page.locator("#counterparts button[tabindex='0']").count() == 1


def test_what_has_no_counterpart_stays_alone(open_file, tmp_path, axe):
    opened = open_file(tv.compare(program(tv.nn.relu), program(relu_twice)).save_html(tmp_path / "more.html"))
    page = opened.page
    alone = page.locator("g[role=button]", has_text="no counterpart").first
    alone.click()
    assert lit(page) == [alone.get_attribute("id")]
    assert page.get_by_role("status").inner_text() == "No counterpart in Before."
    assert panel(page)["Op"][0] == "–"
    page.keyboard.press("ArrowLeft")
    assert lit(page) == [alone.get_attribute("id")]
    assert axe(page) == []
    assert (opened.outside, opened.errors) == ([], [])


@pytest.mark.parametrize("width", [1400, 800])
def test_a_large_program_opens_folded_but_for_where_it_parts(open_file, tmp_path, axe, snap, width):
    file = tv.compare(chain(1_000), chain(1_000, 700)).save_html(tmp_path / "long.html")
    opened = open_file(file, viewport={"width": width, "height": 900})
    page = opened.page
    for side in ("before", "after"):
        [parting] = page.locator(f"#{side} g[role=button]", has_text="the programs part here").all()
        assert is_in_view(page, parting)
    snap(page, f"side-by-side-long-{width}")
    group = page.locator("#before g[role=button]", has_text=" group").last
    group.click()
    assert "another value in" in page.get_by_role("status").inner_text()
    assert page.locator("#after g.lit").count() >= 1
    assert not page.locator("#detail").is_visible()
    assert axe(page) == []
    assert (opened.outside, opened.errors) == ([], [])


def test_a_notebook_shows_it_without_a_kernel(open_notebook):
    lines = "w = tv.Variable(2.0)\nwith tv.GradientTape() as tape:\n    y = tv.{}(w)\n_ = tape.gradient(y, w)\n"
    book = open_notebook(
        [
            "import tapeviz as tv",
            f"{lines.format('sin')}before = tape",
            f"{lines.format('cos')}tv.compare(before, tape)",
        ]
    )
    book.run_all()
    output = book.output(2)
    output.scroll_into_view_if_needed()
    assert "values first differ at" in output.inner_text()
    frame = output.frame_locator("iframe")
    frame.locator("h1").wait_for()
    book.shut_down()
    frame.locator("#before g[role=button]").first.click()
    assert frame.get_by_role("status").inner_text().startswith("The same value")
    book.set_theme("dark")
    frame.locator("main[data-theme=dark]").wait_for()
    assert (book.outside, book.errors) == ([], [])
