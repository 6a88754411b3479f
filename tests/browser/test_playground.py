"""The playground in a browser: editor, menu, links, what a run shows; Python itself where Pyodide's files are there."""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from docs.site.playground import build, distribution
from docs.site.playground.programs import programs
from tests.browser.debugger_page import DEBUGGER
from tests.browser.guarded_page import GuardedPage
from tests.browser.served import served

pytestmark = pytest.mark.browser

FILES = os.environ.get(build.VARIABLE)
HAS_CORE = FILES is not None and all((Path(FILES) / name).is_file() for name in distribution.CORE)
NOT_ASCII = 'print("größer als λ: ∂y/∂x")'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A playground without Pyodide."""
    folder = tmp_path_factory.mktemp("playground")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(build.VARIABLE, raising=False)
        assert build.build(folder)[: len(distribution.CORE)] == [*distribution.CORE]
    return folder


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with served(folder) as address:
        yield f"{address}/index.html"


@pytest.fixture(scope="module")
def guarded(browser: Browser, opened_pages: list[GuardedPage]) -> Iterator[GuardedPage]:
    """A page that obeys its own policy."""
    guarded = GuardedPage(browser, bypass_csp=False)
    opened_pages.append(guarded)
    yield guarded
    opened_pages.remove(guarded)
    guarded.close()


@pytest.fixture
def page(guarded: GuardedPage, address: str) -> Page:
    """The playground, just opened."""
    return opened(guarded.page, address)


def opened(page: Page, address: str) -> Page:
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_selector("[data-ready]")
    return page


def test_it_opens_with_a_program_and_a_menu_of_others(page: Page) -> None:
    menu = programs()
    assert len(menu) > 30
    expect(page.locator("#source")).to_have_value(menu[0].source)
    assert page.locator("#programs option").all_text_contents() == [each.title for each in menu]
    page.locator("#programs").select_option(menu[5].name)
    expect(page.locator("#source")).to_have_value(menu[5].source)
    assert not [each for each in menu if "EXPECTED" in each.source or "__file__" in each.source]


def test_a_link_holds_the_program_and_does_not_run_it(page: Page, address: str) -> None:
    page.locator("#source").fill(NOT_ASCII)
    page.locator("#link").click()
    expect(page.locator("#status")).to_contain_text("link")
    link = page.url
    assert len(link) < len(address) + 120
    opened(page, link)
    expect(page.locator("#source")).to_have_value(NOT_ASCII)
    expect(page.locator("#status")).to_have_text("A program from a link. Read it, then press Run.")
    expect(page.locator("#output")).to_be_empty()


@pytest.mark.parametrize("damaged", ["#program=%%%", "#program=AAAA", "#program="])
def test_a_damaged_link_is_told(page: Page, address: str, damaged: str) -> None:
    opened(page, address + damaged)
    expect(page.locator("#status")).to_have_text(
        "This link holds no whole program: it was cut, or changed, on its way."
    )
    expect(page.locator("#source")).to_have_value(programs()[0].source)


def test_keys_of_the_editor(page: Page) -> None:
    source = page.locator("#source")
    source.fill("")
    source.press_sequentially("for i in range(3):\n")
    source.press_sequentially("x = i\n")
    source.press("Tab")
    source.press_sequentially("y")
    expect(source).to_have_value("for i in range(3):\n    x = i\n        y")
    source.press("Control+z")
    assert source.input_value() != "for i in range(3):\n    x = i\n        y"
    source.press("Escape")
    source.press("Tab")
    expect(source).not_to_be_focused()


def test_without_pyodide_it_says_what_is_missing_and_how_to_bring_it(page: Page) -> None:
    page.locator("#run").click()
    status = page.locator("#status")
    expect(status).to_contain_text(f"built without {', '.join(distribution.CORE)}, a wheel of numpy")
    expect(status).to_contain_text(f"{build.VARIABLE}=folder python -m docs.site.playground")
    expect(page.locator("#run")).to_be_enabled()


@pytest.fixture(scope="module")
def runner() -> Any:
    """`runner.py`, which the worker calls, here in this process."""
    spec = importlib.util.spec_from_file_location("runner", build.FILES / "runner.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def answering(result: dict[str, Any]) -> Callable[[Route], None]:
    """A worker that gives a result which this process computed: the page's side alone is under test."""
    body = f"onmessage = () => postMessage({json.dumps({'kind': 'result', 'result': result})});"
    return lambda route: route.fulfill(body=body, content_type="text/javascript")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_run_shows_what_was_printed_and_a_debugger_that_steps(
    page: Page, runner: Any, scheme: Any, axe: Callable[..., list[str]], browser: Browser, address: str
) -> None:
    program = programs()[0].source
    page.emulate_media(color_scheme=scheme)
    page.route("**/worker.js", answering(runner.run(program)))
    page.locator("#source").press("Control+Enter")
    expect(page.locator("#output")).to_have_text("27.0")
    expect(page.locator("#status")).to_contain_text("Done in")
    debugger = page.frame_locator("iframe").locator(DEBUGGER)
    debugger.click()
    debugger.press("ArrowRight")
    expect(debugger).to_contain_text("Step 1")
    page.unroute("**/worker.js")
    with_axe = GuardedPage(browser, color_scheme=scheme)
    opened(with_axe.page, address)
    assert axe(with_axe.page) == []
    with_axe.close()


