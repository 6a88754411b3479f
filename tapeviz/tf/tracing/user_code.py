"""An error in a function that AutoGraph rewrites -> the same error, with the user's lines that led to it in its text.

TensorFlow's traceback leads through the code that AutoGraph generated, so it puts the lines of the source into the text
of the error. A class that cannot be constructed from a text alone is replaced by StagingError.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from tapeviz.engine.graph_mode.building import in_graph
from tapeviz.engine.setting import Setting
from tapeviz.errors import LINE, InaccessibleTensorError, OperatorNotAllowedInGraphError, OpError, TapevizError
from tapeviz.events.program.exceptions import SAID
from tapeviz.events.program.frames import PACKAGE_FILES, is_library
from tapeviz.events.program.functions import source_of_code
from tapeviz.source.sites import is_inline, parsed, read_lines

_LAMBDA = "<lambda>"
_FACTORY = "outer_factory.<locals>.inner_factory.<locals>."
"""The prefix of the qualified names of the functions that AutoGraph generates."""
_MADE_ANEW = (
    AssertionError,
    AttributeError,
    InaccessibleTensorError,
    NameError,
    NotImplementedError,
    OperatorNotAllowedInGraphError,
    RuntimeError,
    StopIteration,
    TypeError,
    UnboundLocalError,
    ValueError,
)
"""The classes that TensorFlow constructs from a text, besides those without an `__init__` of their own."""

_UNKNOWN = (ast.NamedExpr, ast.Yield, ast.YieldFrom)
"""The constructs that AutoGraph does not know, besides the `else` of a loop: a function with one is not rewritten."""
_LOOPS = (ast.For, ast.While)

_LAYERS = str(Path(__file__).parents[2] / "keras")
"""The folder of Keras' layers, which call those of the user."""

_telling: ContextVar[bool] = ContextVar("tapeviz.telling", default=False)
"""Whether a function is running whose errors get the lines of all user code in it."""


class StagingError(Exception):
    """The class of errors of user code whose own class needs more than a text.

    It is `tensorflow.python.autograph.impl.api.StagingError` in TensorFlow.
    """


class _KeyError(KeyError):
    """A KeyError that prints a text of several lines as it is. Python's prints its `repr`."""

    def __str__(self) -> str:
        return str(self.args[0])


_KeyError.__name__ = _KeyError.__qualname__ = "KeyError"


class _Line(NamedTuple):
    filename: str
    number: int
    function: str | None
    text: str


@contextmanager
def telling(function: Callable[..., Any], rewritten: bool = True) -> Iterator[None]:
    """A block that calls a user's function of which TensorFlow builds a graph.

    The user's lines are added to its errors.

    Nothing changes if AutoGraph has not `rewritten` the function, or for functions that are called in the block.
    """
    around = in_graph.get()
    if not rewritten or (_telling.get() and around is not None and around.rewritten):
        yield
        return
    try:
        with Setting(_telling, True):
            yield
    except Exception as error:
        met = isinstance(error, TapevizError) and not is_users_own(error)  # raised by an op at run time, or by a tool
        if met or not _is_read(function):
            raise
        raise _retold(error, _told(error, function, _lines(error))) from error.__cause__


def _retold(error: Exception, text: str) -> Exception:
    """A new error with another text, of the same class if possible, and with the attributes of the first."""
    kind: Any = type(error)
    other: Exception = StagingError(text)
    if isinstance(error, OpError):
        other = kind(error.node_def, error.op, text)
    elif kind is KeyError:
        other = _KeyError(text)
    elif kind in _MADE_ANEW or kind.__init__ is Exception.__init__:
        other = kind(text)
    vars(other).update({SAID: str(error), **vars(error)} | vars(other))
    return other.with_traceback(error.__traceback__)


def told_at(error: Exception, function: Callable[..., Any], code: CodeType, number: int) -> Exception:
    """An error about a call of such a function that is found only after it, with a line of its code."""
    lines = [] if is_library(code.co_filename) else [_line(code, number, code.co_name)]
    return _retold(error, _told(error, function, lines)) if _is_read(function) else error


def _told(error: Exception, function: Callable[..., Any], lines: list[_Line]) -> str:
    said = str(error) if lines else _of_rewritten(str(error), function)
    where = [
        f'    File "{line.filename}", line {line.number}, in {line.function}  *\n        {line.text}\n'
        for line in lines
    ]
    what = "\n".join(f"    {line}" for line in f"{type(error).__name__}: {said}".split("\n"))
    return f"in user code:\n\n{''.join(where)}\n{what}\n"


