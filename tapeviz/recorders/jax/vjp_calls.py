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

from tapeviz.events.program.frames import is_library, users_frame
from tapeviz.recorders.jax.arguments import (
    Leaf,
    Program,
    argument_names,
    arrays_among,
    is_array,
    named_leaves,
    output_names,
    read_besides,
    targets,
)
from tapeviz.recorders.jax.internals import unwrapped
from tapeviz.recorders.jax.places import API
from tapeviz.recorders.keras import LOSS, computes_loss

GRADIENT, JACOBIAN = "value_and_grad_f", "jacfun"
"""JAX's functions that call `vjp`, and the cotangents that they go on with: one, or a row for each number."""


@dataclass(frozen=True)
class VjpCall:
    """One call: the `function` of `args` and `kwargs` is differentiated by those of its arguments at `argnums`.

    `caller` is JAX's function that called `vjp`; "" if the program did. `names` are what the program calls arrays whose
    own function is a library's, which may have wrapped the program's, and calls its arguments as it likes.
    """

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    argnums: tuple[int, ...]
    has_aux: bool
    caller: str
    names: Mapping[int, str]

    def copied(self) -> VjpCall:
        """The call with a copy of its function, if that is an object of a class in Python: it may serve but once."""
        return replace(self, function=_copied(self.function))

    def trace(self, given_names: Mapping[int, str]) -> tuple[Program, Callable[..., Any]]:
        """The program that is differentiated, and a function that does and returns what the traced one did.

        The `given_names` are what a library calls arrays, by their ids in the trace; they are there once that is made.
        In another trace, both read that one's tracers.

        Raises:
            TypeError: nothing that it returns is a real number.
        """
        names = argument_names(self.function, len(self.args))
        primals = [self.args[index] for index in self.argnums]
        leaves: list[Leaf] = [
            Leaf(self.names.get(id(each), name), each, True)
            for index in self.argnums
            for name, each in named_leaves(names[index], self.args[index])
        ]
        others = {names[index]: each for index, each in enumerate(self.args) if index not in self.argnums}
        besides = dict(arrays_among({**others, **self.kwargs})) | read_besides(self.function) | dict(self.names)
        returned: list[Any] = []
        traced: list[Any] = []

        def of_arrays(*primals: Any) -> Any:
            traced.extend(tree_util.tree_leaves(primals))
            args = list(self.args)
            for index, each in zip(self.argnums, primals, strict=True):
                args[index] = each
            returned.append(self.function(*args, **self.kwargs))
            return tree_util.tree_map(lambda each: each if _is_number(each) else None, returned[0])

        jaxpr, out = jax.make_jaxpr(of_arrays, return_shape=True)(*primals)
        leaves = [
            replace(leaf, name=given_names.get(id(each), leaf.name)) for leaf, each in zip(leaves, traced, strict=True)
        ]

        def evaluated(*primals: Any) -> Any:
            results = iter(traces.eval_jaxpr(jaxpr.jaxpr, jaxpr.consts, *tree_util.tree_leaves(primals)))
            return tree_util.tree_map(lambda each: next(results) if _is_number(each) else each, returned[0])

        named, sources = tuple(output_names(self.function, out, self.has_aux)), tuple(range(len(leaves)))
        differentiated = targets(out, self.has_aux)
        outputs: tuple[str | None, ...] = named
        if _is_librarys(self.function):
            loss = LOSS if computes_loss(self.function) else None
            outputs = tuple(loss if slot in differentiated else None for slot in range(len(named)))
        rows = sum(jaxpr.out_avals[each].size for each in differentiated) if self.caller == JACOBIAN else None
        return Program(jaxpr, tuple(leaves), outputs, sources, differentiated, besides, rows=rows), evaluated


def vjp_call(fun: Any, primals: tuple[Any, ...], has_aux: bool, users: FrameType) -> VjpCall:
    """What a call of `vjp` that runs now differentiates, in the words of the `users` frame, or of whoever called it."""
    frame = users_frame(1)
    if frame.f_code.co_filename != API or frame.f_code.co_name not in (GRADIENT, JACOBIAN):
        return VjpCall(unwrapped(fun), primals, {}, tuple(range(len(primals))), has_aux, "", {})
    known = frame.f_locals
    function, args, argnums = known["fun"], known["args"], known["argnums"]
    numbers = tuple(each % len(args) for each in (argnums if isinstance(argnums, Sequence) else (argnums,)))
    names = dict(arrays_among(users.f_locals)) | dict(_listed(function, args)) if _is_librarys(function) else {}
    return VjpCall(function, args, known["kwargs"], numbers, has_aux, frame.f_code.co_name, names)


def _is_librarys(function: Callable[..., Any]) -> bool:
    code = getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)
    return code is not None and is_library(code.co_filename)


def _listed(method: Callable[..., Any], args: Sequence[Any]) -> Iterator[tuple[int, str]]:
    """What an object calls its variables whose values its method is given: Keras' models do without names, else."""
    owner = getattr(method, "__self__", None)
    for name, values in zip(argument_names(method, len(args)), args, strict=True):
        variables = getattr(owner, name, None)
        if isinstance(values, list) and isinstance(variables, list) and len(values) == len(variables):
            for value, variable in zip(values, variables, strict=True):
                yield id(value), getattr(variable, "path", name)


def _copied(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is an object, with containers of its own."""
    if not isinstance(getattr(type(function), "__call__", None), FunctionType):  # noqa: B004  # what a class calls
        return function
    twin = copy(function)
    for name, each in getattr(function, "__dict__", {}).items():
        if isinstance(each, (list, dict, set, deque)):
            object.__setattr__(twin, name, copy(each))
    return twin


def _is_number(value: Any) -> bool:
    """Whether a value is an array, a tracer or a Python number: what JAX computes with."""
    return is_array(value) or isinstance(value, (bool, int, float, complex))
