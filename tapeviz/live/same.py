"""Two recordings, dicts of gradients or functions -> Sameness: are these two ways to a gradient the same?"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from tapeviz.diagnosis.comparing.collected import Collected, of_arrays, of_log
from tapeviz.diagnosis.comparing.sameness import Sameness
from tapeviz.errors import LogError
from tapeviz.events import EventLog
from tapeviz.events.program.frames import users_frame
from tapeviz.live.foreign_arrays import array_and_dtype, is_array, package_of
from tapeviz.phrases import kind_of
from tapeviz.recorders.record import record
from tapeviz.source.sites import instruction_of, parsed, read_lines, span_of
from tapeviz.views.page.page_result import PageResult


class Same(Sameness, PageResult):
    __doc__ = Sameness.__doc__
    _file = "same.html"

    def html(self) -> str:
        """Both recordings as a page of its own, with nothing to load: their graphs side by side.

        Raises:
            LogError: one of the two is no recording.
        """
        from tapeviz.views.page.compare import compare

        if any(each is None for each in self.logs):
            raise LogError("Only two recordings have a page: pass logs, or functions that take their own gradients.")
        return compare(*self.logs).html()


def same(a: Any, b: Any) -> Same:
    """Whether two ways to a gradient give the same, and by what they differ if not.

    Full batch and micro-batches, eager and compiled, with a checkpoint and without one, in two precisions or two
    frameworks: what rounding allows is worked out for each gradient, of a recording from its own sums, of arrays from
    their dtypes and sizes. A difference is told as an equation where it is one: a factor, a sign, a transpose, another
    tensor's gradient, some rows, the weights of micro-batches. Of two recordings the first op is told at which
    values or cotangents part. Gradients are paired by name, in two frameworks by shape, too.

    Args:
        a: a recording (a log, or anything with `.log`), which of several gradient calls since the last update has their
            sum; gradients by name, in any structure of dicts, lists and arrays; or a function without arguments that
            returns such gradients, or takes them: it runs once, in a recording.
        b: likewise.

    Returns:
        The verdict, which is true if both are the same. As text, and in a notebook, it says what differs.

    Raises:
        TypeError: something else than a recording, gradients or a function.

    >>> import numpy as np
    >>> full = {"w": np.array([0.5, -1.0]), "b": np.array([2.0])}
    >>> accumulated = {name: 4 * gradient for name, gradient in full.items()}
    >>> found = same(full, accumulated)
    >>> bool(found), found.gradients[0].equation.factor
    (False, 4.0)
    >>> bool(same(full, {name: gradient * (1 + 1e-16) for name, gradient in full.items()}))
    True
    """
    return Same(_collected(a), _collected(b), _names())


def _collected(side: Any) -> Collected:
    log = getattr(side, "log", None)
    if isinstance(log, EventLog):
        return of_log(log)
    if callable(side) and not is_array(side):
        with record() as log:
            returned = side()
        return of_log(log) if returned is None else _collected(returned)
    named = dict(_named(side, ""))
    arrays = {name: (None, "float32") if value is None else array_and_dtype(value) for name, value in named.items()}
    return of_arrays(arrays, next((package_of(each) for each in named.values() if each is not None), ""))


def _named(gradients: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """Each gradient of a structure, by its path: `head.weight` of dicts, `layers.0` of lists."""
    if isinstance(gradients, Mapping):
        parts = gradients.items()
    elif isinstance(gradients, (list, tuple)):
        parts = dict(enumerate(gradients)).items()
    elif gradients is None or is_array(gradients) or isinstance(gradients, (int, float, complex)):
        yield prefix or "gradient", gradients
        return
    else:
        raise TypeError(
            f"same compares recordings, gradients by name and functions, but got {kind_of(gradients)}"
            f"{f' as {prefix}' if prefix else ''}. Of a PyTorch module pass "
            "{name: each.grad for name, each in net.named_parameters()}."
        )
    for name, each in parts:
        yield from _named(each, f"{prefix}.{name}" if prefix else str(name))


def _names() -> tuple[str, str]:
    """What the line that asks calls the two, where it calls them by names; else a and b."""
    frame = users_frame(2)
    code = frame.f_code
    span = span_of(code, instruction_of(code, frame.f_lasti))
    call = parsed("".join(read_lines(code.co_filename))).node(span)
    arguments = call.args if isinstance(call, ast.Call) else ()
    names = [ast.unparse(each) for each in arguments if isinstance(each, (ast.Name, ast.Attribute))]
    return (names[0], names[1]) if len(names) == 2 and names[0] != names[1] else ("a", "b")
