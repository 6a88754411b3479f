"""What the compiler keeps of the stack at a node -> a function of that line, by which the node is called.

A frame of that function is the user's line to whoever looks at the stack, down to the columns.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable
from functools import cache, lru_cache
from itertools import islice
from linecache import getline, getlines
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from tapeviz.source.parsing import parse

_FRAME = re.compile(r'File "([^"]+)", line (\d+), in (.+)\n(?: {4}\S.*\n)?(?: {4}( *[~^]+)\n)?')
_CALL = "lambda ready, function, args, kwargs: (ready(), function(*args, **kwargs))[1]"
_OPERATORS = {"Mult": "mul", "Div": "truediv", "USub": "neg", "NotEq": "ne", "LtE": "le", "GtE": "ge", "BitAnd": "and_"}
_OPERATORS |= {"BitOr": "or_", "BitXor": "xor"}
"""The classes of operators in a syntax tree -> their names in the module `operator`, where these are not the same."""
_KINDS = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript, ast.With, ast.ClassDef)
CALLS = 2
"""The index of an instruction of such a function that is at the line, in all of it."""


class Line(NamedTuple):
    """A line that calls: its file, its number, the name of the function it is in; what is called, which begins at a
    column, and ends in a line at another one."""

    file: str
    number: int
    function: str
    begin: int = 0
    last: int = 0
    end: int = 0

    @property
    def text(self) -> str:
        """The text of the first line, from where it begins."""
        return getline(self.file, self.number).encode()[self.begin :].decode(errors="replace")


@cache
def lines_in(stack: str | None, name: str = "", earlier: int = 0) -> tuple[Line, ...]:
    """The lines of a stack, the outermost first; in the last one something of a name ran, and some so often `earlier`.

    >>> [
    ...     (each.file, each.number, each.function)
    ...     for each in lines_in('  File "net.py", line 3, in forward\\n    x.sin()')
    ... ]
    [('net.py', 3, 'forward')]
    """
    found = _FRAME.findall(stack or "")
    outer = [_line(each) for each in found[:-1]]
    return (*outer, *(_line(each, name, earlier) for each in found[-1:]))


@lru_cache(maxsize=256)
def line_at(code: CodeType, lasti: int) -> Line:
    """The line of an instruction.

    >>> code = compile("x = 1\\ny = f(x)", "net.py", "exec")
    >>> line = line_at(code, 0)
    >>> line.file, line.function
    ('net.py', '<module>')
    """
    first, last, begin, end = next(islice(code.co_positions(), max(lasti, 0) // 2, None))
    number = first or code.co_firstlineno
    return Line(code.co_filename, number, code.co_name, begin or 0, last or number, end or 0)


@cache
def opener(line: Line) -> Line | None:
    """The innermost `with` around a line."""
    around = [each for each in _nodes(line.file) if isinstance(each, ast.With) and each.lineno <= line.number]
    inside = [each for each in around if line.number <= (each.end_lineno or 0)]
    return _spanning(line, max(inside, key=lambda each: each.lineno)) if inside else None


@cache
def function_around(line: Line) -> str | None:
    """The name of the class around a line of its `forward`, if it has a `backward` as well; None of any other line."""
    classes = [each for each in _nodes(line.file) if isinstance(each, ast.ClassDef) and each.lineno <= line.number]
    around = [each for each in classes if line.number <= (each.end_lineno or 0)]
    own = max(around, key=lambda each: each.lineno, default=None)
    methods = {each.name for each in own.body if isinstance(each, ast.FunctionDef)} if own is not None else set()
    return own.name if own is not None and line.function == "forward" and "backward" in methods else None


def _line(found: tuple[str, str, str, str], name: str = "", earlier: int = 0) -> Line:
    """A line; the `marks` begin below what ran there, and may end too late: it is an expression that begins there.

    Of several, it is one with the name, the innermost first.
    """
    file, number, function, marks = found
    at, source = int(number), getline(file, int(number)).rstrip()
    indent = len(source) - len(source.lstrip())
    first, last = (len(marks) - len(marks.lstrip()), len(marks)) if marks else (0, len(source) - indent)
    begin, end = (len(source[: indent + each].encode()) for each in (first, last))
    goes_on = indent + last >= len(source)
    begun = [
        each
        for each in _nodes(file)
        if isinstance(each, ast.expr)
        and (each.lineno, each.col_offset) == (at, begin)
        and ((each.end_col_offset or 0) <= end if each.end_lineno == at else goes_on)
    ]
    fitting = [each for each in begun if _name_of(each) == name] or [
        each for each in begun if isinstance(each, ast.Call)
    ]
    line = Line(file, at, function, begin, at, end)
    fitting.sort(key=_end_of)
    return _spanning(line, fitting[earlier % len(fitting)]) if fitting else line


@cache
def calls_in(line: Line, names: tuple[str, ...]) -> tuple[Line, ...]:
    """Of a line that is known by its number alone, the calls of the first of these names that it has, inner ones first.

    Where it has none of them, it is the line itself.
    """
    around = [each for each in _nodes(line.file) if isinstance(each, ast.expr) and each.lineno <= line.number]
    around = [each for each in around if line.number <= (each.end_lineno or 0)]
    begun = sorted((each for each in around if each.lineno == line.number), key=_end_of) or around
    for name in names:
        fitting = [each for each in begun if _is_called(each, name)]
        if fitting:
            return tuple([_spanning(line, each) for each in fitting])
    return (line,)


def _is_called(node: ast.expr, name: str) -> bool:
    """Whether it calls a function of a name, or an export of one, as `random.normal` is of `random_normal`."""
    own = _name_of(node)
    return own == name or bool(own and isinstance(node, ast.Call) and name.endswith(f"_{own}"))


def _name_of(node: ast.expr) -> str:
    """The name of the function that an expression calls, or that of its operator in the module `operator`."""
    if isinstance(node, ast.Call):
        return str(getattr(node.func, "attr", getattr(node.func, "id", "")))
    if isinstance(node, ast.Subscript):
        return "getitem"
    own = node.ops[0] if isinstance(node, ast.Compare) else getattr(node, "op", node)
    return _OPERATORS.get(type(own).__name__, type(own).__name__.lower())


def _end_of(node: ast.expr | ast.stmt) -> tuple[int, int]:
    return node.end_lineno or 0, node.end_col_offset or 0


def _spanning(line: Line, node: ast.expr | ast.stmt) -> Line:
    last, end = _end_of(node)
    return line._replace(number=node.lineno, begin=node.col_offset, last=last, end=end)


def _nodes(file: str) -> list[ast.expr | ast.stmt]:
    """The expressions and statements of a file; none where it is none of Python's."""
    return _nodes_of("".join(getlines(file)))


@lru_cache(maxsize=64)
def _nodes_of(source: str) -> list[ast.expr | ast.stmt]:
    tree = parse(source)
    return [] if tree is None else [each for each in ast.walk(tree) if isinstance(each, _KINDS)]


@cache
def call_at(line: Line) -> Callable[..., Any]:
    """A function that calls `ready`, and then a function with arguments, as from a line of the program's."""
    tree = ast.parse(_CALL, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, (ast.expr, ast.arg)):
            node.lineno, node.end_lineno = line.number, line.last or line.number
            node.col_offset, node.end_col_offset = line.begin, line.end
    code = compile(tree, line.file, "eval").co_consts[0]
    named = code.replace(co_name=line.function, co_qualname=line.function)
    return FunctionType(named, {"__builtins__": builtins})  # what PyTorch imports by
