"""The harness itself, on a widget of ten lines: what the product's tests rely on, in JupyterLab and in Notebook 7."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser

COUNTER = """\
import anywidget, traitlets

class Counter(anywidget.AnyWidget):
    step = traitlets.Int(0).tag(sync=True)
    _esm = '''
    export default { render({ model, el }) {
      const host = document.createElement("div");
      host.dataset.lmSuppressShortcuts = "true";
      const root = host.attachShadow({ mode: "open" });
      root.innerHTML = '<button style="color:#000;background:#fff">step <output></output></button>';
      const show = () => { root.querySelector("output").textContent = model.get("step"); };
      host.addEventListener("keydown", (event) => {
        if (event.key === "ArrowRight") model.set("step", model.get("step") + 1);
        if (event.key === "!") throw new Error("thrown by the counter");
        if (event.key === "?") fetch("https://example.com/counter").catch(() => {});
        model.save_changes();
      });
      model.on("change:step", show);
      show();
      el.append(host);
    } };
    '''

w = Counter()
w"""
CELLS = ["divisor = 1", COUNTER, "1 / divisor"]


@pytest.fixture(scope="module", params=["lab", "notebook"])
def book(request, open_notebook):
    with open_notebook(CELLS, app=request.param) as book:
        book.run_all()
        yield book


def press(book, *keys):
    book.output(1).locator("button").focus()
    for key in keys:
        book.page.keyboard.press(key)


def test_python_reads_what_the_keys_did(book):
    press(book, *["ArrowRight"] * 5)
    book.wait_py("w.step", 5)
    assert book.output(1).locator("button").inner_text() == "step 5"


def test_the_notebook_keeps_its_hands_off_the_keys(book):
    press(book)  # the focus alone makes the cell the active one
    before = book.cells(), book.active_cell()
    press(book, "a", "b", "m", "x", "d", "d", "j", "k", "ArrowDown", "ArrowUp")
    assert (book.cells(), book.active_cell()) == before
    assert before[0] == [("code", source) for source in CELLS]


def test_a_failure_says_what_was_seen(book):
    with pytest.raises(AssertionError, match=r"w\.no_such_trait: AttributeError"):
        book.read("w.no_such_trait")
    book.read("globals().update(divisor=0)")
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        book.run_cell(2)
    with pytest.raises(AssertionError, match="1 \\+ 1 is 2, not 3"):
        book.wait_py("1 + 1", 3, seconds=0.1)


def test_errors_and_requests_of_a_page_are_seen(book):
    assert (book.errors, book.outside) == ([], [])
    press(book, "!", "?")
    book.page.wait_for_timeout(200)
    assert "thrown by the counter" in book.errors.pop()
    assert book.outside == ["https://example.com/counter"]
    book.outside.clear()


def test_themes_can_be_told_apart(book, snap):
    pictures = []
    for theme in ("light", "dark"):
        book.set_theme(theme)
        pictures.append(snap(book.page, f"harness-{book.app}-{theme}").read_bytes())
    assert pictures[0] != pictures[1]


def test_axe_looks_into_a_widget(book, axe):
    host = ".jp-OutputArea-output [data-lm-suppress-shortcuts]"
    assert axe(book.page, host) == []
    book.page.locator(host).evaluate("host => host.shadowRoot.append(document.createElement('button'))")
    assert any(line.startswith("button-name") for line in axe(book.page, host))
    book.page.locator(host).evaluate("host => host.shadowRoot.lastChild.remove()")


def test_a_file_opens_with_the_network_cut(open_file, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<!doctype html><title>t</title><img src='https://example.com/a.png'><script>missing()</script>")
    opened = open_file(page, color_scheme="dark")
    assert opened.page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    assert opened.page.evaluate("matchMedia('(prefers-reduced-motion: reduce)').matches")
    assert opened.outside.pop() == "https://example.com/a.png"
    assert "missing is not defined" in opened.errors.pop()
