"""voila and marimo, each serving one debugger: it is drawn there, and steps."""

from __future__ import annotations

import os
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent

import nbformat
import pytest
from playwright.sync_api import Browser, expect

from docs.site.lite.build import PYTHON
from tests.browser.debugger_page import DEBUGGER
from tests.browser.guarded_page import GuardedPage
from tests.browser.server import free_port

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PROGRAM = """import tapeviz as tf
x = tf.Variable(3.0, name="x")
with tf.GradientTape() as tape:
    y = tf.sin(x) * x
tape.gradient(y, x)
tf.debug(tape)
"""
MARIMO = f"""import marimo
app = marimo.App()
@app.cell
def _():
{indent(PROGRAM, "    ")}"""
COMMANDS = {
    "voila": ("--no-browser", "--Voila.ip=127.0.0.1", "--port={port}", "host.ipynb"),
    "marimo": ("run", "host.py", "--headless", "--no-token", "--host=127.0.0.1", "--port={port}"),
}
OF_VOILA = "https://cdn.jsdelivr.net/npm/@fortawesome/"
"""What voila's own template asks for, and does without."""
START_SECONDS = 90


@pytest.fixture(params=COMMANDS)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where an application shows the program."""
    if not (PYTHON.parent / request.param).exists():
        pytest.skip(f"{request.param} is not here: .ci/environment .venv-lite lite hosts")
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    nbformat.write(
        nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(PROGRAM)], metadata=kernel), tmp_path / "host.ipynb"
    )
    (tmp_path / "host.py").write_text(MARIMO)
    port = free_port()
    command = [PYTHON, "-m", request.param, *(each.format(port=port) for each in COMMANDS[request.param])]
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=tmp_path, env=os.environ | {"HOME": str(tmp_path)}, stdout=log, stderr=log
        )
    try:
        address = f"http://127.0.0.1:{port}"
        _wait(address, process)
        yield address
    finally:
        process.terminate()
        process.wait(timeout=15)


def _wait(address: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=START_SECONDS):
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"nothing answers at {address}")


def test_a_debugger_steps_there(browser: Browser, opened_pages: list[GuardedPage], address: str) -> None:
    guarded = GuardedPage(browser)
    opened_pages.append(guarded)
    guarded.page.goto(address)
    debugger = guarded.page.locator(DEBUGGER).first
    debugger.wait_for(timeout=START_SECONDS * 1000)
    debugger.click()
    debugger.press("ArrowRight")
    expect(debugger).to_contain_text("Step 1 of 2")
    assert [each for each in guarded.outside if not each.startswith(OF_VOILA)] == guarded.errors == []
    opened_pages.remove(guarded)
    guarded.close()
