"""A call of `jax.vjp` -> the program that it differentiates; `grad`, `value_and_grad` and `jacrev` end in one, too.

JAX calls it with arrays when the program takes a gradient, and with tracers when it traces a function that does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from types import FrameType, FunctionType
from typing import Any

import jax
from jax import tree_util
from jax._src import core as traces

from tapeviz.events.program.frames import users_frame
from tapeviz.recorders.jax.arguments import Leaf, Program, argument_names, is_array, output_names, read_besides, targets
from tapeviz.recorders.jax.places import API

GRADIENT, JACOBIAN = "value_and_grad_f", "jacfun"
"""JAX's functions that call `vjp`, and the cotangents that they go on with: one, or a row for each number."""


@dataclass(frozen=True)
class GradientCall:
    """One call: the `function` of `args` and `kwargs` is differentiated by those of its arguments at `argnums`.

    `caller` is JAX's function that called `vjp`; "" if the program did.
    """

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    argnums: tuple[int, ...]
    has_aux: bool
    caller: str

    def copied(self) -> GradientCall:
        """The call with a copy of its function, if that is an object of a class in Python: it may serve but once."""
        return replace(self, function=_copied(self.function))

    def trace(self) -> tuple[Program, Callable[..., Any]]:
        """The program that is differentiated, and a function that does and returns what the traced one did.

        In another trace, both read that one's tracers.

        Raises:
            TypeError: nothing that it returns is a real number.
        """
        names = argument_names(self.function, len(self.args))
        primals = [self.args[index] for index in self.argnums]
        flat, _ = tree_util.tree_flatten_with_path(primals)
        leaves = [
            Leaf(names[self.argnums[path[0].idx]] + tree_util.keystr(path[1:]), each, True) for path, each in flat
        ]
        others = [(names[index], each) for index, each in enumerate(self.args) if index not in self.argnums]
        besides = dict(_named([*others, *self.kwargs.items()])) | dict(read_besides(self.function))
        returned: list[Any] = []

        def of_arrays(*primals: Any) -> Any:
            args = list(self.args)
            for index, each in zip(self.argnums, primals, strict=True):
                args[index] = each
            returned.append(self.function(*args, **self.kwargs))
            return tree_util.tree_map(lambda each: each if _is_number(each) else None, returned[0])

        jaxpr, out = jax.make_jaxpr(of_arrays, return_shape=True)(*primals)

        def again(*primals: Any) -> Any:
            results = iter(traces.eval_jaxpr(jaxpr.jaxpr, jaxpr.consts, *tree_util.tree_leaves(primals)))
            return tree_util.tree_map(lambda each: next(results) if _is_number(each) else each, returned[0])

        outputs, sources = tuple(output_names(self.function, out, self.has_aux)), tuple(range(len(leaves)))
        differentiated = targets(out, self.has_aux)
        rows = sum(jaxpr.out_avals[each].size for each in differentiated) if self.caller == JACOBIAN else None
        return Program(jaxpr, tuple(leaves), outputs, sources, differentiated, besides, rows=rows), again


def gradient_call(fun: Callable[..., Any], primals: tuple[Any, ...], has_aux: bool) -> GradientCall:
    """What a call of `vjp` that runs now differentiates, in the words of whoever called it."""
    frame = _caller()
    if frame is None:
        return GradientCall(fun, primals, {}, tuple(range(len(primals))), has_aux, "")
    known = frame.f_locals
    function, args, argnums = known["fun"], known["args"], known["argnums"]
    numbers = tuple(each % len(args) for each in (argnums if isinstance(argnums, Sequence) else (argnums,)))
    return GradientCall(function, args, known["kwargs"], numbers, has_aux, frame.f_code.co_name)


def _caller() -> FrameType | None:
    """The frame of JAX's function that called `vjp`; None where the program did."""
    frame = users_frame(1)
    return frame if frame.f_code.co_filename == API and frame.f_code.co_name in (GRADIENT, JACOBIAN) else None


def _copied(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is an object, with containers of its own."""
    if not isinstance(getattr(type(function), "__call__", None), FunctionType):  # noqa: B004  # what a class calls
        return function
    twin = copy(function)
    for name, each in vars(function).items():
        if isinstance(each, (list, dict, set, deque)):
            object.__setattr__(twin, name, copy(each))
    return twin


def _named(values: Sequence[tuple[str, Any]]) -> Iterator[tuple[int, str]]:
    for name, value in values:
        for path, each in tree_util.tree_flatten_with_path(value)[0]:
            if is_array(each):
                yield id(each), name + tree_util.keystr(path)


def _is_number(value: Any) -> bool:
    """Whether a value is an array, a tracer or a Python number: what JAX computes with."""
    return is_array(value) or isinstance(value, (bool, int, float, complex))
