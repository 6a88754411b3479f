"""A call of `jax.vjp` -> the program that it differentiates; `grad`, `value_and_grad` and `jacrev` end in one, too.

JAX calls it with arrays when the program takes a gradient, and with tracers when it traces a function that does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

import jax
from jax import tree_util

from tapeviz.events.program.frames import users_frame
from tapeviz.recorders.jax.arguments import Leaf, Program, argument_names, is_array, output_names, read_besides, targets
from tapeviz.recorders.jax.places import API

GRADIENT, JACOBIAN = "value_and_grad_f", "jacfun"
"""JAX's functions that call `vjp`, and the cotangents that they go on with: one, or a row for each number."""


@dataclass(frozen=True)
class GradientCall:
    """One call: the `function` of the `primals` is differentiated.

    `own` is the program's function, `arguments` are the names of those of its arguments that are the primals, `besides`
    those of arrays that it reads besides, by identity. `caller` is JAX's function that called; "" if the program did.
    """

    function: Callable[..., Any]
    primals: tuple[Any, ...]
    has_aux: bool
    own: Callable[..., Any]
    arguments: Sequence[str]
    besides: Mapping[int, str]
    caller: str = ""

    def trace(self) -> Program:
        """The program that is differentiated, traced once more; in another trace it reads that one's tracers.

        Raises:
            TypeError: nothing that it returns is a real number.
        """
        flat, _ = tree_util.tree_flatten_with_path(self.primals)
        leaves = [Leaf(self.arguments[path[0].idx] + tree_util.keystr(path[1:]), each, True) for path, each in flat]

        def of_arrays(*primals: Any) -> Any:
            return tree_util.tree_map(lambda each: each if _is_number(each) else None, self.function(*primals))

        jaxpr, out = jax.make_jaxpr(of_arrays, return_shape=True)(*self.primals)
        differentiated = targets(out, self.has_aux)
        return Program(
            jaxpr,
            tuple(leaves),
            tuple(output_names(self.own, out, self.has_aux)),
            tuple(range(len(leaves))),
            differentiated,
            dict(self.besides),
            rows=sum(jaxpr.out_avals[each].size for each in differentiated) if self.caller == JACOBIAN else None,
        )


def gradient_call(fun: Callable[..., Any], primals: tuple[Any, ...], has_aux: bool) -> GradientCall:
    """What a call of `vjp` that runs now differentiates, in the words of whoever called it."""
    frame = _caller()
    if frame is None:
        return GradientCall(fun, primals, has_aux, fun, argument_names(fun, len(primals)), dict(read_besides(fun)))
    known = frame.f_locals
    own, args, argnums = known["fun"], known["args"], known["argnums"]
    differentiated = [each % len(args) for each in (argnums if isinstance(argnums, Sequence) else (argnums,))]
    names = argument_names(own, len(args))
    others = [(names[index], each) for index, each in enumerate(args) if index not in differentiated]
    besides = dict(_named([*others, *known["kwargs"].items()])) | dict(read_besides(own))
    arguments = [names[index] for index in differentiated]
    return GradientCall(fun, primals, has_aux, own, arguments, besides, frame.f_code.co_name)


def _caller() -> FrameType | None:
    """The frame of JAX's function that called `vjp`; None where the program did."""
    frame = users_frame(1)
    return frame if frame.f_code.co_filename == API and frame.f_code.co_name in (GRADIENT, JACOBIAN) else None


def _named(values: Sequence[tuple[str, Any]]) -> Iterator[tuple[int, str]]:
    for name, value in values:
        for path, each in tree_util.tree_flatten_with_path(value)[0]:
            if is_array(each):
                yield id(each), name + tree_util.keystr(path)


def _is_number(value: Any) -> bool:
    """Whether a value is an array, a tracer or a Python number: what JAX computes with."""
    return is_array(value) or isinstance(value, (bool, int, float, complex))
