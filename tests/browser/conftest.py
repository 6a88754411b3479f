"""Fixtures for tests in a real browser.

Whoever writes a test here needs five of them:

`with open_notebook(cells, app="lab") as book`, a NotebookDriver
    Cells (source strings, or the path of an .ipynb with the data beside it) opened in JupyterLab ("lab") or
    Notebook 7 ("notebook"), kernel connected. In the end its kernel is shut down, and the page waits for the next
    notebook. Starting a kernel takes a second, and a page of the application several, so share one per module::

        @pytest.fixture(scope="module", params=["lab", "notebook"])
        def book(request, open_notebook):
            with open_notebook(["import tapeviz as tf", "..."], app=request.param) as book:
                yield book


        def test_it(book):
            book.run_all()
            book.output(1).locator("[data-ready]").click()
            book.page.keyboard.press("ArrowRight")
            book.wait_py("widget.step", 1)  # poll: traits arrive a little later than the key
            assert book.read("widget.selected") == "..."

`open_file(path, **options) -> GuardedPage`
    An HTML file from file:// with the network cut: `.page`, `.outside`, `.errors`.

`page -> Page`
    The debugger in the HTML file that a fixture `file` of the module saves, light and dark.

`axe(page_or_frame, selector=None) -> list[str]`
    axe-core's violations; the test skips where axe-core is not at hand.

`snap(page_or_locator, name) -> Path`
    A screenshot NAME.png in $TAPEVIZ_SCREENSHOTS, or in pytest's temporary folder.

`options` are Playwright's for the context of a file: color_scheme="dark", reduced_motion="no-preference",
forced_colors="active", viewport={"width": ..., "height": ...}. Default: light, reduced motion, 1280 x 900.
Requests beyond loopback are refused and listed in `outside`; `errors` lists what our own code threw. A test that leaves
any fails.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import nbformat
import pytest
from playwright.sync_api import Browser, Frame, Locator, Page, sync_playwright

from tests.browser import accessibility, chromium
from tests.browser.debugger_page import DEBUGGER
from tests.browser.guarded_page import GuardedPage
from tests.browser.notebook_driver import App, NotebookDriver
from tests.browser.server import JupyterServer
from tests.fetched import fetched


# Per package, not per session: while Playwright's synchronous API is up, no test elsewhere could call asyncio.run.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Chromium, headless."""
    path = chromium.find_browser()
    if path is None:
        pytest.skip(chromium.ADVICE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(chromium.FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def jupyter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    """One Jupyter server for all tests of a run."""
    server = JupyterServer(tmp_path_factory.mktemp("jupyter"))
    yield server
    server.stop()


@pytest.fixture(scope="package")
def opened_pages() -> list[GuardedPage]:
    """The pages that are open."""
    return []


@pytest.fixture(autouse=True)
def no_requests_and_no_errors(opened_pages: list[GuardedPage]) -> Iterator[None]:
    """Whatever a test does, no page asks for anything outside, and none of our code throws an error."""
    yield
    found = [(page.outside.copy(), page.errors.copy()) for page in opened_pages if page.outside or page.errors]
    for page in opened_pages:
        page.outside.clear()
        page.errors.clear()
    assert found == []


@pytest.fixture(scope="package")
def open_notebook(
    browser: Browser, jupyter: JupyterServer, opened_pages: list[GuardedPage]
) -> Callable[..., AbstractContextManager[NotebookDriver]]:
    """`open_notebook(cells, app="lab")`: see the head of this file."""
    numbers = count()
    free: dict[App, list[GuardedPage]] = {"lab": [], "notebook": []}

    @contextmanager
    def open_notebook(cells: Sequence[str] | Path, app: App = "lab") -> Iterator[NotebookDriver]:
        name = _place(cells, jupyter.root, next(numbers))
        if not free[app]:
            free[app].append(GuardedPage(browser))
            opened_pages.append(free[app][-1])
        guarded = free[app].pop()
        driver = NotebookDriver(guarded, jupyter.url, name, app)
        yield driver
        driver.close()
        free[app].append(guarded)

    return open_notebook


@pytest.fixture(scope="module")
def open_file(browser: Browser, opened_pages: list[GuardedPage]) -> Iterator[Callable[..., GuardedPage]]:
    """`open_file(path, **options)`: see the head of this file."""
    with ExitStack() as closing:

        def open_file(path: Path, **options: Any) -> GuardedPage:
            guarded = GuardedPage(browser, offline=True, **options)
            opened_pages.append(guarded)
            closing.callback(guarded.close)
            closing.callback(opened_pages.remove, guarded)
            guarded.page.goto(path.resolve().as_uri())
            return guarded

        yield open_file


@pytest.fixture(scope="module")
def windows() -> dict[str, GuardedPage]:
    """The window of each colour scheme: a new one costs as much as a test in it."""
    return {}


@pytest.fixture(params=["light", "dark"])
def page(
    request: pytest.FixtureRequest,
    file: Path,
    open_file: Callable[..., GuardedPage],
    windows: dict[str, GuardedPage],
) -> Page:
    """The debugger in the saved `file` of a module."""
    if request.param in windows:
        windows[request.param].open_anew(file)
    else:
        windows[request.param] = open_file(file, color_scheme=request.param)
    opened = windows[request.param].page
    opened.wait_for_selector(DEBUGGER)
    return opened


@pytest.fixture(scope="session")
def axe() -> Callable[..., list[str]]:
    """`axe(page_or_frame, selector=None)`: axe-core's violations, one line each."""
    script = fetched("axe.min.js", "TAPEVIZ_AXE")

    def axe(frame: Page | Frame, selector: str | None = None) -> list[str]:
        return accessibility.violations(script, frame, selector)

    return axe


@pytest.fixture(scope="session")
def snap(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Page | Locator, str], Path]:
    """`snap(page_or_locator, name)`: a screenshot, animations stopped and caret hidden."""
    named = os.environ.get("TAPEVIZ_SCREENSHOTS")
    folder = Path(named) if named else tmp_path_factory.mktemp("screenshots")
    folder.mkdir(parents=True, exist_ok=True)

    def snap(target: Page | Locator, name: str) -> Path:
        path = folder / f"{name}.png"
        target.screenshot(path=path, animations="disabled", caret="hide")
        return path

    return snap


def _place(cells: Sequence[str] | Path, root: Path, number: int) -> str:
    """Put a notebook, and the data that lies beside it, where the server finds it; return its path there."""
    folder = f"{os.urandom(3).hex()}-{number}"
    if isinstance(cells, Path):
        shutil.copytree(cells.parent, root / folder)
        return f"{folder}/{cells.name}"
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in cells],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    )
    (root / folder).mkdir()
    nbformat.write(notebook, root / folder / "test.ipynb")
    return f"{folder}/test.ipynb"
