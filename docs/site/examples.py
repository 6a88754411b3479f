"""Markdown with blocks of code that are marked to be run -> the blocks, each with what it gave.

A block that begins with ```` ```python run ```` is run; those of a page share their names. What it prints stands below
it, then the value of its last line: a recording as the debugger, what `explore` returned with its sliders, anything
else as text.
"""

from __future__ import annotations

import ast
import io
import linecache
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import tapeviz as tv
from tapeviz.errors import LogError
from tapeviz.events import log_of
from tapeviz.views.page.sliders_page import UnderSliders

BLOCK = re.compile(r"^```python run\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FRAME = '<iframe src="{source}" title="The debugger of this program" loading="lazy" class="debugger"></iframe>'


def executed(text: str, folder: Path, name: str) -> str:
    """The text with its blocks run; debuggers are pages of their own in `folder`."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    count = 0

    def shown(block: re.Match[str]) -> str:
        nonlocal count
        count += 1
        code = block[1]
        printed, value = _run(code, f"{name}_{count}.py", namespace)
        parts = [f"```python\n{code}```"]
        said = printed + ("" if value is None or _is_recording(value) else f"{value}\n")
        if said:
            parts.append(f"```text\n{said}```")
        if _is_recording(value):
            source = Path("examples", f"{name}_{count}.html")
            (folder / source).parent.mkdir(exist_ok=True)
            tv.save_html(value, folder / source, live=isinstance(value, UnderSliders))
            parts.append(FRAME.format(source=source.as_posix()))
        return "\n\n".join(parts)

    return BLOCK.sub(shown, text)


def _run(code: str, filename: str, namespace: dict[str, Any]) -> tuple[str, Any]:
    """Run some lines: what they print, and the value of the last of them if it is an expression."""
    linecache.cache[filename] = len(code), None, code.splitlines(keepends=True), filename
    tree = ast.parse(code, filename)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, filename, "exec"), namespace)
        value = eval(compile(ast.Expression(last.value), filename, "eval"), namespace) if last else None
    return printed.getvalue(), value


def _is_recording(value: Any) -> bool:
    try:
        log_of(value)
    except (TypeError, LogError):
        return False
    return True
