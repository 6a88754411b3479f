"""A library's gradient function -> whether it only sees tensors and their gradients go by, and what is noted then.

`fully_shard` puts one ahead of each module, to learn when the gradients of its parameters are all there, and
`DistributedDataParallel` one behind a model. They compute nothing, and nobody has written them into the program.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import torch

from tapeviz.recorders.torch.elements import view_of
from tapeviz.recorders.torch.levels import running
from tapeviz.recorders.torch.ops import RecordedFunction
from tapeviz.recorders.torch.values import spec_of

COPYING = frozenset(("_DDPSink",))
"""Functions whose results may be copies: of others the same memory tells that nothing is computed."""


@cache
def hands_gradients_on(cls: Any) -> bool:
    """Whether the gradient of a function gives back the gradients that it is given, by its text, as `return None, *g`.

    >>> class Through(torch.autograd.Function):
    ...     def backward(ctx, *gradients):
    ...         return None, *gradients
    >>> class Halved(torch.autograd.Function):
    ...     def backward(ctx, gradient):
    ...         return gradient / 2
    >>> hands_gradients_on(Through), hands_gradients_on(Halved)
    (True, False)
    """
    try:
        rule = ast.parse(textwrap.dedent(inspect.getsource(cls.backward))).body[0]
    except (OSError, TypeError, SyntaxError):
        return False
    if not isinstance(rule, ast.FunctionDef):
        return False
    arguments = rule.args
    gradients = [each.arg for each in (*arguments.args[1:], *filter(None, [arguments.vararg]))]
    results = [each.value for each in ast.walk(rule) if isinstance(each, ast.Return)]
    read = Counter(each.id for each in ast.walk(rule) if isinstance(each, ast.Name) and each.id in gradients)
    return len(results) == 1 and [*_handed_on(results[0])] == gradients and read == Counter(gradients)


def _handed_on(result: ast.expr | None) -> Iterator[str]:
    """The names that a result is put together from, in order; an empty one for anything that is computed."""
    match result:
        case ast.Constant(None):
            return
        case ast.Name(name):
            yield name
        case ast.Starred(value):
            yield from _handed_on(value)
        case ast.Tuple(parts):
            for each in parts:
                yield from _handed_on(each)
        case ast.BinOp(left, ast.Add(), right):
            yield from _handed_on(left)
            yield from _handed_on(right)
        case _:
            yield ""


class HandingOn(RecordedFunction):
    """Such a function is no op: its results are what it was given, and a gradient is, on the other side of it."""

    __slots__ = ()
    is_closed = False

    def _one(self, start: int, out: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if not self._hands_on(start, (out,), args):
            super()._one(start, out, args, kwargs)

    def _many(self, start: int, out: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if not self._hands_on(start, out, args):
            super()._many(start, out, args, kwargs)

    def _hands_on(self, start: int, out: Any, args: tuple[Any, ...]) -> bool:
        """Note the results as the arguments that they are; whether they are."""
        operands, results = ([each for each in many if isinstance(each, torch.Tensor)] for many in (args, out))
        if running() is not None or len(operands) != len(results):
            return False
        is_copying = self.name in COPYING
        if not all(_is_handed_on(*pair, is_copying) for pair in zip(operands, results, strict=True)):
            return False
        session = self._session
        ids = tuple(map(session.ledger.id_of, operands))
        session.nodes.hand_on(start, ids, results)
        for each, raw_id in zip(results, ids, strict=True):
            session.tensors.bind(each, raw_id)  # of one without a gradient, too
        return True


def _is_handed_on(operand: torch.Tensor, result: torch.Tensor, is_copying: bool) -> bool:
    """Whether a result is what was given, by its elements in memory, or may be a copy of it."""
    return spec_of(operand) == spec_of(result) and (is_copying or view_of(operand) == view_of(result))
