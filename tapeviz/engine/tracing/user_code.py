"""An error in a function that AutoGraph rewrites -> the same error, with the user's lines that led to it in its text.

TensorFlow's traceback leads through the code that AutoGraph wrote; so the text of the error says where that came from.
A class of errors that it cannot make anew from a text alone becomes a StagingError.
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

from tapeviz.engine.setting import Setting
from tapeviz.engine.tracing.building import in_graph
from tapeviz.errors import LINE, InaccessibleTensorError, OperatorNotAllowedInGraphError, OpError, TapevizError
from tapeviz.events.program.frames import PACKAGE_FILES, is_library
from tapeviz.events.program.raised import SAID
from tapeviz.events.program.sites import is_inline, parsed, read_lines

_LAMBDA = "<lambda>"
_FACTORY = "outer_factory.<locals>.inner_factory.<locals>."
"""Where the functions are that AutoGraph writes."""
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
"""The classes whose errors TensorFlow makes anew, beside those without a constructor of their own."""

_LAYERS = str(Path(__file__).parents[2] / "keras")
"""Where the layers are, which call the user's."""

_telling: ContextVar[bool] = ContextVar("tapeviz.telling", default=False)
"""Whether a function is running that tells of all user code in it."""


class StagingError(Exception):
    """An error of a class that takes more than a text (`tensorflow.python.autograph.impl.api.StagingError`)."""


class _KeyError(KeyError):
    """A KeyError whose text has several lines: Python's own would show them as one."""

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
    """A block that calls a function of the user's, of which TensorFlow builds a graph; `rewritten` by AutoGraph first.

    Functions that are called in it do not tell again.
    """
    around = in_graph.get()
    if not rewritten or (_telling.get() and around is not None and around.rewritten):
        yield
        return
    try:
        with Setting(_telling, True):
            yield
    except Exception as error:
        met = isinstance(error, TapevizError) and not is_users_own(error)  # by an op that runs, or by a tool
        if met or not _is_read(function):
            raise
        raise _retold(error, _told(error, function, _lines(error))) from error.__cause__


def _retold(error: Exception, text: str) -> Exception:
    """An error with another text; the user's own stays as it is."""
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
    """An error in such a function that is known after its call alone, of a line of some code."""
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
    """What Python says of arguments that a function does not take, with the name of the function AutoGraph makes."""
    own = getattr(function, "__qualname__", "")
    name = getattr(function, "__name__", "")
    return said.replace(f"{own}()", f"{_FACTORY}{name if name == _LAMBDA else f'tf__{name}'}()", 1)


def is_users_own(error: Exception) -> bool:
    """Whether the user's code raised an error itself: what an op says when it runs has no lines of that code."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return at is not None and at.tb_frame.f_code.co_filename not in PACKAGE_FILES


def _lines(error: BaseException) -> list[_Line]:
    """The user's lines that an error came through; of code that stands within other code, the inner alone."""
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
    """Where the user's code was when an error passed: up to a layer, which tells of its call itself.

    A function called by another one told its error anew, with the error before as its cause.
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
    """Whether code is within other code, or is that of a branch of it which is tried."""
    begins = [(each.co_filename, each.co_name, each.co_firstlineno) for each in (inner, outer)]
    if begins[0] == begins[1]:
        return inner is not outer
    return any(each is inner or _stands_in(inner, each) for each in outer.co_consts if isinstance(each, CodeType))


def _line(code: CodeType, number: int, function: str | None) -> _Line:
    """The line that a statement begins at of which a line is a part."""
    lines = read_lines(code.co_filename)
    tree = parsed("".join(lines)).tree
    for each in ast.walk(tree) if tree is not None and function is not None else ():
        if isinstance(each, ast.stmt) and not hasattr(each, "body") and each.lineno <= number <= (each.end_lineno or 0):
            number = each.lineno
    text = lines[number - 1].strip() if 0 < number <= len(lines) else "<source unavailable>"
    if function is None and (nodes := _lambdas_at(code)):
        text = (ast.get_source_segment("".join(lines), nodes[0]) or text).split("\n")[number - nodes[0].lineno].strip()
    return _Line(code.co_filename, number, function, text)


def is_ambiguous(function: Callable[..., Any]) -> bool:
    """Whether a function is a `lambda` beside another one that looks like it: AutoGraph leaves such as they are."""
    code = getattr(function, "__code__", None)
    return code is not None and code.co_name == _LAMBDA and len(_lambdas_at(code)) > 1


def _is_read(function: Callable[..., Any]) -> bool:
    """Whether AutoGraph finds the source of a function."""
    code = getattr(function, "__code__", None)
    if code is None:
        return True
    return len(_lambdas_at(code)) == 1 if code.co_name == _LAMBDA else bool(read_lines(code.co_filename))


@lru_cache(maxsize=1024)
def _lambdas_at(code: CodeType) -> list[ast.Lambda]:
    """The expressions in the source that the code of a `lambda` may be of, as far as AutoGraph tells them apart."""
    tree = parsed("".join(read_lines(code.co_filename))).tree
    every = [each for each in ast.walk(tree) if isinstance(each, ast.Lambda)] if tree is not None else []
    there = [each for each in every if each.lineno <= code.co_firstlineno <= (each.end_lineno or 0)]
    if len(there) > 1:
        names = code.co_varnames[: code.co_argcount]
        there = [each for each in there if tuple(argument.arg for argument in each.args.args) == names]
    return there
