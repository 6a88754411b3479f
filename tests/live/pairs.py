"""Pairs of ways to a gradient, as public threads ask about them, in the text beside this, and what is said of each.

What is ahead of all comes first. Both programs of a pair are bodies of functions without arguments; lines with an arrow
are parts of the verdict, and where there are none, the two are the same.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple


class Pair(NamedTuple):
    """Two programs, and what must be in the verdict; `say` is empty where they are the same."""

    a: str
    b: str
    say: tuple[str, ...]


def _pair(text: str) -> Pair:
    say = re.findall(r"^=> (.*)\n", text, flags=re.MULTILINE)
    a, b = re.sub(r"^=> .*\n", "", text, flags=re.MULTILINE).split("\n---\n")
    return Pair(a.strip(), b.strip(), tuple(say))


BEFORE, *_PARTS = re.split(
    r"^# (.+)\n", Path(__file__).with_name("same_torch.txt").read_text(encoding="utf-8"), flags=re.MULTILINE
)
PAIRS = {name: _pair(text) for name, text in zip(_PARTS[::2], _PARTS[1::2], strict=True)}


def programs(pair: Pair) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Both programs, as functions that share what is ahead of them."""
    bodies = {"a": pair.a, "b": pair.b}
    text = BEFORE + "".join(f"def {name}():\n{textwrap.indent(body, '    ')}\n" for name, body in bodies.items())
    space: dict[str, Any] = {"__name__": "pair"}
    exec(compile(text, "pair.py", "exec"), space)
    return space["a"], space["b"]
