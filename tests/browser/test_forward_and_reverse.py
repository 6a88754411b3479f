"""The page of `tv.modes` in Chromium: both modes step side by side; as a file, and in a notebook without a kernel."""

from __future__ import annotations

import pytest

import tapeviz as tv

pytestmark = pytest.mark.browser


def line(x, w, b):
    z = x * w + b
    y = z**2
    return y


def short(x, w):
    a = x * w
    b = tv.sin(a)
    c = b + x
    y = c**2
    return y


def deep(x):
    for _ in range(40):
        x = tv.sin(x) * 1.01
    return x


@pytest.fixture(scope="module", params=["light", "dark", "forced"])
def opened(request, open_file, tmp_path_factory):
    file = tv.modes(line, x=3.0, w=2.0, b=1.0).save_html(tmp_path_factory.mktemp("saved") / "modes.html")
    options = {"forced_colors": "active"} if request.param == "forced" else {"color_scheme": request.param}
    opened = open_file(file, **options)
    opened.page.locator("g.known").first.wait_for()  # its code is unpacked after the page has loaded
    return opened


def numbers(page, side):
    """Title -> the number below it, of the boxes of one side that show one."""
    boxes = page.locator(f"g[id^={side}-].known")
    texts = [box.locator("text").all_text_contents() for box in boxes.all()]
    return {words[0]: words[2] for words in texts}


def test_tangents_go_down_while_cotangents_go_up(opened, axe, snap, request):
    page = opened.page
    assert page.locator("h1").inner_text().startswith("3 numbers in, 1 number out: forward mode takes 3 passes")
    page.keyboard.press("Home")
    assert numbers(page, "forward") == {"x": "1.0", "w": "0.0", "b": "0.0"}
    assert numbers(page, "reverse") == {"y": "1.0"}
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert numbers(page, "forward") == {"x": "1.0", "w": "0.0", "b": "0.0", "mul": "2.0", "z": "2.0"}
    assert numbers(page, "reverse") == {"y": "1.0", "z": "14.0", "mul": "14.0", "b": "14.0"}
    said = page.get_by_role("status").inner_text()
    assert said == "Step 2 of 3. Forward mode: z gives ż = 2.0. Reverse mode: the rule of z gives m̄ul = 14.0, b̄ = 14.0."
    assert axe(page) == []
    snap(page, f"forward-and-reverse-{request.node.callspec.params['opened']}")
    page.get_by_role("button", name="Next").click()
    assert numbers(page, "forward")["y"] == "28.0"
    assert numbers(page, "reverse") == {"x": "28.0", "w": "42.0", "b": "14.0", "mul": "14.0", "z": "14.0", "y": "1.0"}


def test_the_table_follows_and_the_passes_fill_the_jacobian(opened):
    page = opened.page
    page.keyboard.press("End")
    rows = [row.locator("td").all_text_contents() for row in page.locator("#trace tbody tr").all()]
    assert rows[0] == ["3.0", "1.0", "28.0"]
    assert rows[-1] == ["49.0", "28.0", "1.0"]
    page.get_by_label("Forward mode, pass").select_option(index=1)
    rows = [row.locator("td").all_text_contents() for row in page.locator("#trace tbody tr").all()]
    assert [row[1] for row in rows] == ["0.0", "1.0", "0.0", "3.0", "3.0", "42.0"]
    assert page.locator("#jacobian td[data-column-now]").all_text_contents() == ["42.0"]
    assert page.locator("#jacobian td[data-row-now]").all_text_contents() == ["28.0", "42.0", "14.0"]
    page.get_by_label("Forward mode, pass").select_option(index=0)


def test_a_short_program_is_seen_whole_in_a_cell(open_file, tmp_path, axe, snap):
    """The frame of a cell is 640 px high: the picture is made smaller rather than cut off."""
    file = tv.modes(short, x=3.0, w=2.0).save_html(tmp_path / "short.html")
    opened = open_file(file, viewport={"width": 1000, "height": 640})
    page = opened.page
    for side in ("Forward", "Reverse"):
        drawing = page.get_by_role("group", name=f"{side} mode, graph")
        around = drawing.bounding_box()
        last = drawing.locator("g", has_text="y").last.bounding_box()
        assert last["y"] + last["height"] <= around["y"] + around["height"]
        assert drawing.evaluate("each => each.scrollHeight <= each.clientHeight")
        assert drawing.locator("svg").evaluate("each => each.getCTM().a") >= 0.75
    assert axe(page) == []
    snap(page, "forward-and-reverse-short")


def test_a_long_program_stands_folded_and_its_table_follows(open_file, tmp_path, axe, snap):
    opened = open_file(tv.modes(deep, x=[1.0, 2.0]).save_html(tmp_path / "deep.html"))
    page = opened.page
    assert page.locator("#trace tbody tr").count() == 81
    for _ in range(30):
        page.keyboard.press("PageDown")
    active = page.locator("#trace td.forward[data-now]")
    around = page.get_by_role("group", name="Trace").bounding_box()
    assert around["y"] < active.bounding_box()["y"] < around["y"] + around["height"]
    assert page.locator("g.now").count() >= 2
    assert axe(page) == []
    snap(page, "forward-and-reverse-long")


def test_a_notebook_shows_it_without_a_kernel(open_notebook):
    with open_notebook(["import tapeviz as tv", "tv.modes(lambda x, w: tv.sin(x) * w, x=0.0, w=2.0)"]) as book:
        book.run_all()
        book.output(1).scroll_into_view_if_needed()
        frame = book.output(1).frame_locator("iframe")
        frame.locator("h1").wait_for()
        book.shut_down()
        frame.get_by_role("button", name="Next").click()
        assert frame.get_by_role("status").inner_text().startswith("Step 1 of 2.")
        book.set_theme("dark")
        frame.locator("main[data-theme=dark]").wait_for()


ARROW = """path => {
  const line = path.closest("g").querySelector("path").getBoundingClientRect();
  const head = path.getBoundingClientRect();
  return Math.abs(head.top - line.top) < Math.abs(head.bottom - line.bottom) ? "up" : "down";
}"""


def test_arrows_point_where_the_derivatives_go(opened):
    for side, way in (("forward", "down"), ("reverse", "up")):
        heads = opened.page.locator(f"g[id^={side}-e] polygon, g[id^={side}-e] path:nth-of-type(2)")
        assert {head.evaluate(ARROW) for head in heads.all()} == {way}


def test_what_is_zero_in_one_pass_alone_is_nothing_amiss(open_file, tmp_path):
    page = open_file(
        tv.modes(lambda x, w: tv.stack([tv.sin(x), tv.exp(w)]), x=1.0, w=2.0).save_html(tmp_path / "m.html")
    ).page
    assert page.get_by_text("target", exact=True).count() == 2
    assert page.get_by_text("zero gradient").count() == 0