@pytest.mark.parametrize(
    ("program", "printed", "status"),
    [
        ("1 / 0", 'File "program.py", line 1, in <module>', "The program ended with an error."),
        ("import tapeviz as tf\nx = 2\nx + 1", "3", "Done in"),
        (
            "import tensorflow as tf\nx = tf.ones(3)\nwith tf.GradientTape() as tape:\n    y = -x\ntape.gradient(y, x)",
            "error: The source is not watched [not_watched]",
            "Done in",
        ),
    ],
)
def test_what_a_run_says(page: Page, runner: Any, program: str, printed: str, status: str) -> None:
    page.route("**/worker.js", answering(runner.run(program)))
    page.locator("#run").click()
    expect(page.locator("#output")).to_contain_text(printed)
    expect(page.locator("#status")).to_contain_text(status)
    page.unroute("**/worker.js")


def test_a_program_that_never_ends_can_be_stopped(page: Page) -> None:
    endless = "onmessage = () => { for (;;); };"
    page.route("**/worker.js", lambda route: route.fulfill(body=endless, content_type="text/javascript"))
    page.locator("#run").click()
    expect(page.locator("#stop")).to_be_enabled()
    page.locator("#stop").click()
    expect(page.locator("#status")).to_contain_text("Stopped.")
    expect(page.locator("#run")).to_be_enabled()
    page.unroute("**/worker.js")


@pytest.mark.slow
@pytest.mark.skipif(not HAS_CORE, reason=f"{build.VARIABLE} names no folder with Pyodide {distribution.VERSION}")
def test_python_starts_and_runs_every_program_as_far_as_its_wheels_are_here(
    browser: Browser, opened_pages: list[GuardedPage], tmp_path: Path, runner: Any
) -> None:
    """With NumPy's wheel every program of the menu prints what it prints in CPython; without it Python says so."""
    missing = build.build(tmp_path)
    if missing:
        manifest = json.loads((tmp_path / "manifest.json").read_text())
        (tmp_path / "manifest.json").write_text(json.dumps(manifest | {"missing": [], "packages": []}))
    with served(tmp_path) as address:
        guarded = GuardedPage(browser, bypass_csp=False)
        page = opened(guarded.page, f"{address}/index.html")
        for each in programs()[: 1 if missing else None]:
            page.locator("#programs").select_option(each.name)
            page.locator("#run").click()
            status = page.locator("#status")
            if missing:
                expect(status).to_contain_text("No module named 'numpy'", timeout=60_000)
            else:
                expect(status).to_contain_text("Done in", timeout=60_000)
                assert page.locator("#output").inner_text().startswith(runner.run(each.source)["printed"].rstrip())
        assert guarded.outside == []
        guarded.close()
