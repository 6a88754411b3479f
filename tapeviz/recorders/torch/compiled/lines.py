"""What the compiler keeps of the stack at a node -> a function of that line, by which the node is called.

A frame of that function is the user's line to whoever looks at the stack, down to the columns.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable
from functools import cache
from linecache import getline
from types import FunctionType
from typing import Any, NamedTuple

_FRAME = re.compile(r'File "([^"]+)", line (\d+), in (.+)\n(?: {4}\S.*\n)?(?: {4}( *[~^]+)\n)?')
_CALL = "lambda ready, function, args, kwargs: (ready(), function(*args, **kwargs))[1]"

CALLS = 2
"""The index of an instruction of such a function that is at the line, in all of it."""


class Line(NamedTuple):
    """A line that calls: its file, its number, the name of the function it is in; what is called, as the text between
    two columns."""

    file: str
    number: int
    function: str
    begin: int = 0
    end: int = 0

    @property
    def text(self) -> str:
        """What is called."""
        return getline(self.file, self.number).encode()[self.begin : self.end].decode(errors="replace")


def lines_in(stack: str | None) -> list[Line]:
    """The lines of a stack, the outermost first.

    >>> [(each.file, each.number, each.function) for each in lines_in('  File "net.py", line 3, in forward\\n    x.sin()')]
    [('net.py', 3, 'forward')]
    """
    return [_line(*found.groups()) for found in _FRAME.finditer(stack or "")]


def _line(file: str, number: str, function: str, marks: str | None) -> Line:
    """A line; in the stack, the `marks` below it begin where its text does, without what it is indented by."""
    source = getline(file, int(number)).rstrip()
    begin, end = len(source) - len(source.lstrip()), len(source)
    if marks is not None:
        begin, end = begin + len(marks) - len(marks.lstrip()), begin + len(marks)
    return Line(file, int(number), function, *(len(source[:at].encode()) for at in (begin, end)))


@cache
def call_at(line: Line) -> Callable[..., Any]:
    """A function that calls `ready`, and then a function with arguments, as from a line of the program's."""
    tree = ast.parse(_CALL, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, (ast.expr, ast.arg)):
            node.lineno = node.end_lineno = line.number
            node.col_offset, node.end_col_offset = line.begin, line.end
    code = compile(tree, line.file, "eval").co_consts[0]
    named = code.replace(co_name=line.function, co_qualname=line.function)
    return FunctionType(named, {"__builtins__": builtins})  # what PyTorch imports by
