"""A program that reads tracers -> the program on what these stand for: arrays, or the tracers of an outer trace.

JAX's transformations run inside of each other, each with tracers of its own. What is seen within `vmap` is the program
of one example, with arrays behind it that have all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import jax
from jax._src import core as traces
from jax._src.interpreters.ad import JVPTrace
from jax._src.interpreters.batching import BatchTrace
from jax.extend import core

from tapeviz.recorders.jax.arguments import Leaf, Program


def lowest(trace: Any) -> Any:
    """The trace below all levels of `vmap` and `jvp`."""
    while isinstance(trace, (BatchTrace, JVPTrace)):
        trace = trace.parent_trace
    return trace


def lowered(program: Program, trace: Any) -> Program:
    """A program that was seen in a trace, in the lowest one below it."""
    while isinstance(trace, (BatchTrace, JVPTrace)):
        program = _of_all(program, trace) if isinstance(trace, BatchTrace) else _of_primals(program, trace)
        trace = trace.parent_trace
    return program


def lowered_value(value: Any, trace: Any) -> Any:
    """A number that was seen in a trace, in the lowest one below it; None if each example has one of its own."""
    while isinstance(trace, (BatchTrace, JVPTrace)):
        if isinstance(trace, BatchTrace):
            value, axis = trace.to_batch_info(value)  # type: ignore[no-untyped-call]
            if isinstance(axis, int):
                return None
        else:
            value, _ = trace.to_primal_tangent_pair(value)  # type: ignore[no-untyped-call]
        trace = trace.parent_trace
    return value


def _of_primals(program: Program, trace: Any) -> Program:
    """The program without the tangents that `jvp` carries along."""
    return with_values(program, lambda each: trace.to_primal_tangent_pair(each)[0])


def _of_all(program: Program, trace: Any) -> Program:
    """The program of one example for all at once: `vmap`'s, with the examples in front, and the sum of their targets.

    Each example has gradients of its own with respect to a source that all share, so it becomes as many.
    """
    size, constants = trace.axis_data.size, len(program.jaxpr.consts)
    told = [Leaf(program.besides.get(id(each)), each, False) for each in program.jaxpr.consts]
    leaves = [*told, *program.leaves]
    if all(trace.to_batch_info(each)[1] is None for each in _read_by(program)):
        return program

    def one(*values: Any) -> list[Any]:
        return traces.eval_jaxpr(program.jaxpr.jaxpr, values[:constants], *values[constants:])

    with traces.set_current_trace(trace.parent_trace):  # type: ignore[no-untyped-call]
        front = [_in_front(trace.to_batch_info(each.value), size if each.is_source else None) for each in leaves]
        seeds = [_in_front(trace.to_batch_info(each), size) for each in program.seeds or ()]
        axes = tuple(0 if is_in_front else None for _, is_in_front in front)
        of_each = jax.vmap(one, in_axes=axes, axis_size=size, axis_name=trace.axis_data.name)

        def every(*values: Any) -> list[Any]:
            found = of_each(*values)
            is_summed = program.targets if program.seeds is None else ()
            return [each.sum(0) if slot in is_summed else each for slot, each in enumerate(found)]

        jaxpr = jax.make_jaxpr(every)(*(value for value, _ in front))
    return replace(
        program,
        jaxpr=jaxpr,
        leaves=tuple(replace(leaf, value=value) for leaf, (value, _) in zip(leaves, front, strict=True)),
        sources=tuple(constants + slot for slot in program.sources),
        seeds=None if program.seeds is None else tuple(value for value, _ in seeds),
    )


def _in_front(info: tuple[Any, Any], examples: int | None) -> tuple[Any, bool]:
    """A value with its examples in front, and whether it has any, by where it has them; else it gets so many."""
    value, axis = info
    if isinstance(axis, int):
        return jax.numpy.moveaxis(value, axis, 0), True
    if examples is None:
        return value, False
    return jax.numpy.broadcast_to(value, (examples, *jax.numpy.shape(value))), True


def unknown_in(program: Program) -> list[Any]:
    """The tracers that a program reads: what is to be computed before it can run."""
    return [each for each in _read_by(program) if isinstance(each, jax.core.Tracer)]


def _read_by(program: Program) -> list[Any]:
    """All that a program is given."""
    return [*program.jaxpr.consts, *(each.value for each in program.leaves), *(program.seeds or ())]


def in_place_of_tracers(program: Program, values: Sequence[Any]) -> Program:
    """The program with values in place of the tracers that it reads, one each."""
    given = iter(values)
    return with_values(program, lambda each: next(given) if isinstance(each, jax.core.Tracer) else each)


def with_values(program: Program, of: Callable[[Any], Any]) -> Program:
    """The program that reads other values, of the same shapes, by the same names."""
    besides: dict[int, str] = {}  # of these alone: what else had a name may be gone, and its identity another's

    def known(each: Any) -> Any:
        value = of(each)
        if id(each) in program.besides:
            besides[id(value)] = program.besides[id(each)]
        return value

    jaxpr = core.ClosedJaxpr(program.jaxpr.jaxpr, list(map(known, program.jaxpr.consts)))
    leaves = tuple(replace(each, value=known(each.value)) for each in program.leaves)
    seeds = None if program.seeds is None else tuple(map(known, program.seeds))
    return replace(program, jaxpr=jaxpr, leaves=leaves, besides=besides, seeds=seeds)
