"""JupyterLite in a browser, of the core of Pyodide alone: the notebooks are there, and no request leaves the site."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from docs.site.lite import build as lite
from docs.site.playground import distribution
from docs.site.playground.build import VARIABLE
from tests.browser.guarded_page import GuardedPage
from tests.browser.served import served
from tests.fetched import fetched
from tests.test_lite import METADATA, wheel

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not lite.PYTHON.exists():
        pytest.skip("JupyterLite is not here: .ci/environment .venv-lite lite")
    core, folder = fetched("pyodide", VARIABLE), tmp_path_factory.mktemp("lite")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(core))
        patch.setattr(lite, "PACKAGES", ())
        patch.setattr(lite, "wheels", lambda _: [wheel(folder, "some_name", METADATA)])
        assert lite.build(folder / "lite") is None
    return folder / "lite"


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with served(folder) as address:
        yield address


def test_python_and_the_wheels_are_those_of_the_site(folder: Path) -> None:
    settings = json.loads((folder / "jupyter-lite.json").read_text())["jupyter-config-data"]["litePluginSettings"]
    assert settings[lite.KERNEL]["pyodideUrl"] == "./static/pyodide/pyodide.mjs"
    assert settings[lite.KERNEL]["disablePyPIFallback"]
    lock = json.loads((folder / "static" / "pyodide" / distribution.LOCK).read_text())
    assert (folder / "static" / "pyodide" / lock["packages"]["some-name"]["file_name"]).exists()


def test_it_opens_a_notebook(browser: Browser, opened_pages: list[GuardedPage], address: str) -> None:
    guarded = GuardedPage(browser)
    opened_pages.append(guarded)
    guarded.page.goto(f"{address}/lab/index.html?path=01_first_tape.ipynb")
    expect(guarded.page.locator(".jp-Notebook")).to_contain_text("tape", timeout=60_000)
    shown = guarded.page.locator(".jp-DirListing-itemText").all_text_contents()
    assert {path.name for path in lite.notebooks()} <= set(shown)
    assert guarded.outside == []
    opened_pages.remove(guarded)
    guarded.close()