def _of_rewritten(said: str, function: Callable[..., Any]) -> str:
    """Python's message about arguments that do not fit, with the name of the function that AutoGraph generates."""
    own = getattr(function, "__qualname__", "")
    name = getattr(function, "__name__", "")
    return said.replace(f"{own}()", f"{_FACTORY}{name if name == _LAMBDA else f'tf__{name}'}()", 1)


def is_users_own(error: Exception) -> bool:
    """Whether the user's code raised the error itself, and not an op or a tool."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return at is not None and at.tb_frame.f_code.co_filename not in PACKAGE_FILES


def _lines(error: BaseException) -> list[_Line]:
    """The lines of the user's code in the traceback; of nested functions only the innermost."""
    found: list[tuple[CodeType, _Line]] = []
    places = list(_places(error))
    if places and hasattr(error, LINE):
        places[-1] = places[-1][0], getattr(error, LINE)
    for code, number in places:
        name = None if code.co_name == _LAMBDA else code.co_name
        if found and _stands_in(code, found[-1][0]):
            *_, (_, outer) = found
            name = outer.function if name is None or is_inline(code) else name
            found.pop()
        found.append((code, _line(code, number, name)))
    return [line for _, line in found]


def _places(error: BaseException) -> Iterator[tuple[CodeType, int]]:
    """The code objects and line numbers of the user's code in the traceback, up to a layer, which adds its own text.

    If an error has replaced another one on its way, those of the first follow.
    """
    at = error.__traceback__
    while at is not None:
        filename = at.tb_frame.f_code.co_filename
        if filename.startswith(_LAYERS):
            return
        if not is_library(filename):
            yield at.tb_frame.f_code, at.tb_lineno
        at = at.tb_next
    if isinstance(error.__cause__, OpError) and not isinstance(error, OpError):
        yield from _places(error.__cause__)


def _stands_in(inner: CodeType, outer: CodeType) -> bool:
    """Whether code is nested in other code, or is a branch of it in a dry run."""
    begins = [(each.co_filename, each.co_name, each.co_firstlineno) for each in (inner, outer)]
    if begins[0] == begins[1]:
        return inner is not outer
    return any(each is inner or _stands_in(inner, each) for each in outer.co_consts if isinstance(each, CodeType))


def _line(code: CodeType, number: int, function: str | None) -> _Line:
    """A line of code: the first of the statement that contains it."""
    lines = read_lines(code.co_filename)
    tree = parsed("".join(lines)).tree
    for each in ast.walk(tree) if tree is not None and function is not None else ():
        if isinstance(each, ast.stmt) and not hasattr(each, "body") and each.lineno <= number <= (each.end_lineno or 0):
            number = each.lineno
    text = lines[number - 1].strip() if 0 < number <= len(lines) else "<source unavailable>"
    if function is None and (nodes := _lambdas_at(code)):
        text = (ast.get_source_segment("".join(lines), nodes[0]) or text).split("\n")[number - nodes[0].lineno].strip()
    return _Line(code.co_filename, number, function, text)


def is_rewritable(function: Callable[..., Any]) -> bool:
    """Whether AutoGraph can rewrite a function.

    It cannot if it does not distinguish a `lambda` from another one on its line, or does not know a construct in the
    function.
    """
    code = getattr(function, "__code__", None)
    if code is None:
        return True
    return not (code.co_name == _LAMBDA and len(_lambdas_at(code)) > 1) and not _has_unknown(code)


@lru_cache(maxsize=1024)
def _has_unknown(code: CodeType) -> bool:
    source = source_of_code(code)
    parts = ast.walk(source) if source is not None else ()
    return any(isinstance(each, _UNKNOWN) or (isinstance(each, _LOOPS) and each.orelse) for each in parts)


def _is_read(function: Callable[..., Any]) -> bool:
    """Whether AutoGraph finds the source of a function."""
    code = getattr(function, "__code__", None)
    if code is None:
        return True
    return len(_lambdas_at(code)) == 1 if code.co_name == _LAMBDA else bool(read_lines(code.co_filename))


@lru_cache(maxsize=1024)
def _lambdas_at(code: CodeType) -> list[ast.Lambda]:
    """The lambda expressions in the source that this code may come from, as far as AutoGraph can tell."""
    tree = parsed("".join(read_lines(code.co_filename))).tree
    every = [each for each in ast.walk(tree) if isinstance(each, ast.Lambda)] if tree is not None else []
    there = [each for each in every if each.lineno <= code.co_firstlineno <= (each.end_lineno or 0)]
    if len(there) > 1:
        names = code.co_varnames[: code.co_argcount]
        there = [each for each in there if tuple(argument.arg for argument in each.args.args) == names]
    return there
