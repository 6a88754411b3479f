"""Calls of `jax.vjp`, which `grad`, `value_and_grad` and `jacrev` end in, too -> the program that each differentiates.

JAX calls it with a function and arrays when the program takes a gradient, and with tracers when it traces a function
that does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any

import jax
from jax import tree_util
from jax.extend import core

from tapeviz.events.program.frames import users_frame
from tapeviz.recorders.jax.arguments import Leaf, Program, argument_names, is_array, output_names, read_besides, targets
from tapeviz.recorders.jax.places import API, Place

_CALLERS = {"value_and_grad_f", "jacfun"}
"""JAX's functions that call `vjp` with their own function's arguments at `argnums`."""


@dataclass(frozen=True)
class GradientCall:
    """One call: at a `place`, the `function` of `primals` is differentiated.

    `own` is the program's function, and `arguments` what those of its arguments are called that are the primals.
    `besides` are the names of arrays that it reads besides, by identity. What is differentiated has `outputs` as the
    call says: one number, an array whose rows are asked for one by one, or anything, whose cotangent comes later.
    """

    function: Callable[..., Any]
    primals: tuple[Any, ...]
    has_aux: bool
    own: Callable[..., Any]
    arguments: tuple[str, ...]
    besides: Mapping[int, str]
    caller: str
    place: Place

    def trace(self) -> Program:
        """The program that is differentiated, traced once more; in another trace it reads that one's tracers."""
        flat, _ = tree_util.tree_flatten_with_path(self.primals)
        leaves = [Leaf(self.arguments[path[0].idx] + tree_util.keystr(path[1:]), each, True) for path, each in flat]

        def of_arrays(*primals: Any) -> Any:
            return tree_util.tree_map(lambda each: each if is_number(each) else None, self.function(*primals))

        of_arrays.__name__ = _name_of(self.own)
        jaxpr, out = jax.make_jaxpr(of_arrays, return_shape=True)(*self.primals)
        names = tuple(output_names(self.own, out, self.has_aux))
        ends = targets(out, self.has_aux)
        return Program(jaxpr, tuple(leaves), names, tuple(range(len(leaves))), ends, dict(self.besides))


def is_number(value: Any) -> bool:
    """Whether a value is an array, a tracer or a Python number: what JAX computes with."""
    return is_array(value) or isinstance(value, (bool, int, float, complex))


def _name_of(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", type(function).__name__)


def gradient_call(fun: Callable[..., Any], primals: tuple[Any, ...], has_aux: bool, place: Place) -> GradientCall:
    """What a call of `vjp` differentiates, as whoever called it, in JAX or in the program, has it."""
    frame = _caller()
    if frame is None:
        names = argument_names(fun, len(primals))
        return GradientCall(fun, primals, has_aux, fun, tuple(names), dict(read_besides(fun)), "vjp", place)
    known = frame.f_locals
    own, args, named, argnums = known["fun"], known["args"], known["kwargs"], known["argnums"]
    numbers = [each % len(args) for each in (argnums if isinstance(argnums, Sequence) else (argnums,))]
    names = argument_names(own, len(args))
    others = [(names[index], each) for index, each in enumerate(args) if index not in numbers]
    besides = dict(_named([*others, *named.items()])) | dict(read_besides(own))
    arguments = tuple(names[index] for index in numbers)
    return GradientCall(fun, primals, has_aux, own, arguments, besides, frame.f_code.co_name, place)


def _caller() -> FrameType | None:
    """The frame of JAX's function that called `vjp`; None where the program did."""
    frame = users_frame(1)
    return frame if frame.f_code.co_filename == API and frame.f_code.co_name in _CALLERS else None


def _named(values: Sequence[tuple[str, Any]]) -> Iterator[tuple[int, str]]:
    for name, value in values:
        for path, each in tree_util.tree_flatten_with_path(value)[0]:
            if is_array(each):
                yield id(each), name + tree_util.keystr(path)


def unknown_in(program: Program) -> list[Any]:
    """The tracers that a program reads: what is to be computed before it can run."""
    read = [*program.jaxpr.consts, *(each.value for each in program.leaves)]
    return [each for each in read if isinstance(each, jax.core.Tracer)]


def with_values(program: Program, values: Sequence[Any]) -> Program:
    """The program with values in place of the tracers that it reads, one each."""
    given = iter(values)
    besides = dict(program.besides)

    def known(each: Any) -> Any:
        if not isinstance(each, jax.core.Tracer):
            return each
        value = next(given)
        if id(each) in besides:
            besides[id(value)] = besides[id(each)]
        return value

    constants = list(map(known, program.jaxpr.consts))
    leaves = tuple(replace(each, value=known(each.value)) for each in program.leaves)
    return replace(program, jaxpr=core.ClosedJaxpr(program.jaxpr.jaxpr, constants), leaves=leaves, besides=besides)
