"""GuardedPage and a server's notebook -> the notebook opened in JupyterLab or Notebook 7, with its kernel at hand."""

from __future__ import annotations

import ast
import time
from typing import Any, Literal

from playwright.sync_api import Locator

from tests.browser.guarded_page import GuardedPage

App = Literal["lab", "notebook"]
PATHS: dict[App, str] = {"lab": "/lab/tree/{name}?reset", "notebook": "/notebooks/{name}"}
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}

# The idle badge shows before the kernel is connected, so every stage is waited for by name.
READY = """async (name) => {
  const app = window.jupyterapp;
  await app.started;
  const until = async (stage, reached) => {
    for (const end = Date.now() + 60_000; !reached(); await new Promise((done) => setTimeout(done, 50)))
      if (Date.now() > end) throw new Error(`${name}: not ${stage} after 60 s`);
  };
  const find = () => [...app.shell.widgets('main')].find((widget) => widget.context?.path === name);
  await until('open', find);
  const { context } = find();
  await context.ready;
  await context.sessionContext.ready;
  const kernel = () => context.sessionContext.session?.kernel;
  await until('connected', () => kernel()?.connectionStatus === 'connected' && kernel().status === 'idle');
  app.shell.activateById(find().id);
  window.tapevizPanel = find();
}"""
RUN_CELL = """async (index) => {
  window.tapevizPanel.content.activeCellIndex = index;
  await window.jupyterapp.commands.execute('notebook:run-cell');
}"""
RUN_ALL = "() => window.jupyterapp.commands.execute('notebook:run-all-cells')"
EVALUATE = """async (expression) => {
  const { kernel } = window.tapevizPanel.context.sessionContext.session;
  const request = { code: '', silent: true, store_history: false, user_expressions: { value: expression } };
  const reply = await kernel.requestExecute(request).done;
  return reply.content.user_expressions.value;
}"""
CELLS = """() => window.tapevizPanel.context.model.toJSON().cells
  .map(({ cell_type, source }) => [cell_type, Array.isArray(source) ? source.join('') : source])"""
OUTPUTS = "() => window.tapevizPanel.context.model.toJSON().cells.map((cell) => cell.outputs ?? [])"
SAVE = "() => window.tapevizPanel.context.save()"
OPEN = "async (path) => { await window.jupyterapp.commands.execute('docmanager:open', { path }); }"
CLOSE = """async () => {
  const panel = window.tapevizPanel;
  await panel.context.sessionContext.shutdown();
  panel.dispose();
}"""
SHUT_DOWN = "() => window.tapevizPanel.context.sessionContext.shutdown()"
SET_THEME = "(theme) => window.jupyterapp.commands.execute('apputils:change-theme', { theme })"


class NotebookDriver:
    """A notebook in a real front end: run its cells, look at their outputs, ask its kernel.

    `page`, `outside` and `errors` are those of the guarded page it is open in: a new one, or one in which the same
    application had another notebook open, and has closed it.
    """

    def __init__(self, guarded: GuardedPage, server_url: str, name: str, app: App = "lab") -> None:
        self.page = guarded.page
        self.outside = guarded.outside
        self.errors = guarded.errors
        self.app = app
        if app == "lab" and self.page.url.startswith(server_url):
            self.page.evaluate(OPEN, name)
        else:
            self.page.goto(server_url + PATHS[app].format(name=name))
            self.page.wait_for_function("window.jupyterapp !== undefined")
        self.page.evaluate(READY, name)

    def run_cell(self, index: int) -> Locator:
        """Run one cell (counted from 0), wait for its end, return its output area; if it raises, the test fails."""
        self.page.evaluate(RUN_CELL, index)
        _raise_errors(self.outputs()[index])
        return self.output(index)

    def run_all(self) -> None:
        """Run every cell and wait for the last; if one raises, the test fails."""
        self.page.evaluate(RUN_ALL)
        _raise_errors([output for outputs in self.outputs() for output in outputs])

    def output(self, index: int) -> Locator:
        """The output area of a cell."""
        return self.page.locator(".jp-Notebook-cell").nth(index).locator(".jp-Cell-outputArea")

    def read(self, expression: str) -> Any:
        """The value of a Python expression whose repr is a literal, asked of the kernel past the document."""
        reply = self.page.evaluate(EVALUATE, expression)
        if reply["status"] != "ok":
            raise AssertionError(f"{expression}: {reply['ename']}: {reply['evalue']}")
        return ast.literal_eval(reply["data"]["text/plain"])

    def wait_py(self, expression: str, expected: Any, seconds: float = 10) -> None:
        """Ask until the kernel answers `expected`: a widget's traits reach Python a little later than the click."""
        deadline = time.monotonic() + seconds
        while (seen := self.read(expression)) != expected:
            if time.monotonic() > deadline:
                raise AssertionError(f"{expression} is {seen!r}, not {expected!r}, after {seconds} s")
            self.page.wait_for_timeout(50)

    def cells(self) -> list[tuple[str, str]]:
        """Type and source of every cell: unchanged if no key reached the notebook's own shortcuts."""
        return [(kind, source) for kind, source in self.page.evaluate(CELLS)]

    def outputs(self) -> list[list[dict[str, Any]]]:
        """The outputs of every cell, as nbformat has them."""
        return self.page.evaluate(OUTPUTS)

    def active_cell(self) -> int:
        """The index of the cell the notebook's own cursor is on."""
        return self.page.evaluate("() => window.tapevizPanel.content.activeCellIndex")

    def save(self) -> None:
        self.page.evaluate(SAVE)

    def set_theme(self, theme: Literal["light", "dark"]) -> None:
        self.page.evaluate(SET_THEME, THEMES[theme])
        named = f'body[data-jp-theme-name="{THEMES[theme]}"]'
        self.page.wait_for_selector(named, state="attached")  # Lab's body has no size, which counts as hidden

    def shut_down(self) -> None:
        """End the kernel; the page stays."""
        self.page.evaluate(SHUT_DOWN)

    def close(self) -> None:
        """End the kernel and close the notebook; the application stays, for the next one."""
        self.page.evaluate(CLOSE)


def _raise_errors(outputs: list[dict[str, Any]]) -> None:
    for output in outputs:
        if output["output_type"] == "error":
            raise AssertionError("\n".join(output["traceback"]))
